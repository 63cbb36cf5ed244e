"""A game without a network: the pages that a device keeps, what its kernel is told of the rules,
and what it hands in when there is a network again."""

import json
from collections.abc import Callable, Iterable
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
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from game.core.refusals import NotUnderstood, Refused
from game.models import Game
from game.models.player import WISHES
from game.offline import offline_board as board
from game.offline import offline_coach, stored_words
from game.offline.handing_in import Moves, SentGame, game_hand_in
from game.pages.requests.limits import check_start
from game.pages.requests.visitors import PlayRequest
from solver.pocket import facts_of
from solver.rules import RULESETS, Action, Hold, Ruleset, Score, State, in_slots, start, step, throw

LONGEST = 8000  # characters of a game; one of fifteen turns has about 1,500
MOST_HINTS = 999
LATEST = 2**42  # milliseconds since 1970: a device's clock may be wrong, but has a date


class SentGameForm(forms.Form):
    """``turns`` is JSON, as ``offline.js`` keeps it: [{"thrown": [[1, 2, 3, 4, 6]], "held": [],
    "box": "ones"}, ...]. ``sent`` is there if the form is valid."""

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
        found = self.cleaned_data
        if self.errors:
            return found
        try:
            moves, end = replay(RULESETS[found["rules"]], json.loads(found["turns"]))
        except (ValueError, TypeError, LookupError, RecursionError):
            self.add_error("turns", NotUnderstood().message)
            return found
        began, ended = (datetime.fromtimestamp(found[at] / 1000, UTC) for at in ("began", "ended"))
        coach, hints = found["coach"] or Game.Coach.OFF.value, found["hints"] or 0
        name, total = str(found["name"]), found["total"]
        self.sent = SentGame(name, moves, end, total, began, ended, coach, hints)
        return found


def replay(rules: Ruleset, turns: Iterable[Any]) -> tuple[Moves, State]:
    """Return each decision with the state it was made in, and the end of the game.

    Raise ValueError, TypeError or LookupError if that is no finished game by these rules.
    """
    moves, state = list[tuple[State, Action]](), start(rules)
    for turn in turns:
        for held, dice in zip([[], *turn["held"]], turn["thrown"], strict=True):
            hold = Hold.of(held, state.dice, state.held)
            if len(hold.places) != len(held) or [type(face) for face in dice] != [int] * rules.dice:
                raise ValueError(held, dice)
            moves.append((state, hold))
            state = step(state, hold)
            state = throw(state, in_slots(state.dice, state.held, dice))
        moves.append((state, Score(turn["box"])))
        state = step(state, moves[-1][1])
    if not state.finished:
        raise ValueError(state)
    return moves, state


def as_asked(page: Callable[[], str]) -> Callable[[HttpRequest], HttpResponse]:
    """The same for everybody: it knows neither a player nor a session, so it is told a language."""

    @require_safe
    @wraps(page)
    def view(request: HttpRequest) -> HttpResponse:
        asked = request.GET.get("in", "")
        with translation.override(asked if asked in dict(settings.LANGUAGES) else get_language()):
            return HttpResponse(page())

    return view


def away_page() -> str:
    """In place of a page that cannot be had now."""
    return render_to_string("offline.html")


def table_page() -> str:
    context = {
        "cards": list(board.cards()),
        "row": board.blank_row(),
        "used": board.filled_row(),
        "die": board.blank_die(),
        "words": board.words(),
        "coach": offline_coach.parts(),
    }
    return render_to_string("offline/table.html", context)


def stored_page() -> str:
    """Of what lies on a device nothing is known here: a script fills it in."""
    context = {"parts": stored_words.parts(), "words": stored_words.words()}
    return render_to_string("offline/stored.html", context)


away, table, stored = as_asked(away_page), as_asked(table_page), as_asked(stored_page)


@require_safe
def facts(request: HttpRequest) -> JsonResponse:
    """Of all rulesets at once, for whoever is without a network cannot ask for more."""
    told = {rules.id: facts_of(rules) for rules in RULESETS.values()}
    return JsonResponse(told, json_dumps_params={"separators": (",", ":")})


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def hand_in(request: PlayRequest) -> JsonResponse:
    """A service worker asks: it has no page with a token, and is answered in words to be shown."""
    if request.method != "POST":
        return JsonResponse({"token": get_token(request)})
    player, form = request.visitor.player, SentGameForm(request.POST)
    try:
        check_start(request, player)
        if not form.is_valid():
            told = " ".join(str(error) for errors in form.errors.values() for error in errors)
            # An older worker sends "text": after this status it offers the game again.
            return JsonResponse({"told": told}, status=400 if "turns" in request.POST else 409)
        game = game_hand_in(player=player, sent=form.sent)
    except Refused as refusal:
        return JsonResponse({"told": refusal.message}, status=refusal.status)
    if game is not None:
        request.visitor.become(game.player)
    return JsonResponse({"stored": game is not None})
