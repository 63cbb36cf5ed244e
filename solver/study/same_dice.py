"""Which use of prepared numbers can have given the throws that the study printed.

A file had three numbers for each die of a turn, the same for all programs (section 3.1). Which of
them a die shows that was held before is not said, nor which die lay where: a rule explains a turn
if some numbers, with the dice in some order, give all that the three programs printed.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations, permutations
from typing import Any

from solver.players.base import gettext_noop
from solver.rules.dice import Dice
from solver.study.published import PLAYERS, printed_turns

Numbers = Mapping[tuple[int, int], int]  # of a place and the first, second, ... of its numbers


@dataclass(frozen=True, slots=True)
class NumberRule:
    """What a thrown die shows: its next number with ``by_die``, that of the throw with others."""

    says: str
    by_die: tuple[str, ...] = ()
    laid_anew: bool = False  # between throws: the numbers are those of places


BY_THROW = NumberRule(gettext_noop("The number of the throw"))
BY_DIE = NumberRule(gettext_noop("Its next number"), PLAYERS)
RULES = (
    BY_THROW,
    BY_DIE,
    NumberRule(
        gettext_noop(
            "Its next number in the two programs in Java, the number of the throw in the optimal "
            "one in C++"
        ),
        ("dice_based", "scorecard_based"),
    ),
    NumberRule(
        gettext_noop(
            "The number of the throw and of its place, where dice may be laid in another order "
            "before every throw"
        ),
        laid_anew=True,
    ),
)


@cache
def unexplained(rule: NumberRule) -> tuple[int, ...]:
    """The printed turns, by number, that no dice can have given under this rule."""
    return tuple(n for n, turn in enumerate(printed_turns()) if not explains(rule, turn))


def explains(rule: NumberRule, turn: Any) -> bool:
    met = [list(_met(rule, turn, player)) for player in PLAYERS]
    return _fit({}, sorted(met, key=len))


def _fit(known: Numbers, met: Sequence[Sequence[Numbers]]) -> bool:
    """Whether every program can have met numbers that contradict nobody's."""
    return not met or any(
        _fit({**known, **own}, met[1:])
        for own in met[0]
        if all(known.get(at, face) == face for at, face in own.items())
    )


def _met(rule: NumberRule, turn: Any, player: str) -> Iterator[Numbers]:
    """The numbers that a program may have met after the first throw."""
    printed = turn[player]
    first, held = tuple(turn["throw"]), tuple(sorted(printed["keep1"]))
    for dice, shown in _throws(first, held, tuple(printed["throw2"]), rule.laid_anew):
        held = tuple(sorted(printed["keep2"]))
        for _, later in _throws(dice, held, tuple(printed["result"]), rule.laid_anew):
            next_taken = player in rule.by_die
            yield {(place, 1): face for place, face in shown} | {
                (place, 1 if next_taken and place not in dict(shown) else 2): face
                for place, face in later
            }


@cache
def _throws(
    dice: Dice, held: Dice, after: Dice, laid_anew: bool
) -> frozenset[tuple[Dice, tuple[tuple[int, int], ...]]]:
    """The dice place by place after a throw, and what the thrown places show."""
    places = range(len(dice))
    return frozenset(
        (after if laid_anew else lying, tuple((n, lying[n]) for n in places if n not in kept))
        for kept in combinations(places, len(held))
        for lying in set(permutations(after))
        if tuple(sorted(lying[n] for n in kept)) == held
        and (laid_anew or all(lying[n] == dice[n] for n in kept))
    )
