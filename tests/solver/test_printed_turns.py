"""The turns that the study printed: what decisions cost, what is said of them, and their dice.

The costs on the empty card were also worked out with another solver (the package yatzy-solver),
which agrees with every digit given here. What stands in ``REMARKS`` and ``NUMBER_RULES`` was worked
out once; here it is again.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations, permutations
from typing import Any

import pytest

from solver.advice import Advisor, Position
from solver.rules import YATZY
from solver.rules.dice import Dice
from solver.study.published import PLAYERS, list_printed_turns
from solver.study.study import read_stored_facts
from solver.study.turns import (
    NUMBER_RULES,
    REMARKS,
    Audited,
    CardBefore,
    audit_study,
    audit_turn,
    select_turn,
    sum_costs,
)

EMPTY_CARD = {
    ("4.7", "dice_based"): (0.0, 0.0, 8.569),
    ("4.7", "scorecard_based"): (0.828, 0.0, 9.784),
    ("4.7", "optimal"): (0.828, 0.0, 0.0),
    ("4.10", "dice_based"): (0.0, 0.311, 5.676),
    ("4.10", "scorecard_based"): (0.0, 0.311, 5.676),
    ("4.10", "optimal"): (0.0, 0.311, 0.0),
}


@pytest.fixture(scope="module")
def judged(advisor: Advisor) -> list[Audited]:
    return list(audit_study(advisor))


@pytest.mark.parametrize(("table", "player"), EMPTY_CARD)
def test_a_decision_on_the_empty_card_has_one_cost(
    judged: list[Audited], table: str, player: str
) -> None:
    turn = [d for d in judged if (d.table, d.player) == (table, player)]
    assert [d.cost[0] for d in turn] == pytest.approx(EMPTY_CARD[table, player], abs=5e-4)
    assert all(low == high for low, high in (d.cost for d in turn))


def test_every_decision_whose_boxes_are_known_is_judged(judged: list[Audited]) -> None:
    assert len(judged) == 5 * 3 * 3
    assert {d.table for d in judged} == {"4.7", "4.8", "4.9", "4.10"}


@pytest.mark.parametrize(
    ("table", "number", "player", "expected"),
    [
        ("4.8", 4, "scorecard_based", (2.174, 2.868)),
        ("4.8", 6, "scorecard_based", (1.801, 2.510)),
        ("4.9", 3, "optimal", (2.001, 4.841)),
    ],
)
def test_a_turn_costs_what_its_decisions_cost_on_one_card(
    judged: list[Audited], table: str, number: int, player: str, expected: tuple[float, float]
) -> None:
    """The end of one range and that of another may belong to different upper totals."""
    turn = next(t for t in list_printed_turns() if (t["table"], t["round"]) == (table, number))
    own = select_turn(judged, turn, player)
    assert sum_costs(own) == pytest.approx(expected, abs=5e-4)
    low, high = (sum(one.cost[end] for one in own) for end in (0, 1))
    assert low < sum_costs(own)[0] < sum_costs(own)[1] < high


def test_table_4_8_names_the_boxes_of_its_round_6_in_its_text() -> None:
    """The boxes are those of round 4, that turn's, and Threes, which all three filled next."""
    earlier, later = (turn for turn in list_printed_turns() if turn["table"] == "4.8")
    for player in PLAYERS:
        boxes = {*earlier["filled"][player], earlier[player]["category"], "threes"}
        assert {*later["filled"][player]} == boxes
        assert len(boxes) == later["round"] - 1


# The programs, throws left and best choices that the sentences name.
BEST = {
    ("4.7", 1, "scorecard_based", 0): "yatzy",
    ("4.7", 1, "dice_based", 0): "full_house",
    ("4.7", 1, "optimal", 2): "5 5 6 6",
    ("4.7", 1, "scorecard_based", 2): "5 5 6 6",
    ("4.8", 4, "optimal", 1): "6 6 6",
    ("4.8", 4, "scorecard_based", 1): "6 6",
    ("4.8", 6, "optimal", 2): "6 6",
    ("4.8", 6, "dice_based", 2): "6 6",
    ("4.8", 6, "scorecard_based", 2): "6 6",
    ("4.9", 3, "optimal", 2): "4 4 4",
    ("4.10", 1, "scorecard_based", 0): "full_house",
    ("4.10", 1, "dice_based", 0): "full_house",
    ("4.10", 1, "dice_based", 1): "2 3 4 5",
}
# Of table 4.11: what the earlier printed turns and its own boxes say of the card before it.
FILLED = {
    (6, "scorecard_based"): (["fours"], 12),
    (7, "dice_based"): (["fours", "twos"], 12 + 6),
    (7, "optimal"): (["full_house", "twos"], 6),
}
LATER = ("twos", "sixes")


