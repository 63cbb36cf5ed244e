"""Who took part in a trial, and what they agreed to, as tables."""

from collections.abc import Callable, Iterator
from datetime import datetime
from typing import NamedTuple

from game.models import Agreement, NoAnswer, Participant, Trial
from game.trials.design.masking import shown_arms
from game.trials.design.people import PlayedSoFar, outcome_of
from game.trials.design.ways_out import UNDER_WAY, WAYS_OUT
from game.trials.exports.columns import PARTICIPANT
from game.trials.files.export_queries import exported_participants
from game.trials.files.export_table import Cell, Column, ExportTable
from game.trials.reading import browser_shared
from game.trials.results.quality import Quality, qualities

# Who has withdrawn is in no table.
OUTCOMES = [
    UNDER_WAY,
    *(name for name, way in WAYS_OUT.items() if name != "withdrawn" and way.place != "none"),
]
NOT_REACHED = "not_reached"  # a third way of having no answer, beside declined and skipped
UNDECIDED = "nothing was decided yet"
NO_ARM = "no arm was given: the trial has none, or it was not come to"
UNASKED = "the questions were not reached"
NOT_TOLD = (
    "the trial asked no questions, or they were left out on a server that did not tell declined"
    " from skipped yet"
)


class ExportedParticipant(NamedTuple):
    """With the arms that were given by then, in their order: names, or letters while the trial is
    masked; with what came of it, and how good the data are."""

    participant: Participant
    arms: list[str]
    outcome: str | None
    quality: Quality


def _choices(
    answers: type[Participant.Experience | Participant.LastPlayed | Participant.Strategy],
) -> str:
    return "; ".join([*answers.values, *NoAnswer.values, NOT_REACHED])


def _answered(participant: Participant, answer: str) -> str | None:
    """Whoever has not come to a question has neither skipped nor declined it. Of those who were
    asked before the two were told apart, no answer is either."""
    reached = participant.answered_at is not None and (answer or not participant.experience)
    if participant.trial.questionnaire and not reached:
        return NOT_REACHED
    return answer or None


def _given(get: Callable[[Participant], Cell]) -> Callable[[ExportedParticipant], Cell]:
    """Of those alone who have an arm."""
    return lambda row: get(row.participant) if row.arms else None


