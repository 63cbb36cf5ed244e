"""The charts of a trial's results, on the page and as files."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from django.utils.functional import cached_property

from game.coach.score_charts import HEIGHT, WIDTH
from game.coach.score_charts import draw_chart as drawn_scores
from game.core.words.phrases import format_points
from game.trials.analysis.describe import Description, PersonFigures, PhaseFigures
from game.trials.results.words import DIGITS, MEASURED, PHASES
from solver.charts import REFERENCE, Axis, Chart, Layer, Line, Points, Rule, make_histograms
from solver.exact.distribution import Distribution
from solver.rules import Ruleset
from solver.statistics.inference import Interval, subtract_from
from solver.study.published import HUMANS, find_published

MOST_NAMED = 12  # maximum number of participants with names under a chart
FEW = 4  # fewest games on an axis, so that the axis has whole steps
MOST_ARMS = 6  # number of arms with different colours
APART = 0.14  # distance between arms, as a share of the width of a phase


@dataclass(frozen=True)
class Drawing:
    """A chart. ``name`` is the stem of its file; ``svg`` is for the page, ``alone`` for a file."""

    name: str
    title: str
    draw: Callable[[str, bool], str]

    @cached_property
    def svg(self) -> str:
        return self.draw(self.title, False)

    @cached_property
    def alone(self) -> str:
        return self.draw(self.title, True)


def draw_charts(
    rules: Ruleset,
    games: Description,
    value_start: float | None,
    perfect: Distribution | None,
    phases: Sequence[PhaseFigures],
    measure: str,
) -> list[Drawing]:
    charts = []
    if any(phase.people > 1 for phase in phases):
        charts.append(_draw_phases(phases, measure))
    if games.games:
        charts.append(_draw_tens(rules, games, perfect))
    if any(person.interval for person in games.people) and value_start is not None:
        charts.append(_draw_skills(games.people, value_start))
    if len(games.learning) > 1:
        charts.append(_draw_learning(games))
    return charts


def _draw_tens(rules: Ruleset, games: Description, perfect: Distribution | None) -> Drawing:
    """Draw the scores in groups of ten points, next to those of perfect play and, if known, of a
    published study."""
    counts = np.zeros(games.tens[-1].low // 10 + 1)
    for ten in games.tens:
        counts[ten.low // 10] += ten.share
    layers = [("this trial", counts)]
    if perfect:
        layers.append(("perfect play", perfect.group_in_tens()))
    study = find_published(HUMANS, rules)
    if study:
        layers.append(("the published study's people", study.shares))
    mean = games.score.mean if games.score else 0.0
    description = f"The mean of this trial is {format_points(mean)}."

    def draw(title: str, alone: bool) -> str:
        rule = Rule(x=mean, label=f"mean {format_points(mean)}", series=1)
        drawn: list[Layer] = [*make_histograms(layers), rule]
        return drawn_scores(Chart(title, drawn), description, alone=alone)

    return Drawing("scores-in-tens", "Scores in bands of ten", draw)


def _draw_skills(people: Sequence[PersonFigures], value_start: float) -> Drawing:
    """Draw a bar per participant or, if there are many, a line through the sorted values."""
    spans = [
        (person.participant, subtract_from(value_start, person.interval))
        for person in people
        if person.interval
    ]
    layers = _draw_named_spans(spans) if len(spans) <= MOST_NAMED else _draw_ranked_spans(spans)
    layers.append(Rule(y=value_start, label="perfect play", series=REFERENCE))
    best = max(spans, key=lambda pair: pair[1].mean)
    description = f"{best[0]} has the best estimate: {format_points(best[1].mean)}."
    x = Axis() if len(spans) <= MOST_NAMED else Axis("participants, sorted by estimate")
    title = "Skill estimates of participants, with 95 % confidence intervals"
    return Drawing("skill", title, make_drawer(layers, description, x, Axis("points per game")))


def _draw_named_spans(spans: Sequence[tuple[str, Interval]]) -> list[Layer]:
    names = tuple(name for name, _span in spans)
    layers: list[Layer] = [
        Line([at, at], [span.low, span.high], series=1, bands=names)
        for at, (_name, span) in enumerate(spans)
    ]
    means = [span.mean for _name, span in spans]
    return [*layers, Points(list(range(len(spans))), means, series=1, bands=names)]


def _draw_ranked_spans(spans: Sequence[tuple[str, Interval]]) -> list[Layer]:
    ordered = sorted((span for _name, span in spans), key=lambda span: span.mean)
    ranks = [float(rank) for rank in range(1, len(ordered) + 1)]
    band = ([span.high for span in ordered], [span.low for span in ordered])
    return [Line(ranks, [span.mean for span in ordered], band=band, series=1)]


def _draw_learning(games: Description) -> Drawing:
    numbers = [float(step.number) for step in games.learning]
    costs = [step.cost for step in games.learning]
    layers: list[Layer] = [Points(numbers, costs, label="mean of all participants", series=1)]
    first, last = format_points(costs[0]), format_points(costs[-1])
    description = f"Lost: {first} points in the first game, {last} in the last."
    x = Axis("game", high=max(numbers[-1], numbers[0] + FEW))
    y = Axis("points lost per game", low=0.0)
    return Drawing("learning", "Points lost, game by game", make_drawer(layers, description, x, y))


def make_drawer(
    layers: Sequence[Layer], description: str, x: Axis, y: Axis
) -> Callable[[str, bool], str]:
    def draw(title: str, alone: bool) -> str:
        chart = Chart(title, layers, x, y, description, WIDTH, HEIGHT, show_title=alone)
        return chart.svg() if alone else chart.draw_for_page()

    return draw


def _draw_phases(phases: Sequence[PhaseFigures], measure: str) -> Drawing:
    bands = tuple(dict.fromkeys(PHASES[row.phase] for row in phases))
    arms = list(dict.fromkeys(row.arm for row in phases))[:MOST_ARMS]
    layers: list[Layer] = []
    for number, name in enumerate(arms):
        off = APART * (number - (len(arms) - 1) / 2)
        rows = [row for row in phases if row.arm == name]
        places = [bands.index(PHASES[row.phase]) + off for row in rows]
        layers.append(
            Points(places, [row.mean for row in rows], label=name, series=number + 1, bands=bands)
        )
    parts = [
        f"{row.arm or 'everyone'} {format_points(row.mean, DIGITS[measure])}" for row in phases
    ]
    description = f"{bands[-1]}: {', '.join(parts[-len(arms) :])}."
    y = Axis(MEASURED[measure], low=0.0)
    return Drawing(
        "arms-phases",
        "Arms by phase: means over people",
        make_drawer(layers, description, Axis(), y),
    )
