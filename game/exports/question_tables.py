"""What a trial's questions got, in two forms: a row an answer, and a column a question.

The columns of the second are those of the researcher's file, so they stand in the codebook with
the text that was asked.
"""

from collections.abc import Iterable, Iterator
from itertools import groupby

from game.exports.tables import CODEBOOK, Cell, Column, ExportTable, Kind, Row
from game.exports.trial_columns import GAME, PARTICIPANT
from game.exports.trial_tables import ANSWERS, TABLES
from game.models import Answer, Trial
from game.questions.kinds import NUMERIC, Item, NumberQuestion
from game.questions.questionnaire import Questionnaire
from game.selectors.questions import questionnaire

WIDE = "answers_wide"
NO_GAME = "the answers of this row were given before or after all games"
NO_ANSWER = "nothing was answered; why stands in answers"
WHEN = {
    "before": "Asked before the games",
    "between": "Asked after a game",
    "after": "Asked after all games",
}


def tables_of(trial: Trial) -> tuple[ExportTable, ...]:
    """Those of every trial, and the one whose columns are this trial's questions."""
    asked = questionnaire(trial)
    if asked is None:
        return TABLES
    at = TABLES.index(ANSWERS) + 1
    return (*TABLES[:at], wide_table(asked), *TABLES[at:])


def described(trial: Trial) -> list[ExportTable]:
    """Those that the codebook tells of before itself."""
    return [table for table in tables_of(trial) if table is not CODEBOOK]


def wide_table(asked: Questionnaire) -> ExportTable:
    return ExportTable(
        WIDE,
        "A row a participant, and one for each game after which something was asked: a column a"
        " question. An answer and its absence are told apart in the table answers.",
        (
            PARTICIPANT,
            Column(GAME.name, GAME.kind, GAME.description, empty=NO_GAME),
            *(_column(asked, item) for item in asked.items.values()),
        ),
    )


def _column(asked: Questionnaire, item: Item) -> Column:
    """In the file's first language; a row of a scale after what the scale asks."""
    question, when = item.question, WHEN[asked.page_of(item.key).moment]
    whole = question.ask.first
    ask = whole if item.key == question.key else f"{whole} {item.ask.first}"
    unit = question.unit.first if isinstance(question, NumberQuestion) and question.unit else ""
    kind, told = _kind(item), f"{when}: {ask}{_check(item)}"
    return Column(item.key, kind, told, unit=unit, values=question.takes, empty=NO_ANSWER)


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


def answer_rows(trial: Trial, answers: Iterable[Answer]) -> Iterator[Row]:
    asked = questionnaire(trial)
    items = asked.items if asked else {}
    for one in answers:
        item = items.get(one.key)
        numeric = item is not None and isinstance(item.question, NUMERIC) and one.value != ""
        yield (
            one.participant.label,
            one.key,
            one.moment,
            one.game or None,
            one.value or None,
            float(one.value) if numeric else None,
            one.state,
            one.passed,
            one.tries,
            one.seconds,
            one.at,
            one.page_finished,
        )


def wide_rows(trial: Trial, answers: Iterable[Answer]) -> Iterator[Row]:
    """``answers`` come participant by participant."""
    asked = questionnaire(trial)
    items = list(asked.items.values()) if asked else []
    for label, of_one in groupby(answers, lambda one: one.participant.label):
        by_game: dict[int, dict[str, str]] = {}
        for one in of_one:
            by_game.setdefault(one.game, {})[one.key] = one.value
        for game, values in sorted(by_game.items()):
            yield (label, game or None, *(_cell(item, values.get(item.key)) for item in items))


def _cell(item: Item, value: str | None) -> Cell:
    if not value:
        return None
    kind = _kind(item)
    return value if kind == "text" else int(value) if kind == "whole" else float(value)
