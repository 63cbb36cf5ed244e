"""Rulesets that the program does not know: a file beside the tables describes each.

Tables are made of it as long as the file is there: whoever takes it away wants none of them.
"""

import json
from pathlib import Path

from solver.rules import SOLVED, Ruleset
from solver.rules.own import facts_of
from solver.tables import EXPLAIN, OUTLOOK, VALUES, table_path, tables_dir, write_whole


def description(rules: Ruleset) -> Path:
    return tables_dir() / f"{rules.id}.json"


def describe(rules: Ruleset) -> None:
    if not description(rules).exists():
        write_whole(description(rules), json.dumps(facts_of(rules)))


def wanted(rules: Ruleset) -> bool:
    return rules.id in SOLVED or description(rules).exists()


def name_of(rules: Ruleset) -> str:
    """By which commands know it."""
    return rules.id if rules.id in SOLVED else str(description(rules))


def forget(rules: Ruleset) -> None:
    """The description goes first: a process that is at its tables then leaves none of them."""
    tables = (table_path(rules, kind) for kind in (VALUES, OUTLOOK, EXPLAIN))
    hidden = tables_dir().glob(f".{rules.id}.*")  # locks, notes, what is half done
    for path in (description(rules), *tables, *hidden):
        path.unlink(missing_ok=True)
