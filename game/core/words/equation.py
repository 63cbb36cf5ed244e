"""score = perfect play + luck − mistakes, printed so that the printed numbers add up.

If four numbers are rounded separately, they may not add up. Pages compare three of them between
games, so these three are rounded separately: the score; the value of perfect play at the start,
which is equal in all games of a ruleset; and the cost of mistakes, at least a tenth if there was a
mistake. Luck is the rest of the equation, because pages do not compare it. Its rounding error is at
most 0.15 points, or 0.2 if all mistakes together cost less than a tenth.

All pages use these equations: the end of a game, its review, a running game, the end of a duel, and
the player's page. Only the results of a trial are rounded number by number, because a reader of a
study expects unadjusted figures.

This module knows neither pages nor the database; ``phrases`` formats its numbers for the reader.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import floor

from django.utils.functional import cached_property

from game.core.words import phrases
from solver.advice import is_mistake

TENTHS = 10  # tenths per point
LEDGER = 0.01  # points; a larger difference means that some decisions were not judged


@dataclass(frozen=True)
class Equation:
    """The exact terms, in points, of total = start + luck - lost. ``total`` is a score, an expected
    score or a mean score; ``lost`` is the cost of mistakes."""

    start: float
    total: float
    lost: float

    @classmethod
    def from_game(cls, score: float, luck: float, points_lost: float) -> "Equation":
        return cls(score - luck + points_lost, score, points_lost)

    @property
    def printed_luck(self) -> float:
        return self._luck / TENTHS

    @property
    def printed_lost(self) -> float:
        return self._lost / TENTHS

    @property
    def total_words(self) -> str:
        """The formatted total; a final score is a whole number."""
        return str(self.total) if isinstance(self.total, int) else _format_tenths(self._total)

    @property
    def start_words(self) -> str:
        return _format_tenths(self._start)

    @property
    def luck_words(self) -> str:
        return _format_signed_tenths(self._luck)

    @property
    def lost_words(self) -> str:
        """The formatted loss with a minus sign, because mistakes are subtracted."""
        return _format_signed_tenths(-self._lost)

    @property
    def cost_words(self) -> str:
        """The formatted loss without a minus sign, for sentences about its cost."""
        return _format_tenths(self._lost)

    def format_shares(self, parts: Sequence[float]) -> list[str]:
        """Format losses by kind of mistake, rounded so that they add up to the printed total loss.
        Each loss is at least a tenth; if the printed total has too few tenths, print each loss with
        more digits."""
        tenths = divide_tenths(self._lost, parts)
        return (
            [phrases.format_loss(part) for part in parts]
            if tenths is None
            else list(map(_format_tenths, tenths))
        )

    @cached_property
    def _total(self) -> int:
        return round_to_tenths(self.total)

    @cached_property
    def _start(self) -> int:
        return round_to_tenths(self.start)

    @cached_property
    def _lost(self) -> int:
        return _round_loss(self.lost)

    @cached_property
    def _luck(self) -> int:
        return self._total - self._start + self._lost


class MeanEquation(Equation):
    """The score equation (perfect play + luck − mistakes) with the means of several games. The
    skill estimate is rounded first, because pages compare it; the mistakes are perfect play minus
    this rounded estimate."""

    @property
    def skill_words(self) -> str:
        return _format_tenths(self._start - self._lost)

    @cached_property
    def _lost(self) -> int:
        left = self._start - round_to_tenths(self.start - self.lost)
        return max(1, left) if is_mistake(self.lost) else 0


@dataclass(frozen=True)
class ScoreDifference:
    """The score difference of two games on the same dice, split into play and luck. Luck differs
    even on the same dice, because the dice that are rolled again depend on the holds. Both
    equations print the same value of perfect play, so the printed differences add up too."""

    mine: Equation
    theirs: Equation

    @property
    def total(self) -> float:
        return self.mine.total - self.theirs.total

    @property
    def total_words(self) -> str:
        return phrases.format_signed(self.total, 0)

    @property
    def play_words(self) -> str:
        return _format_signed_tenths(self._play)

    @property
    def luck_words(self) -> str:
        return _format_signed_tenths(self._total - self._play)

    @property
    def _total(self) -> int:
        return self.mine._total - self.theirs._total

    @property
    def _play(self) -> int:
        return self.theirs._lost - self.mine._lost


@dataclass(frozen=True, slots=True)
class Regained:
    """The points that a decision cost, and the points that a second answer won back."""

    lost: float
    again: float  # cost of the second answer, in points

    @property
    def lost_words(self) -> str:
        return _format_tenths(self.lost_tenths)

    @property
    def won_words(self) -> str:
        return _format_tenths(self.won_tenths)

    @property
    def lost_tenths(self) -> int:
        return _round_loss(self.lost)

    @property
    def won_tenths(self) -> int:
        """The points won back, in tenths; 0 if the second answer was not better."""
        return self.lost_tenths - min(self.lost_tenths, _round_loss(self.again))


@dataclass(frozen=True, slots=True)
class AllRegained:
    """The points lost and won back in several decisions: the sums of the printed numbers."""

    parts: Sequence[Regained]

    @property
    def lost_words(self) -> str:
        return _format_tenths(sum(part.lost_tenths for part in self.parts))

    @property
    def won_words(self) -> str:
        return _format_tenths(sum(part.won_tenths for part in self.parts))


def divide_tenths(tenths: int, parts: Sequence[float]) -> list[int] | None:
    """Divide ``tenths`` tenths of a point among mistakes in proportion to their costs ``parts``.
    Each mistake gets at least 1, and a cost of 0 gets 0. Return None if there are too few tenths.
    """
    least = [1 if is_mistake(part) else 0 for part in parts]
    spare = tenths - sum(least)
    if spare < 0:
        return None
    exact = [
        max(0.0, TENTHS * part - 1) if smallest else 0.0
        for part, smallest in zip(parts, least, strict=True)
    ]
    whole = sum(exact)
    if not whole:
        largest = parts.index(max(parts))
        return [smallest + (spare if at == largest else 0) for at, smallest in enumerate(least)]
    scaled = [part * spare / whole for part in exact]
    rounded = [int(part) for part in scaled]
    order = sorted(range(len(parts)), key=lambda at: rounded[at] - scaled[at])
    for at in order[: spare - sum(rounded)]:
        rounded[at] += 1
    return [smallest + more for smallest, more in zip(least, rounded, strict=True)]


def round_to_sum(parts: Sequence[float], total: float) -> list[int]:
    """Round values to tenths by largest remainders, so that they add up to the printed total."""
    exact = [TENTHS * part for part in parts]
    rounded = [floor(part) for part in exact]
    order = sorted(range(len(parts)), key=lambda at: rounded[at] - exact[at])
    for at in order[: max(0, round_to_tenths(total) - sum(rounded))]:
        rounded[at] += 1
    return rounded


def round_to_tenths(points: float) -> int:
    return round(TENTHS * round(points, 1))


def _round_loss(points_lost: float) -> int:
    """Return the loss in tenths of a point: at least 1 for a mistake, 0 without a mistake."""
    return max(1, round_to_tenths(points_lost)) if is_mistake(points_lost) else 0


def _format_tenths(tenths: int) -> str:
    return phrases.format_points(tenths / TENTHS)


def _format_signed_tenths(tenths: int) -> str:
    return phrases.format_signed(tenths / TENTHS)
