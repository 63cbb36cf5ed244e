"""The parser of a file of questions, which returns pages and questions.

It interprets only the structure of the YAML: ``no`` is the text "no", never the value false.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import lru_cache
from typing import Any

from django.conf import settings
from ruamel.yaml import YAML
from ruamel.yaml.composer import MaxDepthExceededError
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.nodes import MappingNode, ScalarNode, SequenceNode
from ruamel.yaml.nodes import Node as YamlNode
from ruamel.yaml.reader import ReaderError

from game.trials.questions.questionnaire import (
    LONG,
    MOMENTS,
    NUMBER,
    SHORT,
    ChoiceQuestion,
    LikertQuestion,
    Moment,
    NotAnAnswer,
    NumberQuestion,
    Questionnaire,
    QuestionPage,
    SeveralQuestion,
    SliderQuestion,
    TextQuestion,
    Texts,
    TrialQuestion,
)

MOST_CHARACTERS = 100_000
MOST_PARTS = 10_000  # maximum number of YAML nodes; a file of 500 questions has fewer
PART = re.compile(r"[\n\[{,]")
DEEPEST = 12
QUOTES = "Put quotes around a text that contains a colon and a space."
COLON = "mapping values are not allowed here"  # message of the YAML parser for a text with a colon


@dataclass(frozen=True, order=True, slots=True)
class FileFault:
    line: int
    message: str

    def __str__(self) -> str:
        return f"Line {self.line}: {self.message}"


class BadQuestions(ValueError):
    """The error for a file of questions with faults. ``faults`` lists the faults by line."""

    def __init__(self, *faults: FileFault) -> None:
        super().__init__("\n".join(map(str, faults)))
        self.faults = faults


@dataclass(frozen=True, slots=True)
class Node:
    """A text, a list or a mapping, with the line on which it begins."""

    line: int
    content: "str | list[Node] | dict[str, Node]"
    key_lines: Mapping[str, int] = field(default_factory=dict)


def parse_yaml(text: str) -> YamlNode:
    """Parse the text. Raise BadQuestions with the English words of the YAML parser if it is
    invalid, too long, or nested too deeply for fast parsing."""
    if len(text) > MOST_CHARACTERS:
        message = f"A file of questions holds at most {MOST_CHARACTERS:,} characters."
        raise BadQuestions(FileFault(1, message))
    if len(PART.findall(text)) > MOST_PARTS:
        message = f"A file of questions has at most {MOST_PARTS:,} lines, lists and list items."
        raise BadQuestions(FileFault(1, message))
    yaml = YAML(typ="safe", pure=True)
    yaml.max_depth = DEEPEST
    try:
        root: YamlNode | None = yaml.compose(text)
    except MaxDepthExceededError as error:
        line = error.problem_mark.line + 1
        raise BadQuestions(FileFault(line, "This is nested too deeply.")) from None
    except YAMLError as error:
        line, why = 1, str(error)
        if isinstance(error, ReaderError):
            line, why = text.count("\n", 0, error.position) + 1, error.reason
        elif isinstance(error, MarkedYAMLError):
            mark = error.problem_mark or error.context_mark
            line = mark.line + 1 if mark else 1
            why = ", ".join(filter(None, (error.context, error.problem)))
        message = f"This is not YAML: {why}." + (f" {QUOTES}" if why == COLON else "")
        raise BadQuestions(FileFault(line, message)) from None
    if root is None:
        raise BadQuestions(FileFault(1, "There are no questions here."))
    return root


KEY = re.compile(r"[a-z][a-z0-9_]{0,39}")
TAKEN = {"participant", "game"}  # column names that exported tables use already
OPTION = re.compile(r"[A-Za-z0-9_]{1,40}")
TRUTHS = {"yes": True, "true": True, "no": False, "false": False}


@dataclass
class FileReading:
    """The state of reading one file: its language, its faults, and the line of each key."""

    faults: set[FileFault] = field(default_factory=set)
    language: str = "en"
    keys: dict[str, int] = field(default_factory=dict)
    made: set[int] = field(default_factory=set)  # the id of each YAML node that became a Node

    def add_fault(self, line: int, message: str) -> None:
        self.faults.add(FileFault(line, message))

    def make_node(self, yaml_node: YamlNode) -> Node:
        line = yaml_node.start_mark.line + 1
        if id(yaml_node) in self.made:
            self.add_fault(line, "References (&, *) cannot be used here.")
            return Node(line, "")
        self.made.add(id(yaml_node))
        if isinstance(yaml_node, SequenceNode):
            return Node(line, [self.make_node(item) for item in yaml_node.value])
        if not isinstance(yaml_node, MappingNode):
            return Node(line, str(yaml_node.value).strip())
        content: dict[str, Node] = {}
        lines: dict[str, int] = {}
        for key, value in yaml_node.value:
            key_line = key.start_mark.line + 1
            if not isinstance(key, ScalarNode):
                self.add_fault(key_line, "A name is expected here.")
                continue
            name = str(key.value).strip()
            if name in content:
                self.add_fault(key_line, f"“{name}” appears twice.")
            content[name], lines[name] = self.make_node(value), key_line
        return Node(line, content, lines)

    def fields(self, node: Node, known: Sequence[str]) -> "Fields":
        content = node.content
        if not isinstance(content, dict):
            self.add_fault(node.line, "Names with values are expected here.")
            content = {}
        for name in content.keys() - set(known):
            self.add_fault(node.key_lines[name], _explain_unknown(name, known))
        return Fields(self, node.line, content)

    def listed(self, node: Node) -> list[Node]:
        if isinstance(node.content, list):
            return node.content
        self.add_fault(node.line, "A list is expected here, with “- ” before each item.")
        return []

    def text(self, node: Node) -> str:
        if not isinstance(node.content, str):
            self.add_fault(node.line, "A text is expected here.")
            return ""
        if not node.content:
            self.add_fault(node.line, "This text is empty.")
        return node.content

    def read_texts(self, node: Node) -> Texts:
        if isinstance(node.content, dict):
            known = [code for code, _name in settings.LANGUAGES]
            nodes = self.fields(node, known).content
            by_language = {code: self.text(text) for code, text in nodes.items() if code in known}
            if not by_language:
                self.add_fault(node.line, "This text is empty.")
        else:
            by_language = {self.language: self.text(node)}
        return Texts(by_language or {self.language: ""})

    def read_named_texts(self, node: Node) -> dict[str, Texts]:
        """Return the options of a question, or the rows of a scale: a text for each short name."""
        if not isinstance(node.content, dict):
            self.add_fault(node.line, "Names with values are expected here.")
            return {}
        for name in node.content:
            if not OPTION.fullmatch(name):
                self.add_fault(
                    node.key_lines[name],
                    f"“{name}” is not a short name: use up to 40 letters (a to z), digits and"
                    " underscores.",
                )
        return {name: self.read_texts(text) for name, text in node.content.items()}


@dataclass(frozen=True)
class Fields:
    reading: FileReading
    line: int
    content: Mapping[str, Node]

    def __contains__(self, name: str) -> bool:
        return name in self.content

    def find_line(self, name: str) -> int:
        return self.content[name].line if name in self.content else self.line

    def add_fault(self, name: str, message: str) -> None:
        self.reading.add_fault(self.find_line(name), message)

    def needed(self, name: str) -> Node | None:
        if name not in self.content:
            self.add_fault(name, f"“{name}” is missing.")
        return self.content.get(name)

    def key(self) -> str:
        """Return the key. Record a fault if the key is invalid or appears twice in the file."""
        self.needed("key")
        key = self.text("key")
        if key and (not KEY.fullmatch(key) or key in TAKEN):
            self.add_fault(
                "key",
                f"“{key}” is not a valid key: use a small letter, then up to 39 small letters (a to"
                " z), digits and underscores; “participant” and “game” are reserved.",
            )
        elif key in self.reading.keys:
            self.add_fault("key", f"Line {self.reading.keys[key]} already uses the key “{key}”.")
        self.reading.keys.setdefault(key, self.find_line("key"))
        return key

    def text(self, name: str, default: str = "") -> str:
        return self.reading.text(self.content[name]) if name in self.content else default

    def read_texts(self, name: str) -> Texts | None:
        return self.reading.read_texts(self.content[name]) if name in self.content else None

    def read_one_of(self, name: str, known: Iterable[str], default: str) -> str:
        value = self.text(name, default)
        if value in set(known):
            return value
        if value:
            self.add_fault(name, _explain_unknown(value, known))
        return default

    def read_boolean(self, name: str, *, default: bool) -> bool:
        usual = "yes" if default else "no"
        return TRUTHS[self.read_one_of(name, TRUTHS, usual)]

    def number(self, name: str) -> Decimal | None:
        text = self.text(name)
        if not text:
            return None
        if not NUMBER.fullmatch(text):
            self.add_fault(name, f"“{text}” is not a number.")
            return None
        return Decimal(text.replace(",", ".").replace("−", "-"))

    def read_integer(self, name: str, default: int, least: int, most: int) -> int:
        number = self.number(name)
        if number is None:
            return default
        if number != int(number) or not least <= number <= most:
            self.add_fault(name, f"A whole number from {least} to {most} is expected.")
            return default
        return int(number)

    def read_text_list(self, name: str) -> list[str]:
        """Return the texts of a field that has a value or a list; [] if the field is missing."""
        node = self.content.get(name)
        if node is None:
            return []
        nodes = node.content if isinstance(node.content, list) else [node]
        return [self.reading.text(node) for node in nodes]


def _explain_unknown(name: str, known: Iterable[str]) -> str:
    return f"“{name}” is not valid here; use one of: {', '.join(known)}."


COMMON = ("key", "kind", "ask", "help", "required", "decline")
LONGEST = 10_000
MOST_POINTS = 11
MOST_DECIMALS = 6
NO_TEXT = Texts({"en": ""})


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


CHECKS = ("right", "attention")
# The function that makes each kind of question, and the names of the fields that only it has.
MAKERS: dict[str, tuple[Callable[[Fields, dict[str, Any]], TrialQuestion], tuple[str, ...]]] = {
    "text": (_make_text, ("long", "longest")),
    "number": (_make_number, ("from", "to", "decimals", "unit", "age", *CHECKS)),
    "choice": (
        lambda fields, common: ChoiceQuestion(**common, options=_read_options(fields)),
        ("options", "screen_out", *CHECKS),
    ),
    "several": (_make_several, ("options", "least", "most", *CHECKS)),
    "likert": (_make_likert, ("points", "labels", "rows", "attention")),
    "slider": (_make_slider, ("from", "to", "step", "unit", "labels", "attention")),
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
    tree = reading.make_node(parse_yaml(text))
    fields = reading.fields(tree, ("language", "title", *MOMENTS))
    languages = [code for code, _name in settings.LANGUAGES]
    reading.language = fields.read_one_of("language", languages, reading.language)
    title = fields.read_texts("title")
    pages = []
    for moment in MOMENTS:
        nodes = reading.listed(fields.content[moment]) if moment in fields else []
        for number, node in enumerate(nodes, start=1):
            known = BETWEEN if moment == "between" else PAGE
            pages.append(_read_page(reading.fields(node, known), f"{moment}-{number}", moment))
    if not pages:
        reading.add_fault(tree.line, "There are no questions here.")
    if sum(len(page.items) for page in pages) > MOST_ITEMS:
        reading.add_fault(tree.line, f"A file can have at most {MOST_ITEMS} questions.")
    if reading.faults:
        raise BadQuestions(*sorted(reading.faults))
    return Questionnaire(tuple(pages), reading.language, title)


def _read_page(fields: Fields, name: str, moment: Moment) -> QuestionPage:
    title, text = fields.read_texts("title"), fields.read_texts("text")
    node = fields.needed("questions")
    nodes = fields.reading.listed(node) if node else []
    if node and not nodes:
        fields.add_fault("questions", "There are no questions here.")
    questions = tuple(filter(None, (_read_question(fields.reading, node) for node in nodes)))
    if "every" in fields and "games" in fields:
        fields.add_fault("games", "Use either “every” or “games”, not both.")
    checked = any(question.right for question in questions)
    if "tries" in fields and not checked:
        fields.add_fault("tries", "“tries” needs a question on this page that has a right answer.")
    games = set()
    for value in fields.read_text_list("games"):
        if value.isascii() and value.isdigit() and 1 <= int(value) <= MOST_GAMES:
            games.add(int(value))
        else:
            fields.add_fault("games", f"A whole number from 1 to {MOST_GAMES} is expected.")
    return QuestionPage(
        name=name,
        moment=moment,
        questions=questions,
        title=title,
        text=text,
        tries=fields.read_integer("tries", TRIES, 1, MOST_TRIES) if checked else 0,
        every=fields.read_integer("every", 1, 1, MOST_GAMES),
        games=tuple(sorted(games)),
    )


def _read_question(reading: FileReading, node: Node) -> TrialQuestion | None:
    """Return the question, with the answers that pass its check and those that screen people out.
    Return None if its kind is unknown."""
    if not isinstance(node.content, dict):
        reading.fields(node, ())
        return None
    given = Fields(reading, node.line, node.content)
    kind = given.read_one_of("kind", MAKERS, "") if given.needed("kind") else ""
    if not kind:
        return None
    make, names = MAKERS[kind]
    fields = reading.fields(node, [*COMMON, *names])
    fields.needed("ask")
    common = {
        "key": fields.key(),
        "ask": fields.read_texts("ask") or NO_TEXT,
        "help": fields.read_texts("help"),
        "required": fields.read_boolean("required", default=False),
        "declinable": fields.read_boolean("decline", default=True),
    }
    question = make(fields, common)
    if "right" in fields and "attention" in fields:
        fields.add_fault("attention", "Use either “right” or “attention”, not both.")
    name = "right" if "right" in fields else "attention"
    ends = fields.read_text_list("screen_out")
    expected: dict[str, frozenset[str]] = {}
    if name in fields and isinstance(question, LikertQuestion) and question.rows:
        rows = fields.reading.fields(fields.content[name], list(question.rows))
        expected = {
            f"{question.key}.{row}": frozenset({_read_answer(question, rows, row, rows.text(row))})
            for row in question.rows
            if row in rows
        }
    elif name in fields:
        values = fields.read_text_list(name)
        if isinstance(question, SeveralQuestion):  # all values of the list are one answer
            answers = frozenset({_read_answer(question, fields, name, *values)})
        else:
            answers = frozenset(_read_answer(question, fields, name, value) for value in values)
        expected = {question.key: answers}
    return replace(
        question,
        right="right" in fields,
        attention="attention" in fields,
        expected=expected,
        screens_out=frozenset(
            _read_answer(question, fields, "screen_out", value) for value in ends
        ),
    )
