"""The parser of a file of questions, which returns pages and questions.

It interprets only the structure of the YAML: ``no`` is the text "no", never the value false.
"""

import re
from collections.abc import Callable, Collection, Mapping
from decimal import Decimal
from functools import lru_cache, partial
from typing import Any, TypeVar

from django.conf import settings
from ruamel.yaml import YAML
from ruamel.yaml.composer import MaxDepthExceededError
from ruamel.yaml.error import YAMLError
from ruamel.yaml.tokens import AliasToken

from game.core.refusals import Refused
from game.trials.questions.questionnaire import (
    KINDS,
    MOMENTS,
    FileAnswers,
    Questionnaire,
    QuestionPage,
    Texts,
    TrialQuestion,
    Unreadable,
    check_known,
    parse_number,
)

MOST_CHARACTERS = 100_000
MOST_PARTS = 10_000  # maximum number of YAML nodes; a file of 500 questions has fewer
PART = re.compile(r"[\n\[{,]")
DEEPEST = 12
QUOTES = "Put quotes around a text that contains a colon and a space."
COLON = "mapping values are not allowed here"  # message of the YAML parser for a text with a colon
KEY = re.compile(r"[a-z][a-z0-9_]{0,39}")
TAKEN = {"participant", "game"}  # column names that exported tables use already
OPTION = re.compile(r"[A-Za-z0-9_]{1,40}")
LANGUAGES = [code for code, _name in settings.LANGUAGES]
TRUTHS = {"yes": True, "true": True, "no": False, "false": False}
MOST_ITEMS = 500

FILE = ("language", "title", *MOMENTS)
PAGE = ("title", "text", "tries", "questions")
COMMON = ("key", "kind", "ask", "help", "required", "decline")
NEEDED = {"key", "kind", "ask", "options", "labels", "questions"}
# Fields in the file with another name than the attribute.
ATTRIBUTES = {"from": "least", "to": "most", "decline": "declinable"}
Made = TypeVar("Made")


class BadQuestions(Refused):
    """The error for a file of questions with faults. ``faults`` says where and what they are."""

    def __init__(self, *faults: str) -> None:
        super().__init__("\n".join(faults))
        self.faults = faults


def parse_yaml(text: str) -> object:
    """Parse the text, with every scalar as a string. Raise BadQuestions with the English words of
    the YAML parser if it is invalid, too long, or nested too deeply for fast parsing."""
    if len(text) > MOST_CHARACTERS:
        raise BadQuestions(f"A file of questions holds at most {MOST_CHARACTERS:,} characters.")
    if len(PART.findall(text)) > MOST_PARTS:
        raise BadQuestions(
            f"A file of questions has at most {MOST_PARTS:,} lines, lists and list items."
        )
    yaml = YAML(typ="base", pure=True)
    yaml.max_depth = DEEPEST
    try:
        tree: object = yaml.load(text)
        if any(isinstance(token, AliasToken) for token in yaml.scan(text)):
            raise BadQuestions("References (&, *) cannot be used here.")
    except YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = mark.line if mark else text.count("\n", 0, getattr(error, "position", 0))
        parts = [getattr(error, name, None) for name in ("context", "problem", "reason")]
        why = ", ".join(filter(None, parts))
        hint = f" {QUOTES}" if why == COLON else ""
        if isinstance(error, MaxDepthExceededError):
            why = "this is nested too deeply"
        raise BadQuestions(f"Line {line + 1}: This is not YAML: {why}.{hint}") from None
    return tree


def read_text(value: object) -> str:
    if not isinstance(value, str):
        raise Unreadable("A text is expected here.")
    if not value.strip():
        raise Unreadable("This text is empty.")
    return value.strip()


def read_list(value: object, least: int = 0) -> list[object]:
    if not isinstance(value, list):
        raise Unreadable("A list is expected here, with “- ” before each item.")
    if len(value) < least:
        raise Unreadable(f"Use {least} or more items here.")
    return value


def read_choice(value: object, known: Collection[str]) -> str:
    text = read_text(value)
    check_known(text, known)
    return text


def read_number(value: object) -> Decimal:
    number = parse_number(text := read_text(value))
    if number is None:
        raise Unreadable(f"“{text}” is not a number.")
    return number


def read_integer(value: object, most: int, least: int = 1) -> int:
    number = read_number(value)
    if number != int(number) or not least <= number <= most:
        raise Unreadable(f"A whole number from {least} to {most} is expected.")
    return int(number)


def read_games(value: object) -> list[int]:
    values = value if isinstance(value, list) else [value]
    return sorted({read_integer(game, 1_000) for game in values})


def read_answers(value: object) -> FileAnswers:
    """Return the answers by the row of a scale; without rows, the row is ""."""
    if isinstance(value, dict):
        return {str(row): [read_text(answer)] for row, answer in value.items()}
    return {"": [read_text(answer) for answer in (value if isinstance(value, list) else [value])]}


def read_key(value: object) -> str:
    key = read_text(value)
    if not KEY.fullmatch(key) or key in TAKEN:
        raise Unreadable(
            f"“{key}” is not a valid key: use a small letter, then up to 39 small letters (a to"
            " z), digits and underscores; “participant” and “game” are reserved."
        )
    return key


