"""The aim of a hold, and what the turn brings if it fails."""

from collections.abc import Sequence
from dataclasses import dataclass

from solver.advice.advisor import NO_POINTS, TurnEnd
from solver.advice.options import in_order
from solver.dp.space import TIE

WORTH_TRYING = 0.11  # the chance from which on a box is what a hold is for, and no windfall
ALWAYS = 0.95  # from this share on nothing is said of the rest
MOST = 0.5  # of the rest: more than that is accounted for by name


@dataclass(frozen=True, slots=True)
class Rest:
    """The outcomes if the aim is missed. ``boxes`` are the most likely ones, NO_POINTS among
    them, or empty if two would not be most of it; ``share`` is their part."""

    boxes: tuple[str, ...]
    share: float


@dataclass(frozen=True, slots=True)
class Aim:
    """``rest`` is None where the aim is hardly ever missed."""

    box: str
    chance: float
    rest: Rest | None


def aim_among(endings: Sequence[TurnEnd]) -> Aim | None:
    """Return the likeliest box to end in that is no disappointment; None where no points can be
    had.

    A disappointment is worth less than the hold is on average: Chance, after a straight was tried.
    """
    won = [ending for ending in endings if ending.box != NO_POINTS]
    if not won:
        return None
    expected = sum(ending.chance * ending.value for ending in endings)
    hoped = [
        ending for ending in won if ending.value > expected - TIE and ending.chance >= WORTH_TRYING
    ]
    among = hoped or won
    most = max(ending.chance for ending in among)
    likeliest = [ending for ending in among if ending.chance > most - TIE]
    aim = likeliest[in_order([-ending.value for ending in likeliest])[0]]
    unlikelier = [ending for ending in endings if ending is not aim]
    others = [unlikelier[at] for at in in_order([-ending.chance for ending in unlikelier])]
    return Aim(aim.box, aim.chance, _rest(others) if aim.chance < ALWAYS else None)


def _rest(others: Sequence[TurnEnd]) -> Rest:
    whole = sum(other.chance for other in others)
    for many in (1, 2):
        share = sum(other.chance for other in others[:many]) / whole
        if share > MOST + TIE:
            return Rest(tuple(other.box for other in others[:many]), share)
    return Rest((), 0.0)
