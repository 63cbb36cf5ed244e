"""Games over dice that are known or typed in, up to where a joker lies on the table."""

from game.core.game_queries import Played
from game.core.playing import fill_box, record_decision
from game.core.starting import save_and_roll
from game.core.throwing import enter_roll
from game.models import Game, Player
from solver.rules import RULESETS, Ruleset
from tests.jokers import SEED, keeping

YAHTZEE, FREE, PLAIN = (
    RULESETS[name] for name in ("yahtzee", "yahtzee-free-joker", "yahtzee-plain")
)


def dealt(player: Player, rules: Ruleset, seed: str = SEED) -> Played:
    return save_and_roll(player, Game(mode=Game.Mode.SOLO, ruleset=rules.id, seed=seed))


def kept_playing(played: Played, until: int | None = None) -> Played:
    moves = list(keeping(played.game.rules, played.game.seed))
    for seq, (_, action) in list(enumerate(moves))[len(played.actions) : until]:
        played = record_decision(
            game_id=played.game.pk, player=played.game.player, seq=seq, action=action
        )
    return played


def before_joker(played: Played, allowed: str) -> Played:
    moves = keeping(played.game.rules, played.game.seed)
    seq = next(n for n, (s, _) in enumerate(moves) if s.joker and s.joker.allowed == allowed)
    return kept_playing(played, seq)


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
