"""What a device sends of a game that it played by itself."""

import json
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from django import forms

from game.models import Game
from game.models.player import WISHES
from game.services import NotUnderstood, SentGame
from game.services.offline import Moves
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
