"""Games over dice that are known or typed in, up to where a joker lies on the table."""

from game.core.game_queries import Played
from game.core.playing import decision_record, game_score
from game.core.starting import deal
from game.core.throwing import throw_enter
from game.models import Game, Player
from solver.rules import RULESETS, Ruleset
from tests.jokers import SEED, keeping

YAHTZEE, FREE, PLAIN = (
    RULESETS[name] for name in ("yahtzee", "yahtzee-free-joker", "yahtzee-plain")
)


def dealt(player: Player, rules: Ruleset, seed: str = SEED) -> Played:
    """A game over dice that are known."""
    return deal(player, Game(mode=Game.Mode.SOLO, ruleset=rules.id, seed=seed))


def kept_playing(played: Played, until: int | None = None) -> Played:
    """On as somebody does who keeps the most frequent face; ``until`` so many decisions."""
    moves = list(keeping(played.game.rules, played.game.seed))
    for seq, (_, action) in list(enumerate(moves))[len(played.actions) : until]:
        played = decision_record(
            game_id=played.game.pk, player=played.game.player, seq=seq, action=action
        )
    return played


def before_joker(played: Played, allowed: str) -> Played:
    """Up to where a joker lies on the table that may go to these boxes."""
    moves = keeping(played.game.rules, played.game.seed)
    seq = next(n for n, (s, _) in enumerate(moves) if s.joker and s.joker.allowed == allowed)
    return kept_playing(played, seq)


def on_table(player: Player, rules: Ruleset) -> Played:
    """With real dice, so that a test can say what falls."""
    return deal(player, Game(mode=Game.Mode.SOLO, ruleset=rules.id, real_dice=True))


def typed(played: Played, face: int) -> Played:
    """Five of a kind in the first throw of a turn."""
    return throw_enter(
        game_id=played.game.pk,
        player=played.game.player,
        seq=len(played.actions),
        entries=played.entries,
        faces=[face] * 5,
    )


def scored(played: Played, box: str) -> Played:
    return game_score(
        game_id=played.game.pk, player=played.game.player, seq=len(played.actions), category=box
    )
