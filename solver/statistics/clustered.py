"""Games of one sitting hang together: good days and bad ones are chance too, and seldom change.

Errors that take games one by one are then too small. Here a session of a person is one value, and
what is told is how far the sessions of each person lie apart.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from solver.statistics.chi_squared import Floats
from solver.statistics.inference import NOTHING, Interval, around

Sessions = Sequence[Sequence[float]]  # of one person: the values of each session
NumberedSessions = Sequence[Mapping[int, float]]  # the same, by the number of the game


def by_session(people: Sequence[Sessions]) -> Interval | None:
    """The mean of all games of these people, were they to go on, sitting by sitting.

    As ``inference.stratified`` with sessions for games. Whoever has a single session is taken to
    vary as the others do together; None where nobody has two.
    """
    kept = [[np.array(one, float) for one in of if len(one)] for of in people]
    kept = [of for of in kept if of]
    total = sum(len(session) for of in kept for session in of)
    spare = sum(len(of) - 1 for of in kept)
    if not spare:
        return None
    sizes = [np.array([len(session) for session in of], float) for of in kept]
    parts = [_of_person(of, size, total) for of, size in zip(kept, sizes, strict=True)]
    shared = _shared(kept, sizes, spare)
    known = [
        part or (shared * float((size**2).sum()) / total**2, float(spare))
        for part, size in zip(parts, sizes, strict=True)
    ]
    variance = sum(part for part, _degrees in known)
    doubt = sum(part**2 / degrees for part, degrees in known)
    mean = sum(float(session.sum()) for of in kept for session in of) / total
    return around(mean, variance, variance**2 / doubt) if doubt > 0 else None


def _of_person(sessions: Sequence[Floats], sizes: Floats, total: int) -> tuple[float, float] | None:
    """What a person's games, in sessions, add to the variance of the mean, and its degrees.

    Sums of sessions, less the person's mean for each of their games. Long sessions pull that
    mean along; what this takes off the squares, and off the degrees, is known where games of a
    session are as good as one, and is given back (after Bell and McCaffrey).
    """
    if len(sessions) < 2:
        return None
    mean = float(np.concatenate(sessions).mean())
    left = np.array([float(session.sum()) for session in sessions]) - sizes * mean
    kept = np.diag(sizes) - np.outer(sizes, sizes) / sizes.sum()
    pulled = kept @ kept.T
    trace, due = float(np.trace(pulled)), float((sizes**2).sum())
    degrees = trace**2 / float((pulled**2).sum())
    return float(left @ left) * due / trace / total**2, degrees


def _shared(people: Sequence[Sequence[Floats]], sizes: Sequence[Floats], spare: int) -> float:
    """How far means of sessions lie from their person's, all together; a variance."""
    found = 0.0
    for sessions, size in zip(people, sizes, strict=True):
        means = np.array([float(session.mean()) for session in sessions])
        middle = float((size * means).sum() / size.sum())
        found += float((size * (means - middle) ** 2).sum()) / float(size.mean())
    return found / spare


def slope_by_session(people: Sequence[NumberedSessions]) -> Interval | None:
    """By how much a value changes from one game to the next, from session to session.

    Each session is one point, at the mean of its games; everybody keeps a level of their own.
    """
    xs, ys, weights, levels = [np.empty(0)], [np.empty(0)], [np.empty(0)], 0
    for of in people:
        sessions = [session for session in of if session]
        if sessions:
            x, y, weight = _points(sessions)
            xs.append(x - np.average(x, weights=weight))
            ys.append(y - np.average(y, weights=weight))
            weights.append(weight)
            levels += 1
    return _line(np.concatenate(xs), np.concatenate(ys), np.concatenate(weights), levels)


def _points(sessions: NumberedSessions) -> tuple[Floats, Floats, Floats]:
    numbers = np.array([float(np.mean(list(session))) for session in sessions])
    values = np.array([float(np.mean(list(session.values()))) for session in sessions])
    return numbers, values, np.array([len(session) for session in sessions], float)


def _line(xs: Floats, ys: Floats, weights: Floats, levels: int) -> Interval | None:
    across = float((weights * xs**2).sum())
    degrees = len(xs) - levels - 1
    if degrees < 1 or across <= NOTHING:
        return None
    steepness = float((weights * xs * ys).sum()) / across
    left = float((weights * (ys - steepness * xs) ** 2).sum())
    return around(steepness, left / degrees / across, degrees)
