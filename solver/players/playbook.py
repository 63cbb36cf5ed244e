"""Sentences that a person can say aloud, in order; the first one that applies decides.

Ten, twenty or thirty of them, found by search and worked out exactly: ``./yatzy solver playbook``
prints them, with what each earns and what it costs when it is forgotten. What they may say is
``players.playbook_rules``. Where none applies the commonest face is held, of several the highest,
and at the end of the turn the first open box of a list is filled. A joker goes where it brings
most.
"""

import json
from functools import cache
from pathlib import Path
from typing import Any

from solver.players.base import PlayerEntry, gettext_noop
from solver.players.playbook_play import PlaybookPlay
from solver.players.playbook_rules import Playbook
from solver.rules import Ruleset

BOOKS = Path(__file__).resolve().parent / "playbooks"
SIZES = {
    10: (gettext_noop("Playbook of ten rules"), gettext_noop("Follows ten rules.")),
    20: (gettext_noop("Playbook of twenty rules"), gettext_noop("Follows twenty rules.")),
    30: (gettext_noop("Playbook of thirty rules"), gettext_noop("Follows thirty rules.")),
}

NAMES = tuple(f"playbook-{size}" for size in SIZES)


@cache
def stored_books(ruleset: str) -> dict[str, Any]:
    """Return the stored playbooks by number of rules, with their results; empty if none are
    stored."""
    path = BOOKS / f"{ruleset}.json"
    return json.loads(path.read_text()) if path.is_file() else {}


def playbook(rules: Ruleset, size: int) -> Playbook:
    return Playbook.of(stored_books(rules.id)[str(size)])


def entry(size: int) -> PlayerEntry:
    def make(rules: Ruleset, reading: str) -> PlaybookPlay:
        return PlaybookPlay(rules, playbook(rules, size))

    rulesets = tuple(sorted(path.stem for path in BOOKS.glob("*.json")))
    return PlayerEntry(f"playbook-{size}", *SIZES[size], make, rulesets=rulesets)


PLAYER = tuple(entry(size) for size in SIZES)
