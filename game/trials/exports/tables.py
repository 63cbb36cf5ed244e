"""The rows of a trial's tables at one moment.

No table contains a name, an account, an address or a code that opens a participant's pages.
"""

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import chain, groupby
from typing import Any

from django.db.models import Count, Q
from django.utils import timezone
from django.utils.functional import cached_property

from game.core.game_queries import group_decisions, group_throws
from game.models import Coach, Game
from game.trials.design.masking import map_arm_names
from game.trials.design.people import UNDER_WAY, WAYS_OUT, add_outcomes
from game.trials.design.reading import ANSWERS as ON_EXPERIENCE
from game.trials.exports.decisions import replay_decisions
from game.trials.files.export_table import (
    KINDS,
    Cell,
    Column,
    ExportTable,
    Kind,
    Row,
    read_tables,
)
from game.trials.models import (
    Agreement,
    NoAnswer,
    Participant,
    Trial,
    TrialEvent,
    TrialGame,
)
from game.trials.questions.questionnaire import NUMERIC, Item
from game.trials.questions.reading import (
    load_questionnaire,
    map_question_items,
    yield_exported_answers,
)
from game.trials.reading import (
    PLACED,
    query_participants,
    query_shared_browser,
    query_trial_games,
)
from game.trials.results.exclusions import EXCLUSIONS, Quality, measure_quality
from game.trials.results.flow import STEPS, build_flow
from game.trials.results.results import AnalysedData, collect_data
from solver.dp.sweep import Progress
from solver.rules import PLAYED

Cells = dict[str, Any]  # a row: its cells by the names of the columns

NOT_REACHED = "not_reached"  # a further reason, besides those in NoAnswer
RULES = PLAYED.values()
VALUES: Mapping[str, Iterable[object]] = {
    "experience": Participant.Experience.values,
    "last_played": Participant.LastPlayed.values,
    "strategy": Participant.Strategy.values,
    "unanswered": [*NoAnswer.values, NOT_REACHED],
    # the tables leave out people who have withdrawn
    "outcomes": [
        UNDER_WAY,
        *(name for name, way in WAYS_OUT.items() if name != "withdrawn" and way.place != "none"),
    ],
    "rules": EXCLUSIONS,
    "coaches": Coach.values,
    "rulesets": PLAYED,
    "steps": STEPS,
    "phases": TrialGame.Phase.values,
    "throws_left": range(max(rules.throws for rules in RULES)),
    "most_left": [max(rules.find_most_rolls(len(rules.categories) - 1) for rules in RULES) - 1],
    "boxes": dict.fromkeys(box.id for rules in RULES for box in rules.categories),
    "kinds": KINDS.values(),
}
TABLES = {table.name: table for table in read_tables(VALUES)}

WIDE = "answers_wide"
GAMES_AT_ONCE = 200
WHEN = {
    "before": "Asked before the games",
    "between": "Asked after a game",
    "after": "Asked after all games",
}
CONVERTERS: Mapping[Kind, Callable[[str], Cell]] = {"text": str, "whole": int, "number": float}


@dataclass(frozen=True)
class Standing:
    """The tables of a trial as they were at one moment; they contain no later events. ``progress``
    receives the number of games whose decisions are written."""

    trial: Trial
    at: datetime = field(default_factory=timezone.now)
    progress: Progress | None = None

    @cached_property
    def analysed(self) -> AnalysedData:
        return collect_data(self.trial, self.at)

    @cached_property
    def items(self) -> Mapping[str, Item]:
        return map_question_items(self.trial)

    @cached_property
    def questions(self) -> list[Column]:
        """The columns of the questions. A column's text is the question's text in the file's first
        language."""
        columns, form = [], load_questionnaire(self.trial)
        for page in form.pages if form else ():
            for item in page.items:
                question, correct = item.question, ""
                ask, unit = question.ask.first, getattr(question, "unit", None)
                kind: Kind = "text"
                if item.key != question.key:
                    ask = f"{ask} {item.ask.first}"
                if item.expected:
                    check = "right" if question.right else "attention"
                    correct = f" ({check}: {' or '.join(sorted(item.expected))})"
                if isinstance(question, NUMERIC):
                    kind = "number" if getattr(question, "decimals", 0) else "whole"
                column = Column(
                    name=item.key,
                    kind=kind,
                    text=f"{WHEN[page.moment]}: {ask}{correct}",
                    unit=unit.first if unit else "",
                    values=question.takes,
                    empty="the participant gave no answer; the table answers has the reason",
                    masked=True,
                    public=True,
                )
                columns.append(column)
        return columns

    @property
    def tables(self) -> list[ExportTable]:
        """The tables. A blinded trial has only columns marked ``masked``."""
        tables, masked = [], self.trial.masked
        for name, table in TABLES.items():
            columns = [column for column in table.columns if column.masked or not masked]
            if name == WIDE:
                columns = [*columns, *self.questions] if self.questions else []
            if columns:
                tables.append(replace(table, columns=columns))
        return tables

    def rows(self, table: ExportTable) -> Iterator[Row]:
        names = table.names
        return (tuple([cells[name] for name in names]) for cells in self.yield_cells(table.name))

    def yield_cells(self, name: str) -> Iterable[Cells]:
        return ROWS[name](self)

    def list_games(self) -> list[str]:
        """Return the keys of the games, in the order of the tables."""
        return list(query_trial_games(self.trial, self.at).values_list("pk", flat=True))

    def yield_chunks(self, progress: Progress | None = None) -> Iterator[list[Game]]:
        keys = self.list_games()
        for start in range(0, len(keys), GAMES_AT_ONCE):
            wanted = keys[start : start + GAMES_AT_ONCE]
            by_key = Game.objects.select_related(*PLACED).in_bulk(wanted)
            yield [by_key[key] for key in wanted if key in by_key]
            if progress:
                progress(start + len(wanted), len(keys))


