"""What reads the games that people play on the lab's dice."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from django.db.models import prefetch_related_objects

from game.models import Game, Player
from game.selectors.games import OPEN
from solver.rules import Ruleset


@dataclass(frozen=True, slots=True)
class LabGames:
    """A player's games on the dice of one seed, by the number of the block.

    Only the first finished game of a block is here, with its decisions: whoever played again knew
    the dice. On the ``known`` ones another game was given up before.
    """

    under_way: Mapping[int, Game] = field(default_factory=dict)
    finished: Mapping[int, Game] = field(default_factory=dict)
    known: frozenset[int] = frozenset()


def lab_games(player: Player | None, rules: Ruleset, seed: int) -> LabGames:
    if player is None:
        return LabGames()
    found = Game.objects.filter(player=player, mode=Game.Mode.LAB, ruleset=rules.id, lab_seed=seed)
    under_way, finished, given_up = {}, dict[int, Game](), list[Game]()
    for game in found.order_by("finished_at", "started_at"):
        if game.abandoned_at:
            given_up.append(game)
        elif game.finished_at:
            finished.setdefault(_number(game), game)
        else:
            under_way[_number(game)] = game
    prefetch_related_objects(list(finished.values()), "decisions")
    known = {_number(game) for game in given_up if _was_before(game, finished.get(_number(game)))}
    return LabGames(under_way, finished, frozenset(known))


def lab_under_way(player: Player, rules: Ruleset, seed: int, number: int) -> Game | None:
    found = Game.objects.filter(OPEN, player=player, mode=Game.Mode.LAB, ruleset=rules.id)
    return found.filter(lab_seed=seed, lab_number=number).first()


def _number(game: Game) -> int:
    assert game.lab_number is not None  # noqa: S101
    return game.lab_number


def _was_before(given_up: Game, finished: Game | None) -> bool:
    return finished is not None and given_up.started_at < finished.started_at
