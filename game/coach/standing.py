"""How a running game stands against perfect play: start + luck - mistakes = expected now."""

from dataclasses import dataclass

from django.utils.functional import cached_property

from game.selectors.games import Played
from game.words.equation import Equation
from solver.advice import Advisor, Evaluated
from solver.rules import State

SCALE = 2.0  # a point of the ledger in units of its drawing, whose middle is perfect play; at most
HALF = 100.0  # of its width


@dataclass(frozen=True, slots=True)
class StandingBar:
    """A bar of the drawing, from where the one before it ends."""

    start: float
    width: float


@dataclass(frozen=True)
class GameStanding:
    """All in points of the final score."""

    start: float
    expected: float
    lost: float

    @property
    def luck(self) -> float:
        return self.expected - self.start + self.lost

    @cached_property
    def equation(self) -> Equation:
        return Equation(self.start, self.expected, self.lost)

    @cached_property
    def _scale(self) -> float:
        """Of both bars: as large as ever while they fit, so that they grow as a game goes on."""
        furthest = max(abs(self.luck), abs(self.expected - self.start))
        return min(SCALE, HALF / furthest) if furthest else SCALE

    @property
    def luck_bar(self) -> StandingBar:
        return self._bar(0.0, self.luck)

    @property
    def lost_bar(self) -> StandingBar:
        return self._bar(self.luck, self.expected - self.start)

    def _bar(self, first: float, last: float) -> StandingBar:
        low, high = (round(self._scale * end, 1) for end in sorted((first, last)))
        return StandingBar(low, round(high - low, 1))


def standing(advisor: Advisor, played: Played, at_hand: Evaluated | None) -> GameStanding | None:
    """None where a decision was not judged, or real dice are still to be typed in. ``at_hand`` is
    the position that is to be decided, where there is one."""
    state = played.state
    if played.lost is None or state.waiting:
        return None
    return GameStanding(advisor.value_start, _expected(advisor, state, at_hand), played.lost)


def _expected(advisor: Advisor, state: State, at_hand: Evaluated | None) -> float:
    """The points so far, and what perfect play would still add to them."""
    if state.finished:
        return float(state.total)
    if at_hand is not None:
        return state.points + at_hand.value
    rest = advisor.value(state.filled, state.upper, chips_won=state.chips_won)
    return state.points + rest
