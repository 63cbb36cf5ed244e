"""A position is asked, answered with a hold or a box, judged and explained; then comes the next.

A source says where its positions come from, what is remembered of an answer, and what follows it.
One more is a file with a ``Source`` and a template of what stands beside the board.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from game.board.answers import Judged
from game.board.model import Board
from game.coach.lessons import Tried
from game.services import NotUnderstood, Refused
from game.web.forms import DrillForm, TryForm
from game.web.visitors import PlayRequest
from solver.rules import Action

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

Fields = Mapping[str, object]  # what a form sends besides what is chosen


@dataclass(frozen=True, slots=True)
class Following:
    """Where an answer leads on; ``again`` and ``why`` are addresses, where there are any."""

    url: str
    text: str
    fields: Fields = field(default_factory=dict)
    again: str = ""
    why: str = ""


class Source(ABC):
    title: ClassVar["StrOrPromise"]
    beside: ClassVar[str]  # the template of what stands beside the board
    card: ClassVar[str] = "coach/_deciding.html"
    styles: ClassVar[tuple[str, ...]] = ()
    looks: ClassVar[str] = ""  # a class of its own for the page

    def __init__(self, request: PlayRequest, url: str) -> None:
        """``url`` is where answers are sent."""
        self.request, self.url = request, url
        self.player = request.visitor.player

    @abstractmethod
    def page(self, status: int = 200) -> HttpResponse:
        """What is asked now, or an answer that was given."""

    @abstractmethod
    def switched(self, form: DrillForm | TryForm) -> str:
        """The address of the same question, which remembers the dice that are held."""

    @abstractmethod
    def stored(self, form: DrillForm | TryForm, choice: Action) -> str:
        """Remember the answer; the address at which it is told."""

    def sent(self) -> DrillForm | TryForm:
        return DrillForm(self.request.POST)

    def respond(self) -> HttpResponse:
        if self.request.method != "POST":
            return self.page()
        form = self.sent()
        try:
            if not form.is_valid():
                raise NotUnderstood
            # Without a script a die is switched by the server, and nothing is stored.
            choice = form.choice
            return redirect(self.switched(form) if choice is None else self.stored(form, choice))
        except Refused as refusal:
            messages.warning(self.request, refusal.message)
            return self.page(refusal.status)

    def ask(
        self,
        board: Board,
        heading: Mapping[str, str],
        fields: Fields,
        more: Mapping[str, object],
        status: int = 200,
    ) -> HttpResponse:
        """``heading`` is what stands beside the title, by the name of its style."""
        asked = {"status": self.asks(board), "method": "post", "fields": fields}
        return self._render("coach/question.html", board, heading, asked | {**more}, status)

    def asks(self, board: Board) -> str:
        if board.phase == "score":
            return _("The last throw is made: which box?")
        return _("What do you hold, or which box do you choose?")

    def tell(
        self,
        answer: Judged | Tried,
        board: Board,
        heading: Mapping[str, str],
        following: Following,
        more: Mapping[str, object],
        status: int = 200,
    ) -> HttpResponse:
        told = {"answer": answer, "following": following, "method": "get"}
        return self._render("coach/answer.html", board, heading, told | {**more}, status)

    def _render(
        self,
        template: str,
        board: Board,
        heading: Mapping[str, str],
        more: Mapping[str, object],
        status: int,
    ) -> HttpResponse:
        usual = {"source": self, "action": self.url, "board": board, "heading": heading}
        return render(self.request, template, usual | {**more}, status=status)
