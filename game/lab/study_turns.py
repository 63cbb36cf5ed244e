"""The turns that the study printed, its tables 4.7 to 4.11, and what each decision cost."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from django.utils.translation import gettext as _

from game.judgement import tables
from game.words import phrases
from solver.advice import Advisor
from solver.study.published import PLAYERS, RULES, Audited, audit, reported

NEXT_TO_NOTHING = 0.005  # points
NARROW = "\N{NARROW NO-BREAK SPACE}"


@dataclass(frozen=True, slots=True)
class PrintedTurn:
    """A turn of the three programs, in rows as the study has them; the last row is ours."""

    title: str
    rows: tuple[tuple[str, tuple[str, ...]], ...]


def printed_turns() -> list[PrintedTurn]:
    costs = _costs()
    return [PrintedTurn(_title(turn), tuple(_rows(turn, costs))) for turn in _turns()]


def _turns() -> Sequence[Any]:
    found: Sequence[Any] = reported()["same_value_test"]["rounds"]
    return found


def _title(turn: Any) -> str:
    facts = {"table": turn["table"], "game": turn["game"], "round": turn["round"]}
    return _("Table %(table)s: game %(game)s, round %(round)s") % facts


def _rows(turn: Any, costs: Sequence[Audited]) -> Iterator[tuple[str, tuple[str, ...]]]:
    def every(step: str) -> tuple[str, ...]:
        return tuple(_shown(turn[player][step]) for player in PLAYERS)

    yield _("Filled before"), tuple(_filled(turn, player) for player in PLAYERS)
    yield _("First throw"), (_shown(turn["throw"]),) * len(PLAYERS)
    yield _("Holds"), every("keep1")
    yield _("Second throw"), every("throw2")
    yield _("Holds"), every("keep2")
    yield _("Result"), every("result")
    yield _("Box"), every("category")
    if costs:
        yield (
            _("Cost of the decisions, in points"),
            tuple(_cost(turn, player, costs) for player in PLAYERS),
        )


def _filled(turn: Any, player: str) -> str:
    filled = turn.get("filled", {})
    boxes = filled.get("all", filled.get(player))
    if boxes is None:
        return _("not said")
    return ", ".join(_box(box) for box in boxes) or _("nothing")


def _shown(choice: Any) -> str:
    return _box(choice) if isinstance(choice, str) else NARROW.join(map(str, choice)) or "–"


def _box(category: str) -> str:
    return phrases.box(RULES, category)


def _cost(turn: Any, player: str, costs: Sequence[Audited]) -> str:
    """Of all three decisions; a range where the study leaves the upper total open."""
    own = [
        one.cost
        for one in costs
        if (one.table, one.game, one.round, one.player)
        == (turn["table"], turn["game"], turn["round"], player)
    ]
    if not own:
        return _("cannot be told")
    low, high = (sum(cost[end] for cost in own) for end in (0, 1))
    if high < NEXT_TO_NOTHING:
        return _("none")
    if high - low < NEXT_TO_NOTHING:
        return phrases.points(high, 2)
    ends = {"low": phrases.points(low, 2), "high": phrases.points(high, 2)}
    return _("%(low)s to %(high)s") % ends


def _costs() -> Sequence[Audited]:
    """Nothing without a sound table; worked out once."""
    return tables.asked(RULES, _audited) or ()


@lru_cache(maxsize=1)
def _audited(advisor: Advisor) -> Sequence[Audited]:
    return tuple(audit(advisor))
