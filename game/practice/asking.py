"""The base of exercises: ask for a move in a position, judge the answer, explain it, and continue.

A ``Source`` provides the positions, and the links that a page shows after an answer. A
``Remembered`` source also stores answers. A new kind of exercise needs a file with a ``Source``, a
line in ``urls.py``, and its page's name in a row of the audiences.
"""

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, ClassVar

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from game.coach import winning_advice
from game.coach.hints import Hint, Ranked, build_hint, calculate_box_costs, rank_option
from game.coach.panel import Panel, Price, format_prices
from game.coach.review import Step, build_step
from game.coach.winning_advice import WinRow, list_rows
from game.core.refusals import NotUnderstood, Refused
from game.core.words import phrases
from game.core.worth.repetition import calculate_credit
from game.core.worth.severity import Severity, find_severity
from game.core.worth.winning import convert_to_points, find_chosen_chance
from game.pages.board.board import Board
from game.pages.requests.forms import DrillForm
from game.pages.requests.visitors import PlayRequest
from game.practice.drill_winning_pool import calculate_chances
from solver.advice import Advisor, Position, build_state, find_position
from solver.rules import Action, Hold, State

CHANCES_SHOWN = 8  # number of options in the list after an answer judged by the chance to win


def make_again_url(row: str, **carried: str) -> str:
    return f"{reverse('drill_again')}?{urlencode({'of': row} | carried)}"


def format_points_needed(many: int) -> str:
    text = ngettext("%(needed)s point needed to win", "%(needed)s points needed to win", many)
    return phrases.keep_on_one_line(text % {"needed": many})


@dataclass(frozen=True)
class JudgedAnswer:
    """A judged answer. ``chosen`` is the box that the player chose, or "" for a hold. ``step`` is
    None if the answer was judged by the chance to win."""

    label: str
    chosen: str
    right: bool  # true for each of the best options, if several are equal
    regret: float  # cost in points
    cost: str
    hint: Hint
    options: Sequence[Ranked] | Sequence[WinRow]
    board: Board
    step: Step | None = None

    @property
    def severity(self) -> Severity:
        return find_severity(self.regret)

    @property
    def verdict(self) -> str:
        facts = {"choice": self.label, "cost": self.cost, "best": self.hint.options[0].label}
        if self.right:
            return _("Right: %(choice)s.") % facts
        return _("%(choice)s: %(cost)s. The best move was: %(best)s.") % facts

    @property
    def credit(self) -> str:
        return phrases.format_percent(calculate_credit(self.regret))


def make_position_board(position: Position, held: Collection[int] | None) -> Board:
    """Return a board that shows the position, but no expected points."""
    return Board(build_state(position), may_act=True, held=held)


def judge_answer(
    coach: Advisor, position: Position, action: Action, needed: int = 0
) -> JudgedAnswer:
    """Judge an answer by points, or by the chance to win if the player needs ``needed`` points."""
    # If several equal dice fit the best hold, mark those that the player held.
    state = replace(build_state(position), held=action.slots if isinstance(action, Hold) else 0)
    if not needed:
        step = build_step(coach, 1, state, action)
        evaluated = coach.evaluate(find_position(state))
        hint = replace(build_hint(coach, state, evaluated), reason=step.reason)
        return JudgedAnswer(
            label=step.label,
            chosen=step.chosen.category,
            right=step.chosen.best,
            regret=step.entry.regret,
            cost=step.cost,
            hint=hint,
            # The points on the card are the same for all options, so leave them out.
            options=[
                replace(alternative, expected=alternative.expected - state.points)
                for alternative in step.alternatives
            ],
            board=_make_board(state, hint, format_prices(calculate_box_costs(evaluated))),
            step=step,
        )
    chances = calculate_chances(coach, find_position(state), needed)
    chosen = find_chosen_chance(chances, state, action)
    difference = winning_advice.compare_with_points(coach.rules, chances)
    reason = f"{difference} {winning_advice.format_points_chance(chances)}"
    hint = Hint((rank_option(state, chances.best.option),), reason)
    costs = {
        choice.option.category: winning_advice.format_chance_cost(choice.regret)
        for choice in chances.choices
    }
    prices = {box: Price(words, words, best=False) for box, words in costs.items()}
    return JudgedAnswer(
        label=phrases.describe_option(coach.rules, chosen.option),
        chosen=chosen.option.category,
        right=chosen.best,
        regret=convert_to_points(chosen.regret),
        cost=winning_advice.format_chance_cost(chosen.regret),
        hint=hint,
        options=list_rows(coach, chances)[:CHANCES_SHOWN],
        board=_make_board(state, hint, prices),
    )