def yield_participants(standing: Standing) -> Iterator[Cells]:
    trial, at, data = standing.trial, standing.at, standing.analysed
    arm_names, qualities = map_arm_names(trial), measure_quality(trial, at)
    people = query_participants(trial, at).annotate(shared=query_shared_browser(at))
    participant: Any
    for participant, outcome in add_outcomes(people, trial, at):
        given = participant.assigned_at is not None and participant.assigned_at <= at
        arms = [arm_names[place + 1] for place in participant.order] if given else []
        quality = qualities.get(participant.pk, Quality())
        answers: Cells = {}  # None if the trial has no such question, or for older skipped ones
        for name in ON_EXPERIENCE:
            answer, answered = getattr(participant, name), participant.answered_at is not None
            reached = answered and (answer or not participant.experience)
            answers[name] = answer or None if reached or not trial.questionnaire else NOT_REACHED
        analysed = data.arms.get(participant.pk)
        yield {
            "participant": participant.label,
            "bot": trial.rehearsal,
            "consent_version": participant.consent.version,
            "consented_at": participant.consented_at,
            "answered_at": participant.answered_at,
            **answers,
            "arm": arms[0] if arms else None,
            "arm_order": " ".join(arms) or None,
            "stratum": participant.stratum or None if arms else None,
            "draw": participant.draw if arms else None,
            "assigned_at": participant.assigned_at if arms else None,
            "games_planned": (participant if arms else trial).games_planned,
            "drill_attempts": participant.drilled,
            "screened_out_at": participant.screened_out_at,
            "outcome": (outcome or UNDER_WAY) if participant.recruited else None,
            "shared_browser": participant.shared,
            "games_finished": participant.finished,
            "games_unfinished": participant.unfinished,
            "seconds_a_decision": quality.seconds,
            "hidden_share": quality.hidden,
            "expert_chance": quality.chance,
            "left_out": " ".join(data.left_out.get(participant.pk, ())) or None,
            "value": analysed.value if analysed else None,
            "before": analysed.before if analysed else None,
        }


def yield_arms(standing: Standing) -> Iterator[Cells]:
    """Yield each arm with its settings. If the arm does not set a value, the trial has it."""
    trial, given = standing.trial, Q(participants__assigned_at__lte=standing.at)
    gone = given & Q(participants__withdrawn_at__lte=standing.at)
    arms = trial.arms.annotate(
        given=Count("participants", filter=given), withdrawn=Count("participants", filter=gone)
    )
    for arm in arms.order_by("position").values():
        shared, games = arm["shared_dice"], arm["games_each"]
        yield arm | {
            "arm": arm["name"],
            "ruleset": arm["ruleset"] or trial.ruleset,
            "dice": arm["dice"] or trial.dice,
            "shared_dice": trial.shared_dice if shared is None else shared,
            "games_training": trial.games_each if games is None else games,
        }


def yield_answers(standing: Standing) -> Iterator[Cells]:
    for answer in yield_exported_answers(standing.trial, standing.at):
        check, number, item = None, None, standing.items.get(answer.key)
        if item and item.expected:  # rows of the same scale can have different checks
            check = "rules" if item.question.right else "attention"
        elif item and item.question.screens_out:
            check = "screening"
        if item and isinstance(item.question, NUMERIC) and answer.value:
            number = float(answer.value)
        yield {
            "participant": answer.participant.label,
            "key": answer.key,
            "moment": answer.moment,
            "game": answer.game or None,
            "value": answer.value or None,
            "number": number,
            "state": answer.state,
            "passed": answer.passed,
            "check": check,
            "tries": answer.tries,
            "seconds": answer.seconds,
            "answered_at": answer.at,
            "page_finished": answer.page_finished,
        }


