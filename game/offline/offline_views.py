"""The offline pages (board, stored games, error page), and the view that stores offline games."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import wraps
from typing import Any

from django import forms
from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.middleware.csrf import get_token
from django.template.loader import render_to_string
from django.utils import translation
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from game.core.refusals import NotUnderstood, Refused
from game.core.words import labels, sentences
from game.core.words.speech import say, translate_both_numbers
from game.core.worth.severity import count_decisions
from game.models import Game
from game.models.player import WISHES
from game.offline import offline_coach, stored_words
from game.offline.handing_in import Moves, SentGame, hand_in_game
from game.pages.board.board import Board, Die, Row
from game.pages.requests.limits import check_start
from game.pages.requests.visitors import PlayRequest
from game.pages.rulesets import list_rules_links
from solver.pocket import collect_facts
from solver.rules import (
    RULESETS,
    Action,
    Hold,
    Ruleset,
    Score,
    State,
    apply_action,
    apply_roll,
    sort_into_slots,
    start_state,
)

NONE = Row("", "", "", "", 0, None, (), 0, playable=True, just_filled=False)


class OfflineBoard(Board):
    player_label = ""
    mode_label = property(lambda board: _("Offline"))


@dataclass(frozen=True, slots=True)
class OfflineCard:
    board: OfflineBoard
    facts: Mapping[str, Any]  # the facts that the script reads


def make_cards() -> Iterator[OfflineCard]:
    for rules in RULESETS.values():
        board = OfflineBoard(start_state(rules), may_act=True, level=Game.Coach.LIVE)
        yield OfflineCard(board, _make_board_facts(rules, board))


def _make_board_facts(rules: Ruleset, board: Board) -> dict[str, Any]:
    rows = {row.id: row for row in (*board.upper, *board.lower)}
    upper = {row.id for row in board.upper}
    names = ("name", "hint", "key", "maximum")
    joker = rules.joker
    return {
        "throws": rules.throws,
        "goal": rules.bonus_threshold,
        "bonus": rules.bonus_points,
        "boxes": [
            {"id": category.id, "upper": category.id in upper}
            | {name: getattr(rows[category.id], name) for name in names}
            for category in rules.categories
        ],
        "dice": rules.dice,
        "count": labels.count(rules.dice),
        "decisions": count_decisions(rules),
        "joker": joker.box if joker else "",
        "chipless": (_("no bonus, because %(name)s is 0") % {"name": labels.CATEGORIES[joker.box]})
        if joker
        else "",
    }


def make_texts() -> dict[str, Any]:
    """Return the script's texts with placeholders. A text with a number is [singular, plural]."""
    return {
        "faces": [str(labels.FACES[face]) for face in range(len(labels.FACES))],
        "held": _("die %(number)s, shows %(face)s, held"),
        "free": _("die %(number)s, shows %(face)s"),
        "turn": _("Turn %(turn)s of %(turns)s"),
        "left": translate_both_numbers(["%(left)s left", "%(left)s left"]),
        "choose": _("Choose a box"),
        "begin": sentences.explain_step("roll", 0),
        "decide": say("decide"),
        "score": say("score"),
        "joker": _("These dice are a joker: you can use only boxes that show points."),
        "offer": translate_both_numbers(
            ["%(name)s: score %(points)s point", "%(name)s: score %(points)s points"]
        ),
        "used": translate_both_numbers(
            [
                "%(name)s: %(points)s point, with the dice %(dice)s",
                "%(name)s: %(points)s points, with the dice %(dice)s",
            ]
        ),
        "sum_of": _("%(sum)s of %(goal)s"),
        "upper": _("Upper boxes: %(sum)s"),
        "short": _("%(missing)s short of the bonus"),
        "out": _("out of reach"),
        "to_go": _("%(missing)s more for a bonus of %(points)s"),
        "failed": _("This browser failed with this error:"),
        "unkept": _("This device cannot save your game: play on, but leave this page open."),
    }


LONGEST = 8000  # characters of a game; a game of 15 turns has about 1,500
MOST_HINTS = 999
LATEST = 2**42  # latest time of a device's clock, in milliseconds since 1970 (in the year 2109)


