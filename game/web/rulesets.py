"""By which rules a page is asked for: ``?rules=yahtzee``, else those that its reader plays by."""

from urllib.parse import urlencode

from django.http import Http404
from django.utils.translation import gettext as _

from game.board.choices import RulesChoice, choices
from game.models import Player
from game.selectors.games import player_rulesets
from game.web.visitors import PlayRequest
from solver.rules import RULESETS, Ruleset

FIELD = "rules"


def rules_asked(request: PlayRequest) -> Ruleset:
    """Raises Http404 where there are no such rules."""
    name = request.GET.get(FIELD, "")
    if name in RULESETS:
        return RULESETS[name]
    if name:
        raise Http404(_("There are no rules of that name here."))
    return (request.visitor.player or Player()).rules


def rules_links(current: Ruleset) -> list[RulesChoice]:
    """To this page by any rules."""
    return choices(current, lambda rules: f"?{urlencode({FIELD: rules.id})}")


def rules_played(player: Player | None, current: Ruleset) -> list[RulesChoice]:
    """To this page by the rules that the player has games of; none where that is all the same."""
    played = player_rulesets(player) if player else []
    links = [one for one in rules_links(current) if RULESETS[one.id] in {*played, current}]
    return links if len(links) > 1 else []
