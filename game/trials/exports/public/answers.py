"""Answers in the public files, without free texts and without exact ages."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime

from game.trials.exports.answers import (
    AnswersAtOnce,
    ExportedAnswer,
    group_by_game,
    make_wide_table,
)
from game.trials.files.export_table import Column, ExportTable
from game.trials.models import Answer, Trial
from game.trials.questions.questionnaire import (
    Item,
    NumberQuestion,
    Questionnaire,
    may_be_free_text,
)
from game.trials.questions.reading import map_question_items, yield_exported_answers

YEARS = 5  # the width of an age band, in years
NOT_RELEASED = "the answer is a free text that was not released"
BANDS = f"bands of {YEARS} years: 25-29"


def yield_public_answers(trial: Trial, at: datetime) -> Iterator[ExportedAnswer]:
    items = map_question_items(trial)
    for answer in _yield_publishable(trial, at):
        item = items.get(answer.key)
        yield ExportedAnswer(answer, None if _is_age(item) else item)


def yield_public_game_answers(trial: Trial, at: datetime) -> Iterator[AnswersAtOnce]:
    return group_by_game(_yield_publishable(trial, at))


def make_public_wide_table(questionnaire: Questionnaire) -> ExportTable[AnswersAtOnce]:
    table = make_wide_table(questionnaire)
    columns = [
        _adapt_column(column, questionnaire.items.get(column.name)) for column in table.columns
    ]
    return replace(table, columns=tuple(columns))


def _yield_publishable(trial: Trial, at: datetime) -> Iterator[Answer]:
    """Yield copies (never saved) in which ages are bands, and free texts are removed."""
    items = map_question_items(trial)
    for answer in yield_exported_answers(trial, at):
        item = items.get(answer.key)
        if may_be_free_text(item):
            answer.value = ""
        elif _is_age(item) and answer.value:
            youngest = int(float(answer.value) // YEARS) * YEARS
            answer.value = f"{youngest}-{youngest + YEARS - 1}"
        yield answer


def _is_age(item: Item | None) -> bool:
    return item is not None and isinstance(item.question, NumberQuestion) and item.question.age


def _adapt_column(column: Column[AnswersAtOnce], item: Item | None) -> Column[AnswersAtOnce]:
    if item is not None and may_be_free_text(item):
        return replace(column, empty=f"{column.empty}; or {NOT_RELEASED}")
    if _is_age(item):
        name = column.name
        return replace(
            column, kind="text", values=BANDS, get=lambda row: row.values.get(name) or None
        )
    return column