PARTICIPANTS: ExportTable[ExportedParticipant] = ExportTable(
    "participants",
    "A row a participant: everybody who agreed to take part and has not withdrawn.",
    (
        PARTICIPANT,
        Column(
            "bot",
            "truth",
            "A program played, in a rehearsal of the study; never a person.",
            lambda row: row.participant.trial.rehearsal,
        ),
        Column(
            "consent_version",
            "whole",
            "Version of the text that was agreed to last, from 1.",
            lambda row: row.participant.consent.version if row.participant.consent else None,
        ),
        Column(
            "consented_at",
            "time",
            "When it was agreed to.",
            lambda row: row.participant.consented_at,
        ),
        Column(
            "answered_at",
            "time",
            "When the questions were answered.",
            lambda row: row.participant.answered_at,
            empty=UNASKED,
        ),
        Column(
            "experience",
            "text",
            "How well the game was known: never played; a few games; regularly as a child; now.",
            lambda row: _answered(row.participant, row.participant.experience),
            values=_choices(Participant.Experience),
            empty=NOT_TOLD,
        ),
        Column(
            "last_played",
            "text",
            "When it was last played: within the last month; the last year; earlier; never.",
            lambda row: _answered(row.participant, row.participant.last_played),
            values=_choices(Participant.LastPlayed),
            empty=NOT_TOLD,
        ),
        Column(
            "strategy",
            "text",
            "Whether playing well was studied: no; read about it; practised with a program.",
            lambda row: _answered(row.participant, row.participant.strategy),
            values=_choices(Participant.Strategy),
            empty=NOT_TOLD,
        ),
        Column(
            "arm",
            "text",
            "Arm of the trial; where everybody plays every arm, the one that came first. While the"
            " trial is masked, a letter that stands for it.",
            lambda row: row.arms[0] if row.arms else None,
            empty=NO_ARM,
        ),
        Column(
            "arm_order",
            "text",
            "The arms that are played, in that order, separated by blanks.",
            lambda row: " ".join(row.arms) or None,
            empty=NO_ARM,
        ),
        Column(
            "stratum",
            "text",
            "The answer that decided from which list the arm was drawn.",
            _given(lambda participant: participant.stratum or None),
            empty=f"{NO_ARM}, there is one list, or the question was left out",
        ),
        Column(
            "draw",
            "whole",
            "Place in that list, from 1.",
            _given(lambda participant: participant.draw),
            empty=NO_ARM,
        ),
        Column(
            "assigned_at",
            "time",
            "When the arm was given.",
            _given(lambda participant: participant.assigned_at),
            empty=NO_ARM,
        ),
        Column(
            "games_planned",
            "whole",
            "Games that were to be played in all.",
            lambda row: (row.participant if row.arms else row.participant.trial).games_planned,
            unit="games",
        ),
        Column(
            "drill_attempts",
            "whole",
            "Positions answered in the drill, where an arm has it between its games.",
            lambda row: row.participant.drilled,  # type: ignore[attr-defined]
            unit="positions",
        ),
        Column(
            "screened_out_at",
            "time",
            "When an answer, or the last try at the rules, ended the part; no game follows.",
            lambda row: row.participant.screened_out_at,
            empty="nothing did",
        ),
        Column(
            "outcome",
            "text",
            "What came of it, for whoever came by the open link.",
            lambda row: row.outcome,
            values="; ".join(OUTCOMES),
            empty="they had a personal link",
        ),
        Column(
            "shared_browser",
            "truth",
            "Whether this participant and another one came to the trial in the same browser.",
            lambda row: row.participant.shared,  # type: ignore[attr-defined]
        ),
        Column(
            "games_finished",
            "whole",
            "Games that were played to their end.",
            lambda row: row.participant.finished,  # type: ignore[attr-defined]
            unit="games",
        ),
        Column(
            "games_unfinished",
            "whole",
            "Games that were begun and not finished: in the tables too, and marked there.",
            lambda row: row.participant.unfinished,  # type: ignore[attr-defined]
            unit="games",
        ),
        Column(
            "seconds_a_decision",
            "number",
            "Median time of the decisions in which there was something to choose: the browser's,"
            " else the server's.",
            lambda row: row.quality.seconds,
            unit="s",
            empty=UNDECIDED,
        ),
        Column(
            "hidden_share",
            "number",
            "Share of these decisions before which the page was hidden, after the one before.",
            lambda row: row.quality.hidden,
            values="0 to 1",
            empty=UNDECIDED,
        ),
        Column(
            "expert_chance",
            "number",
            "How likely a bot that errs as a grandmaster does loses as little in as many games"
            " without a coach, at most.",
            lambda row: row.quality.likeness.chance if row.quality.likeness else None,
            values="0 to 1",
            empty="no such game by the trial's rules was finished and judged",
        ),
    ),
)

CONSENTS: ExportTable[Agreement] = ExportTable(
    "consents",
    "A row a consent: every version that a participant agreed to, in the order of time.",
    (
        PARTICIPANT,
        Column(
            "version",
            "whole",
            "Version of the text, from 1; the files consent-N.txt.",
            lambda row: row.consent.version,
        ),
        Column("agreed_at", "time", "When it was agreed to.", lambda row: row.at),
    ),
)


def participants(trial: Trial, at: datetime) -> Iterator[ExportedParticipant]:
    called = shown_arms(trial)
    found = qualities(trial, at)
    for participant in exported_participants(trial, at).annotate(shared=browser_shared(at)):
        given = participant.assigned_at is not None and participant.assigned_at <= at
        places = participant.order if given else ()
        arms = [called[place + 1] for place in places]
        quality = found.get(participant.pk, Quality())
        yield ExportedParticipant(participant, arms, _outcome(participant, at), quality)


def _outcome(participant: Participant, at: datetime) -> str | None:
    if not participant.recruited:
        return None
    played = PlayedSoFar(participant.finished, participant.returned_at)  # type: ignore[attr-defined]
    return outcome_of(participant, played, at) or UNDER_WAY
