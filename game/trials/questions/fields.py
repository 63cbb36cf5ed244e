"""What stands in a mapping of the file, read field by field; what is wrong is noted, not raised."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from django.conf import settings

from game.trials.questions.kinds import NUMBER, Texts
from game.trials.questions.nodes import Faults, Node

KEY = re.compile(r"[a-z][a-z0-9_]{0,39}")
TAKEN = {"participant", "game"}  # columns that stand beside the answers in an export
OPTION = re.compile(r"[A-Za-z0-9_]{1,40}")
TRUTHS = {"yes": True, "true": True, "no": False, "false": False}


@dataclass
class FileReading:
    """One file: its language, the faults found, and every text with its line."""

    faults: Faults = field(default_factory=Faults)
    language: str = "en"
    texts: list[tuple[int, Texts]] = field(default_factory=list)
    keys: dict[str, int] = field(default_factory=dict)  # and the line of each

    def fields(self, node: Node, known: Sequence[str]) -> "Fields":
        content = node.content
        if not isinstance(content, dict):
            self.faults.add(node.line, "Names with values are expected here.")
            content = {}
        for name in content.keys() - set(known):
            self.faults.add(node.key_lines[name], _unknown(name, known))
        return Fields(self, node.line, content)

    def listed(self, node: Node) -> list[Node]:
        if isinstance(node.content, list):
            return node.content
        self.faults.add(node.line, "A list is expected here, with “- ” before each.")
        return []

    def text(self, node: Node) -> str:
        if not isinstance(node.content, str):
            self.faults.add(node.line, "A text is expected here.")
            return ""
        if not node.content:
            self.faults.add(node.line, "Nothing is written here.")
        return node.content

    def texts_of(self, node: Node) -> Texts:
        """One text, or one a language."""
        if isinstance(node.content, dict):
            known = [code for code, _name in settings.LANGUAGES]
            told = self.fields(node, known).content
            by_language = {code: self.text(one) for code, one in told.items() if code in known}
            if not by_language:
                self.faults.add(node.line, "Nothing is written here.")
        else:
            by_language = {self.language: self.text(node)}
        texts = Texts(by_language or {self.language: ""})
        self.texts.append((node.line, texts))
        return texts

    def named_texts(self, node: Node) -> dict[str, Texts]:
        """Options, or the rows of a scale: a short name and a text for each."""
        if not isinstance(node.content, dict):
            self.faults.add(node.line, "Names with values are expected here.")
            return {}
        for name in node.content:
            if not OPTION.fullmatch(name):
                self.faults.add(node.key_lines[name], _bad_option(name))
        return {name: self.texts_of(one) for name, one in node.content.items()}


@dataclass(frozen=True)
class Fields:
    reading: FileReading
    line: int
    content: Mapping[str, Node]

    def __contains__(self, name: str) -> bool:
        return name in self.content

    def line_of(self, name: str) -> int:
        return self.content[name].line if name in self.content else self.line

    def fault(self, name: str, message: str) -> None:
        self.reading.faults.add(self.line_of(name), message)

    def needed(self, name: str) -> Node | None:
        if name not in self.content:
            self.fault(name, f"“{name}” is missing.")
        return self.content.get(name)

    def key(self) -> str:
        """Of a question: one of its own in the whole file."""
        self.needed("key")
        key = self.text("key")
        if key and (not KEY.fullmatch(key) or key in TAKEN):
            self.fault("key", _bad_key(key))
        elif key in self.reading.keys:
            told = {"key": key, "line": self.reading.keys[key]}
            self.fault("key", "The key “{key}” is taken by line {line}.".format(**told))
        self.reading.keys.setdefault(key, self.line_of("key"))
        return key

    def text(self, name: str, default: str = "") -> str:
        return self.reading.text(self.content[name]) if name in self.content else default

    def texts(self, name: str) -> Texts | None:
        return self.reading.texts_of(self.content[name]) if name in self.content else None

    def one_of(self, name: str, known: Iterable[str], default: str) -> str:
        value = self.text(name, default)
        if value in set(known):
            return value
        if value:
            self.fault(name, _unknown(value, known))
        return default

    def truth(self, name: str, *, default: bool) -> bool:
        usual = "yes" if default else "no"
        return TRUTHS[self.one_of(name, TRUTHS, usual)]

    def number(self, name: str) -> Decimal | None:
        text = self.text(name)
        if not text:
            return None
        if not NUMBER.fullmatch(text):
            self.fault(name, f"“{text}” is not a number.")
            return None
        return Decimal(text.replace(",", ".").replace("−", "-"))

    def whole(self, name: str, default: int, least: int, most: int) -> int:
        number = self.number(name)
        if number is None:
            return default
        if number != int(number) or not least <= number <= most:
            told = {"least": least, "most": most}
            self.fault(name, "A whole number from {least} to {most} is expected.".format(**told))
            return default
        return int(number)

    def several(self, name: str) -> list[str]:
        """One value, or a list of them."""
        node = self.content.get(name)
        if node is None:
            return []
        nodes = node.content if isinstance(node.content, list) else [node]
        return [self.reading.text(one) for one in nodes]


def _unknown(name: str, known: Iterable[str]) -> str:
    return f"“{name}” is not known here; known are: {', '.join(known)}."


def _bad_key(key: str) -> str:
    return (
        f"“{key}” is no key: a small letter first, then up to 39 small letters (a to z), digits"
        " and underscores; “participant” and “game” are taken."
    )


def _bad_option(name: str) -> str:
    return f"“{name}” is no short name: up to 40 letters (a to z), digits and underscores."
