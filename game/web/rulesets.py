"""By which rules a page is asked for: ``?rules=yahtzee``, else those that its reader plays by."""

from dataclasses import dataclass
from urllib.parse import urlencode

from django.http import Http404
from django.utils.translation import gettext as _

from game.models import Player
from game.selectors.games import player_rulesets
from game.web.visitors import PlayRequest
from game.words import labels
from solver.rules import RULESETS, Ruleset

FIELD = "rules"


@dataclass(frozen=True, slots=True)
class RulesLink:
    """The same page by other rules."""

    rules: Ruleset
    name: str
    query: str
    current: bool


def rules_asked(request: PlayRequest) -> Ruleset:
    """Raises Http404 where there are no such rules."""
    name = request.GET.get(FIELD, "")
    if name in RULESETS:
        return RULESETS[name]
    if name:
        raise Http404(_("There are no rules of that name here."))
    return (request.visitor.player or Player()).rules


def rules_links(current: Ruleset) -> list[RulesLink]:
    """To this page by any rules."""
    return [_link(rules, current) for rules in RULESETS.values()]


def rules_played(player: Player | None, current: Ruleset) -> list[RulesLink]:
    """To this page by the rules that the player has games of; none where that is all the same."""
    played = player_rulesets(player) if player else []
    links = [_link(rules, current) for rules in RULESETS.values() if rules in {*played, current}]
    return links if len(links) > 1 else []


def _link(rules: Ruleset, current: Ruleset) -> RulesLink:
    query = urlencode({FIELD: rules.id})
    return RulesLink(rules, labels.ruleset_name(rules), query, rules == current)
