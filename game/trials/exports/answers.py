"""What a trial's questions got, in two forms: a row an answer, and a column a question.

The columns of the second are those of the researcher's file, so they stand in the codebook with
the text that was asked.
"""

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from itertools import groupby
from typing import NamedTuple

from game.models import Answer, Participant, Trial
from game.trials.exports.columns import GAME, PARTICIPANT
from game.trials.files.export_table import Cell, Column, ExportTable, Kind
from game.trials.questions.kinds import NUMERIC, Item, NumberQuestion
from game.trials.questions.questionnaire import Questionnaire
from game.trials.questions.reading import exported_answers, questionnaire

WIDE = "answers_wide"
NO_GAME = "the answers of this row were given before or after all games"
NO_ANSWER = "nothing was answered; why stands in answers"
WHEN = {
    "before": "Asked before the games",
    "between": "Asked after a game",
    "after": "Asked after all games",
}


class ExportedAnswer(NamedTuple):
    """With what was asked, where the latest file still has it."""

    answer: Answer
    item: Item | None

    @property
    def participant(self) -> Participant:
        return self.answer.participant

    @property
    def check(self) -> str | None:
        """A row of a scale may be checked where another one is not."""
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
    """What one participant answered after a game, or, at 0, before and after all games."""

    participant: Participant
    game: int
    values: Mapping[str, str]


ANSWERS: ExportTable[ExportedAnswer] = ExportTable(
    "answers",
    "A row an answer to a question of the researcher's file; one that was not reached has no row."
    " The questions are in the file, and in the codebook as columns of answers_wide.",
    (
        PARTICIPANT,
        Column(
            "key",
            "text",
            "Names the question; a row of a scale has the scale's name before.",
            lambda row: row.answer.key,
        ),
        Column(
            "moment",
            "text",
            "When it was asked.",
            lambda row: row.answer.moment,
            values="before; between; after",
        ),
        Column(
            "game",
            "whole",
            "The game that it was asked after.",
            lambda row: row.answer.game or None,
            empty="it was asked before or after all games",
        ),
        Column(
            "value",
            "text",
            "The answer: as it was typed, or the short names of what was chosen.",
            lambda row: row.answer.value or None,
            empty="the question was declined or left out",
        ),
        Column(
            "number",
            "number",
            "The same as a number.",
            lambda row: row.number,
            empty="there is no answer, or it is no number, point of a scale or slider",
        ),
        Column(
            "state",
            "text",
            "Whether it was answered; declined: would rather not say; skipped: left out.",
            lambda row: row.answer.state,
            values="answered; declined; skipped",
        ),
        Column(
            "passed",
            "truth",
            "Whether a check of the rules or of attention got the right answer in the end.",
            lambda row: row.answer.passed,
            empty="the question checks nothing",
        ),
        Column(
            "check",
            "text",
            "What the question checks: what the rules say, or whether anybody reads; screening:"
            " some of its answers end the part.",
            lambda row: row.check,
            values="rules; attention; screening",
            empty="the question checks nothing",
        ),
        Column(
            "tries",
            "whole",
            "How often its page was sent whole.",
            lambda row: row.answer.tries,
            unit="tries",
        ),
        Column(
            "seconds",
            "number",
            "From when the page was shown to when it was sent last, by the server's clock.",
            lambda row: row.answer.seconds,
            unit="s",
            empty="it cannot be told",
        ),
        Column("answered_at", "time", "When it was sent last.", lambda row: row.answer.at),
        Column(
            "page_finished",
            "truth",
            "Whether its page was finished; until then an answer may still change.",
            lambda row: row.answer.page_finished,
        ),
    ),
)


def wide_table(asked: Questionnaire) -> ExportTable[AnswersAtOnce]:
    return ExportTable(
        WIDE,
        "A row a participant, and one for each game after which something was asked: a column a"
        " question. An answer and its absence are told apart in the table answers.",
        (
            PARTICIPANT,
            Column(GAME.name, GAME.kind, GAME.text, lambda row: row.game or None, empty=NO_GAME),
            *(_column(asked, item) for item in asked.items.values()),
        ),
    )


def _column(asked: Questionnaire, item: Item) -> Column[AnswersAtOnce]:
    """In the file's first language; a row of a scale after what the scale asks."""
    question, when = item.question, WHEN[asked.page_of(item.key).moment]
    whole = question.ask.first
    ask = whole if item.key == question.key else f"{whole} {item.ask.first}"
    kind = _kind(item)
    return Column(
        item.key,
        kind,
        f"{when}: {ask}{_check(item)}",
        lambda row: _cell(kind, row.values.get(item.key)),
        unit=question.unit.first if isinstance(question, NumberQuestion) and question.unit else "",
        values=question.takes,
        empty=NO_ANSWER,
    )


def _check(item: Item) -> str:
    if not item.expected:
        return ""
    expected = " or ".join(sorted(item.expected))
    return f" (right: {expected})" if item.question.right else f" (attention: {expected})"


def _kind(item: Item) -> Kind:
    question = item.question
    if not isinstance(question, NUMERIC):
        return "text"
    return "number" if isinstance(question, NumberQuestion) and question.decimals else "whole"


def _cell(kind: Kind, value: str | None) -> Cell:
    if not value:
        return None
    return value if kind == "text" else int(value) if kind == "whole" else float(value)


def answers(trial: Trial, at: datetime) -> Iterator[ExportedAnswer]:
    items = items_of(trial)
    return (ExportedAnswer(one, items.get(one.key)) for one in exported_answers(trial, at))


def items_of(trial: Trial) -> Mapping[str, Item]:
    asked = questionnaire(trial)
    return asked.items if asked else {}


def answers_at_once(trial: Trial, at: datetime) -> Iterator[AnswersAtOnce]:
    return by_moment(exported_answers(trial, at))


def by_moment(given: Iterable[Answer]) -> Iterator[AnswersAtOnce]:
    """Of answers that come participant by participant."""
    for participant, of_one in groupby(given, lambda one: one.participant):
        by_game: dict[int, dict[str, str]] = {}
        for answer in of_one:
            by_game.setdefault(answer.game, {})[answer.key] = answer.value
        for game, values in sorted(by_game.items()):
            yield AnswersAtOnce(participant, game, values)
