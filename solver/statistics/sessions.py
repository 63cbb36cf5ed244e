"""Errors that hold where a person's games hang together: a good evening, a tired one.

Games of one sitting are a cluster, and not games but clusters are taken to be independent. Any
estimate here is a weighted sum of games, and its error comes from the same sum of what is left of
each game once everybody's own mean (and, for a slope, the line) is taken off. That takes some of
the spread along; how much depends on what games of a sitting share. With everything and with
nothing the correction is known (after Bell and McCaffrey), and the more careful one is taken.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np

from solver.statistics.chi_squared import Floats, Ints
from solver.statistics.inference import NOTHING, Games, Interval, around

Sessions = Mapping[int, int]  # of one person: in which sitting a game was played, by its number
MOST_CLUSTERS = 2_000  # of more, the correction is as good as one


@dataclass(frozen=True, slots=True)
class Sample:
    """All games in a row: whose, in which sitting, by which number, and what came of it."""

    people: Ints
    clusters: Ints
    numbers: Floats
    values: Floats

    def own(self, values: Floats) -> Floats:
        """Less everybody's own mean."""
        means = np.bincount(self.people, values) / np.bincount(self.people).astype(float)
        less: Floats = values - means[self.people]
        return less

    def by_cluster(self, values: Floats) -> Floats:
        sums: Floats = np.bincount(self.clusters, values).astype(np.float64)
        return sums


def several(groups: Sequence[Games], sessions: Sequence[Sessions]) -> bool:
    """Return whether sessions matter: half of the people have at least two."""
    counts = [_sittings(group, of) for group, of in zip(groups, sessions, strict=True) if group]
    return bool(counts) and sum(count > 1 for count in counts) * 2 >= len(counts)


def _sittings(group: Games, sessions: Sessions) -> int:
    return len({sessions[number] for number in group if number in sessions})


def mean_by_sessions(
    groups: Sequence[Games], sessions: Sequence[Sessions], *, each: bool = False
) -> Interval | None:
    """Return the interval of the mean of all games, or with ``each`` of the mean of people's
    means."""
    sample = sample_of(groups, sessions)
    if sample is None:
        return None
    counts = np.bincount(sample.people)
    weights = 1 / counts / len(counts) if each else np.full(len(counts), 1 / len(sample.values))
    return weighted(sample, weights[sample.people])


def slope_by_sessions(groups: Sequence[Games], sessions: Sequence[Sessions]) -> Interval | None:
    """Return the change from one game to the next, with an own level for each person."""
    sample = sample_of(groups, sessions)
    if sample is None:
        return None
    xs = sample.own(sample.numbers)
    across = float((xs**2).sum())
    return weighted(sample, xs / across, xs / sqrt(across)) if across > NOTHING else None


def sample_of(groups: Sequence[Games], sessions: Sequence[Sessions]) -> Sample | None:
    people, labels, numbers, values = [], [], [], []
    for at, (group, of) in enumerate(
        (group, of) for group, of in zip(groups, sessions, strict=True) if group
    ):
        for number, value in group.items():
            people.append(at)
            labels.append((at, of.get(number, -number)))
            numbers.append(float(number))
            values.append(value)
    if not values:
        return None
    places = {label: at for at, label in enumerate(dict.fromkeys(labels))}
    clusters = np.array([places[label] for label in labels], dtype=np.int64)
    return Sample(
        np.array(people, dtype=np.int64), clusters, np.array(numbers), np.array(values, float)
    )


def weighted(sample: Sample, weights: Floats, line: Floats | None = None) -> Interval | None:
    """Around a weighted sum of the games; ``line`` is a unit vector that was fitted as well."""
    left = sample.own(sample.values)
    if line is not None:
        left = left - line * float((line * left).sum())
    square = float((sample.by_cluster(weights * left) ** 2).sum())
    correction = _correction(sample, weights, line)
    if correction is None:
        return None
    factor, degrees = correction
    return around(float((weights * sample.values).sum()), square * factor, degrees)


def _correction(of: Sample, weights: Floats, line: Floats | None) -> tuple[float, float] | None:
    """Return by how much the clusters' squares fall short, and their degrees of freedom."""
    sums = of.by_cluster(weights)
    alone, together = float((weights**2).sum()), float((sums**2).sum())
    if len(sums) > MOST_CLUSTERS or len(sums) == len(of.values):
        spare = len(sums) - int(of.people.max()) - 1 - (line is not None)
        return (len(sums) / spare, float(spare)) if spare > 0 else None
    kept = _kept(of, weights, line)
    traces = [float(np.trace(one)) for one in kept]
    due = (alone, together)
    if any(trace <= NOTHING * all_of_it for trace, all_of_it in zip(traces, due, strict=True)):
        return None
    factors = [all_of_it / trace for trace, all_of_it in zip(traces, due, strict=True)]
    degrees = [t**2 / float((one**2).sum()) for t, one in zip(traces, kept, strict=True)]
    return max(factors), min(degrees)


def _kept(of: Sample, weights: Floats, line: Floats | None) -> tuple[Floats, Floats]:
    """Return the covariance of the clusters' sums if games share nothing, and if they share
    everything."""
    ones = np.ones_like(weights)
    sums, sizes = of.by_cluster(weights), of.by_cluster(ones)
    whose = np.zeros(len(sums), dtype=np.int64)
    whose[of.clusters] = of.people
    same = whose[:, None] == whose[None, :]
    played = np.bincount(of.people).astype(float)[whose]
    nothing = np.diag(of.by_cluster(weights**2)) - same * np.outer(sums, sums) / played[:, None]
    moved = np.diag(sums) - same * np.outer(sums, sizes) / played[:, None]
    if line is not None:
        through, along = of.by_cluster(weights * line), of.by_cluster(line)
        nothing = nothing - np.outer(through, through)
        moved = moved - np.outer(through, along)
    return nothing, moved @ moved.T
