"""One turn in numpy for many cards at once, a lane each: the passes over the holds of ``kernels``.

They go from size to size: a hold is the mean over one more die, and the best hold within a roll is
found by taking one die away at a time. No matrices are multiplied, so that no other core is asked.
"""

from functools import cache
from itertools import groupby

import numpy as np

from solver.dp.arrays import Floats, Ints, one_less, one_more
from solver.dp.turn import HOLD_SIZES
from solver.rules.dice import DICE, FACES, FIRST_ROLL, HOLDS, probability

# So many fit the second-level cache with all their holds; fewer cost more calls than work.
LANES = 512


@cache
def _sizes() -> tuple[slice, ...]:
    """The holds of 0 to 5 dice."""
    first = np.searchsorted(HOLD_SIZES, np.arange(DICE + 2)).tolist()
    return tuple(slice(first[size], first[size + 1]) for size in range(DICE + 1))


@cache
def _more() -> tuple[tuple[Ints, ...], ...]:
    """[size of hold][face][hold]: what one more die makes of it."""
    edges = sorted(one_more())
    found = groupby(edges, key=lambda edge: len(HOLDS[edge[0]]))
    return tuple(tuple(np.array(list(group)).T[1:]) for _, group in found)


@cache
def _less() -> tuple[tuple[Ints, ...], ...]:
    """[size of hold][n][hold]: what is left without one of its dice, the last one repeated."""
    found = groupby(one_less(), key=lambda edge: len(HOLDS[edge[0]]))
    return (), *(_padded([edge[1:] for edge in group]) for _, group in found)


def _padded(edges: list[tuple[int, ...]]) -> tuple[Ints, ...]:
    most = max(map(len, edges))
    return tuple(np.array([(*edge, *edge[-1:] * (most - len(edge))) for edge in edges]).T.copy())


@cache
def first_throw() -> Floats:
    """[roll]: the chances of five dice."""
    return np.array([probability(roll) for roll in HOLDS[FIRST_ROLL:]])


def start(scores: Floats, throws: int) -> Floats:
    """[lane]: the value of a turn whose rolls are worth scores[roll, lane] once none is left."""
    best = scores
    for _ in range(throws - 1):
        best = _best(thrown(best))
    value: Floats = first_throw() @ best
    return value


def thrown(best: Floats) -> Floats:
    """[hold, lane]: the mean over the throw of what is not held, from four dice down to none."""
    work = np.empty((len(HOLDS), best.shape[1]))
    work[FIRST_ROLL:] = best
    for size in range(DICE - 1, -1, -1):
        target = work[_sizes()[size]]
        first, *others = _more()[size]
        np.take(work, first, axis=0, out=target, mode="clip")
        for other in others:
            target += work[other]
        target *= 1.0 / FACES
    return work


def _best(work: Floats) -> Floats:
    """[roll, lane]: the best of the holds of every roll, from one die up; ``work`` is used up."""
    for size in range(1, DICE + 1):
        target = work[_sizes()[size]]
        for less in _less()[size]:
            np.maximum(target, work[less], out=target)
    return work[FIRST_ROLL:]


def chosen(liked: Floats) -> Ints:
    """[roll, lane]: the hold within every roll that is liked[hold, lane] best."""
    best, choice = liked.copy(), np.empty(liked.shape, dtype=np.int64)
    choice[:] = np.arange(len(HOLDS))[:, None]
    for size in range(1, DICE + 1):
        here, choice_here = best[_sizes()[size]], choice[_sizes()[size]]
        for less in _less()[size]:
            better = best[less] > here
            np.copyto(here, best[less], where=better)
            np.copyto(choice_here, choice[less], where=better)
    return choice[FIRST_ROLL:]


def flow(held: Floats) -> Floats:
    """[roll, lane]: where the chance held[hold, lane] comes to lie; ``held`` is used up.

    ``thrown`` the other way round: a sixth goes to each hold with one die more.
    """
    for size in range(DICE):
        share = held[_sizes()[size]] * (1.0 / FACES)
        for more in _more()[size]:
            held[more] += share
    return held[FIRST_ROLL:]
