"""Where the words of the study leave room: named choices, and the readings that they make."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from typing import NamedTuple


class TextOption(NamedTuple):
    """``flag`` is what the strategy's functions look at; an option without one asks for nothing."""

    flag: int
    name: str
    says: str


class TextChoice(NamedTuple):
    """One of the options is taken, or none: then it is as ``plain`` says."""

    plain: str
    options: tuple[TextOption, ...]


@dataclass(frozen=True)
class Choices:
    """``plain`` is the reading that takes no option of any choice.

    Every other is called after the options that it takes; ``short`` has other names for some.
    """

    plain: TextOption
    of: tuple[TextChoice, ...]
    short: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def readings(self) -> dict[str, tuple[TextOption, ...]]:
        """The options of every reading, by its name."""
        found = {}
        for each in product(*((None, *choice.options) for choice in self.of)):
            taken = tuple(option for option in each if option) or (self.plain,)
            name = "-".join(option.name for option in taken)
            found[self.short.get(name, name)] = taken
        return found

    def flags(self, reading: str) -> int:
        return sum(option.flag for option in self.readings[reading])

    def says(self, *readings: str) -> dict[str, str]:
        return {name: "; ".join(o.says for o in self.readings[name]) for name in readings}
