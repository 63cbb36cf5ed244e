"""The tables of a trial, in the order of the codebook.

No table contains a name, an account, an address or a code that opens a participant's pages.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import groupby
from typing import Any, NamedTuple

from django.utils.functional import cached_property

from game.core.game_queries import group_decisions, group_throws
from game.models import Coach, Game
from game.trials.analysis.primary import ArmPerson
from game.trials.design.masking import map_arm_names
from game.trials.design.people import UNDER_WAY, WAYS_OUT, add_outcomes
from game.trials.exports.decisions import DECISIONS, ExportedDecision, replay_decisions
from game.trials.files.export_queries import (
    GAMES_AT_ONCE,
    PLACED,
    list_game_keys,
    query_agreements,
    query_events,
    query_participants,
)
from game.trials.files.export_table import (
    CODEBOOK,
    AnyTable,
    Cell,
    Column,
    Described,
    ExportTable,
    Kind,
    Row,
    declare_table,
)
from game.trials.models import (
    Agreement,
    Answer,
    Arm,
    NoAnswer,
    Participant,
    Trial,
    TrialEvent,
    TrialGame,
)
from game.trials.questions.questionnaire import NUMERIC, Item, NumberQuestion, Questionnaire
from game.trials.questions.reading import (
    load_questionnaire,
    map_question_items,
    yield_exported_answers,
)
from game.trials.reading import query_shared_browser
from game.trials.results.exclusions import EXCLUSIONS, Quality, measure_quality
from game.trials.results.flow import STEPS, FlowStep, build_flow
from game.trials.results.results import AnalysedData, collect_data
from solver.dp.sweep import Progress
from solver.rules import PLAYED

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
    arm_names = map_arm_names(trial)
    by_participant = measure_quality(trial, at)
    people = query_participants(trial, at).annotate(shared=query_shared_browser(at))
    for participant, outcome in add_outcomes(people, trial, at):
        given = participant.assigned_at is not None and participant.assigned_at <= at
        places = participant.order if given else ()
        arms = [arm_names[place + 1] for place in places]
        quality = by_participant.get(participant.pk, Quality())
        yield ExportedParticipant(
            participant,
            arms,
            (outcome or UNDER_WAY) if participant.recruited else None,
            quality,
            analysed.arms.get(participant.pk),
            analysed.left_out.get(participant.pk, ()),
        )


class ExportedGame(NamedTuple):
    game: Game
    ended: bool
    trial_closed: bool
    sitting: int | None

    @property
    def participant(self) -> Participant:
        return self.game.trial_game.participant


def _blank_unless_finished(get: Callable[[Game], Cell]) -> Callable[[ExportedGame], Cell]:
    """Return a function like ``get`` that returns None for an unfinished game: an empty cell."""
    return lambda row: get(row.game) if row.ended else None


GAMES: ExportTable[ExportedGame] = declare_table(
    "games",
    "One row per game. An unfinished game has no score, and no result counts it.",
    {
        "participant": lambda row: row.participant.label,
        "game": lambda row: row.game.trial_game.number,
        "game_id": lambda row: row.game.pk,
        "arm": lambda row: row.game.trial_game.arm.name if row.game.trial_game.arm else None,
        "phase": lambda row: row.game.trial_game.phase or None,
        "ruleset": lambda row: row.game.ruleset,
        "dice": lambda row: (Trial.Dice.REAL if row.game.real_dice else Trial.Dice.VIRTUAL).value,
        "finished": lambda row: row.ended,
        "started_at": lambda row: row.game.started_at,
        "finished_at": _blank_unless_finished(lambda game: game.finished_at),
        "score": _blank_unless_finished(lambda game: game.final_score),
        "bonus": _blank_unless_finished(lambda game: game.bonus),
        "chips": _blank_unless_finished(lambda game: game.chips or 0),
        "regret": _blank_unless_finished(lambda game: game.regret),
        "luck": _blank_unless_finished(lambda game: game.luck),
        "free_decisions": _blank_unless_finished(lambda game: game.free_decisions),
        "hints": lambda row: row.game.hints,
        "commitment": lambda row: row.game.commitment or None,
        "seed": lambda row: row.game.seed or None if row.trial_closed else None,
        "sitting": lambda row: row.sitting,
    },
    phases="; ".join(TrialGame.Phase.values),
    rulesets="; ".join(PLAYED),
)


class ExportedArm(NamedTuple):
    """An arm with its numbers of people. If the arm does not set a value, ``trial`` has it."""

    arm: Arm
    trial: Trial
    given: int
    withdrawn: int


ARMS: ExportTable[ExportedArm] = declare_table(
    "arms",
    "One row per arm, with the settings that applied to its participants.",
    {
        "arm": lambda row: row.arm.name,
        "position": lambda row: row.arm.position,
        "coach": lambda row: row.arm.coach,
        "offered_points": lambda row: row.arm.offered_points,
        "drill": lambda row: row.arm.drill,
        "ruleset": lambda row: row.arm.ruleset or row.trial.ruleset,
        "dice": lambda row: row.arm.dice or row.trial.dice,
        "shared_dice": lambda row: _get_effective_setting(
            row.arm.shared_dice, row.trial.shared_dice
        ),
        "games_training": lambda row: _get_effective_setting(
            row.arm.games_each, row.trial.games_each
        ),
        "given": lambda row: row.given,
        "withdrawn": lambda row: row.withdrawn,
    },
    coaches="; ".join(Coach.values),
    rulesets="; ".join(PLAYED),
)


def yield_arms(trial: Trial, at: datetime) -> Iterator[ExportedArm]:
    for arm in trial.arms.order_by("position"):
        given = arm.participants.filter(assigned_at__lte=at)
        withdrawn = given.filter(withdrawn_at__lte=at)
        yield ExportedArm(arm, trial, given.count(), withdrawn.count())


def _get_effective_setting(its_own: int | None, of_the_trial: int) -> int:
    return of_the_trial if its_own is None else its_own


FLOW: ExportTable[tuple[str, FlowStep]] = declare_table(
    "flow",
    "One row per step through the trial, as in the CONSORT 2025 flow diagram. Steps before the"
    " consent count browsers that ran scripts. People who withdrew are counted.",
    {
        "arm": lambda row: row[0] or None,
        "step": lambda row: row[1].step,
        "people": lambda row: row[1].people,
    },
    steps="; ".join(STEPS),
)


EVENTS: ExportTable[TrialEvent] = declare_table(
    "events",
    "One row per event, in order of time: the trial was opened or changed; a participant left or"
    " came back, hid the page or showed it again, or continued in another browser.",
    {
        "participant": lambda row: row.participant.label if row.participant else None,
        "event": lambda row: row.kind,
        "at": lambda row: row.at,
        "detail": lambda row: (
            json.dumps(row.detail, ensure_ascii=False, sort_keys=True) if row.detail else None
        ),
    },
)


WIDE = "answers_wide"
NO_ANSWER = "the participant gave no answer; the table answers has the reason"
WHEN = {
    "before": "Asked before the games",
    "between": "Asked after a game",
    "after": "Asked after all games",
}


CONVERTERS: Mapping[Kind, Callable[[str], Cell]] = {"text": str, "whole": int, "number": float}


class ExportedAnswer(NamedTuple):
    answer: Answer
    item: Item | None

    @property
    def participant(self) -> Participant:
        return self.answer.participant

    @property
    def check(self) -> str | None:
        """The kind of check for this answer: ``rules``, ``attention``, ``screening`` or None. Rows
        of the same scale can have different kinds."""
        question = self.item.question if self.item else None
        if question is None or self.item is None:
            return None
        if self.item.expected:
            return "rules" if question.right else "attention"
        return "screening" if question.screens_out else None

    @property
    def number(self) -> float | None:
        numeric = self.item is not None and isinstance(self.item.question, NUMERIC)
        return float(self.answer.value) if numeric and self.answer.value else None


class AnswersAtOnce(NamedTuple):
    """A participant's answers after one game. ``game`` is 0 before the first and after the last."""

    participant: Participant
    game: int
    values: Mapping[str, str]


