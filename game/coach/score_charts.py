"""The histogram of a player's final scores, compared with perfect play."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from django.utils.translation import gettext as _

from game.core.words import phrases
from solver.arena.results import read_result
from solver.charts import OWN, Axis, Chart, Rule, make_histograms
from solver.exact.distribution import Distribution
from solver.players import PLAYERS
from solver.rules import Ruleset

# width in pixels; narrow, so that labels stay readable on a phone
WIDTH, HEIGHT = 480.0, 320.0


def read_perfect_scores(rules: Ruleset) -> Distribution | None:
    result = read_result(PLAYERS["optimal"], rules)
    return result.distribution if result else None


def draw_own_games(title: str, scores: Sequence[int], perfect: Distribution) -> str:
    """Return a histogram of scores in groups of ten points, in front of that of perfect play."""
    counts = np.bincount([score // 10 for score in scores])
    mean = sum(scores) / len(scores)
    layers = make_histograms(
        [(_("your games"), counts / len(scores)), (_("perfect play"), perfect.group_in_tens())]
    )
    label = _("your mean %(mean)s") % {"mean": phrases.format_points(mean)}
    layers.append(Rule(x=mean, label=label, series=OWN))
    means = {"mine": phrases.format_points(mean), "perfect": phrases.format_points(perfect.mean)}
    description = _("Your mean is %(mine)s; the mean of perfect play is %(perfect)s.") % means
    return draw_chart(Chart(title, layers), description, alone=False)


def draw_chart(chart: Chart, description: str, *, alone: bool) -> str:
    chart = replace(
        chart,
        x=Axis(_("final score")),
        y=Axis(_("games"), low=0.0, percent=True),
        description=description,
        width=WIDTH,
        height=HEIGHT,
        show_title=alone,
    )
    return chart.svg() if alone else chart.draw_for_page()
