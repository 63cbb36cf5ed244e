"""A position is asked, answered with a hold or a box, judged and explained; then comes the next.

A source says where its positions come from and what follows an answer; one that is ``Remembered``
besides what is stored of it. One more is a file with a ``Source``, a line in ``urls.py``, and its
name in a row of the audiences; positions in a row, of which nothing is stored, are an ``AskedRow``
of ``again.py``.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from game.core.refusals import NotUnderstood, Refused
from game.pages.board.board import Board
from game.pages.requests.forms import DrillForm
from game.pages.requests.visitors import PlayRequest
from solver.rules import Action

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise


@dataclass(frozen=True, slots=True)
class Following:
    """Where an answer leads on; ``again`` and ``why`` are addresses, where there are any."""

    url: str
    text: str
    fields: Mapping[str, object] = field(default_factory=dict)
    again: str = ""
    why: str = ""


class Source(ABC):
    """``beside``, ``below`` and ``card`` are templates: what is around the board, and in it."""

    title: "StrOrPromise"
    beside: ClassVar[str] = "practice/_beside.html"
    below: ClassVar[str] = ""
    card: ClassVar[str] = "practice/_deciding.html"
    styles: ClassVar[tuple[str, ...]] = ()  # more of them
    looks: ClassVar[str] = ""  # a class of its own for the page

    def __init__(self, request: PlayRequest, url: str) -> None:
        """``url`` is where answers are sent."""
        self.request, self.url = request, url
        self.player = request.visitor.player

    @abstractmethod
    def page(self, status: int = 200) -> HttpResponse:
        """What is asked now, or an answer that was given."""

    def ask(self, board: Board, *, status: int = 200, **more: object) -> HttpResponse:
        """``heading`` is what stands beside the title, ``fields`` what is sent with the answer."""
        asked = {"prompt": self.prompt(board), "method": "post"}
        return self._render("practice/question.html", board, asked | more, status)

    def prompt(self, board: Board) -> str:
        if board.phase == "score":
            return _("The last throw is made: which box?")
        return _("What do you hold, or which box do you choose?")

    def tell(self, board: Board, *, status: int = 200, **more: object) -> HttpResponse:
        """``answer``, judged, and where it is ``following`` to."""
        return self._render("practice/answer.html", board, {"method": "get"} | more, status)

    def _render(
        self, template: str, board: Board, more: Mapping[str, object], status: int
    ) -> HttpResponse:
        context = {"source": self, "action": self.url, "board": board, **more}
        return render(self.request, template, context, status=status)


class Remembered(Source):
    """An answer is sent, stored, and then told at an address of its own."""

    @abstractmethod
    def switched(self, form: DrillForm) -> str:
        """The address of the same question, which remembers the dice that are held."""

    @abstractmethod
    def stored(self, form: DrillForm, choice: Action) -> str:
        """Remember the answer; the address at which it is told."""

    def sent(self) -> DrillForm:
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