class FileReader:
    """The state of reading a file: its language, its faults, its page, and the page of each key."""

    def __init__(self, language: str) -> None:
        self.language, self.page = language, ""
        self.faults: list[str] = []
        self.texts: list[str] = []
        self.keys: dict[str, str] = {}
        self.fields: Mapping[str, Callable[[object], Any]] = {
            **dict.fromkeys(("title", "text", "ask", "help", "unit"), self.read_texts),
            **dict.fromkeys(
                ("required", "decline", "long", "age"),
                lambda value: TRUTHS[read_choice(value, TRUTHS)],
            ),
            **dict.fromkeys(("right", "attention", "screen_out"), read_answers),
            **dict.fromkeys(("from", "to", "step"), read_number),
            **{moment: partial(self.read_pages, moment) for moment in MOMENTS},
            "questions": lambda value: [
                self.read_question(given, number)
                for number, given in enumerate(read_list(value, least=1), start=1)
            ],
            "language": partial(read_choice, known=LANGUAGES),
            "tries": partial(read_integer, most=20),
            "every": partial(read_integer, most=1_000),
            "games": read_games,
            "key": read_key,
            "kind": partial(read_choice, known=KINDS),
            "longest": partial(read_integer, most=10_000),
            "decimals": partial(read_integer, most=6, least=0),
            "options": partial(self.read_named_texts, least=2),
            "least": partial(read_integer, most=MOST_ITEMS, least=0),
            "most": partial(read_integer, most=MOST_ITEMS),
            "points": partial(read_integer, most=11, least=2),
            "labels": lambda value: [self.read_texts(text) for text in read_list(value, least=2)],
            "rows": self.read_named_texts,
        }

    def read_texts(self, value: object) -> Texts:
        given = value if isinstance(value, dict) else {self.language: value}
        for language in given or [""]:
            check_known(language, LANGUAGES)
        texts = Texts({language: read_text(text) for language, text in given.items()})
        self.texts += texts.values()
        return texts

    def read_named_texts(self, value: object, least: int = 0) -> dict[str, Texts]:
        """Return the options of a question, or the rows of a scale: a text for each short name."""
        if not isinstance(value, dict):
            raise Unreadable("Names with values are expected here.")
        if len(value) < least:
            raise Unreadable(f"Use {least} or more items here.")
        for name in value:
            if not OPTION.fullmatch(str(name)):
                raise Unreadable(
                    f"“{name}” is not a short name: use up to 40 letters (a to z), digits and"
                    " underscores."
                )
        return {name: self.read_texts(text) for name, text in value.items()}

    def read(
        self, make: Callable[..., Made], given: object, known: Collection[str], place: str = ""
    ) -> Made | None:
        """Return what ``make`` returns for the given fields. If a field is unknown, missing or
        faulty, or if ``make`` raises Unreadable, record the faults with their place."""
        before, values = len(self.faults), {}
        fields: dict[str, object] = given if isinstance(given, dict) else {}
        faults = [f"“{name}” is missing." for name in known if name in NEEDED - fields.keys()]
        if fields is not given:
            faults = ["Names with values are expected here."]
        for name, value in fields.items():
            prefix = ""
            try:
                check_known(name, known)
                prefix = f"{name}: "
                values[ATTRIBUTES.get(name, name)] = self.fields[name](value)
            except Unreadable as error:
                faults.append(f"{prefix}{error}")
        if not faults and len(self.faults) == before:
            try:
                return make(**values)
            except Unreadable as error:
                faults.append(str(error))
        self.faults[before:before] = [f"{place}{fault}" for fault in faults]
        return None

    def read_pages(self, moment: str, value: object) -> list[QuestionPage | None]:
        pages, known = [], (*PAGE, "every", "games") if moment == "between" else PAGE
        for number, given in enumerate(read_list(value), start=1):
            self.page = f"{moment}, page {number}"
            make = partial(QuestionPage, f"{moment}-{number}", moment)
            pages.append(self.read(make, given, known, f"{self.page}: "))
        return pages

    def read_question(self, given: object, number: int = 1) -> TrialQuestion | None:
        kind = None
        if isinstance(given, dict):
            kind = KINDS.get(str(given.get("kind")))
            if kind is None:  # do not report the fields of this kind, which may be right
                given = {name: given[name] for name in COMMON if name in given}
        known = (*COMMON, *kind.names) if kind else COMMON
        return self.read(self.make_question, given, known, f"{self.page}, question {number}: ")

    def make_question(self, *, kind: str, key: str, **values: Any) -> TrialQuestion:
        if key in self.keys:
            raise Unreadable(f"{self.keys[key]} already uses the key “{key}”.")
        self.keys[key] = self.page
        return KINDS[kind](key=key, **values)

    def make_questionnaire(
        self, language: str = "en", title: Texts | None = None, **moments: list[QuestionPage]
    ) -> Questionnaire:
        pages = [page for moment in MOMENTS for page in moments.get(moment, ())]
        if not pages:
            raise Unreadable("There are no questions here.")
        if sum(len(page.items) for page in pages) > MOST_ITEMS:
            raise Unreadable(f"A file can have at most {MOST_ITEMS} questions.")
        return Questionnaire(pages, language, self.texts, title)


@lru_cache(maxsize=64)
def parse_questionnaire(text: str) -> Questionnaire:
    """Parse the text of a file, or raise BadQuestions. The result is cached."""
    tree = parse_yaml(text)
    language = tree.get("language") if isinstance(tree, dict) else ""
    reader = FileReader(language if language in LANGUAGES else "en")
    made = reader.read(reader.make_questionnaire, tree or {}, FILE)
    if made is None:
        raise BadQuestions(*reader.faults)
    return made
