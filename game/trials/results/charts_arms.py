"""The charts of a trial with arms: phase by phase, and how each arm learns."""

from collections.abc import Sequence

from game.trials.results.charts import Drawing, drawn
from game.trials.results.words_arms import DIGITS
from game.trials.results.words_estimand import PHASES
from game.words.phrases import points
from solver.charts import Axis, Layer, Line, Points
from solver.statistics.arm_figures import ArmMean, ArmsAnalysis, PhaseFigures

MOST_ARMS = 6  # lines that can be told apart
APART = 0.14  # of a band, between the arms of a phase


def arm_drawings(of: ArmsAnalysis) -> list[Drawing]:
    """Those that there is something to draw in."""
    found = []
    phases = [one for one in of.phases if one.measure == "cost_a_decision"]
    if any(arm.interval for phase in phases for arm in phase.arms):
        found.append(_phases(phases))
    return found


def _phases(phases: Sequence[PhaseFigures]) -> Drawing:
    """The arms of each phase side by side, as dots with their ranges."""
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
