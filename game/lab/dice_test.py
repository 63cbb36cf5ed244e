"""Dice for the dice test, thrown by the function that the games use."""

import hmac
import secrets
from collections import Counter
from collections.abc import Iterator
from itertools import chain, count, islice, product

from game.fair.blocks import THROWS, TURNS, die
from solver.rules.dice import DICE, FACES
from solver.statistics.dice_test import DiceTest, fairness

CHUNK = 32  # games between two looks at the clock


def thrown(master: bytes, dice: int) -> Iterator[list[int]]:
    """So many dice, game after game, by the function that the games use; in chunks."""
    every = chain.from_iterable(_game(master, number) for number in count())
    left = islice(every, dice)
    while chunk := list(islice(left, CHUNK * TURNS * THROWS * DICE)):
        yield chunk


def _game(master: bytes, number: int) -> Iterator[int]:
    seed = hmac.digest(master, b"%d" % number, "sha256")
    places = product(range(TURNS), range(THROWS), range(DICE))
    return (die(seed, turn, roll, slot) for turn, roll, slot in places)


def tally(counter: Counter[int]) -> DiceTest:
    return fairness("dice of games", [counter[face] for face in range(1, FACES + 1)])


def thrown_now(dice: int) -> DiceTest:
    counter: Counter[int] = Counter()
    for chunk in thrown(secrets.token_bytes(32), dice):
        counter.update(chunk)
    return tally(counter)
