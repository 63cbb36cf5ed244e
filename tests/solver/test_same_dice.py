"""Which rules for prepared numbers explain the printed turns, beside an obvious reference."""

from collections.abc import Iterator, Sequence
from itertools import permutations, product
from random import Random
from typing import Any

import pytest

from solver.study.published import PLAYERS, printed_turns
from solver.study.same_dice import RULES, NumberRule, explains, unexplained

FACES = (1, 2, 3)
DICE = 3

Lain = tuple[tuple[int, ...], tuple[int, ...]]  # dice by place, and how often each was thrown again
Block = Sequence[Sequence[int]]  # what the places have prepared after the first throw


def lain(dice: Lain, rule: NumberRule) -> Iterator[Lain]:
    """Every order that a rule allows before a throw; the counts are those of the places."""
    shown, counts = dice
    return ((order, counts) for order in (set(permutations(shown)) if rule.laid_anew else {shown}))


def thrown(
    dice: Lain, block: Block, throw: int, *, by_die: bool
) -> Iterator[tuple[Lain, list[int]]]:
    """Every throw of every choice of dice, and what was held."""
    shown, counts = dice
    for places in product((False, True), repeat=len(shown)):
        faces = [
            block[n][counts[n] if by_die else throw] if again else shown[n]
            for n, again in enumerate(places)
        ]
        then = tuple(count + again for count, again in zip(counts, places, strict=True))
        held = sorted(face for face, again in zip(shown, places, strict=True) if not again)
        yield (tuple(faces), then), held


def can_print(block: Block, rule: NumberRule, turn: Any, player: str) -> bool:
    """Whether a program that throws these numbers can have come to what is printed of it."""
    printed, by_die = turn[player], player in rule.by_die
    dice = {(tuple(turn["throw"]), (0,) * len(turn["throw"]))}
    for throw, (keep, after) in enumerate((("keep1", "throw2"), ("keep2", "result"))):
        dice = {
            then
            for one in dice
            for order in lain(one, rule)
            for then, held in thrown(order, block, throw, by_die=by_die)
            if held == sorted(printed[keep]) and sorted(then[0]) == sorted(printed[after])
        }
    return bool(dice)


def some_block_gives(rule: NumberRule, turn: Any) -> bool:
    pairs = list(product(FACES, repeat=2))
    return any(
        all(can_print(block, rule, turn, player) for player in PLAYERS)
        for block in product(pairs, repeat=DICE)
    )


def turn_at_random(random: Random) -> Any:
    """Every program plays on numbers of its own, so that not all turns can be explained."""
    turn: dict[str, Any] = {"throw": random.choices(FACES, k=DICE)}
    for player in PLAYERS:
        dice = turn["throw"]
        printed = turn[player] = {}
        for keep, after in (("keep1", "throw2"), ("keep2", "result")):
            held = random.sample(dice, random.randint(0, DICE))
            dice = held + random.choices(FACES, k=DICE - len(held))
            random.shuffle(dice)
            printed |= {keep: held, after: dice}
    return turn


@pytest.mark.parametrize("rule", RULES)
def test_a_rule_explains_what_some_numbers_give(rule: NumberRule) -> None:
    random = Random(1)
    turns = [turn_at_random(random) for _ in range(16)]
    found = [explains(rule, turn) for turn in turns]
    assert found == [some_block_gives(rule, turn) for turn in turns]
    assert {*found} == {True, False}


def test_no_rule_for_all_programs_explains_every_printed_turn_with_dice_in_their_places() -> None:
    """By the next number table 4.11 has dice, and table 4.8 has none in its round 4."""
    places = [(turn["table"], turn["round"]) for turn in printed_turns()]
    told = [[places[number] for number in unexplained(rule)] for rule in RULES]
    assert told == [[("4.11", 7)], [("4.8", 4)], [], []]
    assert [rule.by_die for rule in RULES] == [(), PLAYERS, ("dice_based", "scorecard_based"), ()]
    assert [rule.laid_anew for rule in RULES] == [False, False, False, True]
