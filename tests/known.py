"""Known data with which tests compare their results, and a function that rounds sums."""

from dataclasses import fields, is_dataclass
from typing import Any, TypeVar

T = TypeVar("T")


def known(found: T | None) -> T:
    assert found is not None
    return found


def rounded(figures: Any) -> Any:
    """Round all floats to nine places, because a database adds numbers in any order."""
    if isinstance(figures, float):
        return round(figures, 9)
    if isinstance(figures, dict):
        return {key: rounded(value) for key, value in figures.items()}
    if isinstance(figures, list | tuple):
        return [rounded(value) for value in figures]
    if is_dataclass(figures) and not isinstance(figures, type):
        return {field.name: rounded(getattr(figures, field.name)) for field in fields(figures)}
    return figures
