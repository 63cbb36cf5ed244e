"""Dice for the dice test, thrown by the function that the games use."""

import hmac
import secrets
from collections import Counter
from collections.abc import Iterator
from itertools import chain, count, islice, product

from game.fair.blocks import die
from solver.rules import RULESETS
from solver.rules.dice import FACES
from solver.statistics.fairness import DiceTest, fairness

CHUNK = 32  # games between two looks at the clock
# Turn, throw and slot of every die of the longest game there is: the others use some of them.
PLACES = max(
    (
        tuple(product(range(len(rules.categories)), range(rules.throws), range(rules.dice)))
        for rules in RULESETS.values()
    ),
    key=len,
)


def thrown(master: bytes, dice: int) -> Iterator[list[int]]:
    """So many dice, game after game, by the function that the games use; in chunks."""
    every = chain.from_iterable(_game(master, number) for number in count())
    left = islice(every, dice)
    while chunk := list(islice(left, CHUNK * len(PLACES))):
        yield chunk


def _game(master: bytes, number: int) -> Iterator[int]:
    seed = hmac.digest(master, b"%d" % number, "sha256")
    return (die(seed, turn, roll, slot) for turn, roll, slot in PLACES)


def tally(counter: Counter[int]) -> DiceTest:
    return fairness("dice of games", [counter[face] for face in range(1, FACES + 1)])


def thrown_now(dice: int) -> DiceTest:
    counter: Counter[int] = Counter()
    for chunk in thrown(secrets.token_bytes(32), dice):
        counter.update(chunk)
    return tally(counter)
