"""How people learn beside programs that learned: points against games played, on one axis."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log10

from game.lab.learners import LabLearner, learners_of
from game.trials.results.charts import Drawing, drawn
from game.trials.results.words import ends
from game.words.phrases import points
from solver.arena.learners import stored_report
from solver.charts import OWN, REFERENCE, Axis, Layer, Line, Points, Rule
from solver.rules import Ruleset
from solver.statistics.doublings import Doubling
from solver.statistics.inference import less

DIGITS = 1


@dataclass(frozen=True, slots=True)
class DoublingLine:
    """As a person reads it: of which games, how many people, what they were good for."""

    games: str
    people: int
    points: str
    range: str


def doubling_lines(spans: Sequence[Doubling], start: float) -> list[DoublingLine]:
    return [_line(span, start) for span in spans]


def _line(span: Doubling, start: float) -> DoublingLine:
    games = str(span.first)
    if span.last > span.first:
        games = f"{span.first} to {span.last}"
    told = less(start, span.range) if span.range else None
    ranged = "{low} to {high}".format(**ends(told)) if told else ""
    return DoublingLine(games, span.people, points(start - span.lost, DIGITS), ranged)


def beside_learners(rules: Ruleset, spans: Sequence[Doubling], start: float) -> list[Drawing]:
    """Nothing where nobody can have learned yet, or no program has under these rules."""
    report = stored_report(rules)
    curved = [one for one in learners_of(rules, report) if one.curve] if report else []
    if len(spans) < 2 or not curved:
        return []
    layers = [*_people(spans, start), *_programs(curved)]
    layers.append(Rule(y=start, label="perfect play", series=REFERENCE))
    description = (
        f"People are good for {points(start - spans[0].lost, DIGITS)} points in their first "
        f"game and {points(start - spans[-1].lost, DIGITS)} in the latest. The"
        f" programs come to "
        f"{', '.join(points(one.curve[-1]['mean'], DIGITS) for one in curved)}, after as many "
        "games as the axis says."
    )
    x = Axis("games played", low=0.0, powers=True)
    title = "How do people learn beside programs? Points a game, with 95 % ranges"
    # What is measured stands in the title: beside it a phone has no room for the programs' names.
    return [Drawing("learning-beside-programs", title, drawn(layers, description, x, Axis()))]


def _people(spans: Sequence[Doubling], start: float) -> list[Layer]:
    """Where there is no range the band is as narrow as the line."""
    places = [span.power for span in spans]
    means = [start - span.lost for span in spans]
    ranges = [less(start, span.range) if span.range else None for span in spans]
    high = [one.high if one else mean for one, mean in zip(ranges, means, strict=True)]
    low = [one.low if one else mean for one, mean in zip(ranges, means, strict=True)]
    name = "people of this trial"
    return [
        Line(places, means, name, band=(high, low), series=OWN),
        Points(places, means, series=OWN),
    ]


def _programs(learners: Sequence[LabLearner]) -> list[Layer]:
    return [
        Line(
            [log10(one["games"]) for one in learner.curve],
            [one["mean"] for one in learner.curve],
            learner.name,
            series=REFERENCE + number,
        )
        for number, learner in enumerate(learners, start=1)
    ]
