"""The turns that the study printed, its tables 4.7 to 4.11, and what each decision cost."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from django.utils.translation import gettext as _

from game.judgement import tables
from game.words import phrases
from solver.advice import Advisor
from solver.study import published, same_dice
from solver.study.published import PLAYERS, RULES, Audited, Range
from solver.study.remarks import remarks
from solver.study.same_dice import unexplained

NEXT_TO_NOTHING = 0.005  # points
NARROW = "\N{NARROW NO-BREAK SPACE}"


@dataclass(frozen=True, slots=True)
class PrintedTurn:
    """A turn of the three programs, in rows as the study has them; the last row and the remark
    are ours."""

    title: str
    rows: tuple[tuple[str, tuple[str, ...]], ...]
    remark: str


def printed_turns() -> list[PrintedTurn]:
    judged = tables.asked(RULES, _judged)
    costs, told = judged or ((), [("", {})] * len(published.printed_turns()))
    return [
        PrintedTurn(_title(turn), tuple(_rows(turn, costs)), _remark(*one))
        for turn, one in zip(published.printed_turns(), told, strict=True)
    ]


def number_rules() -> list[tuple[str, str]]:
    """What a thrown die may have shown, and the printed turns that no dice give so."""
    turns = published.printed_turns()
    return [
        (_(rule.says), "; ".join(_title(turns[number]) for number in unexplained(rule)))
        for rule in same_dice.RULES
    ]


def _remark(says: str, costs: Mapping[str, Range]) -> str:
    """The dice in it stay on one line."""
    told = says and _(says) % {name: _span(*cost) for name, cost in costs.items()}
    return re.sub(r"\b(\d) (?=\d\b)", rf"\1{NARROW}", told)


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
    boxes = published.filled_before(turn, player)
    if boxes is None:
        return _("not said")
    return ", ".join(_box(box) for box in boxes) or _("nothing")


def _shown(choice: Any) -> str:
    return _box(choice) if isinstance(choice, str) else NARROW.join(map(str, choice)) or "–"


def _box(category: str) -> str:
    return phrases.box(RULES, category)


def _cost(turn: Any, player: str, costs: Sequence[Audited]) -> str:
    """Of all three decisions; a range where the study leaves the upper total open."""
    own = published.of_turn(costs, turn, player)
    if not own:
        return _("cannot be told")
    low, high = published.together(own)
    return _("none") if high < NEXT_TO_NOTHING else _span(low, high)


def _span(low: float, high: float) -> str:
    if high - low < NEXT_TO_NOTHING:
        return phrases.points(high, 2)
    ends = {"low": phrases.points(low, 2), "high": phrases.points(high, 2)}
    return _("%(low)s to %(high)s") % ends


@lru_cache(maxsize=1)
def _judged(
    advisor: Advisor,
) -> tuple[Sequence[Audited], Sequence[tuple[str, Mapping[str, Range]]]]:
    """Worked out once; nothing of it without a sound table."""
    costs = tuple(published.audit(advisor))
    return costs, tuple(remarks(advisor, costs))
