"""Reasons for the best move, and turns as people read them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations, permutations
from random import Random
from typing import Any

import numpy as np
import pytest

from solver.advice import BONUS, CHIPS, NO_POINTS, Advisor, Position
from solver.cli.solve import write_explain_table
from solver.dp.arrays import Floats, calculate_scale, hold_sizes
from solver.dp.space import PREFER_DIE, Space
from solver.dp.turn import average_rolls, pad_roll_holds
from solver.rules import RULESETS, YATZY, Ruleset
from solver.rules.dice import Dice, make_cup
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
from solver.tables import find_table_path
from tests.conftest import solved
from tests.endings import ends_of
from tests.known import known
from tests.solver.test_advice import random_position

FIVE = make_cup(5)

RULES = RULESETS["yahtzee-plain"]  # the smallest card: its table takes seconds


FREE_JOKER = pytest.param("yahtzee-free-joker", marks=pytest.mark.nightly)


@pytest.fixture(scope="module", params=["yahtzee-plain", "yahtzee", FREE_JOKER])
def explaining(request: pytest.FixtureRequest) -> Advisor:
    rules = RULESETS[request.param]
    solved(rules)
    write_explain_table(rules, find_table_path(rules), force=False, quiet=True)
    return Advisor.open(rules)


def positions(rules: Ruleset, number: int) -> list[Position]:
    random = Random(3)
    return [random_position(rules, random) for _ in range(number)]


def expected(explaining: Advisor) -> Floats:
    points: Floats = known(explaining.explain).read_all() * calculate_scale(explaining.rules)
    return points


def chips_of(explaining: Advisor) -> Floats:
    chips: Floats = explaining.values.read_all() - expected(explaining).sum(axis=-1)
    return chips


def test_the_expected_points_of_all_boxes_add_up_to_the_value(explaining: Advisor) -> None:
    reachable = Space(explaining.rules).reachable
    if explaining.rules.joker is None:
        assert np.abs(chips_of(explaining))[reachable].max() < 0.01
    else:
        assert chips_of(explaining)[reachable].min() > -0.01


def test_chips_are_expected_where_they_can_still_be_won_and_nowhere_else(
    explaining: Advisor,
) -> None:
    rules, space = explaining.rules, Space(explaining.rules)
    if rules.joker is None:
        return
    chips, rows = chips_of(explaining), np.arange(space.rows)
    box_filled = rows >> rules.index[rules.joker.box] & 1 == 1
    over, won = rows & rules.full == rules.full, rows >> space.boxes == 1
    lost = (box_filled & ~won | over)[:, None] & space.reachable
    assert np.abs(chips[lost]).max() < 0.01
    assert chips[(won & ~over)[:, None] & space.reachable].min() > 0.5


def test_the_chips_of_a_last_turn_are_a_hundred_for_every_joker(explaining: Advisor) -> None:
    """Only chance is open and chips are won: how likely are five equal dice?"""
    rules = explaining.rules
    if rules.joker is None:
        return
    filled = rules.full ^ rules.make_mask(["chance"])
    row = Space(rules).find_row(filled, chips_won=True)
    turn = explaining.turn(filled, 0, chips_won=True)
    jokers = np.array([float(len(set(roll)) == 1) for roll in FIVE.holds[FIVE.first_roll :]])
    chance = jokers
    for left in range(1, rules.throws):
        kept = pad_roll_holds(5)
        best = (turn.holds(left) + PREFER_DIE * hold_sizes(5))[kept].argmax(axis=0)
        chance = average_rolls(chance, 5)[kept[best, np.arange(kept.shape[1])]]
    likely = float(average_rolls(chance, 5)[0])
    assert chips_of(explaining)[row, 0] == pytest.approx(100 * likely, abs=0.01)


@pytest.mark.sampled("explaining")
def test_the_parts_of_a_difference_add_up_to_it_within_a_hundredth(explaining: Advisor) -> None:
    for position in positions(explaining.rules, 150):
        advice = explaining.advise(position)
        for worse in advice.options[1:6]:
            parts = known(explaining.why(position, advice.best, worse))
            assert sum(part.points for part in parts) == pytest.approx(worse.regret, abs=0.01)


def test_a_filled_box_has_no_part_in_it(explaining: Advisor) -> None:
    for position in positions(explaining.rules, 40):
        options = explaining.advise(position).options
        filled = set(explaining.rules.ids(position.filled))
        for part in known(explaining.why(position, options[0], options[-1])):
            assert part.box not in filled or abs(part.points) < 1e-9


def test_chips_are_a_part_of_their_own_where_the_rules_have_them(explaining: Advisor) -> None:
    """A joker that is thrown away costs its chip, and the box keeps its points to itself."""
    rules = explaining.rules
    filled = rules.make_mask(["yahtzee", "fours"])
    won = rules.joker is not None
    position = Position(rules, filled, 12, (4, 4, 4, 4, 4), 1, won)
    options = explaining.advise(position).options
    box = next(one for one in options if one.category == "full_house")
    rest = next(one for one in options if one.action == "hold" and not one.dice)
    parts = {part.box: part.points for part in known(explaining.why(position, box, rest))}
    assert (CHIPS in parts) == won
    if won:
        assert parts[CHIPS] == pytest.approx(100, abs=5)
        assert 0 < parts["full_house"] <= 25


def plain() -> Advisor:
    solved(RULES)
    write_explain_table(RULES, find_table_path(RULES), force=False, quiet=True)
    return Advisor.open(RULES)


def test_giving_up_the_bonus_is_named_as_such() -> None:
    """Only sixes are open, at 45 points: three sixes make the bonus, a chance box is no help."""
    filled = RULES.full ^ RULES.make_mask(["sixes", "chance"])
    position = Position(RULES, filled, 45, (1, 2, 6, 6, 6), 0)
    explaining = plain()
    advice = explaining.advise(position)
    parts = {p.box: p.points for p in known(explaining.why(position, *advice.options))}
    assert advice.best.category == "sixes"
    assert parts[BONUS] > 20


def test_without_the_table_nothing_is_said(advisor: Advisor) -> None:
    plain = Advisor(advisor.values, YATZY, advisor.outlook)
    position = Position(YATZY, 0, 0, (1, 2, 3, 4, 5), 2)
    options = plain.advise(position).options
    assert plain.why(position, options[0], options[1]) is None


def test_what_a_hold_ends_in_is_what_every_end_of_the_turn_adds_up_to(any_advisor: Advisor) -> None:
    """Followed forwards, against chances and values that are carried back from every end."""
    rules, random = any_advisor.rules, Random(3)
    for _position in range(60):
        filled = random.randrange(rules.full)
        upper = random.choice(sorted(rules.list_upper_totals(filled)))
        dice = tuple(sorted(random.randint(1, 6) for _ in range(5)))
        position = Position(rules, filled, upper, dice, random.choice((1, 2)))
        holds = [one for one in any_advisor.advise(position).options if one.action == "hold"]
        for hold in random.sample(holds, min(3, len(holds))):
            ended = {end.box: end for end in any_advisor.list_endings(position, hold)}
            assert sum(end.chance for end in ended.values()) == pytest.approx(1.0)
            value = sum(end.chance * end.value for end in ended.values())
            assert value == pytest.approx(hold.value, abs=1e-9)
            ended.pop(NO_POINTS, None)
            slow = ends_of(any_advisor, position, hold)
            assert ended.keys() == slow.keys()
            for box, end in ended.items():
                assert end.chance == pytest.approx(slow[box].chance)
                assert end.value == pytest.approx(slow[box].value)


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


PRINTED = (
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
        for rule in PRINTED
    ]
    assert found == [unexplained for _says, unexplained in NUMBER_RULES]
