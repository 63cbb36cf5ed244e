"""The rulesets side by side: where each is played, ranked by the day, and explained."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date

from django.urls import reverse

from game.models import Game
from game.words import labels
from solver.rules import RULESETS, Ruleset


@dataclass(frozen=True, slots=True)
class RulesChoice:
    id: str
    name: str
    url: str
    current: bool


def choices(current: Ruleset | None, url: Callable[[Ruleset], str]) -> list[RulesChoice]:
    return [
        RulesChoice(rules.id, labels.ruleset_name(rules), url(rules), rules == current)
        for rules in RULESETS.values()
    ]


def card_url(rules: Ruleset) -> str:
    return f"{reverse('play')}?rules={rules.id}"


def rules_url(rules: Ruleset) -> str:
    return _address("rules", rules)


def daily_url(rules: Ruleset, day: date | None = None) -> str:
    address = _address("daily", rules)
    return f"{address}?day={day.isoformat()}" if day else address


def five_url(rules: Ruleset) -> str:
    return _address("five", rules)


def leaders_url(rules: Ruleset) -> str:
    return _address("leaders", rules)


def _address(name: str, rules: Ruleset) -> str:
    """The short address belongs to the rules of a game of which nothing else is said."""
    named = () if rules == Game().rules else (rules.id,)
    return reverse(name, args=named)
