"""The rulesets that a page offers, each with the address of its page."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date

from django.urls import reverse

from game.core.words import labels
from game.core.worth.drilled import DRILLED
from game.models import Game
from solver.rules import FAMILIAR, PLAYED, Ruleset


@dataclass(frozen=True, slots=True)
class RulesChoice:
    id: str
    name: str
    url: str
    current: bool
    variant: bool  # true for a ruleset outside ``FAMILIAR``


def list_rules_choices(
    current: Ruleset | None,
    url: Callable[[Ruleset], str],
    among: Mapping[str, Ruleset] = PLAYED,
) -> list[RulesChoice]:
    """Return the rulesets to choose from. ``current`` is always one of them."""
    offered = {**among, current.id: current} if current else among
    name = labels.find_ruleset_name
    return [
        RulesChoice(rules.id, name(rules), url(rules), rules == current, rules not in FAMILIAR)
        for rules in offered.values()
    ]


def make_card_url(rules: Ruleset) -> str:
    return f"{reverse('play')}?rules={rules.id}"


def make_rules_url(rules: Ruleset) -> str:
    return _make_address("rules", rules)


def make_daily_url(rules: Ruleset, day: date | None = None) -> str:
    address = _make_address("daily", rules)
    return f"{address}?day={day.isoformat()}" if day else address


def make_five_url(rules: Ruleset) -> str:
    """Return the address of Five a Day, or "" if the ruleset has no drill positions."""
    return _make_address("five", rules) if rules.id in DRILLED else ""


def make_leaders_url(rules: Ruleset) -> str:
    return _make_address("leaders", rules)


def _make_address(name: str, rules: Ruleset) -> str:
    named = () if rules == Game().rules else (rules.id,)
    return reverse(name, args=named)
