"""Games by any rules, begun and played as the services do it."""

import secrets

import numpy as np

from game import services
from game.models import Game, Player
from game.selectors.games import Played
from game.services.starting import deal
from solver.rules import Ruleset, legal_actions


def begun(player: Player, rules: Ruleset, *, coach: str = "off") -> Played:
    game = Game(mode=Game.Mode.SOLO, ruleset=rules.id, coach=coach, seed=secrets.token_hex(32))
    return deal(player, game)


def known_game(player: Player, rules: Ruleset) -> Game:
    """Over the same dice every time, and played as badly."""
    return played_out(deal(player, Game(mode=Game.Mode.SOLO, ruleset=rules.id, seed="ab" * 32)))


def played_out(played: Played, seed: int = 0) -> Game:
    """By whoever knows the rules and nothing else."""
    rng, player = np.random.default_rng(seed), played.game.player
    while not played.state.finished:
        actions = legal_actions(played.state)
        action = actions[int(rng.integers(len(actions)))]
        played = services.decision_record(
            game_id=played.game.pk, player=player, seq=len(played.actions), action=action
        )
    return Game.objects.get(pk=played.game.pk)


def finished_game(player: Player, rules: Ruleset, seed: int = 0) -> Game:
    return played_out(begun(player, rules), seed)
