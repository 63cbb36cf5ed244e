"""How a running game stands against perfect play: start + luck - mistakes = expected now."""

from dataclasses import dataclass

from game.selectors.games import Played
from game.words import phrases
from solver.advice import Advisor, Evaluated
from solver.rules import State

SCALE = 2.0  # a point of the ledger in units of its drawing, whose middle is perfect play
HALF = 100.0  # of its width


@dataclass(frozen=True, slots=True)
class StandingBar:
    """A bar of the drawing, from where the one before it ends."""

    start: float
    width: float


@dataclass(frozen=True, slots=True)
class GameStanding:
    """All in points of the final score."""

    start: float
    expected: float
    lost: float

    @property
    def luck(self) -> float:
        return self.expected - self.start + self.lost

    @property
    def expected_words(self) -> str:
        return phrases.points(self.expected)

    @property
    def start_words(self) -> str:
        return phrases.points(self.start)

    @property
    def luck_words(self) -> str:
        return phrases.signed(self.luck)

    @property
    def lost_words(self) -> str:
        return phrases.signed(-self.lost)

    @property
    def luck_bar(self) -> StandingBar:
        return _part(0.0, self.luck)

    @property
    def lost_bar(self) -> StandingBar:
        return _part(self.luck, self.luck - self.lost)


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


def _part(first: float, last: float) -> StandingBar:
    low, high = (max(-HALF, min(HALF, SCALE * end)) for end in sorted((first, last)))
    return StandingBar(round(low, 1), round(high - low, 1))