ANSWERS: ExportTable[ExportedAnswer] = declare_table(
    "answers",
    "One row per answer to a question of the researcher's file. A question that was not reached has"
    " no row. The codebook has the questions, too, as columns of answers_wide.",
    {
        "participant": lambda row: row.participant.label,
        "key": lambda row: row.answer.key,
        "moment": lambda row: row.answer.moment,
        "game": lambda row: row.answer.game or None,
        "value": lambda row: row.answer.value or None,
        "number": lambda row: row.number,
        "state": lambda row: row.answer.state,
        "passed": lambda row: row.answer.passed,
        "check": lambda row: row.check,
        "tries": lambda row: row.answer.tries,
        "seconds": lambda row: row.answer.seconds,
        "answered_at": lambda row: row.answer.at,
        "page_finished": lambda row: row.answer.page_finished,
    },
)
GIVEN_AT_ONCE: ExportTable[AnswersAtOnce] = declare_table(
    WIDE,
    "One row per participant, and one per game after which questions were asked; one column per"
    " question. The table answers shows why an answer is missing.",
    {"participant": lambda row: row.participant.label, "game": lambda row: row.game or None},
)


def make_wide_table(form: Questionnaire) -> ExportTable[AnswersAtOnce]:
    questions = (_build_column(form, item) for item in form.items.values())
    return replace(GIVEN_AT_ONCE, columns=(*GIVEN_AT_ONCE.columns, *questions))


def _build_column(form: Questionnaire, item: Item) -> Column[AnswersAtOnce]:
    """Return the column. Its description is the question's text in the file's first language."""
    page = next(page for page in form.pages if item in page.items)
    question, whole, correct = item.question, item.question.ask.first, ""
    ask = whole if item.key == question.key else f"{whole} {item.ask.first}"
    if item.expected:
        check = "right" if question.right else "attention"
        correct = f" ({check}: {' or '.join(sorted(item.expected))})"
    kind: Kind = "text"
    if isinstance(question, NUMERIC):
        decimals = isinstance(question, NumberQuestion) and question.decimals
        kind = "number" if decimals else "whole"
    return Column(
        item.key,
        kind,
        f"{WHEN[page.moment]}: {ask}{correct}",
        lambda row: CONVERTERS[kind](value) if (value := row.values.get(item.key)) else None,
        unit=question.unit.first if isinstance(question, NumberQuestion) and question.unit else "",
        values=question.takes,
        empty=NO_ANSWER,
        masked=True,
        public=True,
    )


