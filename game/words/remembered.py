"""Words that are put together once in each language.

A look into a catalogue is quick, but a board has a hundred; what is said of a box, of a die or of
so many tenths of a point is the same in every game.
"""

from collections.abc import Callable, Hashable
from functools import lru_cache, wraps
from typing import TypeVar

from django.utils.translation import get_language

T = TypeVar("T")
MOST = 2048  # of each function, in all languages


def remembered(worded: Callable[..., T]) -> Callable[..., T]:
    """Of a function that says the same of the same arguments, but for the language."""

    @lru_cache(maxsize=MOST)
    def kept(language: str | None, *arguments: Hashable) -> T:
        return worded(*arguments)

    @wraps(worded)
    def said(*arguments: Hashable) -> T:
        return kept(get_language(), *arguments)

    return said
