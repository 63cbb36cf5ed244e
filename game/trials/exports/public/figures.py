"""The figures of the results for everybody: under the names of these files, without sentences."""

from collections.abc import Mapping
from typing import Any

# Sentences name people by their labels; the others tell when something was.
LEFT_OUT = frozenset({"sentences", "changed_since"})
PERSON = "participant"


def renamed(facts: Any, names: Mapping[str, str]) -> Any:
    """Rows of people, and lists of their names, come in the order of the new names."""
    match facts:
        case str():
            return names.get(facts, facts)
        case dict():
            return {
                names.get(key, key): renamed(value, names)
                for key, value in facts.items()
                if key not in LEFT_OUT
            }
        case list() | tuple():
            return _sorted([renamed(one, names) for one in facts], set(names.values()))
        case _:
            return facts


def _sorted(rows: list[Any], people: set[str]) -> list[Any]:
    if rows and all(isinstance(row, dict) and row.get(PERSON) in people for row in rows):
        return sorted(rows, key=lambda row: str(row[PERSON]))
    if rows and all(isinstance(row, str) and row in people for row in rows):
        return sorted(rows)
    return rows
