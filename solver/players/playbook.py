"""Follows a list of rules that a person can say aloud. The first rule that applies decides.

A search found the ten, twenty or thirty rules, and their values are exact: ``./yatzy solver
playbook`` prints each rule with the points that it adds and the points that forgetting it costs.
``players.playbook_rules`` defines what a rule can express. If no rule applies, the player holds the
face that most dice show, the highest of several. At the end of the turn it then fills the first
open box of a list. A joker goes into the box with most points.
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
def read_stored_books(ruleset: str) -> dict[str, Any]:
    """Return the stored playbooks and their results by number of rules; {} if there is no file."""
    path = BOOKS / f"{ruleset}.json"
    return json.loads(path.read_text()) if path.is_file() else {}


def read_playbook(rules: Ruleset, size: int) -> Playbook:
    return Playbook.from_facts(read_stored_books(rules.id)[str(size)])


def make_player_entry(size: int) -> PlayerEntry:
    def make(rules: Ruleset, reading: str) -> PlaybookPlay:
        return PlaybookPlay(rules, read_playbook(rules, size))

    rulesets = tuple(sorted(path.stem for path in BOOKS.glob("*.json")))
    return PlayerEntry(f"playbook-{size}", *SIZES[size], make, rulesets=rulesets)


PLAYER = tuple(make_player_entry(size) for size in SIZES)
