"""The public tables: the public columns of a trial's tables, which identify nobody.

The public tables omit the keys of games, the seeds of dice, the versions of the consent text, the
places in the allocation list, and dates.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

from game.trials.exports.answers import ANSWERS, WIDE
from game.trials.exports.arms import ARMS, EVENTS
from game.trials.exports.decisions import DECISIONS
from game.trials.exports.games import GAMES
from game.trials.exports.participants import PARTICIPANTS
from game.trials.exports.public.answers import (
    BANDS,
    NOT_RELEASED,
    make_public_wide_table,
    yield_public_answers,
    yield_public_game_answers,
)
from game.trials.exports.public.pseudonyms import DAYS, Pseudonyms
from game.trials.exports.rows import Standing
from game.trials.files.export_queries import list_game_keys
from game.trials.files.export_table import CODEBOOK, AnyTable, Column
from game.trials.models import TrialEvent, TrialGame
from game.trials.questions.reading import load_questionnaire
from solver.dp.sweep import Progress

HAPPENED = (
    TrialEvent.Kind.LEFT,
    TrialEvent.Kind.RETURNED,
    TrialEvent.Kind.HIDDEN,
    TrialEvent.Kind.SHOWN,
)
SHUFFLED = "Participant's code in these files: S01, S02; a secret key sets the order."
SINCE = (
    " In seconds since the participant's first event; from one day on, rounded down to"
    f" {', '.join(map(str, DAYS))} days."
)


@dataclass(frozen=True)
class PublicStanding(Standing):
    """The rows of the public tables, sorted by pseudonym, so that the order reveals nothing."""

    who: Pseudonyms

    @property
    def tables(self) -> tuple[AnyTable, ...]:
        asked_questions = load_questionnaire(self.trial)
        wide = (make_public_wide_table(asked_questions),) if asked_questions else ()
        tables = (
            PARTICIPANTS,
            ARMS,
            replace(ANSWERS, columns=tuple(map(_adapt_answer_column, ANSWERS.columns))),
            *wide,
            _make_events_table(),
            GAMES,
            DECISIONS,
        )
        return (*(_keep_public_columns(table, self.who) for table in tables), CODEBOOK)

    def items(self, name: str, progress: Progress | None = None) -> Iterable[Any]:
        if name == ANSWERS.name:
            return self._sort_by_pseudonym(yield_public_answers(self.trial, self.at))
        if name == WIDE:
            return self._sort_by_pseudonym(yield_public_game_answers(self.trial, self.at))
        rows = Standing.items(self, name, progress)
        if name == EVENTS.name:
            return self._sort_by_pseudonym(
                event for event in rows if event.participant and event.kind in HAPPENED
            )
        return self._sort_by_pseudonym(rows) if name == PARTICIPANTS.name else rows

    def games(self) -> list[str]:
        keys = list_game_keys(self.trial, self.at)
        whose = dict(TrialGame.objects.filter(participant__trial=self.trial).values_list(*WHOSE))
        return sorted(keys, key=lambda key: self.who.places[whose[key]])

    def _sort_by_pseudonym(self, items: Iterable[Any]) -> list[Any]:
        return sorted(items, key=lambda item: self.who.places[item.participant.number])


WHOSE = ("pk", "participant__number")


def _adapt_answer_column(column: Column[Any]) -> Column[Any]:
    empty = f"{column.empty}; or {NOT_RELEASED}"
    if column.name == "value":
        return replace(column, values=f"for an age, {BANDS}", empty=empty)
    if column.name == "number":
        return replace(column, empty=f"{column.empty}; or the answer is an age")
    return column


def _make_events_table() -> AnyTable:
    columns = (
        replace(column, values="; ".join(HAPPENED)) if column.name == "event" else column
        for column in EVENTS.columns
    )
    text = "One row per event: a participant left or came back, hid the page or showed it again."
    return replace(EVENTS, description=text, columns=tuple(columns))


def _keep_public_columns(table: AnyTable, who: Pseudonyms) -> AnyTable:
    columns = (_make_public_column(column, who) for column in table.columns if column.public)
    return replace(table, columns=tuple(columns))


def _make_public_column(column: Column[Any], who: Pseudonyms) -> Column[Any]:
    if column.name == "participant":
        return replace(
            column,
            text=SHUFFLED,
            get=lambda row: who.format_pseudonym(row.participant.number),
            empty="never",
        )
    if column.kind == "time":
        get: Callable[[Any], Any] = column.get
        return replace(
            column,
            kind="whole",
            unit="s",
            text=column.text + SINCE,
            get=lambda row: who.since(row.participant.number, get(row)),
        )
    return column
