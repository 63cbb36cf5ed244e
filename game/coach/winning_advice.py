"""A position played to win: every option with its chance beside its points."""

from dataclasses import dataclass

from game.coach import chance_words as words
from game.core.words import phrases
from game.core.worth.severity import Severity
from game.core.worth.winning import chance_severity
from solver.advice import Advisor, Position
from solver.advice.winning import MOST_OPEN, Chances, TooEarly, WinOption, at_least, chances


@dataclass(frozen=True, slots=True)
class WinRow:
    """One option; ``cost`` is in chances, ``regret`` in points."""

    label: str
    dice: tuple[int, ...]
    chance: str
    cost: str
    best: bool
    severity: Severity
    expected: float
    regret: float
    best_in_points: bool


@dataclass(frozen=True, slots=True)
class ToWin:
    """``early`` says why there are no chances, and then nothing else is there."""

    needed: int
    early: str = ""
    best: str = ""
    chance: str = ""
    instead: str = ""
    for_points: str = ""
    rows: tuple[WinRow, ...] = ()


def needed_payoff(position: Position, needed: int) -> int:
    """What must still come by the count of V, where a bonus that is secured is still to come."""
    return needed + position.rules.bonus(position.upper)


def to_win(coach: Advisor, position: Position, needed: int) -> ToWin:
    """``needed`` is what the card lacks as it stands there, a secured bonus in its total."""
    try:
        found = chances(coach, position, at_least(needed_payoff(position, needed)))
    except TooEarly as refusal:
        return ToWin(needed, early=words.too_early(refusal.open_boxes, MOST_OPEN))
    return ToWin(
        needed=needed,
        best=phrases.option(coach.rules, found.best.option),
        chance=words.chance(found.chance),
        instead=words.instead(coach.rules, found),
        for_points=words.for_points(found),
        rows=rows_of(coach, found),
    )


def rows_of(coach: Advisor, found: Chances) -> tuple[WinRow, ...]:
    return tuple(_row(coach, choice) for choice in found.choices)


def _row(coach: Advisor, choice: WinOption) -> WinRow:
    option = choice.option
    return WinRow(
        label=phrases.option(coach.rules, option),
        dice=option.dice if option.action == "hold" else (),
        chance=words.chance(choice.chance),
        cost="" if choice.best else words.chance(choice.regret),
        best=choice.best,
        severity=chance_severity(choice.regret),
        expected=option.value,
        regret=option.regret,
        best_in_points=option.best,
    )