def yield_answers(trial: Trial, at: datetime) -> Iterator[ExportedAnswer]:
    items = map_question_items(trial)
    return (
        ExportedAnswer(answer, items.get(answer.key))
        for answer in yield_exported_answers(trial, at)
    )


def group_by_game(given: Iterable[Answer]) -> Iterator[AnswersAtOnce]:
    """Yield each participant's answers game by game. ``given`` must be sorted by participant."""
    for participant, answers in groupby(given, lambda answer: answer.participant):
        by_game: dict[int, dict[str, str]] = {}
        for answer in answers:
            by_game.setdefault(answer.game, {})[answer.key] = answer.value
        for game, values in sorted(by_game.items()):
            yield AnswersAtOnce(participant, game, values)


TABLES: tuple[AnyTable, ...] = (
    PARTICIPANTS,
    CONSENTS,
    ARMS,
    FLOW,
    ANSWERS,
    EVENTS,
    GAMES,
    DECISIONS,
    CODEBOOK,
)


def list_tables(trial: Trial) -> tuple[AnyTable, ...]:
    """Return the tables that every export has, and the table with a column per question. For a
    blinded trial, keep only the columns marked ``masked``, and omit tables without such columns."""
    questionnaire, at = load_questionnaire(trial), TABLES.index(ANSWERS) + 1
    tables = (
        (*TABLES[:at], make_wide_table(questionnaire), *TABLES[at:]) if questionnaire else TABLES
    )
    if not trial.masked:
        return tables
    masked = (replace(t, columns=tuple(c for c in t.columns if c.masked)) for t in tables)
    return tuple(table for table in masked if table.columns)


@dataclass(frozen=True)
class Standing:
    """The tables of a trial as they were at one moment; they contain no later events."""

    trial: Trial
    at: datetime

    @cached_property
    def analysed(self) -> AnalysedData:
        return collect_data(self.trial, self.at)

    @property
    def tables(self) -> tuple[AnyTable, ...]:
        return list_tables(self.trial)

    def rows(self, table: AnyTable, progress: Progress | None = None) -> Iterator[Row]:
        if table.name == CODEBOOK.name:
            others = [other for other in self.tables if other.name != CODEBOOK.name]
            described = ((each, column) for each in (*others, CODEBOOK) for column in each.columns)
            return CODEBOOK.rows(Described(*pair) for pair in described)
        return table.rows(self.items(table.name, progress))

    def items(self, name: str, progress: Progress | None = None) -> Iterable[Any]:
        if name == GAMES.name:
            return self._yield_games(progress)
        if name == DECISIONS.name:
            return self._yield_decisions(progress)
        if name == PARTICIPANTS.name:
            return yield_participants(self.trial, self.at, self.analysed)
        return SMALL[name](self.trial, self.at)

    def games(self) -> list[str]:
        """Return the keys of the games, in the order of the tables."""
        return list_game_keys(self.trial, self.at)

    def ended(self, game: Game) -> bool:
        return game.finished_at is not None and game.finished_at <= self.at

    def _yield_games(self, progress: Progress | None) -> Iterator[ExportedGame]:
        closed = self.trial.state == "closed"
        rows = self.analysed.rows
        sittings = {(row.key, row.game.number): row.game.sitting for row in rows}
        for games in self._yield_chunks(progress):
            for game in games:
                sitting = sittings.get((game.trial_game.participant_id, game.trial_game.number))
                yield ExportedGame(game, self.ended(game), closed, sitting)

    def _yield_decisions(self, progress: Progress | None) -> Iterator[ExportedDecision]:
        for games in self._yield_chunks(progress):
            made, throws = group_decisions(games, self.at), group_throws(games, self.at)
            for game in games:
                yield from replay_decisions(
                    game, made[game.pk], throws[game.pk], ended=self.ended(game)
                )

    def _yield_chunks(self, progress: Progress | None) -> Iterator[list[Game]]:
        keys, done = self.games(), 0
        for start in range(0, len(keys), GAMES_AT_ONCE):
            wanted = keys[start : start + GAMES_AT_ONCE]
            by_key = Game.objects.select_related(*PLACED).in_bulk(wanted)
            games = [by_key[key] for key in wanted if key in by_key]
            yield games
            done += len(games)
            if progress:
                progress(done, len(keys))


# Functions, by the name of a small table, that return an object for every row.
SMALL: dict[str, Callable[[Trial, datetime], Iterable[Any]]] = {
    CONSENTS.name: query_agreements,
    ARMS.name: yield_arms,
    FLOW.name: lambda trial, at: build_flow(trial, at).rows(),
    EVENTS.name: query_events,
    ANSWERS.name: yield_answers,
    WIDE: lambda trial, at: group_by_game(yield_exported_answers(trial, at)),
}