def _make_board(state: State, best: Hint, prices: dict[str, Price]) -> Board:
    panel = Panel(True, False, None, best, (), prices)
    return Board(state, held=Hold(state.held).places, coach=panel)


if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise


@dataclass(frozen=True, slots=True)
class Following:
    """The links that a page shows after an answer: to the next page, to the same question
    (``again``), and to the explanation (``why``). A link may be empty."""

    url: str
    text: str
    fields: Mapping[str, object] = field(default_factory=dict)
    again: str = ""
    why: str = ""


class Source(ABC):
    """The base class of exercises. ``side``, ``below`` and ``card`` are templates of page parts."""

    title: "StrOrPromise"
    side: ClassVar[str] = "practice/_beside.html"
    below: ClassVar[str] = ""
    card: ClassVar[str] = "practice/_deciding.html"
    styles: ClassVar[tuple[str, ...]] = ()  # additional stylesheets
    looks: ClassVar[str] = ""  # an additional CSS class for the page

    def __init__(self, request: PlayRequest, url: str) -> None:
        """Prepare the exercise. The page sends its answers to ``url``."""
        self.request, self.url = request, url
        self.player = request.visitor.player

    @abstractmethod
    def page(self, status: int = 200) -> HttpResponse:
        """Show the question, or the judged answer if the player gave one."""

    def render_question(self, board: Board, *, status: int = 200, **more: object) -> HttpResponse:
        """Show the question. The page sends ``fields`` back together with the answer."""
        context = {"prompt": self.choose_prompt(board), "method": "post"}
        return self._render("practice/question.html", board, context | more, status)

    def choose_prompt(self, board: Board) -> str:
        if board.phase == "score":
            return _("No rolls left: which box do you choose?")
        return _("What do you hold, or which box do you choose?")

    def render_answer(self, board: Board, *, status: int = 200, **more: object) -> HttpResponse:
        """Show the judged answer. ``more`` has the ``answer`` and the links (``following``)."""
        return self._render("practice/answer.html", board, {"method": "get"} | more, status)

    def _render(
        self, template: str, board: Board, more: Mapping[str, object], status: int
    ) -> HttpResponse:
        context = {"source": self, "action": self.url, "board": board, **more}
        return render(self.request, template, context, status=status)


class Remembered(Source):
    """An exercise whose answers are stored. Each answer has its own address."""

    @abstractmethod
    def make_held_url(self, form: DrillForm) -> str:
        """Return the address of the same question, with the dice that the form holds."""

    @abstractmethod
    def store_answer(self, form: DrillForm, choice: Action) -> str:
        """Store the answer, and return the address that shows how it was judged."""

    def read_form(self) -> DrillForm:
        return DrillForm(self.request.POST)

    def respond(self) -> HttpResponse:
        if self.request.method != "POST":
            return self.page()
        form = self.read_form()
        try:
            if not form.is_valid():
                raise NotUnderstood
            # Without JavaScript, a press on a die sends the form without a choice: store nothing.
            choice = form.choice
            return redirect(
                self.make_held_url(form) if choice is None else self.store_answer(form, choice)
            )
        except Refused as refusal:
            messages.warning(self.request, refusal.message)
            return self.page(refusal.status)