def yield_wide_answers(standing: Standing) -> Iterator[Cells]:
    """Yield each participant's answers game by game. The game is 0 before the first and after the
    last."""
    kinds = {column.name: column.kind for column in standing.questions}
    answers = yield_exported_answers(standing.trial, standing.at)
    for participant, given in groupby(answers, lambda answer: answer.participant):
        games: dict[int, Cells] = defaultdict(lambda: dict.fromkeys(kinds))
        for answer in given:
            convert = CONVERTERS[kinds.get(answer.key, "text")]
            games[answer.game][answer.key] = convert(answer.value) if answer.value else None
        for game, cells in sorted(games.items()):
            yield cells | {"participant": participant.label, "game": game or None}


def yield_events(standing: Standing) -> Iterator[Cells]:
    """Yield the events of the trial and its participants. For a blinded trial, omit hidden and
    shown pages, because their numbers could reveal the arms."""
    trial, people = standing.trial, query_participants(standing.trial, standing.at)
    whose = Q(participant__isnull=True) | Q(participant__in=people)
    events = trial.events.filter(whose, at__lte=standing.at).select_related("participant")
    if trial.masked:
        events = events.exclude(kind__in=[TrialEvent.Kind.HIDDEN, TrialEvent.Kind.SHOWN])
    for event in events:
        detail = json.dumps(event.detail, ensure_ascii=False, sort_keys=True)
        yield {
            "participant": event.participant.label if event.participant else None,
            "event": event.kind,
            "at": event.at,
            "detail": detail if event.detail else None,
        }


def yield_games(standing: Standing) -> Iterator[Cells]:
    closed = standing.trial.state == "closed"
    rows = standing.analysed.rows
    sittings = {(row.key, row.game.number): row.game.sitting for row in rows}
    for game in chain.from_iterable(standing.yield_chunks()):
        place, end = game.trial_game, game.finished_at
        ended = end is not None and end <= standing.at
        results = {
            "finished_at": end,
            "score": game.final_score,
            "bonus": game.bonus,
            "chips": game.chips or 0,
            "regret": game.regret,
            "luck": game.luck,
            "free_decisions": game.free_decisions,
        }
        yield (results if ended else dict.fromkeys(results)) | {
            "participant": place.participant.label,
            "game": place.number,
            "game_id": game.pk,
            "arm": place.arm.name if place.arm else None,
            "phase": place.phase or None,
            "ruleset": game.ruleset,
            "dice": (Trial.Dice.REAL if game.real_dice else Trial.Dice.VIRTUAL).value,
            "finished": ended,
            "started_at": game.started_at,
            "hints": game.hints,
            "commitment": game.commitment or None,
            "seed": game.seed or None if closed else None,
            "sitting": sittings.get((place.participant_id, place.number)),
        }


def yield_decisions(standing: Standing) -> Iterator[Cells]:
    for games in standing.yield_chunks(standing.progress):
        made, throws = group_decisions(games, standing.at), group_throws(games, standing.at)
        for game in games:
            yield from replay_decisions(game, made[game.pk], throws[game.pk], standing.at)


ROWS: Mapping[str, Callable[[Standing], Iterable[Cells]]] = {
    "participants": yield_participants,
    "consents": lambda standing: (
        {"participant": row.participant.label, "version": row.consent.version, "agreed_at": row.at}
        for row in Agreement.objects.filter(
            participant__in=query_participants(standing.trial, standing.at), at__lte=standing.at
        )
        .select_related("participant", "consent")
        .order_by("participant__number", "at")
    ),
    "arms": yield_arms,
    "flow": lambda standing: (
        {"arm": arm or None, "step": step.step, "people": step.people}
        for arm, step in build_flow(standing.trial, standing.at).rows()
    ),
    "answers": yield_answers,
    WIDE: yield_wide_answers,
    "events": yield_events,
    "games": yield_games,
    "decisions": yield_decisions,
    "codebook": lambda standing: (
        {
            "table": table.name,
            "column": column.name,
            "type": KINDS[column.kind],
            "unit": column.unit or None,
            "values": column.values or None,
            "description": column.text,
            "empty": column.empty,
        }
        for table in standing.tables
        for column in table.columns
    ),
}
