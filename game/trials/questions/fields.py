"""Reads a file of questions: YAML nodes with line numbers, and checked fields of mappings.

Only the structure of the YAML is interpreted: ``no`` is the text "no", never the value false.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from django.conf import settings
from ruamel.yaml import YAML
from ruamel.yaml.composer import MaxDepthExceededError
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.nodes import MappingNode, ScalarNode, SequenceNode
from ruamel.yaml.nodes import Node as YamlNode
from ruamel.yaml.reader import ReaderError

from game.trials.questions.kinds import NUMBER, Texts

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


@dataclass
class Faults:
    found: set[FileFault] = field(default_factory=set)

    def add(self, line: int, message: str) -> None:
        self.found.add(FileFault(line, message))

    def check(self) -> None:
        if self.found:
            raise BadQuestions(*sorted(self.found))


@dataclass(frozen=True, slots=True)
class Node:
    """A text, a list or a mapping, with the line on which it begins."""

    line: int
    content: "str | list[Node] | dict[str, Node]"
    key_lines: Mapping[str, int] = field(default_factory=dict)


def parse_tree(text: str, faults: Faults) -> Node:
    if len(text) > MOST_CHARACTERS:
        message = f"A file of questions holds at most {MOST_CHARACTERS:,} characters."
        raise BadQuestions(FileFault(1, message))
    if len(PART.findall(text)) > MOST_PARTS:
        message = f"A file of questions has at most {MOST_PARTS:,} lines, lists and list items."
        raise BadQuestions(FileFault(1, message))
    return _Tree(faults).make_node(_parse_yaml(text))


def _parse_yaml(text: str) -> YamlNode:
    """Parse the text. Stop at the first node that is nested too deeply for fast parsing."""
    yaml = YAML(typ="safe", pure=True)
    yaml.max_depth = DEEPEST
    try:
        root: YamlNode | None = yaml.compose(text)
    except MaxDepthExceededError as error:
        line = error.problem_mark.line + 1
        message = "This is nested too deeply."
        raise BadQuestions(FileFault(line, message)) from None
    except YAMLError as error:
        raise BadQuestions(_describe_invalid_yaml(text, error)) from None
    if root is None:
        raise BadQuestions(FileFault(1, "There are no questions here."))
    return root


def _describe_invalid_yaml(text: str, error: YAMLError) -> FileFault:
    """Describe the fault in the English words of the YAML parser."""
    line, why = 1, str(error)
    if isinstance(error, ReaderError):
        line, why = text.count("\n", 0, error.position) + 1, error.reason
    elif isinstance(error, MarkedYAMLError):
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark else 1
        why = ", ".join(filter(None, (error.context, error.problem)))
    message = f"This is not YAML: {why}."
    return FileFault(line, f"{message} {QUOTES}" if why == COLON else message)


@dataclass
class _Tree:
    faults: Faults
    seen: set[int] = field(default_factory=set)

    def make_node(self, yaml_node: YamlNode) -> Node:
        line = yaml_node.start_mark.line + 1
        if id(yaml_node) in self.seen:
            self.faults.add(line, "References (&, *) cannot be used here.")
            return Node(line, "")
        self.seen.add(id(yaml_node))
        if isinstance(yaml_node, SequenceNode):
            return Node(line, [self.make_node(item) for item in yaml_node.value])
        if isinstance(yaml_node, MappingNode):
            return self._make_mapping(yaml_node, line)
        return Node(line, str(yaml_node.value).strip())

    def _make_mapping(self, yaml_node: MappingNode, line: int) -> Node:
        content: dict[str, Node] = {}
        lines: dict[str, int] = {}
        for name, at, value in self._yield_pairs(yaml_node):
            if name in content:
                self.faults.add(at, f"“{name}” appears twice.")
            content[name], lines[name] = self.make_node(value), at
        return Node(line, content, lines)

    def _yield_pairs(self, yaml_node: MappingNode) -> Iterator[tuple[str, int, YamlNode]]:
        for key, value in yaml_node.value:
            at = key.start_mark.line + 1
            if isinstance(key, ScalarNode):
                yield str(key.value).strip(), at, value
            else:
                self.faults.add(at, "A name is expected here.")


KEY = re.compile(r"[a-z][a-z0-9_]{0,39}")
TAKEN = {"participant", "game"}  # column names that exported tables use already
OPTION = re.compile(r"[A-Za-z0-9_]{1,40}")
TRUTHS = {"yes": True, "true": True, "no": False, "false": False}


@dataclass
class FileReading:
    """The state of reading one file: its language, its faults, and the line of each key."""

    faults: Faults = field(default_factory=Faults)
    language: str = "en"
    keys: dict[str, int] = field(default_factory=dict)

    def fields(self, node: Node, known: Sequence[str]) -> "Fields":
        content = node.content
        if not isinstance(content, dict):
            self.faults.add(node.line, "Names with values are expected here.")
            content = {}
        for name in content.keys() - set(known):
            self.faults.add(node.key_lines[name], _explain_unknown(name, known))
        return Fields(self, node.line, content)

    def listed(self, node: Node) -> list[Node]:
        if isinstance(node.content, list):
            return node.content
        self.faults.add(node.line, "A list is expected here, with “- ” before each item.")
        return []

    def text(self, node: Node) -> str:
        if not isinstance(node.content, str):
            self.faults.add(node.line, "A text is expected here.")
            return ""
        if not node.content:
            self.faults.add(node.line, "This text is empty.")
        return node.content

    def read_texts(self, node: Node) -> Texts:
        if isinstance(node.content, dict):
            known = [code for code, _name in settings.LANGUAGES]
            nodes = self.fields(node, known).content
            by_language = {code: self.text(text) for code, text in nodes.items() if code in known}
            if not by_language:
                self.faults.add(node.line, "This text is empty.")
        else:
            by_language = {self.language: self.text(node)}
        return Texts(by_language or {self.language: ""})

    def read_named_texts(self, node: Node) -> dict[str, Texts]:
        """Return the options of a question, or the rows of a scale: a text for each short name."""
        if not isinstance(node.content, dict):
            self.faults.add(node.line, "Names with values are expected here.")
            return {}
        for name in node.content:
            if not OPTION.fullmatch(name):
                self.faults.add(
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
        self.reading.faults.add(self.find_line(name), message)

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