# The program and the throws left of each figure of a sentence; without throws it is a whole turn.
FIGURES: Sequence[Mapping[str, tuple[str, int | None]]] = (
    {"yatzy": ("scorecard_based", 0), "sixes": ("dice_based", 0), "hold": ("optimal", 2)},
    {"five": ("scorecard_based", 1), "straight": ("dice_based", 2)},
    {"four": ("optimal", 1), "two": ("scorecard_based", 2)},
    {"six": ("optimal", 2), "turn": ("optimal", None)},
    {"fours": ("scorecard_based", 0), "hold": ("optimal", 1)},
    {"six": ("scorecard_based", 1)},
    {"pairs": ("dice_based", 2)},
)


def test_every_figure_of_a_sentence_is_worked_out(advisor: Advisor, judged: list[Audited]) -> None:
    for turn, figures, (says, ranges) in zip(list_printed_turns(), FIGURES, REMARKS, strict=True):
        assert figures.keys() == ranges.keys()
        assert says % ranges
        for name, (player, left) in figures.items():
            own = select_turn(judged, turn, player)
            if turn["table"] == "4.11":
                own = list(audit_turn(advisor, turn, player, list(allowed(turn["round"], player))))
            asked = [one for one in own if left in (None, one.rolls_left)]
            assert sum_costs(asked) == pytest.approx(ranges[name], abs=5e-5)


def test_what_a_turn_cost_is_kept_for_the_page(judged: list[Audited]) -> None:
    for turn, kept in zip(list_printed_turns(), read_stored_facts()["turn_costs"], strict=True):
        own = {player: select_turn(judged, turn, player) for player in PLAYERS}
        found = {player: sum_costs(decisions) for player, decisions in own.items() if decisions}
        assert kept.keys() == found.keys()
        for player, cost in found.items():
            assert kept[player] == pytest.approx(cost, abs=1e-9)


@pytest.mark.parametrize("place", BEST)
def test_what_a_sentence_calls_best_was_so_on_every_card(
    judged: list[Audited], place: tuple[str, int, str, int]
) -> None:
    table, number, player, rolls_left = place
    (decision,) = [
        one
        for one in judged
        if (one.table, one.round, one.player, one.rolls_left) == (table, number, player, rolls_left)
    ]
    assert decision.best == (BEST[place],)


def allowed(number: int, player: str) -> Iterator[CardBefore]:
    known, total = FILLED[number, player]
    others = [box.id for box in YATZY.categories if box.id not in (*known, *LATER)]
    for more in combinations(others, number - 1 - len(known)):
        for upper in YATZY.list_upper_totals(YATZY.make_mask(more)):
            yield YATZY.make_mask([*known, *more]), total + upper


def test_the_two_sixes_of_round_seven_were_the_best_first_hold_on_every_card(
    advisor: Advisor,
) -> None:
    turn = next(t for t in list_printed_turns() if (t["table"], t["round"]) == ("4.11", 7))
    held, dice = tuple(turn["optimal"]["keep1"]), tuple(sorted(turn["throw"]))
    positions = (Position(YATZY, *card, dice, 2) for card in allowed(7, "optimal"))
    costs = [advisor.evaluate(position).hold_costs([held])[0] for position in positions]
    assert max(costs) < 1e-9


Numbers = Mapping[tuple[int, int], int]  # of a place and the first, second, ... of its numbers


@dataclass(frozen=True)
class NumberRule:
    """A rolled die shows its next number for the programs ``by_die``, else the throw's.

    ``laid_anew`` between throws, the numbers are those of places.
    """

    by_die: tuple[str, ...] = ()
    laid_anew: bool = False


RULES = (
    NumberRule(),
    NumberRule(PLAYERS),
    NumberRule(("dice_based", "scorecard_based")),
    NumberRule(laid_anew=True),
)


def explains(rule: NumberRule, turn: Any) -> bool:
    met = [list(_met(rule, turn, player)) for player in PLAYERS]
    return _fit({}, sorted(met, key=len))


def _fit(known: Numbers, met: Sequence[Sequence[Numbers]]) -> bool:
    return not met or any(
        _fit({**known, **own}, met[1:])
        for own in met[0]
        if all(known.get(at, face) == face for at, face in own.items())
    )


def _met(rule: NumberRule, turn: Any, player: str) -> Iterator[Numbers]:
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
    places = range(len(dice))
    return frozenset(
        (after if laid_anew else lying, tuple((n, lying[n]) for n in places if n not in kept))
        for kept in combinations(places, len(held))
        for lying in set(permutations(after))
        if tuple(sorted(lying[n] for n in kept)) == held
        and (laid_anew or all(lying[n] == dice[n] for n in kept))
    )


def test_no_rule_for_all_programs_explains_every_printed_turn_with_dice_in_their_places() -> None:
    """The next number gives dice for table 4.11, and none for round 4 of table 4.8."""
    found = [
        tuple(n for n, turn in enumerate(list_printed_turns()) if not explains(rule, turn))
        for rule in RULES
    ]
    assert found == [unexplained for _says, unexplained in NUMBER_RULES]
