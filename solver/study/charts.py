"""The lab's charts. Each chart answers one question."""

from collections.abc import Mapping
from itertools import count

import numpy as np

from solver.arena.performance import Performance
from solver.charts import (
    RARE,
    REFERENCE,
    Axis,
    Chart,
    Histogram,
    Layer,
    Line,
    Rule,
    make_histograms,
)
from solver.dp.arrays import Floats
from solver.exact.distribution import Distribution
from solver.study.html import Words

SCORE, GAMES = Axis("final score"), Axis("games", low=0.0, percent=True)


def draw_scores(title: str, result: Performance, exact: Distribution | None = None) -> Chart:
    """Return a chart of simulated scores, drawn over the exact distribution if there is one."""
    shares = result.counts / result.games
    layers: list[Layer] = [_make_line(shares, f"{result.games:,} games", exact is not None)]
    if exact:
        layers.append(_make_line(exact.probabilities, "exact"))
    layers.append(Rule(x=result.mean, label=f"mean {result.mean:.1f}"))
    layers.append(Rule(x=result.median, label=f"median {result.median:g}"))
    return Chart(title, layers, SCORE, GAMES)


def draw_exact_scores(title: str, exact: Distribution) -> Chart:
    layers: list[Layer] = [
        _make_line(exact.probabilities, "", area=True),
        Rule(x=exact.mean, label=f"mean {exact.mean:.1f}"),
        Rule(x=exact.median, label=f"median {exact.median}"),
    ]
    return Chart(title, layers, SCORE, GAMES)


def draw_distributions(
    title: str, distributions: dict[str, Distribution], reference: str = ""
) -> Chart:
    """Return a chart of distributions. ``reference`` is the label with the reference colour."""
    others = (number for number in count(1) if number != REFERENCE)
    layers = [
        _make_line(d.probabilities, name, series=REFERENCE if name == reference else next(others))
        for name, d in distributions.items()
    ]
    return Chart(title, layers, SCORE, GAMES, labels_at_lines=True)


def draw_tens(title: str, result: Performance) -> Chart:
    rows = result.tens()
    edges = [row.low for row in rows] + [rows[-1].low + 10]
    layers: list[Layer] = [
        Histogram(edges, [row.share for row in rows], columns=True),
        Rule(x=result.mean, label=f"mean {result.mean:.1f}"),
    ]
    return Chart(title, layers, SCORE, GAMES)


def draw_overlaid_tens(
    title: str,
    shares: Mapping[str, Floats],
    words: Words,
    *,
    mean: tuple[float, str] | None = None,
    description: str = "",
) -> Chart:
    """Return a chart of histograms per ten scores. ``mean`` is a marked value and its label."""
    layers = make_histograms(list(shares.items()))
    if mean:
        layers.append(Rule(x=mean[0], label=mean[1], series=1))
    x, y = Axis(words.gettext("final score")), Axis(words.gettext("games"), low=0.0, percent=True)
    return Chart(title, layers, x, y, description)


def _make_line(
    shares: Floats, label: str, faint: bool = False, *, area: bool = False, series: int = 0
) -> Line:
    drawn = np.flatnonzero(shares > (0 if faint else RARE))
    scores = list(range(int(drawn[0]), int(drawn[-1]) + 1))
    return Line(scores, shares[scores].tolist(), label, area=area, series=series)
