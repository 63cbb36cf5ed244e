"""The flow of people through a trial, for the CONSORT 2025 diagram: people who came, people with an
arm, people in the analysis.

Only daily counts include people who never agreed. All other numbers come from stored participants.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from django.db.models import Count, Q, Sum
from django.utils import timezone

from game.trials.design.masking import map_arm_names
from game.trials.design.phases import TRAINING, TrialDesign
from game.trials.design.reading import build_design
from game.trials.models import MOST_PLACES, ArrivalCount, Preregistration, Trial
from game.trials.results.data import ORDER, find_outcome_phase
from game.trials.results.exclusions import find_excluded


class FlowPerson(NamedTuple):
    """A person with the steps that they took. ``order`` has the arms in the order of play; None
    before an arm is assigned. If the person withdrew, only the arm is known."""

    order: tuple[int, ...] | None
    recruited: bool
    steps: set[str]


def list_flow_people(trial: Trial, design: TrialDesign, until: datetime) -> list[FlowPerson]:
    """Return the participants who had agreed by ``until``. For people who withdrew, return only the
    arm."""
    locked = Preregistration.objects.filter(trial=trial, locked_at__lte=until).first()
    excluded = find_excluded(trial, until, locked.exclusions) if locked else {}
    left_out: set[int] = set().union(*excluded.values())

    def is_past(moment: datetime | None) -> bool:
        return moment is not None and moment <= until

    by_then = Q(withdrawn_at__isnull=False) | Q(player__created_at__lte=until)
    begun, ended = Q(games__game__started_at__lte=until), Q(games__game__finished_at__lte=until)
    participants = trial.participants.filter(by_then, consent__isnull=False).select_related("trial")
    participants = participants.annotate(
        trained=Count("games", filter=begun & Q(games__phase__in=["", TRAINING])),
        done=Count("games", filter=ended),
        asked_about=Count("games", filter=ended & Q(games__phase=find_outcome_phase(design))),
    )
    people: list[FlowPerson] = []
    row: Any
    for row in participants.order_by("number"):
        left = row.pk in left_out
        steps = {
            "began": row.trained > 0,
            "finished": row.done >= row.games_planned,
            "left_out": left,
            "analysed": row.asked_about > 0 and not left,
            "failed_check" if row.failed_check else "screened_out": is_past(row.screened_out_at),
        }
        if is_past(row.withdrawn_at):
            steps = {"withdrew": True}
        order = row.order if is_past(row.assigned_at) else None
        taken = {step for step, reached in steps.items() if reached}
        people.append(FlowPerson(order, row.recruited, taken))
    return people


# All steps, in the order in which people reach them.
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
    "on_the_way": "No arm yet",
    "drawn": "Randomised",
    "given": "Assigned to this arm",
    "began": "Began the training",
    "finished": "Played all games",
    "left_out": "Excluded by a planned rule",
    "analysed": "In the analysis",
}


OF_ANALYSIS = ("left_out", "analysed")
IN_AN_ARM = (
    *("given", "withdrew", "screened_out", "failed_check", "began", "finished"),
    *OF_ANALYSIS,
)


class FlowStep(NamedTuple):
    step: str
    people: int

    @property
    def words(self) -> str:
        return STEPS[self.step]


@dataclass(frozen=True, slots=True)
class FlowArm:
    """A column for an arm or order of arms. Without arms, there is one, with an empty name."""

    name: str
    steps: Sequence[FlowStep]


@dataclass(frozen=True, slots=True)
class Flow:
    """The boxes of the diagram, from top to bottom. The boxes ``left`` and ``undrawn`` show the
    people who do not reach the next box."""

    came: Sequence[FlowStep]
    left: Sequence[FlowStep]
    agreed: Sequence[FlowStep]
    undrawn: Sequence[FlowStep]
    drawn: Sequence[FlowStep]
    arms: Sequence[FlowArm]

    def rows(self) -> Iterator[tuple[str, FlowStep]]:
        """Yield every step with its arm. The arm is "" before the assignment."""
        for box in (self.came, self.left, self.agreed, self.undrawn, self.drawn):
            yield from (("", step) for step in box)
        for arm in self.arms:
            yield from ((arm.name, step) for step in arm.steps)

    def facts(self) -> list[dict[str, Any]]:
        return [{"arm": arm or None, **step._asdict()} for arm, step in self.rows()]


def build_flow(trial: Trial, until: datetime) -> Flow:
    """Return the diagram with a column per arm or, if everyone plays all arms, per order of arms,
    even if no participant has it. For a blinded trial, sort the columns by letter and omit the
    steps of the analysis, because their numbers could reveal the arm."""
    design = build_design(trial)
    people = list_flow_people(trial, design, until)
    armed = bool(design.arms)
    drawn = [person for person in people if person.order is not None or not armed]
    stopped: Counter[str] = Counter()  # why people have no arm
    for person in people:
        if armed and person.order is None:
            reasons = ("withdrew", "screened_out", "failed_check")
            stopped[next((step for step in reasons if step in person.steps), "on_the_way")] += 1
    places = trial.participants.filter(number__lte=MOST_PLACES).count()  # also unused links
    rows = ArrivalCount.objects.filter(trial=trial, day__lte=timezone.localdate(until))
    counted = Counter(dict(rows.values_list("kind").annotate(n=Sum("people"))))
    by_link = sum(person.recruited for person in people)
    # the steps before the consent, and the steps of people who never agreed
    came, left = [FlowStep("places", places)], []
    if by_link or counted:
        came += [FlowStep(step, counted[step]) for step in ("opened", "no_place")]
        left = [FlowStep("declined", counted["declined"])]
        unanswered = counted["opened"] - counted["declined"] - by_link
        # A negative number means that the server missed arrivals.
        left += [FlowStep("unanswered", unanswered)] if unanswered >= 0 else []
    left.append(FlowStep("unused", places - (len(people) - by_link)))
    arm_names = map_arm_names(trial)
    columns = []
    for order in map(design.find_arm_order, range(design.conditions)):
        steps = _build_steps([person for person in drawn if person.order == order], armed=True)
        if trial.masked:
            steps = [step for step in steps if step.step not in OF_ANALYSIS]
        columns.append(FlowArm(ORDER.join(arm_names[arm + 1] for arm in order), steps))
    if trial.masked:
        columns.sort(key=lambda column: column.name)
    undrawn = ("screened_out", "failed_check", "withdrew", "on_the_way")
    return Flow(
        came,
        left,
        agreed=[FlowStep("agreed", len(people))],
        undrawn=[FlowStep(step, stopped[step]) for step in undrawn if armed],
        drawn=[FlowStep("drawn", len(drawn))] if armed else [],
        arms=columns or [FlowArm("", _build_steps(drawn, armed=False))],
    )


def _build_steps(people: Sequence[FlowPerson], *, armed: bool) -> list[FlowStep]:
    counts = Counter(step for person in people for step in person.steps)
    counts["given"] = len(people) if armed else 0
    # A column shows these steps only if people took them.
    seldom = {"screened_out", "failed_check", "left_out"} | ({"given"} if not armed else set())
    return [
        FlowStep(step, counts[step]) for step in IN_AN_ARM if counts[step] or step not in seldom
    ]
