"""What is said of the printed turns holds: figures, what is called best, the cards of 4.11."""

from collections.abc import Iterator, Mapping
from itertools import combinations, product

import pytest

from solver.advice import Advisor, Position
from solver.rules import YATZY
from solver.study.published import Audited, Card, Range, audit, of_turn, printed_turns
from solver.study.remarks import CARDS, REMARKS, remarks

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


@pytest.fixture(scope="module")
def judged(advisor: Advisor) -> list[Audited]:
    return list(audit(advisor))


@pytest.fixture(scope="module")
def told(advisor: Advisor, judged: list[Audited]) -> dict[tuple[str, int], Mapping[str, Range]]:
    places = [(turn["table"], turn["round"]) for turn in printed_turns()]
    sentences = list(remarks(advisor, judged))
    assert [says for says, _ in sentences] == [REMARKS[place].says for place in places]
    return dict(zip(places, (costs for _, costs in sentences), strict=True))


def test_every_figure_of_a_sentence_is_worked_out(
    told: dict[tuple[str, int], Mapping[str, Range]],
) -> None:
    found = {
        place: {name: tuple(round(end, 3) for end in cost) for name, cost in costs.items()}
        for place, costs in told.items()
    }
    assert found == {
        ("4.7", 1): {"yatzy": (9.784, 9.784), "sixes": (8.569, 8.569), "hold": (0.828, 0.828)},
        ("4.8", 4): {"five": (2.110, 2.868), "straight": (0.416, 1.738)},
        ("4.8", 6): {"four": (0.595, 0.644), "two": (1.058, 1.862)},
        ("4.9", 3): {"six": (1.999, 2.540), "turn": (2.001, 4.841)},
        ("4.10", 1): {"fours": (5.676, 5.676), "hold": (0.311, 0.311)},
        ("4.11", 6): {"six": (0.0, 2.537)},
        ("4.11", 7): {"pairs": (1.445, 5.387)},
    }
    for place, costs in found.items():
        text = REMARKS[place].says % costs
        assert all(str(cost) in text for cost in costs.values())


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


def test_the_three_of_a_kind_lost_nothing(judged: list[Audited]) -> None:
    turn = next(turn for turn in printed_turns() if turn["table"] == "4.9")
    costs = [one.cost for one in of_turn(judged, turn, "scorecard_based")]
    assert costs == [(0.0, 0.0)] * 3


def test_a_four_beside_three_sixes_makes_a_full_house_likelier() -> None:
    def houses(held: tuple[int, ...]) -> float:
        throws = list(product(range(1, 7), repeat=5 - len(held)))
        ends = [sorted(held + throw) for throw in throws]
        return sum(sorted(map(end.count, {*end})) == [2, 3] for end in ends) / len(throws)

    assert houses((6, 6, 6)) == pytest.approx(5 / 36)
    assert houses((6, 6, 6, 4)) == pytest.approx(1 / 6)


def allowed(number: int, player: str) -> Iterator[Card]:
    """Every card before a turn of table 4.11 that the printed turns allow."""
    known, total = FILLED[number, player]
    others = [box.id for box in YATZY.categories if box.id not in (*known, *LATER)]
    for more in combinations(others, number - 1 - len(known)):
        for upper in YATZY.upper_totals(YATZY.mask(more)):
            yield YATZY.mask([*known, *more]), total + upper


def costs_of_hold(advisor: Advisor, number: int, player: str, step: int) -> list[float]:
    turn = next(t for t in printed_turns() if (t["table"], t["round"]) == ("4.11", number))
    dice = (turn["throw"], turn[player]["throw2"])[step - 1]
    held = tuple(sorted(turn[player][f"keep{step}"]))
    positions = (
        Position(YATZY, filled, upper, tuple(sorted(dice)), 3 - step)
        for filled, upper in allowed(number, player)
    )
    return [advisor.evaluate(position).hold_costs([held])[0] for position in positions]


@pytest.mark.parametrize(
    ("number", "player", "step", "figure"),
    [(6, "scorecard_based", 2, "six"), (7, "dice_based", 1, "pairs")],
)
def test_the_cards_of_table_4_11_are_those_with_the_least_and_the_largest_cost(
    advisor: Advisor,
    told: dict[tuple[str, int], Mapping[str, Range]],
    number: int,
    player: str,
    step: int,
    figure: str,
) -> None:
    costs = costs_of_hold(advisor, number, player, step)
    assert told["4.11", number][figure] == pytest.approx((min(costs), max(costs)), abs=1e-12)
    cards = {*allowed(number, player)}
    assert {
        (YATZY.mask(boxes.split()), upper) for boxes, upper in CARDS["4.11", number][player]
    } <= cards


def test_the_two_sixes_of_round_seven_were_the_best_first_hold_on_every_card(
    advisor: Advisor,
) -> None:
    assert max(costs_of_hold(advisor, 7, "optimal", 1)) < 1e-9
