"""Scores in tens, drawn over one another."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from solver.charts.layers import Histogram, Layer

Floats = npt.NDArray[np.float64]
RARE = 2e-5  # scores at the ends that fewer games have are not drawn


def side_by_side(*shares: Floats) -> list[Floats]:
    """Return as many tens of each; missing ones are empty."""
    most = max(map(len, shares), default=0)
    return [np.pad(tens, (0, most - len(tens))) for tens in shares]


def histograms(named: Sequence[tuple[str, Floats]]) -> list[Layer]:
    """Labelled shares in tens as layers, from the first ten to the last that anybody reaches."""
    labels, rows = (
        [label for label, _tens in named],
        side_by_side(*(tens for _label, tens in named)),
    )
    drawn = np.flatnonzero(np.max(rows, axis=0) > RARE)
    first, last = int(drawn[0]), int(drawn[-1]) + 1
    edges = [10 * n for n in range(first, last + 1)]
    return [
        Histogram(edges, tens[first:last].tolist(), label)
        for label, tens in zip(labels, rows, strict=True)
    ]
