"""Of each printed turn: whether what the study says of it is right, or what it cost.

The sentences are marked for translators; their figures are worked out. Table 4.11 names no filled
boxes. Of the cards that the printed turns allow there, those on which a decision costs least and
most stand here.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

from solver.advice import Advisor
from solver.players.base import gettext_noop
from solver.study.published import (
    RULES,
    Audited,
    Range,
    audit_turn,
    of_turn,
    printed_turns,
    together,
)

Turn = tuple[str, int]  # its table and round
CARDS: Mapping[Turn, Mapping[str, tuple[tuple[str, int], ...]]] = MappingProxyType(
    {
        ("4.11", 6): {
            "scorecard_based": (
                ("ones threes fours fives pair", 31),
                ("fours pair two_pairs large_straight chance", 12),
            )
        },
        ("4.11", 7): {
            "dice_based": (
                ("twos fours fives four_of_a_kind full_house yatzy", 18),
                ("ones twos threes fours fives pair", 44),
            )
        },
    }
)


class Figure(NamedTuple):
    """What a program's decision cost, or all of its turn."""

    player: str
    rolls_left: int | None = None


@dataclass(frozen=True, slots=True)
class Remark:
    says: str
    figures: Mapping[str, Figure]


REMARKS: Mapping[Turn, Remark] = MappingProxyType(
    {
        ("4.7", 1): Remark(
            gettext_noop(
                "Section 5.4.1 rightly puts the five sixes in Yatzy; that was worth %(yatzy)s "
                "points more than Sixes, not about 50. The dice-based program's full house in "
                "Sixes cost %(sixes)s, and 6 6 instead of 5 5 6 6 cost the two others %(hold)s."
            ),
            {
                "yatzy": Figure("scorecard_based", 0),
                "sixes": Figure("dice_based", 0),
                "hold": Figure("optimal", 2),
            },
        ),
        ("4.8", 4): Remark(
            gettext_noop(
                "Section 5.4.1 is right about the sixes: 6 6 6 was the optimal program's best "
                "hold, though Sixes was filled. The scorecard-based program's 5 instead of 6 6 "
                "cost %(five)s points. The dice-based program's 1 2 3 4, which section 4.3 "
                "explains by the one die that was left to throw, cost %(straight)s."
            ),
            {"five": Figure("scorecard_based", 1), "straight": Figure("dice_based", 2)},
        ),
        ("4.8", 6): Remark(
            gettext_noop(
                "Section 4.3 is right about the two sixes, which were the best hold, and about "
                "the 4 beside three of them: it makes a full house likelier. Yet it cost %(four)s "
                "points. The scorecard-based program's 2 instead of 6 6 cost %(two)s."
            ),
            {"four": Figure("optimal", 1), "two": Figure("scorecard_based", 2)},
        ),
        ("4.9", 3): Remark(
            gettext_noop(
                "Section 4.3 calls the single 6 rewarding and the three of a kind not profitable. "
                "It was the other way round: the scorecard-based program lost nothing, while the "
                "6 instead of 4 4 4 cost %(six)s points and the optimal program's whole turn "
                "%(turn)s."
            ),
            {"six": Figure("optimal", 2), "turn": Figure("optimal")},
        ),
        ("4.10", 1): Remark(
            gettext_noop(
                "Section 5.4.1 calls the full house almost the best. It was the best, and Fours "
                "cost %(fours)s points. All three should have held 2 3 4 5 after the second "
                "throw: 4 4 cost %(hold)s."
            ),
            {"fours": Figure("scorecard_based", 0), "hold": Figure("optimal", 1)},
        ),
        ("4.11", 6): Remark(
            gettext_noop(
                "Section 5.4.1 calls it wrong to change from the twos to the 6. That depends on "
                "the filled boxes, which are not named: on the cards that the printed turns "
                "allow, it cost %(six)s points."
            ),
            {"six": Figure("scorecard_based", 1)},
        ),
        ("4.11", 7): Remark(
            gettext_noop(
                "Section 5.4.1 explains the lost game by this round, in which the optimal program "
                "got only two sixes. To throw for them was right: on every card that the printed "
                "turns allow, 6 6 was the best first hold. The dice-based program's 2 2 6 6 cost "
                "%(pairs)s points."
            ),
            {"pairs": Figure("dice_based", 2)},
        ),
    }
)


def remarks(
    advisor: Advisor, judged: Sequence[Audited]
) -> Iterator[tuple[str, Mapping[str, Range]]]:
    """The sentence of every printed turn, in their order, and what its figures are."""
    for turn in printed_turns():
        key = turn["table"], turn["round"]
        decisions = [*judged]
        for player, cards in CARDS.get(key, {}).items():
            named = [(RULES.mask(boxes.split()), upper) for boxes, upper in cards]
            decisions += audit_turn(advisor, turn, player, named)
        yield (
            REMARKS[key].says,
            {
                name: together(
                    one
                    for one in of_turn(decisions, turn, figure.player)
                    if figure.rolls_left in (None, one.rolls_left)
                )
                for name, figure in REMARKS[key].figures.items()
            },
        )
