"""The rules that a page is asked for: ``?rules=yahtzee``, else those that its reader plays by."""

from collections.abc import Mapping
from urllib.parse import urlencode

from django.http import Http404
from django.utils.translation import gettext as _

from game.core.refusals import NoSuchRules
from game.core.words import labels
from game.models import Game, Player
from game.pages.board.choices import RulesChoice, choices
from game.pages.requests.visitors import PlayRequest
from solver.rules import PLAYED, Ruleset

FIELD = "rules"
ALL = "all"  # where games by any rules are listed


class NotForTheseRules(Http404):
    """A page for which more must be worked out than is."""

    def __init__(self, rules: Ruleset) -> None:
        sentence = _("There is no such page for %(game)s.")
        super().__init__(sentence % {"game": labels.ruleset_name(rules)})


def rules_asked(request: PlayRequest, among: Mapping[str, Ruleset] = PLAYED) -> Ruleset:
    """``among`` are those that there is such a page of. Raises Http404 where there is none."""
    name = request.GET.get(FIELD, "")
    usual = (request.visitor.player or Player()).ruleset
    return rules_named(name or (usual if usual in among else ""), among)


def rules_named(name: str, among: Mapping[str, Ruleset] = PLAYED) -> Ruleset:
    """``/daily/yahtzee/``; the short address is about the rules of a game of which nothing is said.

    Raises Http404 where there are no such rules, or no such page of them.
    """
    if name in PLAYED and name not in among:
        raise NotForTheseRules(PLAYED[name])
    if name and name not in among:
        raise Http404(NoSuchRules().message)
    return among[name] if name else Game().rules


def rules_links(
    current: Ruleset | None,
    more: Mapping[str, str] | None = None,
    among: Mapping[str, Ruleset] = PLAYED,
) -> list[RulesChoice]:
    """To this page by any rules, with what else its address asks for."""
    query = more or {}
    return choices(current, lambda rules: f"?{urlencode({FIELD: rules.id, **query})}", among)
