"""The charts of the lab, each of one question."""

from itertools import count

import numpy as np

from solver.arena.performance import Performance
from solver.charts import REFERENCE, Axis, Chart, Histogram, Layer, Line, Rule
from solver.dp.arrays import Floats
from solver.exact.distribution import Distribution
from solver.study.histograms import TENS, Published, in_shares

SCORE, GAMES = Axis("final score"), Axis("games", low=0.0, percent=True)
RARE = 2e-5  # scores at the ends that fewer games have are not drawn


def score_by_score(title: str, result: Performance, exact: Distribution | None = None) -> Chart:
    """Simulated games, over the exact distribution where that is known."""
    shares = result.counts / result.games
    layers: list[Layer] = [_line(shares, f"{result.games:,} games", exact is not None)]
    if exact:
        layers.append(_line(exact.probabilities, "exact"))
    layers.append(Rule(x=result.mean, label=f"mean {result.mean:.1f}"))
    layers.append(Rule(x=result.median, label=f"median {result.median:g}"))
    return Chart(title, layers, SCORE, GAMES)


def exact_scores(title: str, exact: Distribution) -> Chart:
    layers: list[Layer] = [
        _line(exact.probabilities, "", area=True),
        Rule(x=exact.mean, label=f"mean {exact.mean:.1f}"),
        Rule(x=exact.median, label=f"median {exact.median}"),
    ]
    return Chart(title, layers, SCORE, GAMES)


def several(title: str, distributions: dict[str, Distribution], reference: str = "") -> Chart:
    """``reference`` names the one that the others are held against; it has that colour."""
    others = (number for number in count(1) if number != REFERENCE)
    layers = [
        _line(d.probabilities, name, series=REFERENCE if name == reference else next(others))
        for name, d in distributions.items()
    ]
    return Chart(title, layers, SCORE, GAMES)


def tens(title: str, result: Performance) -> Chart:
    rows = result.tens()
    edges = [row.low for row in rows] + [rows[-1].low + 10]
    layers: list[Layer] = [
        Histogram(edges, [row.share for row in rows], columns=True),
        Rule(x=result.mean, label=f"mean {result.mean:.1f}"),
    ]
    return Chart(title, layers, SCORE, GAMES)


def against_published(title: str, ours: Floats, theirs: Published, name: str = "ours") -> Chart:
    """Two histograms in tens, over each other."""
    shares = in_shares(ours)
    drawn = np.flatnonzero((shares > RARE) | (theirs.shares > RARE))
    first, last = int(drawn[0]), min(int(drawn[-1]) + 1, TENS)
    edges = [10 * n for n in range(first, last + 1)]
    layers: list[Layer] = [
        Histogram(edges, shares[first:last].tolist(), name),
        Histogram(edges, theirs.shares[first:last].tolist(), "published"),
        Rule(x=theirs.mean, label=f"published mean {theirs.mean:g}", series=2),
    ]
    return Chart(title, layers, SCORE, GAMES)


def _line(
    shares: Floats, label: str, faint: bool = False, *, area: bool = False, series: int = 0
) -> Line:
    drawn = np.flatnonzero(shares > (0 if faint else RARE))
    scores = list(range(int(drawn[0]), int(drawn[-1]) + 1))
    return Line(scores, shares[scores].tolist(), label, area=area, series=series)
