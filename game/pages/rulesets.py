"""The ruleset of a page, and the rulesets that it offers. ``?rules=yahtzee`` in the address names
the ruleset; without it, the page has the ruleset of the player."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from urllib.parse import urlencode

from django.http import Http404
from django.urls import reverse
from django.utils.translation import gettext as _

from game.core.refusals import NoSuchRules
from game.core.words import labels
from game.core.worth.drilled import DRILLED
from game.models import Game, Player
from game.pages.requests.visitors import PlayRequest
from solver.rules import FAMILIAR, PLAYED, Ruleset

FIELD = "rules"
ALL = "all"  # the value of FIELD for games of all rulesets


@dataclass(frozen=True, slots=True)
class RulesChoice:
    id: str
    name: str
    url: str
    current: bool
    variant: bool  # true for a ruleset outside ``FAMILIAR``


class NotForTheseRules(Http404):
    def __init__(self, rules: Ruleset) -> None:
        sentence = _("There is no such page for %(game)s.")
        super().__init__(sentence % {"game": labels.find_ruleset_name(rules)})


def rules_asked(request: PlayRequest, among: Mapping[str, Ruleset] = PLAYED) -> Ruleset:
    """Return the address's ruleset, or else the player's. Raise Http404 if ``among`` lacks it."""
    name = request.GET.get(FIELD, "")
    usual = (request.visitor.player or Player()).ruleset
    return find_named_rules(name or (usual if usual in among else ""), among)


def find_named_rules(name: str, among: Mapping[str, Ruleset] = PLAYED) -> Ruleset:
    """Return the ruleset of an address such as ``/daily/yahtzee/``. The short ``/daily/`` means the
    default ruleset. Raise Http404 for other names, and for rulesets that are not in ``among``."""
    if name in PLAYED and name not in among:
        raise NotForTheseRules(PLAYED[name])
    if name and name not in among:
        raise Http404(NoSuchRules().message)
    return among[name] if name else Game().rules


def list_rules_links(
    current: Ruleset | None,
    more: Mapping[str, str] | None = None,
    among: Mapping[str, Ruleset] = PLAYED,
) -> list[RulesChoice]:
    query = more or {}
    return list_rules_choices(
        current, lambda rules: f"?{urlencode({FIELD: rules.id, **query})}", among
    )


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
