"""Charts as SVG text: no dependency, no script, no inline style.

Every shape carries a class for a page's style sheet and presentation attributes, which any rule
of a style sheet overrules, so the same text stands alone in a file. Text and lines of the axes
take ``currentColor``: a dark page needs nothing more.

    Chart("Scores of a million games", [Line(xs, ys, label="perfect play")]).svg()
"""

from solver.charts.chart import Chart
from solver.charts.frame import ASIDE, OWN, REFERENCE, Axis
from solver.charts.layers import (
    Bars,
    Columns,
    Here,
    Histogram,
    Layer,
    Line,
    Mark,
    Marks,
    Points,
    Rule,
    Waterfall,
    WaterfallBar,
)
from solver.charts.tens import RARE, histograms, side_by_side

__all__ = [
    "ASIDE",
    "OWN",
    "RARE",
    "REFERENCE",
    "Axis",
    "Bars",
    "Chart",
    "Columns",
    "Here",
    "Histogram",
    "Layer",
    "Line",
    "Mark",
    "Marks",
    "Points",
    "Rule",
    "Waterfall",
    "WaterfallBar",
    "histograms",
    "side_by_side",
]
