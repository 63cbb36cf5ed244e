"""Whether throws that the study printed can come from the same dice.

In a same-value test a die shows what its block says for its place and throw, whatever was held.
The study prints what each program held and then had, without saying which die lay where: a turn
is sound if any order of the dice lets all programs see the same ones.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, permutations
from typing import Any

from solver.rules.dice import Dice
from solver.study.published import PLAYERS

Shown = tuple[int, ...]  # what the second and third throw show, place by place; 0: not thrown


def conflicts(turn: Any) -> list[tuple[str, str]]:
    """The pairs of programs whose printed throws cannot be of the same dice."""
    seen = {player: set(_seen(turn["throw"], turn[player])) for player in PLAYERS}
    return [
        (one, other)
        for one, other in combinations(PLAYERS, 2)
        if not any(_agree(a, b) for a in seen[one] for b in seen[other])
    ]


def _seen(first: Sequence[int], printed: Any) -> Iterator[Shown]:
    """Every way in which a program can have come to what is printed."""
    for second, shown in _thrown(tuple(first), printed["keep1"], printed["throw2"]):
        for _, then_shown in _thrown(second, printed["keep2"], printed["result"]):
            yield shown + then_shown


def _thrown(dice: Dice, kept: Iterable[int], after: Iterable[int]) -> Iterator[tuple[Dice, Shown]]:
    """The dice place by place after a throw, and what the thrown ones show."""
    held = sorted(kept)
    for places in combinations(range(len(dice)), len(held)):
        if sorted(dice[place] for place in places) == held:
            for lying in set(permutations(after)):
                if all(lying[place] == dice[place] for place in places):
                    yield lying, tuple(0 if n in places else lying[n] for n in range(len(dice)))


def _agree(one: Shown, other: Shown) -> bool:
    return all(a == b or not (a and b) for a, b in zip(one, other, strict=True))
