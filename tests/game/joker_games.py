"""Games over dice that are known or typed in, up to where a joker lies on the table."""

from django.db import transaction

from game.core.game_queries import Played
from game.core.playing import append_decision, fill_box
from game.core.starting import save_and_roll
from game.core.throwing import enter_roll
from game.models import Game, Player
from solver.rules import RULESETS, Ruleset
from tests.jokers import SEED, choose_kept
from tests.play import play_out

YAHTZEE, FREE, PLAIN = (
    RULESETS[name] for name in ("yahtzee", "yahtzee-free-joker", "yahtzee-plain")
)


def dealt(player: Player, rules: Ruleset, seed: str = SEED) -> Played:
    return save_and_roll(player, Game(mode=Game.Mode.SOLO, ruleset=rules.id, seed=seed))


def kept_playing(played: Played) -> Played:
    return play_out(played, choose_kept)


def before_joker(played: Played, allowed: str) -> Played:
    with transaction.atomic():
        while not (joker := played.state.joker) or joker.allowed != allowed:
            played = append_decision(played=played, action=choose_kept(played.state))
    return played


def on_table(player: Player, rules: Ruleset) -> Played:
    return save_and_roll(player, Game(mode=Game.Mode.SOLO, ruleset=rules.id, real_dice=True))


def typed(played: Played, face: int) -> Played:
    return enter_roll(
        game_id=played.game.pk,
        player=played.game.player,
        seq=len(played.actions),
        entries=played.entries,
        faces=[face] * 5,
    )


def scored(played: Played, box: str) -> Played:
    return fill_box(
        game_id=played.game.pk, player=played.game.player, seq=len(played.actions), category=box
    )
