"""The charts of the lab, in the reader's language."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from django.utils.translation import gettext as _

from game.lab.same_value import YOU, SameDice
from game.words import phrases
from solver.charts import Axis, Bars, Chart, Histogram, Layer, Rule
from solver.distribution import Distribution
from solver.dp.arrays import Floats
from solver.statistics.tens import side_by_side
from solver.study import charts
from solver.study.histograms import Published

# Narrow enough for the words to stay readable on a phone.
WIDTH, HEIGHT = 480.0, 320.0


def overlaid(title: str, of: Mapping[str, Distribution], *, alone: bool = False) -> str:
    """Exact distributions over each other; ``alone`` is for a file, which needs its title."""
    told = [
        _("%(name)s: mean %(mean)s") % {"name": name, "mean": phrases.points(one.mean)}
        for name, one in of.items()
    ]
    chart = charts.several(title, dict(of))
    return drawn(chart, "; ".join(told), alone=alone)


def against_published(
    title: str, exact: Distribution, theirs: Published, *, alone: bool = False
) -> str:
    """Two histograms in tens, over each other."""
    layers = [(_("exact"), exact.in_tens()), (_("published"), theirs.shares)]
    means = {"ours": phrases.points(exact.mean), "theirs": phrases.points(theirs.mean, 0)}
    description = _("Mean %(ours)s, published %(theirs)s.") % means
    return drawn(Chart(title, histograms(layers)), description, alone=alone)


def own_games(title: str, scores: Sequence[int], perfect: Distribution) -> str:
    """Somebody's scores in tens over those of perfect play."""
    counts = np.bincount([score // 10 for score in scores])
    mean = sum(scores) / len(scores)
    layers: list[Layer] = histograms(
        [(_("your games"), counts / len(scores)), (_("perfect play"), perfect.in_tens())]
    )
    label = _("your mean %(mean)s") % {"mean": phrases.points(mean)}
    layers.append(Rule(x=mean, label=label, series=1))
    means = {"mine": phrases.points(mean), "perfect": phrases.points(perfect.mean)}
    description = _("Your mean is %(mine)s, that of perfect play %(perfect)s.") % means
    return drawn(Chart(title, layers), description, alone=False)


def totals(test: SameDice) -> str:
    """Every player's score in every game of a same-value test.

    A person comes first and has the last colour, so that the players keep theirs.
    """
    lines, names = test.totals(), test.names
    bands = tuple(_("Game %(number)s") % {"number": line.number} for line in lines)
    own = YOU in test.players
    layers = [
        Bars(
            bands,
            [line.scores[place] for line in lines],
            name,
            place,
            len(names),
            series=(place or len(names)) if own else place + 1,
        )
        for place, name in enumerate(names)
    ]
    return Chart(
        _("Final scores on the same dice"),
        layers,
        y=Axis(_("points")),
        width=WIDTH,
        height=HEIGHT,
        show_title=False,
    ).for_page()


def histograms(of: Sequence[tuple[str, Floats]]) -> list[Layer]:
    labels, rows = [label for label, _tens in of], side_by_side(*(tens for _label, tens in of))
    drawn = np.flatnonzero(np.max(rows, axis=0) > charts.RARE)
    first, last = int(drawn[0]), int(drawn[-1]) + 1
    edges = [10 * n for n in range(first, last + 1)]
    return [
        Histogram(edges, tens[first:last].tolist(), label)
        for label, tens in zip(labels, rows, strict=True)
    ]


def drawn(chart: Chart, description: str, *, alone: bool) -> str:
    found = framed(chart, description, alone=alone)
    return found.svg() if alone else found.for_page()


def framed(chart: Chart, description: str, *, alone: bool) -> Chart:
    return replace(
        chart,
        x=Axis(_("final score")),
        y=Axis(_("games"), low=0.0, percent=True),
        description=description,
        width=WIDTH,
        height=HEIGHT,
        show_title=alone,
    )
