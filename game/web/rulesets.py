"""By which rules a page is asked for: ``?rules=yahtzee``, else those that its reader plays by."""

from collections.abc import Mapping
from urllib.parse import urlencode

from django.http import Http404

from game.board.choices import RulesChoice, choices
from game.models import Game, Player
from game.selectors.games import player_rulesets
from game.services import NoSuchRules
from game.web.visitors import PlayRequest
from solver.rules import RULESETS, Ruleset

FIELD = "rules"
ALL = "all"  # where games by any rules are listed


def rules_asked(request: PlayRequest) -> Ruleset:
    """Raises Http404 where there are no such rules."""
    name = request.GET.get(FIELD, "")
    return rules_named(name) if name else (request.visitor.player or Player()).rules


def rules_named(name: str) -> Ruleset:
    """``/daily/yahtzee/``; the short address is about the rules of a game of which nothing is said.

    Raises Http404 where there are no such rules.
    """
    if name and name not in RULESETS:
        raise Http404(NoSuchRules().message)
    return RULESETS[name] if name else Game().rules


def rules_links(
    current: Ruleset | None, more: Mapping[str, str] | None = None
) -> list[RulesChoice]:
    """To this page by any rules, with what else its address asks for."""
    return choices(current, lambda rules: f"?{urlencode({FIELD: rules.id} | dict(more or {}))}")


def rules_played(
    player: Player | None, current: Ruleset | None, more: Mapping[str, str] | None = None
) -> list[RulesChoice]:
    """To this page by the rules that the player has games of; none where that is all the same."""
    played = player_rulesets(player) if player else []
    links = [one for one in rules_links(current, more) if RULESETS[one.id] in {*played, current}]
    return links if len(links) > 1 else []
