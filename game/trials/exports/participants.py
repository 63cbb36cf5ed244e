"""The tables of a trial's participants and their consents."""

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from typing import NamedTuple

from game.trials.analysis.primary import ArmPerson
from game.trials.design.masking import map_arm_names
from game.trials.design.people import add_outcomes
from game.trials.design.ways_out import UNDER_WAY, WAYS_OUT
from game.trials.files.export_queries import query_participants
from game.trials.files.export_table import Cell, ExportTable, declare_table
from game.trials.models import Agreement, NoAnswer, Participant, Trial
from game.trials.reading import query_shared_browser
from game.trials.results.exclusions import EXCLUSIONS
from game.trials.results.quality import Quality, measure_quality
from game.trials.results.results import AnalysedData

# The tables leave out people who have withdrawn.
OUTCOMES = [
    UNDER_WAY,
    *(name for name, way in WAYS_OUT.items() if name != "withdrawn" and way.place != "none"),
]
NOT_REACHED = "not_reached"  # a further reason, besides those in NoAnswer


class ExportedParticipant(NamedTuple):
    """A row: a participant, the names of the arms given so far (letters while blinded), the
    progress, the quality of the data and the values that the analysis uses."""

    participant: Participant
    arms: list[str]
    outcome: str | None
    quality: Quality
    analysed: ArmPerson | None
    left_out: Sequence[str]


def _format_choices(
    answers: type[Participant.Experience | Participant.LastPlayed | Participant.Strategy],
) -> str:
    return "; ".join([*answers.values, *NoAnswer.values, NOT_REACHED])


def _find_answer(participant: Participant, answer: str) -> str | None:
    """Return the answer: NOT_REACHED if the participant has not reached the question; None if the
    trial has no such question, or if the participant declined or skipped an older question."""
    reached = participant.answered_at is not None and (answer or not participant.experience)
    if participant.trial.questionnaire and not reached:
        return NOT_REACHED
    return answer or None


def _blank_unless_assigned(
    get: Callable[[Participant], Cell],
) -> Callable[[ExportedParticipant], Cell]:
    """Return a function like ``get`` that returns None for a participant without an arm."""
    return lambda row: get(row.participant) if row.arms else None


PARTICIPANTS: ExportTable[ExportedParticipant] = declare_table(
    "participants",
    "One row per participant who agreed to take part and has not withdrawn.",
    {
        "participant": lambda row: row.participant.label,
        "bot": lambda row: row.participant.trial.rehearsal,
        "consent_version": lambda row: (
            row.participant.consent.version if row.participant.consent else None
        ),
        "consented_at": lambda row: row.participant.consented_at,
        "answered_at": lambda row: row.participant.answered_at,
        "experience": lambda row: _find_answer(row.participant, row.participant.experience),
        "last_played": lambda row: _find_answer(row.participant, row.participant.last_played),
        "strategy": lambda row: _find_answer(row.participant, row.participant.strategy),
        "arm": lambda row: row.arms[0] if row.arms else None,
        "arm_order": lambda row: " ".join(row.arms) or None,
        "stratum": _blank_unless_assigned(lambda participant: participant.stratum or None),
        "draw": _blank_unless_assigned(lambda participant: participant.draw),
        "assigned_at": _blank_unless_assigned(lambda participant: participant.assigned_at),
        "games_planned": lambda row: (
            (row.participant if row.arms else row.participant.trial).games_planned
        ),
        "drill_attempts": lambda row: row.participant.drilled,  # type: ignore[attr-defined]
        "screened_out_at": lambda row: row.participant.screened_out_at,
        "outcome": lambda row: row.outcome,
        "shared_browser": lambda row: row.participant.shared,  # type: ignore[attr-defined]
        "games_finished": lambda row: row.participant.finished,  # type: ignore[attr-defined]
        "games_unfinished": lambda row: row.participant.unfinished,  # type: ignore[attr-defined]
        "seconds_a_decision": lambda row: row.quality.seconds,
        "hidden_share": lambda row: row.quality.hidden,
        "expert_chance": lambda row: row.quality.chance,
        "left_out": lambda row: " ".join(row.left_out) or None,
        "value": lambda row: row.analysed.value if row.analysed else None,
        "before": lambda row: row.analysed.before if row.analysed else None,
    },
    experience=_format_choices(Participant.Experience),
    last_played=_format_choices(Participant.LastPlayed),
    strategy=_format_choices(Participant.Strategy),
    outcomes="; ".join(OUTCOMES),
    rules="; ".join(EXCLUSIONS),
)

CONSENTS: ExportTable[Agreement] = declare_table(
    "consents",
    "One row per consent: every version that a participant agreed to, in order of time.",
    {
        "participant": lambda row: row.participant.label,
        "version": lambda row: row.consent.version,
        "agreed_at": lambda row: row.at,
    },
)


def yield_participants(
    trial: Trial, at: datetime, analysed: AnalysedData
) -> Iterator[ExportedParticipant]:
    called = map_arm_names(trial)
    by_participant = measure_quality(trial, at)
    people = query_participants(trial, at).annotate(shared=query_shared_browser(at))
    for participant, outcome in add_outcomes(people, trial, at):
        given = participant.assigned_at is not None and participant.assigned_at <= at
        places = participant.order if given else ()
        arms = [called[place + 1] for place in places]
        quality = by_participant.get(participant.pk, Quality())
        yield ExportedParticipant(
            participant,
            arms,
            (outcome or UNDER_WAY) if participant.recruited else None,
            quality,
            analysed.arms.get(participant.pk),
            analysed.left_out.get(participant.pk, ()),
        )
