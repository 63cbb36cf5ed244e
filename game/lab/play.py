"""A person's own games as one more player of the same-value test."""

from collections.abc import Mapping
from typing import Any

from django.core.exceptions import PermissionDenied
from django.utils.translation import gettext as _

from game.judgement.tables import advisor
from game.lab.reading import LabGames
from game.lab.same_value import YOU, SameDice
from game.models import Game
from game.selectors.dice import dice_of
from solver.advice import Advisor
from solver.arena.facts import difference_facts, game_facts, game_of_facts
from solver.arena.same_value import JudgedGame as Column
from solver.arena.same_value import judged, told


class DiceInPlay(PermissionDenied):
    def __init__(self) -> None:
        super().__init__(
            _("You are playing on these dice: the files are there when you have finished.")
        )


def with_own(test: SameDice, games: LabGames, *, best: bool = False) -> SameDice:
    """The person comes first, beside the row heads, and perfect play stays the last.

    With ``best`` each costly decision has the one that was best, which takes a while to work out.
    """
    coach = advisor(test.rules) if best else None
    columns = {number: column(game, coach) for number, game in games.finished.items()}
    known = {number: game for number, game in columns.items() if game is not None}
    if not known:
        return test
    rows = [_row(row, known.get(number)) for number, row in enumerate(test.games, start=1)]
    return SameDice(
        test.seed, test.rules, test.facts | {"players": [YOU, *test.players], "games": rows}
    )


def column(game: Game, coach: Advisor | None) -> Column | None:
    """From what was stored with each decision; what was not judged then is judged now.

    None where that takes a table which is not there.
    """
    decisions = list(game.decisions.all())
    actions = [decision.action for decision in decisions]
    costs = [one.regret for one in decisions if one.roll and one.regret is not None]
    if len(costs) == sum(one.roll > 0 for one in decisions) and game.luck is not None:
        return told(YOU, game.rules, dice_of(game), actions, costs, game.luck, coach)
    coach = coach or advisor(game.rules)
    return judged(YOU, dice_of(game), actions, coach) if coach else None


def _row(row: Mapping[str, Any], own: Column | None) -> dict[str, Any]:
    """A game that the person has not played has None in that place."""
    facts, difference = None, None
    if own is not None:
        facts = game_facts(own)
        difference = difference_facts(own, game_of_facts(row["players"][-1]))
    return {
        **row,
        "players": [facts, *row["players"]],
        "first_differences": [difference, *row["first_differences"]],
    }
