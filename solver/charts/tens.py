"""Histograms of scores in groups of ten points, drawn over one another."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from solver.charts.layers import Histogram, Layer

Floats = npt.NDArray[np.float64]
RARE = 2e-5  # share of games; scores rarer than this are cut off at both ends


def pad_to_longest(*shares: Floats) -> list[Floats]:
    most = max(map(len, shares), default=0)
    return [np.pad(tens, (0, most - len(tens))) for tens in shares]


def make_histograms(named: Sequence[tuple[str, Floats]]) -> list[Layer]:
    """Return a histogram per label, without the scores at both ends that are rare in all."""
    labels, rows = (
        [label for label, _tens in named],
        pad_to_longest(*(tens for _label, tens in named)),
    )
    drawn = np.flatnonzero(np.max(rows, axis=0) > RARE)
    first, last = int(drawn[0]), int(drawn[-1]) + 1
    edges = [10 * n for n in range(first, last + 1)]
    return [
        Histogram(edges, tens[first:last].tolist(), label)
        for label, tens in zip(labels, rows, strict=True)
    ]
