"""The charts of the lab, in the reader's language."""

from collections.abc import Mapping

from django.utils.translation import gettext as _

from game.coach.scores import HEIGHT, WIDTH, drawn, histograms
from game.lab.same_value import YOU, SameDice
from game.words import phrases
from solver.charts import Axis, Bars, Chart
from solver.exact.distribution import Distribution
from solver.study import charts
from solver.study.histograms import Published


def overlaid(
    title: str, of: Mapping[str, Distribution], reference: str, *, alone: bool = False
) -> str:
    """Exact distributions over each other; ``alone`` is for a file, which needs its title."""
    told = [
        _("%(name)s: mean %(mean)s") % {"name": name, "mean": phrases.points(one.mean)}
        for name, one in of.items()
    ]
    chart = charts.several(title, dict(of), reference)
    return drawn(chart, "; ".join(told), alone=alone)


def against_published(
    title: str, exact: Distribution, theirs: Published, *, alone: bool = False
) -> str:
    """Two histograms in tens, over each other."""
    layers = [(_("exact"), exact.in_tens()), (_("published"), theirs.shares)]
    means = {"ours": phrases.points(exact.mean), "theirs": phrases.points(theirs.mean, 0)}
    description = _("Mean %(ours)s, published %(theirs)s.") % means
    return drawn(Chart(title, histograms(layers)), description, alone=alone)


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
