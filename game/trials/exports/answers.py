"""Answers to a trial's questions in two tables: a row per answer, and a column per question.

The columns of the second table come from the researcher's file of questions, so that the codebook
lists them with the text of each question.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from itertools import groupby
from typing import NamedTuple

from game.trials.files.export_table import Cell, Column, ExportTable, Kind, declare_table
from game.trials.models import Answer, Participant, Trial
from game.trials.questions.questionnaire import NUMERIC, Item, NumberQuestion, Questionnaire
from game.trials.questions.reading import map_question_items, yield_exported_answers

WIDE = "answers_wide"
NO_ANSWER = "the participant gave no answer; the table answers has the reason"
WHEN = {
    "before": "Asked before the games",
    "between": "Asked after a game",
    "after": "Asked after all games",
}


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
    question, when = item.question, WHEN[page.moment]
    whole = question.ask.first
    ask = whole if item.key == question.key else f"{whole} {item.ask.first}"
    kind = _find_kind(item)
    return Column(
        item.key,
        kind,
        f"{when}: {ask}{_format_check(item)}",
        lambda row: _convert_cell(kind, row.values.get(item.key)),
        unit=question.unit.first if isinstance(question, NumberQuestion) and question.unit else "",
        values=question.takes,
        empty=NO_ANSWER,
        masked=True,
        public=True,
    )


def _format_check(item: Item) -> str:
    if not item.expected:
        return ""
    expected = " or ".join(sorted(item.expected))
    return f" (right: {expected})" if item.question.right else f" (attention: {expected})"


def _find_kind(item: Item) -> Kind:
    question = item.question
    if not isinstance(question, NUMERIC):
        return "text"
    return "number" if isinstance(question, NumberQuestion) and question.decimals else "whole"


def _convert_cell(kind: Kind, value: str | None) -> Cell:
    if not value:
        return None
    return value if kind == "text" else int(value) if kind == "whole" else float(value)


def yield_answers(trial: Trial, at: datetime) -> Iterator[ExportedAnswer]:
    items = map_question_items(trial)
    return (
        ExportedAnswer(answer, items.get(answer.key))
        for answer in yield_exported_answers(trial, at)
    )


def yield_game_answers(trial: Trial, at: datetime) -> Iterator[AnswersAtOnce]:
    return group_by_game(yield_exported_answers(trial, at))


def group_by_game(given: Iterable[Answer]) -> Iterator[AnswersAtOnce]:
    """Yield each participant's answers game by game. ``given`` must be sorted by participant."""
    for participant, of_one in groupby(given, lambda answer: answer.participant):
        by_game: dict[int, dict[str, str]] = {}
        for answer in of_one:
            by_game.setdefault(answer.game, {})[answer.key] = answer.value
        for game, values in sorted(by_game.items()):
            yield AnswersAtOnce(participant, game, values)
