"""The dice of a game: from its seed, from the lab's public seed, or typed by the player."""

from collections.abc import Iterable
from functools import lru_cache

from game.core.fair import blocks
from game.core.kind import find_kind
from game.models import Game, Throw
from solver.arena.match import make_random_blocks
from solver.rules import Block, Ruleset


def list_shown_dice(game: Game) -> Block:
    """Return the dice that may be shown now, as block[turn][roll][slot]; hidden rolls are empty."""
    return hide_future_throws(find_kind(game).roll_limit, find_known_dice(game))


def hide_future_throws(roll_limit: tuple[int, int] | None, block: Block) -> Block:
    """Return the dice before the roll ``roll_limit`` = (turn, roll), or all dice if it is None."""
    if roll_limit is None:
        return block
    turn, throws = roll_limit
    return [
        [faces if (at, number) < (turn, throws) else () for number, faces in enumerate(thrown)]
        for at, thrown in enumerate(block)
    ]


def find_known_dice(game: Game) -> Block:
    """Return the dice that the server knows, as block[turn][roll][slot]. With real dice, a roll is
    empty until the player types it."""
    if game.real_dice:
        holds = game.decisions.filter(hold__isnull=False).values_list("seq", "turn", "roll")
        return build_table_block(game.rules, holds, game.throws.order_by("seq", "number"))
    if game.lab_seed is not None and game.lab_number is not None:
        return build_lab_block(game.lab_seed, game.lab_number, game.rules)
    return blocks.block(game.seed, game.rules)


@lru_cache(maxsize=512)
def build_lab_block(seed: int, number: int, rules: Ruleset) -> Block:
    """Return the dice of game ``number``, from 1, of the command ``solver same-value --seed``."""
    return make_random_blocks(number, seed, rules)[-1]


def build_table_block(
    rules: Ruleset, holds: Iterable[tuple[int, int, int]], throws: Iterable[Throw]
) -> Block:
    """Return real dice, as the player typed them, as block[turn][roll][slot]. ``holds`` has (seq,
    turn, roll) for each hold. A typed roll belongs to the hold with the same ``seq``. If the player
    corrected a roll, use the correction."""
    places = {seq: (turn, roll) for seq, turn, roll in holds}
    turns = range(len(rules.categories))
    faces: list[list[tuple[int, ...]]] = [[()] * rules.find_most_rolls(turn) for turn in turns]
    for throw in throws:
        turn, roll = places[throw.seq]
        faces[turn][roll] = throw.dice
    return faces
