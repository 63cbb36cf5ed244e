"""The box that a hold aims for, and the likely ends of the turn if the dice miss this box."""

from collections.abc import Sequence
from dataclasses import dataclass

from solver.advice.advisor import NO_POINTS, TurnEnd
from solver.advice.options import sort_by_cost
from solver.dp.space import TIE

WORTH_TRYING = 0.11  # chance; a box that is less likely counts as luck, not as an aim
ALWAYS = 0.95  # chance; an aim that is more likely is shown without alternatives
MOST = 0.5  # the named boxes must be more than this share of the other outcomes


@dataclass(frozen=True, slots=True)
class LikelyMisses:
    """The boxes in which the turn most likely ends if the dice do not fit the intended box."""

    boxes: tuple[str, ...]  # box ids or NO_POINTS; empty if no two boxes exceed the share MOST
    share: float  # share of these boxes among all outcomes in which the dice miss the aim


@dataclass(frozen=True, slots=True)
class Aim:
    box: str
    chance: float
    rest: LikelyMisses | None  # None if the dice reach the aim almost always


def find_aim(endings: Sequence[TurnEnd]) -> Aim | None:
    """Return the box that most likely gets points, or None if every possible end of the turn scores
    0. A box worth less than the hold's mean value, such as Chance after a missed straight, is
    chosen only if no better box is likely enough."""
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
    aim = likeliest[sort_by_cost([-ending.value for ending in likeliest])[0]]
    unlikelier = [ending for ending in endings if ending is not aim]
    others = [unlikelier[at] for at in sort_by_cost([-ending.chance for ending in unlikelier])]
    if aim.chance >= ALWAYS:
        return Aim(aim.box, aim.chance, None)
    whole = sum(other.chance for other in others)
    for many in (1, 2):
        share = sum(other.chance for other in others[:many]) / whole
        if share > MOST + TIE:
            boxes = tuple(other.box for other in others[:many])
            return Aim(aim.box, aim.chance, LikelyMisses(boxes, share))
    return Aim(aim.box, aim.chance, LikelyMisses((), 0.0))
