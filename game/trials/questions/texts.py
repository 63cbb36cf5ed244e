"""A text of a file of questions, in as many languages as the researcher wrote."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ShownText:
    """What is shown, and the language it is in, which may not be the page's."""

    text: str
    language: str

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Texts:
    """By language, in the order of the file: the first is shown where another is missing."""

    by_language: Mapping[str, str]

    @property
    def first(self) -> str:
        return next(iter(self.by_language.values()))

    def told(self, language: str) -> ShownText:
        known = language if language in self.by_language else next(iter(self.by_language))
        return ShownText(self.by_language[known], known)
