"""The text of a preregistration: its locked settings, the changes since the lock, and the log."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from importlib.metadata import version
from typing import Any

from django.db import transaction
from django.utils import timezone, translation
from django.utils.text import capfirst

from game.core.refusals import Refused
from game.core.words.phrases import format_points
from game.core.words.times import LONG, format_day, render_moment, render_sentence
from game.trials.analysis.lots import DRAWS, EITHER, LESS, MORE
from game.trials.analysis.power import PlannedTrial, Spread, simulate_power
from game.trials.analysis.primary import ANALYSIS, Estimand
from game.trials.design.arm_text import format_arm
from game.trials.design.people import (
    find_recruitment,
    log_event,
    make_plain,
    redact_settings,
)
from game.trials.design.phases import AFTER
from game.trials.design.reading import build_design
from game.trials.models import (
    Preregistration,
    Recruitment,
    Trial,
    TrialEvent,
    calculate_digest,
    to_canonical_json,
)
from game.trials.questions.reading import find_question_file, hash_questions
from game.trials.results.data import make_usual_estimand
from game.trials.results.exclusions import EXCLUSIONS
from game.trials.results.words import DIGITS, MEASURED, OUTCOMES, PHASES, describe_power

# Settings that other parts of the text describe, or that do not matter to its readers.
UNTOLD = {
    "id",
    "seed",
    "created_by",
    "created_at",
    "opened_at",
    "closed_at",
    "unmasked_at",
    "dice_value",
    "seal_version",
    "facts",  # facts that the consent text contains
}


DESCRIPTION = "description"  # the name of the analysis in locked plans that compare no arms
DIRECTIONS: Mapping[str, str] = {
    EITHER: "the difference may be in either direction",
    LESS: "only a smaller value counts as a finding",
    MORE: "only a larger value counts as a finding",
}
OTHERS = {"consent": "consent text", "questions": "file of questions"}
DETAILS = {
    "sha256": "SHA-256",
    "games_under_way": "games under way",
    "closed": "closed at",
    "reviews_seen": "reviews seen while closed",
    "by": "way in",
    "another_browser": "different browser",
    "labels": "changed external IDs",
    "stopping_rule": "stopping rule",
    "kept": "months for which data are kept",
}
WAYS_IN = {
    "link": "the personal link",
    "code": "the participant code",
    "signed": "an address that the panel signed",
    "label": "the open link",
}
ENTRIES = (
    TrialEvent.Kind.ENTERED,
    TrialEvent.Kind.DEVICE,
    TrialEvent.Kind.RETURNED,
    TrialEvent.Kind.ARRIVED,
    TrialEvent.Kind.CODE_REFUSED,
)
LATEST_ENTRIES = 200


@dataclass(frozen=True, slots=True)
class SettingChange:
    """A setting whose value has changed since the preregistration was locked."""

    name: str
    was: str
    now: str


@dataclass(frozen=True, slots=True)
class LogLine:
    at: datetime
    what: str
    details: list[str]
    who: str = ""


def make_planned_trial(plan: Preregistration) -> PlannedTrial | None:
    """Return the trial that the planner simulates, with all places taken; None without arms."""
    trial, link = plan.trial, find_recruitment(plan.trial)
    smallest, direction = plan.estimand.get("smallest"), plan.estimand.get("direction")
    if direction not in DIRECTIONS:
        direction = EITHER
    estimand = make_usual_estimand(
        trial, measure=plan.outcome, direction=direction, smallest=smallest
    )
    if estimand is None:
        return None
    return PlannedTrial(
        estimand,
        people=trial.places + (link.quota if link else 0),
        games=trial.games_after if estimand.phase == AFTER else trial.games_each,
        before=trial.games_before,
        spread=Spread.find_usual(trial.ruleset, plan.outcome),
        effect=smallest or 0.0,
    )


def describe_draft(plan: Preregistration) -> dict[str, Any]:
    planned = make_planned_trial(plan)
    return {
        "outcome": OUTCOMES.get(plan.outcome, plan.outcome),
        "analysis": describe_analysis(planned.estimand if planned else None),
        "power": describe_power(simulate_power(planned), planned.effect) if planned else [],
        "exclusions": [
            EXCLUSIONS[name].format_sentence(number) if name in EXCLUSIONS else name
            for name, number in plan.exclusions.items()
        ],
        "stopping": describe_stopping(plan),
    }


def describe_plan(plan: Preregistration) -> dict[str, Any]:
    """Return the plan as text: generated for a draft, stored for a locked plan."""
    if not plan.is_locked:
        return describe_draft(plan)
    words: dict[str, Any] = dict(plan.locked["words"])
    older = [*words.get("analyses", ()), *words.get("estimand", ())]
    return {"analysis": older, "power": []} | words


def describe_analysis(estimand: Estimand | None) -> list[str]:
    if estimand is None:
        return [
            "There is no primary test. The results show means over people with 95 % confidence"
            " intervals, for these people and for people like these."
        ]
    value = (
        "half the difference between the first and the second period, by the order of the arms"
        if estimand.within
        else f"the mean of the games “{PHASES[estimand.phase]}”, adjusted for the baseline games"
    )
    sentences = [
        "The analysis includes everyone who was given an arm, finished a game of the phase and is"
        " not excluded by a rule."
        f" Each person has one value ({MEASURED[estimand.measure]}): {value}.",
        f"A permutation test compares each further arm with “{estimand.arms[0]}”: it shuffles the"
        f" arm labels among the analysed people {DRAWS:,} times. The 95 % confidence interval"
        " comes from the same test.",
        f"Direction: {DIRECTIONS[estimand.direction]}.",
        "Sensitivity analysis: how much worse people without a finished game would have to be for"
        " the finding to go away.",
    ]
    if estimand.smallest:
        sentences.append(
            "The smallest difference that matters is"
            f" {format_points(estimand.smallest, DIGITS[estimand.measure])} points."
            " Arms are equivalent if the 90 % confidence interval lies within ± this difference."
        )
    return sentences


def list_settings(trial: Trial) -> dict[str, Any]:
    fields = (field for field in trial._meta.concrete_fields if field.name not in UNTOLD)
    return {field.name: make_plain(field.value_from_object(trial)) for field in fields}


def _list_other_settings(trial: Trial) -> dict[str, Any]:
    """Return the locked facts that are not settings of the trial: arms, questions, open link."""
    return {
        "arms": [format_arm(arm) for arm in build_design(trial).arms],
        "questions": hash_questions(find_question_file(trial)),
        "recruitment": redact_settings(find_recruitment(trial)),
    }


def list_changes(plan: Preregistration) -> list[SettingChange]:
    """Return the settings that changed since the lock. Ignore settings that did not exist then."""
    locked = plan.locked
    then, now = dict(locked["trial"]), list_settings(plan.trial)
    if "recruitment" in locked:  # earlier locked documents have other hashes of the questions
        others = _list_other_settings(plan.trial)
        then |= locked["recruitment"] | {name: locked[name] for name in ("arms", "questions")}
        now |= others.pop("recruitment") | others
    return [
        SettingChange(find_setting_name(name), _format_value(then[name]), _format_value(now[name]))
        for name in then
        if name in now and then[name] != now[name]
    ]


def describe_stopping(plan: Preregistration) -> str:
    if plan.stopping == Preregistration.Stopping.PEOPLE:
        return f"When {plan.stopping_people} people have played all their games"
    if plan.stopping == Preregistration.Stopping.DATE and plan.stopping_date:
        return f"On {format_day(plan.stopping_date, LONG)}, however many people have played"
    return Preregistration.Stopping(plan.stopping).label


def log_lines(trial: Trial) -> list[LogLine]:
    events = trial.events.filter(participant__isnull=True).order_by("at", "pk")
    return [_make_line(event) for event in events]


def list_entries(trial: Trial) -> list[LogLine]:
    """Return from the log, latest first, who arrived and which codes were refused."""
    events = trial.events.filter(kind__in=ENTRIES).select_related("participant")
    events = events.order_by("-at", "-pk")[:LATEST_ENTRIES]
    return [_make_line(event, str(event.participant)) for event in events]


def find_setting_name(name: str) -> str:
    fields = [*Recruitment._meta.concrete_fields, *Trial._meta.concrete_fields]
    names = OTHERS | {field.name: str(field.verbose_name) for field in fields}
    return capfirst(names.get(name, name))


def _make_line(event: TrialEvent, who: str = "") -> LogLine:
    details = []
    for name, value in event.detail.items():
        if isinstance(value, Mapping) and {"from", "to"} <= value.keys():
            was, now = _format_value(value["from"]), _format_value(value["to"])
            change = "changed" if was == now else f"{was}, now {now}"
            details.append(f"{find_setting_name(name)}: {change}")
            continue
        if isinstance(value, list):
            shown = ", ".join(map(str, value))
        elif name == "closed":
            shown = render_moment(datetime.fromisoformat(value))
        else:
            shown = WAYS_IN.get(value) or _format_value(value)
        label = DETAILS.get(name, name)
        details.append(render_sentence("%(name)s: %(value)s", name=label, value=shown))
    kind = dict(TrialEvent.Kind.choices).get(event.kind, event.kind)
    return LogLine(event.at, capfirst(kind), details, who)


def _format_value(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "–" if value in (None, "") else str(value)


def save_preregistration(*, trial: Trial, **planned: object) -> Preregistration:
    """Save a draft. Refuse if the plan is locked or a participant has agreed."""
    with transaction.atomic():
        draft = _find_draft(trial)
        for name, value in planned.items():
            setattr(draft, name, value)
        draft.save()
        return draft


def lock_preregistration(*, trial: Trial) -> Preregistration:
    """Lock the plan as a document: settings for programs, and the plan in English for people."""
    with transaction.atomic():
        draft = _find_draft(trial)
        if draft.pk is None:
            raise Refused("There is nothing to lock yet: write the preregistration first.")
        planned = make_planned_trial(draft)
        stopping: dict[str, object] = {"rule": draft.stopping}
        for name in ("people", "date"):
            if value := getattr(draft, f"stopping_{name}"):
                stopping[name] = make_plain(value)
        with translation.override("en"):
            document = {
                "trial": list_settings(draft.trial),
                "consent": draft.trial.consents.latest("version").text,
                **_list_other_settings(draft.trial),
                "hypotheses": draft.hypotheses,
                "outcome": draft.outcome,
                "analysis": ANALYSIS if planned else DESCRIPTION,
                "exclusions": dict(draft.exclusions),
                "stopping": stopping,
                "words": describe_draft(draft),
                "program": f"yatzy {version('yatzy')}",
                "ruleset_hash": draft.trial.rules.hash,
            }
        if planned:
            document["estimand"] = asdict(planned.estimand)
            document["power"] = asdict(simulate_power(planned)) | {
                "people": planned.people,
                "effect": planned.effect,
                "spread": asdict(planned.spread),
            }
        draft.document = to_canonical_json(document)
        draft.digest, draft.locked_at = calculate_digest(draft.document), timezone.now()
        draft.save()
        log_event(draft.trial, TrialEvent.Kind.PREREGISTERED, sha256=draft.digest)
        return draft


def _find_draft(trial: Trial) -> Preregistration:
    """Return the draft, which may be new. Raise Refused if the plan is locked, or if anyone agreed,
    even if they withdrew. Lock all places until the commit."""
    trial = Trial.objects.select_for_update().get(pk=trial.pk)
    places = trial.participants.select_for_update().values_list("consent", flat=True)
    if any(consent is not None for consent in places):
        raise Refused(
            "Someone has already agreed to take part, so a plan written now would not"
            " be a preregistration."
        )
    stored = Preregistration.objects.select_related("trial").filter(trial=trial).first()
    draft = stored or Preregistration(trial=trial)
    if draft.is_locked:
        raise Refused("This preregistration is locked and can no longer change.")
    return draft
