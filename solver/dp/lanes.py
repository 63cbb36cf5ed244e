"""One turn in numpy for many cards at once, a lane each: the passes over the holds of ``kernels``.

They go from size to size: a hold is the mean over one more die, and the best hold within a roll is
found by taking one die away at a time. No matrices are multiplied, so that no other core is asked.
"""

from functools import cache
from itertools import groupby, pairwise

import numpy as np

from solver.dp.arrays import Floats, Ints, first_throw, one_less, one_more
from solver.rules.dice import FACES, cup_of

# So many fit the second-level cache with all their holds; fewer cost more calls than work.
LANES = 512


@cache
def _sizes(dice: int) -> tuple[slice, ...]:
    """The holds of 0 to all dice."""
    return tuple(slice(*ends) for ends in pairwise(cup_of(dice).bounds))


@cache
def _more(dice: int) -> tuple[tuple[Ints, ...], ...]:
    """[size of hold][face][hold]: what one more die makes of it."""
    more = np.array(sorted(one_more(dice))).T[1:]
    return tuple(tuple(more[:, holds].copy()) for holds in _sizes(dice)[:-1])


@cache
def _less(dice: int) -> tuple[tuple[Ints, ...], ...]:
    """[size of hold][n][hold]: what is left without one of its dice, the last one repeated."""
    holds = cup_of(dice).holds
    found = groupby(one_less(dice), key=lambda edge: len(holds[edge[0]]))
    return (), *(_padded([edge[1:] for edge in group]) for _, group in found)


def _padded(edges: list[tuple[int, ...]]) -> tuple[Ints, ...]:
    most = max(map(len, edges))
    return tuple(np.array([(*edge, *edge[-1:] * (most - len(edge))) for edge in edges]).T.copy())


def start(scores: Floats, throws: int, dice: int) -> Floats:
    """[lane]: the value of a turn whose rolls are worth scores[roll, lane] once none is left."""
    best = scores
    for _ in range(throws - 1):
        best = _best(thrown(best, dice), dice)
    value: Floats = first_throw(dice) @ best
    return value


def thrown(best: Floats, dice: int) -> Floats:
    """[hold, lane]: the mean over the throw of what is not held, from one die less down to none."""
    *smaller, rolls = _sizes(dice)
    work = np.empty((rolls.stop, best.shape[1]))
    work[rolls] = best
    for holds, (first, *others) in zip(reversed(smaller), reversed(_more(dice)), strict=True):
        target = work[holds]
        np.take(work, first, axis=0, out=target, mode="clip")
        for other in others:
            target += work[other]
        target *= 1.0 / FACES
    return work


def _best(work: Floats, dice: int) -> Floats:
    """[roll, lane]: the best of the holds of every roll, from one die up; ``work`` is used up."""
    for holds, smaller in zip(_sizes(dice), _less(dice), strict=True):
        target = work[holds]
        for less in smaller:
            np.maximum(target, work[less], out=target)
    return target


def chosen(liked: Floats, dice: int) -> Ints:
    """[roll, lane]: the hold within every roll that is liked[hold, lane] best."""
    best, choice = liked.copy(), np.empty(liked.shape, dtype=np.int64)
    choice[:] = np.arange(len(liked))[:, None]
    for holds, smaller in zip(_sizes(dice), _less(dice), strict=True):
        here, choice_here = best[holds], choice[holds]
        for less in smaller:
            others = best[less]
            np.copyto(choice_here, choice[less], where=others > here)
            np.maximum(here, others, out=here)
    return choice_here


def flow(held: Floats, dice: int) -> Floats:
    """[roll, lane]: where the chance held[hold, lane] comes to lie; ``held`` is used up.

    ``thrown`` the other way round: a sixth goes to each hold with one die more.
    """
    *smaller, rolls = _sizes(dice)
    for holds, larger in zip(smaller, _more(dice), strict=True):
        share = held[holds] * (1.0 / FACES)
        for more in larger:
            held[more] += share
    return held[rolls]
