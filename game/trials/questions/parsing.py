"""The parser of a file of questions, which returns pages and questions."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import lru_cache
from typing import Any

from django.conf import settings

from game.trials.questions.fields import BadQuestions, Fields, FileReading, Node, parse_tree
from game.trials.questions.kinds import (
    LONG,
    SHORT,
    ChoiceQuestion,
    LikertQuestion,
    NotAnAnswer,
    NumberQuestion,
    SeveralQuestion,
    SliderQuestion,
    TextQuestion,
    Texts,
    TrialQuestion,
)
from game.trials.questions.questionnaire import MOMENTS, Moment, Questionnaire, QuestionPage

COMMON = ("key", "kind", "ask", "help", "required", "decline")
LONGEST = 10_000
MOST_POINTS = 11
MOST_DECIMALS = 6
NO_TEXT = Texts({"en": ""})


def make_question(kind: str, fields: Fields) -> TrialQuestion:
    common = _read_common(fields)
    question = MAKERS[kind].make(fields, common)
    return _add_checks(question, fields)


def _read_common(fields: Fields) -> dict[str, Any]:
    fields.needed("ask")
    return {
        "key": fields.key(),
        "ask": fields.read_texts("ask") or NO_TEXT,
        "help": fields.read_texts("help"),
        "required": fields.read_boolean("required", default=False),
        "declinable": fields.read_boolean("decline", default=True),
    }


def _add_checks(question: TrialQuestion, fields: Fields) -> TrialQuestion:
    """Add to the question which answers pass its check, and which answers screen people out."""
    if "right" in fields and "attention" in fields:
        fields.add_fault("attention", "Use either “right” or “attention”, not both.")
    name = "right" if "right" in fields else "attention"
    ends = fields.read_text_list("screen_out")
    return replace(
        question,
        right="right" in fields,
        attention="attention" in fields,
        expected=_read_expected(question, fields, name) if name in fields else {},
        screens_out=frozenset(
            _read_answer(question, fields, "screen_out", value) for value in ends
        ),
    )


def _read_expected(question: TrialQuestion, fields: Fields, name: str) -> dict[str, frozenset[str]]:
    node = fields.content[name]
    if isinstance(question, LikertQuestion) and question.rows:
        rows = fields.reading.fields(node, list(question.rows))
        return {
            f"{question.key}.{row}": frozenset({_read_answer(question, rows, row, rows.text(row))})
            for row in question.rows
            if row in rows
        }
    values = fields.read_text_list(name)
    if isinstance(question, SeveralQuestion):  # all values of the list are one answer
        return {question.key: frozenset({_read_answer(question, fields, name, *values)})}
    return {
        question.key: frozenset(_read_answer(question, fields, name, value) for value in values)
    }


def _read_answer(question: TrialQuestion, fields: Fields, name: str, *sent: str) -> str:
    """Return an answer in canonical form. If it is invalid, record a fault and return ""."""
    try:
        value = question.parse_answer(sent)
    except NotAnAnswer:
        value = ""
    if not value:
        typed = " ".join(sent)
        fields.add_fault(name, f"“{typed}” is not a possible answer: {question.takes}.")
    return value


def _make_text(fields: Fields, common: dict[str, Any]) -> TextQuestion:
    long = fields.read_boolean("long", default=False)
    longest = fields.read_integer("longest", LONG if long else SHORT, 1, LONGEST)
    return TextQuestion(**common, long=long, longest=longest)


def _make_number(fields: Fields, common: dict[str, Any]) -> NumberQuestion:
    least, most = fields.number("from"), fields.number("to")
    _check_order(fields, least, most)
    decimals = fields.read_integer("decimals", 0, 0, MOST_DECIMALS)
    unit = fields.read_texts("unit")
    return NumberQuestion(
        **common,
        least=least,
        most=most,
        decimals=decimals,
        unit=unit,
        age=fields.read_boolean("age", default=False),
    )


def _check_order(fields: Fields, least: Decimal | None, most: Decimal | None) -> None:
    if least is not None and most is not None and least >= most:
        fields.add_fault("to", "“to” must be more than “from”.")


def _read_options(fields: Fields) -> dict[str, Texts]:
    node = fields.needed("options")
    if node is None:
        return {}
    options = fields.reading.read_named_texts(node)
    if len(options) < 2:
        fields.add_fault("options", "At least two options are needed.")
    return options


def _make_choice(fields: Fields, common: dict[str, Any]) -> ChoiceQuestion:
    return ChoiceQuestion(**common, options=_read_options(fields))


def _make_several(fields: Fields, common: dict[str, Any]) -> SeveralQuestion:
    options = _read_options(fields)
    most = fields.read_integer("most", len(options), 1, max(1, len(options)))
    least = fields.read_integer("least", 0, 0, most)
    return SeveralQuestion(**common, options=options, least=least, most=most)


def _read_labels(fields: Fields) -> tuple[Texts, ...]:
    node = fields.needed("labels")
    nodes = fields.reading.listed(node) if node else []
    labels = tuple(fields.reading.read_texts(node) for node in nodes)
    if node and len(labels) < 2:
        fields.add_fault("labels", "At least two labels are needed.")
    return labels if len(labels) >= 2 else (NO_TEXT, NO_TEXT)


def _make_likert(fields: Fields, common: dict[str, Any]) -> LikertQuestion:
    labels = _read_labels(fields)
    usual = len(labels) if len(labels) > 2 else 5
    points = fields.read_integer("points", usual, 2, MOST_POINTS)
    if len(labels) not in (2, points):
        fields.add_fault("labels", f"Use labels for both ends or for all {points} points.")
    rows = fields.reading.read_named_texts(fields.content["rows"]) if "rows" in fields else {}
    return LikertQuestion(**common, points=points, labels=labels, rows=rows)


def _make_slider(fields: Fields, common: dict[str, Any]) -> SliderQuestion:
    least, most = fields.number("from") or Decimal(0), fields.number("to") or Decimal(100)
    _check_order(fields, least, most)
    step, labels = fields.number("step") or Decimal(1), _read_labels(fields)
    if step <= 0 or (most - least) % step:
        fields.add_fault("step", "“step” must divide the range from “from” to “to” evenly.")
        step = Decimal(1)
    if len(labels) != 2:
        fields.add_fault("labels", "A slider has two labels, one for each end.")
    exponent = step.normalize().as_tuple().exponent
    return SliderQuestion(
        **common,
        least=least,
        most=most,
        step=step,
        labels=labels[:2],
        decimals=max(0, -exponent) if isinstance(exponent, int) else 0,
        unit=fields.read_texts("unit"),
    )


@dataclass(frozen=True, slots=True)
class Maker:
    """The additional fields of a kind of question, and the function that makes a question."""

    make: Callable[[Fields, dict[str, Any]], TrialQuestion]
    fields: Sequence[str]


CHECKS = ("right", "attention")
MAKERS: dict[str, Maker] = {
    "text": Maker(_make_text, ("long", "longest")),
    "number": Maker(_make_number, ("from", "to", "decimals", "unit", "age", *CHECKS)),
    "choice": Maker(_make_choice, ("options", "screen_out", *CHECKS)),
    "several": Maker(_make_several, ("options", "least", "most", *CHECKS)),
    "likert": Maker(_make_likert, ("points", "labels", "rows", "attention")),
    "slider": Maker(_make_slider, ("from", "to", "step", "unit", "labels", "attention")),
}


TRIES, MOST_TRIES = 3, 20
MOST_ITEMS = 500
MOST_GAMES = 1_000
PAGE = ("title", "text", "tries", "questions")
BETWEEN = (*PAGE, "every", "games")


@lru_cache(maxsize=64)
def parse_questionnaire(text: str) -> Questionnaire:
    """Parse the text of a file, or raise BadQuestions. The result is cached."""
    reading = FileReading()
    try:
        questionnaire = _read_questionnaire(reading, parse_tree(text, reading.faults))
    except BadQuestions as error:
        raise BadQuestions(*sorted({*reading.faults.found, *error.faults})) from None
    reading.faults.check()
    return questionnaire


def _read_questionnaire(reading: FileReading, tree: Node) -> Questionnaire:
    fields = reading.fields(tree, ("language", "title", *MOMENTS))
    languages = [code for code, _name in settings.LANGUAGES]
    reading.language = fields.read_one_of("language", languages, reading.language)
    title = fields.read_texts("title")
    pages = tuple(page for moment in MOMENTS for page in _read_pages(fields, moment))
    if not pages:
        reading.faults.add(tree.line, "There are no questions here.")
    if sum(len(page.items) for page in pages) > MOST_ITEMS:
        reading.faults.add(tree.line, f"A file can have at most {MOST_ITEMS} questions.")
    return Questionnaire(pages, reading.language, title)


def _read_pages(fields: Fields, moment: Moment) -> Iterator[QuestionPage]:
    if moment not in fields:
        return
    reading = fields.reading
    for number, node in enumerate(reading.listed(fields.content[moment]), start=1):
        known = BETWEEN if moment == "between" else PAGE
        yield _read_page(reading.fields(node, known), f"{moment}-{number}", moment)


def _read_page(fields: Fields, name: str, moment: Moment) -> QuestionPage:
    title, text = fields.read_texts("title"), fields.read_texts("text")
    questions = tuple(_read_questions(fields))
    if "every" in fields and "games" in fields:
        fields.add_fault("games", "Use either “every” or “games”, not both.")
    return QuestionPage(
        name=name,
        moment=moment,
        questions=questions,
        title=title,
        text=text,
        tries=_read_tries(fields, questions),
        every=fields.read_integer("every", 1, 1, MOST_GAMES),
        games=_read_games(fields),
    )


def _read_questions(fields: Fields) -> Iterator[TrialQuestion]:
    node = fields.needed("questions")
    nodes = fields.reading.listed(node) if node else []
    if node and not nodes:
        fields.add_fault("questions", "There are no questions here.")
    for node in nodes:
        if (question := _read_question(fields.reading, node)) is not None:
            yield question


def _read_question(reading: FileReading, node: Node) -> TrialQuestion | None:
    """Return the question. Return None if its kind is unknown."""
    if not isinstance(node.content, dict):
        reading.fields(node, ())
        return None
    given = Fields(reading, node.line, node.content)
    kind = given.read_one_of("kind", MAKERS, "") if given.needed("kind") else ""
    if not kind:
        return None
    return make_question(kind, reading.fields(node, [*COMMON, *MAKERS[kind].fields]))


def _read_tries(fields: Fields, questions: tuple[TrialQuestion, ...]) -> int:
    checked = any(question.right for question in questions)
    if "tries" in fields and not checked:
        fields.add_fault("tries", "“tries” needs a question on this page that has a right answer.")
    return fields.read_integer("tries", TRIES, 1, MOST_TRIES) if checked else 0


def _read_games(fields: Fields) -> tuple[int, ...]:
    numbers = set()
    for value in fields.read_text_list("games"):
        if value.isascii() and value.isdigit() and 1 <= int(value) <= MOST_GAMES:
            numbers.add(int(value))
        else:
            fields.add_fault("games", f"A whole number from 1 to {MOST_GAMES} is expected.")
    return tuple(sorted(numbers))