class SentGameForm(forms.Form):
    """A form that sends an offline game. ``turns`` is JSON from ``offline.js``: [{"thrown": [[1, 2,
    3, 4, 6]], "held": [], "box": "ones"}, ...]. Validation sets ``sent``."""

    name = forms.UUIDField()
    rules = forms.ChoiceField(choices=[(name, name) for name in RULESETS])
    turns = forms.CharField(max_length=LONGEST)
    total = forms.IntegerField(min_value=0)
    began = forms.IntegerField(min_value=0, max_value=LATEST)
    ended = forms.IntegerField(min_value=0, max_value=LATEST)
    coach = forms.ChoiceField(choices=WISHES, required=False)
    hints = forms.IntegerField(min_value=0, max_value=MOST_HINTS, required=False)

    sent: SentGame

    def clean(self) -> dict[str, Any]:
        cleaned = self.cleaned_data
        if self.errors:
            return cleaned
        try:
            moves, end = replay(RULESETS[cleaned["rules"]], json.loads(cleaned["turns"]))
        except (ValueError, TypeError, LookupError, RecursionError):
            self.add_error("turns", NotUnderstood().message)
            return cleaned
        began, ended = (
            datetime.fromtimestamp(cleaned[at] / 1000, UTC) for at in ("began", "ended")
        )
        coach, hints = cleaned["coach"] or Game.Coach.OFF.value, cleaned["hints"] or 0
        name, total = str(cleaned["name"]), cleaned["total"]
        self.sent = SentGame(name, moves, end, total, began, ended, coach, hints)
        return cleaned


def replay(rules: Ruleset, turns: Iterable[Any]) -> tuple[Moves, State]:
    """Return each decision with the state before it, and the final state. Raise ValueError,
    TypeError or LookupError if the rules forbid a turn, or if the game is not finished."""
    moves, state = list[tuple[State, Action]](), start_state(rules)
    for turn in turns:
        for held, dice in zip([[], *turn["held"]], turn["thrown"], strict=True):
            hold = Hold.from_faces(held, state.dice, state.held)
            if len(hold.places) != len(held) or [type(face) for face in dice] != [int] * rules.dice:
                raise ValueError(held, dice)
            moves.append((state, hold))
            state = apply_action(state, hold)
            state = apply_roll(state, sort_into_slots(state.dice, state.held, dice))
        moves.append((state, Score(turn["box"])))
        state = apply_action(state, moves[-1][1])
    if not state.finished:
        raise ValueError(state)
    return moves, state


def make_language_view(page: Callable[[], str]) -> Callable[[HttpRequest], HttpResponse]:
    """Make a view from a page that depends only on the language, not on the player or session."""

    @require_safe
    @wraps(page)
    def view(request: HttpRequest) -> HttpResponse:
        language = request.GET.get("in", "")
        with translation.override(
            language if language in dict(settings.LANGUAGES) else get_language()
        ):
            return HttpResponse(page())

    return view


def render_away_page() -> str:
    """Render the page that a browser without a connection shows instead of other pages."""
    return render_to_string("offline.html")


def render_table_page() -> str:
    cards = list(make_cards())
    context = {
        "cards": cards,
        "choices": list_rules_links(None, among=RULESETS),
        "row": NONE,
        "used": replace(NONE, points=0, just_filled=True),
        "die": Die(0, 1, held=False, fresh=True),
        "words": make_texts(),
        "coach": offline_coach.make_parts(cards[0].board.rules),
    }
    return render_to_string("offline/table.html", context)


def render_stored_page() -> str:
    context = {"parts": stored_words.list_parts(), "words": stored_words.make_texts()}
    return render_to_string("offline/stored.html", context)


away, table, stored = map(
    make_language_view, (render_away_page, render_table_page, render_stored_page)
)


@require_safe
def facts(request: HttpRequest) -> JsonResponse:
    """Return the solver's data for all rulesets, because a device cannot load more offline."""
    facts_by_ruleset = {rules.id: collect_facts(rules) for rules in RULESETS.values()}
    return JsonResponse(facts_by_ruleset, json_dumps_params={"separators": (",", ":")})


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def hand_in(request: PlayRequest) -> JsonResponse:
    """Store a game that the service worker sends. GET returns the CSRF token for it."""
    if request.method != "POST":
        return JsonResponse({"token": get_token(request)})
    player, form = request.visitor.player, SentGameForm(request.POST)
    try:
        check_start(request, player)
        if not form.is_valid():
            text = " ".join(str(error) for errors in form.errors.values() for error in errors)
            # An older service worker sends "text"; after status 409 it sends the game again later.
            return JsonResponse({"told": text}, status=400 if "turns" in request.POST else 409)
        game = hand_in_game(player=player, sent=form.sent)
    except Refused as refusal:
        return JsonResponse({"told": refusal.message}, status=refusal.status)
    if game is not None:
        request.visitor.become(game.player)
    return JsonResponse({"stored": game is not None})
