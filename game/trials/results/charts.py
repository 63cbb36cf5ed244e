"""The charts of a trial's results, on the page and as files."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from django.utils.functional import cached_property

from game.coach.score_charts import HEIGHT, WIDTH
from game.coach.score_charts import drawn as drawn_scores
from game.core.profile_queries import Habit
from game.core.words import phrases
from game.core.words.phrases import points
from game.practice.profile_board import kind_name
from game.trials.results.words_arms import DIGITS
from game.trials.results.words_estimand import PHASES
from solver.charts import (
    REFERENCE,
    Axis,
    Bars,
    Chart,
    Histogram,
    Layer,
    Line,
    Points,
    Rule,
    histograms,
)
from solver.exact.distribution import Distribution
from solver.rules import Category, Ruleset
from solver.rules.scoring import STRAIGHT
from solver.statistics.arm_figures import ArmMean, ArmsAnalysis, PhaseFigures
from solver.statistics.inference import Interval
from solver.statistics.trial import Analysis, Learning, Person
from solver.study.published import HUMANS, published

MOST_NAMED = 12  # participants that have room for their names under a chart
FEW = 4  # games that an axis reaches at least, so that its steps are whole games


@dataclass(frozen=True)
class Drawing:
    """A chart: ``name`` is that of its file, ``svg`` for the page, ``alone`` with its title."""

    name: str
    title: str
    draw: Callable[[str, bool], str]

    @cached_property
    def svg(self) -> str:
        return self.draw(self.title, False)

    @cached_property
    def alone(self) -> str:
        return self.draw(self.title, True)


def drawings(
    rules: Ruleset,
    of: Analysis,
    kinds: Sequence[Habit],
    boxes: Sequence[Habit],
    value_start: float | None,
    perfect: Distribution | None,
) -> list[Drawing]:
    found = []
    if of.games:
        found.append(_tens(rules, of, perfect))
        found.append(_occurrences(of))
    if any(person.skill for person in of.people) and value_start is not None:
        found.append(_skills(of.people, value_start))
    if of.learning and len(of.learning.steps) > 1:
        found.append(_learning(of.learning))
    if of.judged:
        found.append(_kinds(rules, kinds, of.judged))
        found.append(_boxes(rules, boxes, of.judged))
    return found


def _tens(rules: Ruleset, of: Analysis, perfect: Distribution | None) -> Drawing:
    """Over perfect play where the lab has it, and over the published people of the same game."""
    counts = np.zeros(of.tens[-1].low // 10 + 1)
    for ten in of.tens:
        counts[ten.low // 10] += ten.share
    layers = [("this trial", counts)]
    if perfect:
        layers.append(("perfect play", perfect.in_tens()))
    study = published(HUMANS, rules)
    if study:
        layers.append(("the published study's people", study.shares))
    mean = of.raw.mean if of.raw else 0.0
    description = f"The mean of this trial is {phrases.points(mean)}."

    def draw(title: str, alone: bool) -> str:
        rule = Rule(x=mean, label=f"mean {phrases.points(mean)}", series=1)
        drawn: list[Layer] = [*histograms(layers), rule]
        return drawn_scores(Chart(title, drawn), description, alone=alone)

    return Drawing("scores-in-tens", "Where do the scores lie? In tens", draw)


def _occurrences(of: Analysis) -> Drawing:
    first, last = of.occurrences[0][0], of.occurrences[-1][0]
    times = dict(of.occurrences)
    heights = [float(times.get(score, 0)) for score in range(first, last + 1)]
    edges = [score - 0.5 for score in range(first, last + 2)]
    often = max(of.occurrences, key=lambda pair: pair[1])
    description = f"From {first} to {last} points; most often {often[0]}."
    most = float(max(FEW, often[1]))
    x, y = Axis("final score"), Axis("games", low=0.0, high=most)
    layers: list[Layer] = [Histogram(edges, heights, columns=True)]
    return Drawing("scores", "How often was each score reached?", drawn(layers, description, x, y))


def _skills(people: Sequence[Person], value_start: float) -> Drawing:
    """Return a bar a participant while names have room, else a line through all of them by rank."""
    known = [(person.participant, person.skill) for person in people if person.skill]
    spans = [(name, span) for name, span in known if span]
    layers = _named_spans(spans) if len(spans) <= MOST_NAMED else _ranked_spans(spans)
    layers.append(Rule(y=value_start, label="perfect play", series=REFERENCE))
    best = max(spans, key=lambda pair: pair[1].mean)
    description = f"The best estimate is that of {best[0]}: {phrases.points(best[1].mean)}."
    x = Axis() if len(spans) <= MOST_NAMED else Axis("participants, by their estimate")
    title = "What is each participant good for? Estimates, and how sure they are"
    return Drawing("skill", title, drawn(layers, description, x, Axis("points a game")))


def _named_spans(spans: Sequence[tuple[str, Interval]]) -> list[Layer]:
    names = tuple(name for name, _span in spans)
    layers: list[Layer] = [
        Line([at, at], [span.low, span.high], series=1, bands=names)
        for at, (_name, span) in enumerate(spans)
    ]
    means = [span.mean for _name, span in spans]
    return [*layers, Points(list(range(len(spans))), means, series=1, bands=names)]


def _ranked_spans(spans: Sequence[tuple[str, Interval]]) -> list[Layer]:
    ordered = sorted((span for _name, span in spans), key=lambda span: span.mean)
    ranks = [float(rank) for rank in range(1, len(ordered) + 1)]
    band = ([span.high for span in ordered], [span.low for span in ordered])
    return [Line(ranks, [span.mean for span in ordered], band=band, series=1)]


def _learning(of: Learning) -> Drawing:
    numbers = [float(step.number) for step in of.steps]
    lost = [step.lost for step in of.steps]
    layers: list[Layer] = [Points(numbers, lost, label="mean of all participants", series=1)]
    if of.slope:
        layers.insert(0, _trend(of))
    description = (
        f"From {phrases.points(lost[0])} points in the first game to "
        f"{phrases.points(lost[-1])} in the last."
    )
    x = Axis("game", high=max(numbers[-1], numbers[0] + FEW))
    y = Axis("points lost a game", low=0.0)
    title = "Do they learn? What decisions cost, game by game"
    return Drawing("learning", title, drawn(layers, description, x, y))


def _trend(of: Learning) -> Line:
    """Through the mean of all games, as steep as within the participants."""
    games = sum(step.games for step in of.steps)
    middle = sum(step.games * step.number for step in of.steps) / games
    height = sum(step.games * step.lost for step in of.steps) / games
    ends = [float(of.steps[0].number), float(of.steps[-1].number)]
    steep = of.slope.mean if of.slope else 0.0
    heights = [max(0.0, height + steep * (end - middle)) for end in ends]
    return Line(ends, heights, label="trend", dashed=True, series=2)


def _kinds(rules: Ruleset, kinds: Sequence[Habit], games: int) -> Drawing:
    """Return the decisions that every turn may have; what is left of the others is in the table.

    Where throws are saved most boxes are filled with some left.
    """
    points = {kind.id: kind.points / games for kind in kinds}
    first, second, box = (points.get(kind, 0.0) for kind in ("first_hold", "second_hold", "box"))
    box += points.get("early", 0.0) if rules.stock else 0.0
    others = sum(points.values()) - first - second - box
    later = "Later hold" if rules.stock else "Second hold"
    bands = ("First hold", later, "Box", "Other")
    title = "In which decisions are points lost? By kind"
    told = _most(kind_name(kinds[0].id, rules), kinds[0].points / games) if kinds else ""
    return Drawing("lost-by-kind", title, _bars(bands, [first, second, box, others], told))


def _boxes(rules: Ruleset, boxes: Sequence[Habit], games: int) -> Drawing:
    """Return the losses by box, in the order of the card."""
    points = {box.id: box.points / games for box in boxes}
    heights = [points.get(category.id, 0.0) for category in rules.categories]
    names = tuple(map(short_name, rules.categories))
    title = "In which turns are points lost? By the box that they ended in"
    told = _most(phrases.box(rules, boxes[0].id), boxes[0].points / games) if boxes else ""
    return Drawing("lost-by-box", title, _bars(names, heights, told))


def short_name(box: Category) -> str:
    """Return a short name, because twenty are side by side; the table has the full ones."""
    match box.pattern:
        case "faces":
            return str(box.size)
        case "of_a_kind":
            return f"{box.size}×"
        case "two_pairs":
            return "2+2"
        case "three_pairs":
            return "222"
        case "full_house":
            return "3+2"
        case "villa":
            return "3+3"
        case "tower":
            return "4+2"
        case "straight_from":
            return f"{box.size}–{box.size + STRAIGHT - 1}"
        case "run_of":
            return f"{box.size}→"
    return "Σ"


def _most(name: str, lost: float) -> str:
    facts = {"name": name, "points": phrases.points(lost)}
    return "Most in: {name}, {points} points a game.".format(**facts)


def _bars(
    bands: tuple[str, ...], heights: Sequence[float], description: str
) -> Callable[[str, bool], str]:
    values = [phrases.points(height) for height in heights]
    y = Axis("points a game", low=0.0)
    return drawn([Bars(bands, heights, values=values)], description, Axis(), y)


def drawn(
    layers: Sequence[Layer], description: str, x: Axis, y: Axis
) -> Callable[[str, bool], str]:
    def draw(title: str, alone: bool) -> str:
        chart = Chart(title, layers, x, y, description, WIDTH, HEIGHT, show_title=alone)
        return chart.svg() if alone else chart.for_page()

    return draw


MOST_ARMS = 6  # lines that can be told apart
APART = 0.14  # of a band, between the arms of a phase


def arm_drawings(of: ArmsAnalysis) -> list[Drawing]:
    found = []
    phases = [one for one in of.phases if one.measure == "cost_a_decision"]
    if any(arm.interval for phase in phases for arm in phase.arms):
        found.append(_phases(phases))
    return found


def _phases(phases: Sequence[PhaseFigures]) -> Drawing:
    """Return the arms of each phase side by side, as dots with their ranges."""
    names = tuple(PHASES[phase.phase] for phase in phases)
    arms = list(dict.fromkeys(arm.arm for phase in phases for arm in phase.arms))[:MOST_ARMS]
    layers: list[Layer] = []
    for number, name in enumerate(arms):
        off = APART * (number - (len(arms) - 1) / 2)
        own = [
            (at + off, arm)
            for at, phase in enumerate(phases)
            for arm in phase.arms
            if arm.arm == name and arm.people
        ]
        layers += _dots(own, name, number + 1, names)
    title = "What does a decision cost? Phase by phase, with 95 % ranges"
    y = Axis("points a decision", low=0.0)
    return Drawing("arms-phases", title, drawn(layers, _last(phases[-1]), Axis(), y))


def _dots(
    own: Sequence[tuple[float, ArmMean]], name: str, series: int, bands: tuple[str, ...]
) -> list[Layer]:
    places, means = [at for at, _arm in own], [arm.mean for _at, arm in own]
    ranges: list[Layer] = [
        Line([at, at], [max(0.0, arm.interval.low), arm.interval.high], series=series, bands=bands)
        for at, arm in own
        if arm.interval
    ]
    return [*ranges, Points(places, means, label=name, series=series, bands=bands)]


def _last(phase: PhaseFigures) -> str:
    told = [f"{arm.arm} {points(arm.mean, DIGITS)}" for arm in phase.arms if arm.people]
    return f"{PHASES[phase.phase]}: {', '.join(told)}."
