"""A file in YAML as a tree of plain texts that know their lines; every fault is collected.

Nothing of it is interpreted but its shape: ``no`` is the text "no", never the value false.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from ruamel.yaml import YAML
from ruamel.yaml.composer import MaxDepthExceededError
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.nodes import MappingNode, ScalarNode, SequenceNode
from ruamel.yaml.nodes import Node as YamlNode
from ruamel.yaml.reader import ReaderError

MOST_CHARACTERS = 100_000
MOST_PARTS = 10_000  # lines, lists and what stands in them: a file of 500 questions has fewer
PART = re.compile(r"[\n\[{,]")
DEEPEST = 12
COLON = "mapping values are not allowed here"  # the likeliest slip: a colon within a text


@dataclass(frozen=True, order=True, slots=True)
class FileFault:
    line: int
    message: str

    def __str__(self) -> str:
        return f"Line {self.line}: {self.message}"


class BadQuestions(ValueError):
    """A file of questions that cannot be used; ``faults`` says why, in the order of its lines."""

    def __init__(self, *faults: FileFault) -> None:
        super().__init__("\n".join(map(str, faults)))
        self.faults = faults


@dataclass
class Faults:
    """Those found so far."""

    found: set[FileFault] = field(default_factory=set)

    def add(self, line: int, message: str) -> None:
        self.found.add(FileFault(line, message))

    def check(self) -> None:
        if self.found:
            raise BadQuestions(*sorted(self.found))


@dataclass(frozen=True, slots=True)
class Node:
    """A text, a list or a mapping, and the line where it begins."""

    line: int
    content: "str | list[Node] | dict[str, Node]"
    key_lines: Mapping[str, int] = field(default_factory=dict)


def tree_of(text: str, faults: Faults) -> Node:
    if len(text) > MOST_CHARACTERS:
        message = "A file of questions holds at most %(n)s characters."
        raise BadQuestions(FileFault(1, message % {"n": f"{MOST_CHARACTERS:,}"}))
    if len(PART.findall(text)) > MOST_PARTS:
        message = "A file of questions has at most %(n)s lines, lists and parts of lists."
        raise BadQuestions(FileFault(1, message % {"n": f"{MOST_PARTS:,}"}))
    return _Tree(faults).node(_composed(text))


def _composed(text: str) -> YamlNode:
    """Read no further than the first thing that lies too deep: each costs more than the last."""
    yaml = YAML(typ="safe", pure=True)
    yaml.max_depth = DEEPEST
    try:
        found: YamlNode | None = yaml.compose(text)
    except MaxDepthExceededError as error:
        line = error.problem_mark.line + 1
        message = "This lies too deep within other things."
        raise BadQuestions(FileFault(line, message)) from None
    except YAMLError as error:
        raise BadQuestions(_not_yaml(text, error)) from None
    if found is None:
        raise BadQuestions(FileFault(1, "Nothing is asked here."))
    return found


def _not_yaml(text: str, error: YAMLError) -> FileFault:
    """In the parser's own words, which are English."""
    line, why = 1, str(error)
    if isinstance(error, ReaderError):
        line, why = text.count("\n", 0, error.position) + 1, error.reason
    elif isinstance(error, MarkedYAMLError):
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark else 1
        why = ", ".join(filter(None, (error.context, error.problem)))
    told = f"This is not YAML: {why}."
    return FileFault(line, f"{told} {_needs_quotes()}" if why == COLON else told)


def _needs_quotes() -> str:
    return "A text that has a colon and a blank in it stands in quotes."


@dataclass
class _Tree:
    faults: Faults
    seen: set[int] = field(default_factory=set)

    def node(self, found: YamlNode) -> Node:
        line = found.start_mark.line + 1
        if id(found) in self.seen:
            self.faults.add(line, "References (&, *) cannot be used here.")
            return Node(line, "")
        self.seen.add(id(found))
        if isinstance(found, SequenceNode):
            return Node(line, [self.node(one) for one in found.value])
        if isinstance(found, MappingNode):
            return self._mapping(found, line)
        return Node(line, str(found.value).strip())

    def _mapping(self, found: MappingNode, line: int) -> Node:
        content: dict[str, Node] = {}
        lines: dict[str, int] = {}
        for name, at, value in self._pairs(found):
            if name in content:
                self.faults.add(at, f"“{name}” stands here twice.")
            content[name], lines[name] = self.node(value), at
        return Node(line, content, lines)

    def _pairs(self, found: MappingNode) -> Iterator[tuple[str, int, YamlNode]]:
        for key, value in found.value:
            at = key.start_mark.line + 1
            if isinstance(key, ScalarNode):
                yield str(key.value).strip(), at, value
            else:
                self.faults.add(at, "A name is expected here.")
