"""Rows of positions that the player answers again. The server does not store these answers.

A row (``AskedRow``) has the mistakes of a drill session, an earlier answer, a saved list, or a
lesson. A new kind of row needs a function and a line in ``ROWS``.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from game.coach.waiting import find_missing_reasons
from game.core.access import check_drill, check_not_blinded, check_not_own
from game.core.refusals import IllegalMove
from game.core.worth.drilled import DRILLED
from game.core.worth.tables import require_advisor
from game.models import FiveAnswer
from game.pages.requests.forms import TryForm
from game.pages.requests.visitors import PlayRequest
from game.pages.rulesets import find_named_rules
from game.practice.answered import MadeAnswer, list_missed, read_drill_answer, read_five_answer
from game.practice.asking import (
    Following,
    Source,
    format_points_needed,
    judge_answer,
    make_position_board,
)
from game.practice.drill_queries import find_attempt, find_list
from game.practice.drilling import check_allowed
from game.practice.lessons import (
    format_lesson_worth,
    list_lesson_positions,
    list_lessons,
    make_lesson_name,
    make_lessons_url,
)
from solver.advice import Position, build_state
from solver.players.playbook_rules import format_sentence
from solver.rules import Action

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise


TO_WIN = "-win"  # ending of a session's name if the player drills to win


class AskedItem(NamedTuple):
    """A position to answer. ``key`` identifies it in its row, even if items are added."""

    key: str
    position: Position
    needed: int = 0


@dataclass(frozen=True, slots=True)
class AskedRow:
    title: "StrOrPromise"
    items: Sequence[AskedItem]
    end: Following  # the link after the last item, or if the row is empty
    about: Sequence[str] = ()  # texts shown with each question
    sentence: str = ""  # sentence shown after a wrong answer
    ways: Sequence[tuple[str, str]] = ()  # more links, as (address, label)


@never_cache
@require_safe
def drill_again(request: PlayRequest) -> HttpResponse:
    kind, _dash, name = request.GET.get("of", "").partition("-")
    if kind not in ROWS:
        raise Http404(_("This position no longer exists."))
    row = ROWS[kind](request, name)
    return Again(request, row).page() if row.items else redirect(row.end.url)


class Again(Source):
    """A repeated question. The address of its page contains everything that the page needs."""

    def __init__(self, request: PlayRequest, row: AskedRow) -> None:
        super().__init__(request, reverse("drill_again"))
        self.row, self.title = row, row.title
        keys = [item.key for item in row.items]
        key = request.GET.get("at", keys[0])
        if key not in keys:
            raise Http404(_("This position no longer exists."))
        self.place = keys.index(key)
        self.item = row.items[self.place]
        carried = {name: request.GET[name] for name in ("of", "leak") if name in request.GET}
        self.fields = carried | {"at": key}

    def page(self, status: int = 200) -> HttpResponse:
        form = TryForm(self.request.GET)
        if not form.is_valid():
            return self._show_question()
        choice = form.choice
        if form.asks or choice is None:
            return self._show_question(form.held)
        return self._show_answer(choice)

    def _show_question(self, held: Collection[int] = ()) -> HttpResponse:
        board = make_position_board(self.item.position, held)
        notes = [*self.row.about, _("Answers here do not count.")]
        return self.render_question(
            board, fields=self.fields, method="get", notes=notes, ways=self.row.ways, **self._around
        )

    def _show_answer(self, choice: Action) -> HttpResponse:
        position, coach = self.item.position, require_advisor(self.item.position.rules)
        check_not_own(self.player, [position])
        try:
            check_allowed(build_state(position), choice)
        except IllegalMove as error:
            raise Http404(error.message) from error
        answer = judge_answer(coach, position, choice, self.item.needed)
        again = f"{self.url}?{urlencode(self.fields)}"
        retry = "" if answer.right else again
        later, end = self.row.items[self.place + 1 :], self.row.end
        following = Following(end.url, end.text, end.fields, again=retry)
        if later:
            fields = self.fields | {"at": later[0].key}
            following = Following(self.url, _("Next position"), fields, again=retry)
        step = answer.step
        explore = [(step.explore, _("Explore this position"))] if step else []
        return self.render_answer(
            answer.board,
            answer=answer,
            following=following,
            parts=step.why if step else (),
            sentence="" if answer.right else self.row.sentence,
            ways=[] if check_drill(self.player) else [*explore, *self.row.ways],
            waiting=find_missing_reasons(coach),
            **self._around,
        )

    @property
    def _around(self) -> dict[str, Any]:
        facts = {"place": self.place + 1, "places": len(self.row.items)}
        heading = {"player": _("Position %(place)s of %(places)s") % facts}
        if self.item.needed:
            heading["turn"] = format_points_needed(self.item.needed)
        return {"heading": heading}


# Functions that make rows: an address with ``of=KIND-NAME`` calls ``ROWS[KIND](request, NAME)``.


def _make_session_row(request: PlayRequest, name: str) -> AskedRow:
    rules, to_win = find_named_rules(name.removesuffix(TO_WIN), DRILLED), name.endswith(TO_WIN)
    missed = list_missed(request.visitor.player, rules, to_win=to_win)
    return AskedRow(
        _("Once more"), _list_items(missed), _link_to_drill(rules.id, _("Drill on"), to_win=to_win)
    )


def _link_to_drill(ruleset: str, text: str, *, to_win: bool, leak: str = "") -> Following:
    fields = {"rules": ruleset} | ({"theme": "win"} if to_win else {})
    return Following(reverse("drill"), text, fields | ({"leak": leak} if leak else {}))


def _make_attempt_row(request: PlayRequest, name: str) -> AskedRow:
    """Make a row of the one position of an earlier attempt. Its last link keeps the ``leak``."""
    stored = find_attempt(request.visitor.player, _parse_number(name))
    if stored is None:
        raise Http404(_("There is no such attempt."))
    attempt, _compared = stored
    card = attempt.card
    leak, onward = request.GET.get("leak", ""), _("Next position")
    end = _link_to_drill(card.ruleset, onward, to_win=card.needed > 0, leak=leak)
    return AskedRow(_("Once more"), _list_items([read_drill_answer(attempt)]), end)


def _make_five_row(request: PlayRequest, name: str) -> AskedRow:
    player = request.visitor.player
    check_not_blinded(player)
    made = (
        FiveAnswer.objects.filter(player=player, pk=_parse_number(name)).first() if player else None
    )
    items = _list_items([read_five_answer(made)] if made else [])
    if not items:
        raise Http404(_("There is no such attempt."))
    end = Following(reverse("drill_history"), _("All your answers"))
    return AskedRow(_("Once more"), items, end)


def _make_list_row(request: PlayRequest, name: str) -> AskedRow:
    check_not_blinded(request.visitor.player)
    position_list = find_list(name)
    if position_list is None:
        raise Http404(_("There is no such list."))
    kept = position_list.positions.all()
    items = [
        AskedItem(str(kept_position.pk), kept_position.position, kept_position.needed)
        for kept_position in kept
    ]
    url = reverse("position_list", args=[position_list.token])
    return AskedRow(position_list.name, items, Following(url, _("Back to the list")))


def _make_lesson_row(request: PlayRequest, name: str) -> AskedRow:
    """Make a row of a lesson's positions. ``name`` is RULESET-SIZE-RANK, such as ``yatzy-10-3``."""
    check_not_blinded(request.visitor.player)
    ruleset, size, place = ["", "", *name.rsplit("-", 2)][-3:]
    rules = find_named_rules(ruleset)
    lessons, at = list_lessons(rules, size), _parse_number(place)
    if not 1 <= at <= len(lessons):
        raise Http404(_("There is no such lesson."))
    lesson = lessons[at - 1]
    facts = {"place": at, "places": len(lessons)}
    positions = list_lesson_positions(rules, int(size), lesson.number)
    items = [AskedItem(str(number), position) for number, position in enumerate(positions, start=1)]
    every = make_lessons_url(rules, size)
    end = Following(reverse("lessons"), _("All lessons"), {"rules": rules.id, "size": size})
    if at < len(lessons):
        following = {"of": make_lesson_name(rules, size, at + 1)}
        end = Following(reverse("drill_again"), _("Next lesson"), following)
    return AskedRow(
        _("Lesson %(place)s of %(places)s") % facts,
        items,
        end,
        about=[format_lesson_worth(lesson)],
        sentence=format_sentence(lesson.rule, rules, _),
        ways=[(every, _("All lessons"))],
    )


def _list_items(made: Sequence[MadeAnswer]) -> list[AskedItem]:
    return [
        AskedItem(answer.key, answer.position, answer.needed) for answer in made if answer.position
    ]


def _parse_number(name: str) -> int:
    return int(name) if name.isdecimal() and len(name) <= 15 else 0


ROWS: dict[str, Callable[[PlayRequest, str], AskedRow]] = {
    "session": _make_session_row,
    "drill": _make_attempt_row,
    "five": _make_five_row,
    "list": _make_list_row,
    "lesson": _make_lesson_row,
}
