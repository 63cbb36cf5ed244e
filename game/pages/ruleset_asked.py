"""The ruleset of a page: ``?rules=yahtzee`` in its address, else the ruleset of the player."""

from collections.abc import Mapping
from urllib.parse import urlencode

from django.http import Http404
from django.utils.translation import gettext as _

from game.core.refusals import NoSuchRules
from game.core.words import labels
from game.models import Game, Player
from game.pages.board.choices import RulesChoice, list_rules_choices
from game.pages.requests.visitors import PlayRequest
from solver.rules import PLAYED, Ruleset

FIELD = "rules"
ALL = "all"  # the value of FIELD for games of all rulesets


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
