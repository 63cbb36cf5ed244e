"""The flow of people through a trial, as CONSORT 2025 asks for it: who came, who was drawn, who is
in the analysis. Those who never agreed are numbers; everybody else is counted from what is stored.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, NamedTuple

from game.models import Trial
from game.trials.design.masking import shown_arms
from game.trials.design.phases import TrialDesign
from game.trials.design.reading import design_of
from game.trials.results.reading_arms import ORDER
from game.trials.results.reading_flow import (
    FlowPerson,
    all_orders,
    arrivals_counted,
    passages,
    places_given,
)

# Every step that may be counted, in the order in which people come through.
STEPS: Mapping[str, str] = {
    "places": "Personal links",
    "opened": "Opened the open link",
    "no_place": "Found no place left",
    "declined": "Did not agree",
    "unanswered": "Left the open link without an answer",
    "unused": "Personal links not used",
    "agreed": "Agreed to take part",
    "screened_out": "Screened out by an answer",
    "failed_check": "Failed a check",
    "withdrew": "Withdrew",
    "on_the_way": "Have not come so far",
    "drawn": "Given an arm by lot",
    "given": "Given this arm",
    "began": "Began the training",
    "finished": "Played all games",
    "left_out": "Left out by a planned rule",
    "analysed": "In the analysis",
}


OF_ANALYSIS = ("left_out", "analysed")


class FlowStep(NamedTuple):
    step: str
    people: int

    @property
    def words(self) -> str:
        return STEPS[self.step]


@dataclass(frozen=True, slots=True)
class FlowArm:
    """Without a name where there is no lot, and all who agreed go one way."""

    name: str
    steps: Sequence[FlowStep]


@dataclass(frozen=True, slots=True)
class Flow:
    """Boxes from the top to the bottom; those of ``left`` and ``undrawn`` lead out of the trial."""

    came: Sequence[FlowStep]
    left: Sequence[FlowStep]
    agreed: Sequence[FlowStep]
    undrawn: Sequence[FlowStep]
    drawn: Sequence[FlowStep]
    arms: Sequence[FlowArm]

    def rows(self) -> Iterator[tuple[str, FlowStep]]:
        """Every step, with the arm that it is of."""
        for box in (self.came, self.left, self.agreed, self.undrawn, self.drawn):
            yield from (("", step) for step in box)
        for arm in self.arms:
            yield from ((arm.name, step) for step in arm.steps)

    def facts(self) -> list[dict[str, Any]]:
        """As plain data, for JSON."""
        return [{"arm": arm or None, **step._asdict()} for arm, step in self.rows()]


def flow_of(trial: Trial, until: datetime) -> Flow:
    design = design_of(trial)
    people = passages(trial, design, until)
    armed = bool(design.arms)
    drawn = [one for one in people if one.order is not None or not armed]
    stopped = Counter(filter(None, map(_stopped, people))) if armed else Counter[str]()
    undrawn = ("screened_out", "failed_check", "withdrew", "on_the_way")
    return Flow(
        *_coming(trial, until, people),
        agreed=[FlowStep("agreed", len(people))],
        undrawn=[FlowStep(step, stopped[step]) for step in undrawn if armed],
        drawn=[FlowStep("drawn", len(drawn))] if armed else [],
        arms=_lanes(trial, design, drawn) or [FlowArm("", _lane(drawn, armed=False))],
    )


def _lanes(trial: Trial, design: TrialDesign, drawn: Sequence[FlowPerson]) -> list[FlowArm]:
    """One of each arm, or of each order of them; letters stand in their own order."""
    called = shown_arms(trial)
    lanes = [
        FlowArm(
            ORDER.join(called[arm + 1] for arm in order),
            _lane([one for one in drawn if one.order == order], armed=True),
        )
        for order in all_orders(design)
    ]
    return sorted(map(_masked, lanes), key=lambda lane: lane.name) if trial.masked else lanes


def _masked(lane: FlowArm) -> FlowArm:
    """A rule may leave out by what was played, so that it is not told how many of an arm."""
    return replace(lane, steps=[one for one in lane.steps if one.step not in OF_ANALYSIS])


def _coming(
    trial: Trial, until: datetime, people: Sequence[FlowPerson]
) -> tuple[list[FlowStep], list[FlowStep]]:
    """Before the consent. What was not counted, before there were counts or without scripts, makes
    the rest no number of people: then it is not told."""
    places, counted = places_given(trial), arrivals_counted(trial, until)
    by_link = sum(one.recruited for one in people)
    unused = places - (len(people) - by_link)
    came, left = [FlowStep("places", places)], []
    if by_link or counted:
        came += [FlowStep(step, counted[step]) for step in ("opened", "no_place")]
        left = [FlowStep("declined", counted["declined"])]
        rest = counted["opened"] - counted["declined"] - by_link
        left += [FlowStep("unanswered", rest)] if rest >= 0 else []
    return came, [*left, FlowStep("unused", unused)]


def _stopped(one: FlowPerson) -> str:
    """Why somebody has no arm; nothing for whoever has."""
    if one.order is not None:
        return ""
    if one.withdrew:
        return "withdrew"
    if one.screened_out:
        return "failed_check" if one.failed_check else "screened_out"
    return "on_the_way"


def _lane(people: Sequence[FlowPerson], *, armed: bool) -> list[FlowStep]:
    stayed = [one for one in people if not one.withdrew]
    counts = {
        "given": len(people),
        "withdrew": len(people) - len(stayed),
        "screened_out": sum(one.screened_out and not one.failed_check for one in stayed),
        "failed_check": sum(one.failed_check for one in stayed),
        "began": sum(one.began for one in stayed),
        "finished": sum(one.finished for one in stayed),
        "left_out": sum(one.left_out for one in stayed),
        "analysed": sum(one.measured and not one.left_out for one in stayed),
    }
    seldom = {"screened_out", "failed_check", "left_out"}  # after the lot, or where it was planned
    return [
        FlowStep(step, number)
        for step, number in counts.items()
        if (number or step not in seldom) and (armed or step != "given")
    ]
