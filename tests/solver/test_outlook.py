"""Spread of the rest of a game, for small and large rulesets."""

import json
from dataclasses import replace
from functools import cache, partial
from itertools import combinations
from math import inf, sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from solver.advice import Advisor, Outlook
from solver.advice.moments import (
    Evaluation,
    LargeWorth,
    evaluate_large,
    read_free_memory,
    read_stored_worth,
)
from solver.cli.solve import GOLDEN
from solver.dp.arrays import Floats, hold_sizes
from solver.dp.cost import count_positions, estimate_outlook_cost
from solver.dp.levels import solve_by_level
from solver.dp.outlook import StartOutlook, calculate_outlook, calculate_start_outlook
from solver.dp.packing import Packing, is_large
from solver.dp.space import PREFER_DIE, PREFER_LOWER_BOX, Space
from solver.dp.sweep import solve
from solver.dp.turn import Turn, average_rolls, find_outlook, pad_roll_holds
from solver.rules import PLAYED, RULESETS, SOLVED, YATZY, Ruleset
from solver.rules.dice import Dice
from solver.rules.rulesets import MAXI_YATZY, YATZY_SAVED, ScoreOption
from solver.tables import write_packed
from solver.tables.packed import open_packed
from tests.conftest import solved
from tests.known import known
from tests.solver.conftest import Run
from tests.solver.made_up import FOUR_DICE, FOUR_DICE_JOKER, SIX_DICE, THREE_DICE
from tests.solver.reference import SavedReference, outcomes
from tests.solver.test_large import SAVED, THREE_BOXES

SAMPLE = 40
ROUNDING = 1e-12  # values that differ by less are equal, whatever is preferred among equals


def cards(advisor: Advisor, open_boxes: int) -> list[tuple[int, int]]:
    space, random = advisor.space, np.random.default_rng(open_boxes)
    found = [
        (row, column)
        for row, column in np.argwhere(space.reachable).tolist()
        if len(space.rules.open(row & space.rules.full)) == open_boxes
    ]
    chosen = random.choice(len(found), min(SAMPLE, len(found)), replace=False)
    return [found[at] for at in chosen]


def turn_of(advisor: Advisor, row: int, column: int) -> Turn:
    filled = row & advisor.rules.full
    return advisor.turn(filled, column, chips_won=bool(row >> advisor.space.boxes))


def among_equals(liked: Floats, low: Floats, high: Floats) -> tuple[Floats, Floats]:
    """The least and the most that choosing one of the best may bring; [candidate, roll]."""
    best = liked >= liked.max(axis=0) - ROUNDING
    least = np.where(best[..., None], low, np.inf).min(axis=0)
    return least, np.where(best[..., None], high, -np.inf).max(axis=0)


def range_of_one_step(advisor: Advisor, turn: Turn) -> tuple[Floats, Floats]:
    """Apply the rule itself: more dice, then the lower box, and any of what is left."""
    after = find_outlook(turn, known(advisor.outlook).rows).after
    liked = turn.scores - PREFER_LOWER_BOX * turn.boxes[:, None]
    low, high = among_equals(liked, after, after)
    liked = liked.max(axis=0)
    for _ in range(turn.rules.throws - 1):
        held = (average_rolls(liked, 5) + PREFER_DIE * hold_sizes(5))[pad_roll_holds(5)]
        low, high = (average_rolls(side, 5)[pad_roll_holds(5)] for side in (low, high))
        low, high = among_equals(held, low, high)
        liked = held.max(axis=0)
    return average_rolls(low, 5)[0], average_rolls(high, 5)[0]


@pytest.mark.sampled("ruleset", "open_boxes")
@pytest.mark.parametrize("ruleset", sorted(RULESETS))
@pytest.mark.parametrize("open_boxes", [1, 2, 4])
def test_the_table_follows_the_rule_for_equal_moves(ruleset: str, open_boxes: int) -> None:
    solved(RULESETS[ruleset])
    advisor = Advisor.open(RULESETS[ruleset])
    for row, column in cards(advisor, open_boxes):
        low, high = range_of_one_step(advisor, turn_of(advisor, row, column))
        stored = known(advisor.outlook).read_row(row)[column]
        slack = 1e-6 + 1e-5 * np.abs(high)
        assert (low - slack <= stored).all()
        assert (stored <= high + slack).all()


@pytest.mark.sampled("ruleset", "open_boxes")
@pytest.mark.parametrize("ruleset", sorted(RULESETS))
@pytest.mark.parametrize("open_boxes", [1, 2, 4])
def test_one_turn_in_numpy_follows_the_rule_for_equal_moves(ruleset: str, open_boxes: int) -> None:
    solved(RULESETS[ruleset])
    advisor = Advisor.open(RULESETS[ruleset])
    for row, column in cards(advisor, open_boxes):
        turn = turn_of(advisor, row, column)
        low, high = range_of_one_step(advisor, turn)
        carried = find_outlook(turn, known(advisor.outlook).rows).best(turn.rules.throws - 1)
        found = average_rolls(carried, 5)[0]
        assert (low - 1e-9 <= found).all()
        assert (found <= high + 1e-9).all()


EQUAL = 1e-12  # values that differ by less
Carried = tuple[float, ...]  # the bonus and the second moment, the least and then the most


class CarriedReference(SavedReference):
    """A perfect player's outlook, who among equals holds more dice, then takes the lower box.

    Where two holds of as many dice are equal either may be kept: so the least and the most.
    """

    def __init__(self, rules: Ruleset) -> None:
        super().__init__(rules)
        self.carried = cache(self._carried)
        self.thrown = cache(self._thrown)
        self.decided = cache(self._decided)

    def _carried(self, filled: int, upper: int, saved: int) -> Carried:
        if filled == self.rules.full:
            bonus = self.rules.bonus(upper)
            earned = float(upper >= self.rules.bonus_threshold)
            return (earned, bonus**2) * 2
        return self.thrown((), saved + self.rules.throws, filled, upper)

    def _thrown(self, kept: Dice, left: int, filled: int, upper: int) -> Carried:
        found = [
            [chance * part for part in self.decided(dice, left - 1, filled, upper)]
            for thrown, chance in outcomes(self.rules.dice - len(kept))
            for dice in [tuple(sorted(kept + thrown))]
        ]
        return tuple(map(sum, zip(*found, strict=True)))

    def _decided(self, dice: Dice, left: int, filled: int, upper: int) -> Carried:
        equal = self.best(dice, left, filled, upper) - EQUAL
        for size in range(len(dice), -1, -1) if left else ():
            holds = {*combinations(dice, size)}
            liked = [kept for kept in holds if self.hold(kept, left, filled, upper) > equal]
            if liked:
                lows, leasts, highs, mosts = zip(
                    *(self.thrown(kept, left, filled, upper) for kept in liked), strict=True
                )
                return min(lows), min(leasts), max(highs), max(mosts)
        return next(
            self._scored(option, left, filled, upper)
            for option in self.rules.score_options(filled, False, dice)
            if self.score(option, left, filled, upper) > equal
        )

    def _scored(self, option: ScoreOption, left: int, filled: int, upper: int) -> Carried:
        points, rest = option.points, self.score(option, left, filled, upper) - option.points
        step = points if self.rules.categories[option.category].face else 0
        saved = min(left, self.rules.stock)
        low, least, high, most = self.carried(filled | 1 << option.category, upper + step, saved)
        more = points * points + 2 * points * rest
        return low, least + more, high, most + more


def nightly(rules: Ruleset) -> Any:
    return pytest.param(rules, marks=pytest.mark.nightly)


SIX_SAVED = replace(THREE_BOXES, id="three-boxes-saved", stock=2)
EACH = (THREE_DICE, SAVED[2])
MORE = (FOUR_DICE, SIX_DICE, THREE_BOXES, SIX_SAVED, *SAVED[:2], *SAVED[3:])


@pytest.mark.parametrize("rules", [*EACH, *map(nightly, MORE)], ids=lambda rules: rules.id)
def test_what_is_carried_is_what_the_definition_says(rules: Ruleset) -> None:
    reference, found = CarriedReference(rules), calculate_start_outlook(rules, threads=3)
    value, (low, least, high, most) = reference.start(0, 0, 0), reference.carried(0, 0, 0)
    second = found.deviation**2 + value**2
    assert found.value == pytest.approx(value, abs=1e-11)
    assert low - EQUAL <= found.bonus_chance <= high + EQUAL
    assert least * (1 - EQUAL) <= second <= most * (1 + EQUAL)
    if not rules.stock:
        values = solve(rules)
        bonus, square = calculate_outlook(rules, values)[0, 0]
        assert low - EQUAL <= bonus <= high + EQUAL
        assert least * (1 - EQUAL) <= square <= most * (1 + EQUAL)
    assert most - least < 1e-3  # hardly anything depends on which of two equals is kept


@pytest.mark.parametrize(
    "rules", [*map(nightly, [FOUR_DICE_JOKER, *RULESETS.values()])], ids=lambda rules: rules.id
)
def test_it_is_what_is_carried_where_all_fits_into_memory(rules: Ruleset) -> None:
    values = solve(rules)
    bonus, second = calculate_outlook(rules, values)[0, 0].tolist()
    found = calculate_start_outlook(rules)
    assert (found.value, found.bonus_chance) == (values[0, 0], bonus)
    assert found.deviation == pytest.approx(sqrt(second - values[0, 0] ** 2), abs=1e-9)


LARGE = [rules for rules in PLAYED.values() if is_large(rules)]


@pytest.mark.parametrize("rules", LARGE, ids=lambda rules: rules.id)
def test_of_the_large_rulesets_that_are_played_the_report_tells(rules: Ruleset) -> None:
    evaluation = known(read_stored_worth(rules)).evaluation
    golden, tolerance = GOLDEN[rules.id]
    assert evaluation.mean == pytest.approx(golden, abs=tolerance)
    assert evaluation.states == count_positions(rules)
    assert read_stored_worth(replace(rules, bonus_points=rules.bonus_points + 1)) is None


@pytest.mark.parametrize(
    "rules",
    [YATZY, YATZY_SAVED, FOUR_DICE, SIX_DICE, *SAVED, THREE_BOXES],
    ids=lambda rules: rules.id,
)
def test_the_positions_that_are_counted_are_those_that_a_table_keeps(rules: Ruleset) -> None:
    assert count_positions(rules) == Packing(Space(rules)).values


def test_the_cost_of_a_large_ruleset_is_estimated_from_its_positions() -> None:
    cost = estimate_outlook_cost(MAXI_YATZY)
    assert cost.positions == 33_472_512
    assert 700e6 < cost.memory < 800e6
    assert 80 < cost.seconds < 90


@pytest.mark.nightly
@pytest.mark.parametrize("rules", LARGE, ids=lambda rules: rules.id)
def test_the_report_is_what_is_worked_out(rules: Ruleset) -> None:
    told_of, found = known(read_stored_worth(rules)).evaluation, evaluate_large(rules).evaluation
    assert told_of.deviation == pytest.approx(found.deviation, abs=1e-9)
    assert told_of.bonus_probability == pytest.approx(found.bonus_probability, abs=1e-11)


def test_evaluate_tells_it_without_a_table(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("YATZY_TABLES", "/nowhere")
    status, out, err = run("evaluate", "optimal", "--ruleset", "maxi-yatzy", "--json")
    facts, found = json.loads(out), known(read_stored_worth(SOLVED["maxi-yatzy"])).evaluation
    assert (status, err) == (0, "")
    assert (facts["mean"], facts["sd"]) == (found.mean, found.deviation)
    assert facts["bonus_probability"] == found.bonus_probability
    assert "positions that differ" in run("evaluate", "optimal", "--ruleset", "yatzy-saved")[1]


def test_what_it_costs_is_said_before_it_is_worked_out_anew(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = ("evaluate", "optimal", "--ruleset", "maxi-yatzy", "--anew", "--json")

    def by_level(rules: Ruleset, **_: object) -> StartOutlook:
        assert rules.id == "maxi-yatzy"
        return StartOutlook(390.0, 80.0, 0.75)

    monkeypatch.setattr("solver.dp.outlook.calculate_start_outlook", by_level)
    status, out, err = run(*asked)
    facts = json.loads(out)
    assert (status, facts["mean"], facts["sd"]) == (0, 390.0, 80.0)
    assert err.startswith("Maxi Yatzy: 33,472,512 positions are worked out, in about ")
    assert err.endswith("0.7 GB of memory\n")


def test_what_does_not_fit_into_memory_is_refused_in_one_line(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    memory = tmp_path / "meminfo"
    monkeypatch.setattr("solver.advice.moments.MEMORY", memory)
    assert read_free_memory() == inf  # where nothing says so, nobody is kept from it
    memory.write_text("MemFree: 9 kB\nMemAvailable:     500000 kB\n")
    assert read_free_memory() == 512e6
    status, out, err = run("evaluate", "optimal", "--ruleset", "maxi-yatzy", "--anew", "--json")
    assert (status, out) == (2, "")
    refusal = "the spread of maxi-yatzy takes 0.7 GB of memory, and 0.5 GB are free"
    assert err.splitlines()[1:] == [refusal]


@pytest.mark.usefixtures("all_tables")
def test_value_tells_spread_and_bonus_where_they_are_known(run: Run) -> None:
    start, later = (
        json.loads(run("value", "yatzy", "--json", *card)[1])
        for card in ((), ("--filled", "ones,sixes", "--upper", "27"))
    )
    assert start["sd"] == pytest.approx(38.49639, abs=1e-4)
    assert start["bonus_probability"] == pytest.approx(0.898065, abs=1e-6)
    assert later["sd"] < start["sd"]
    assert later["bonus_probability"] != start["bonus_probability"]
    assert "standard deviation" in run("value", "yatzy")[1]


def test_of_a_large_ruleset_they_are_told_of_the_start_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rules = SAVED[2]
    write_packed(tmp_path / "values", rules, partial(solve_by_level, rules))
    advisor = Advisor(open_packed(tmp_path / "values", rules), rules)
    assert advisor.outlook_start is None
    found = LargeWorth(Evaluation(42.5, 7.5, 0.25, 1), 1.0)
    monkeypatch.setattr(
        "solver.advice.advisor.read_stored_worth", lambda asked: found if asked == rules else 0
    )
    assert advisor.outlook_start == Outlook(0.25, 42.5, 7.5)
    cards = [(1, 0, False, 0), (0, 1, False, 0), (0, 0, False, 1)]
    assert [advisor.find_outlook(*card) for card in cards] == [None] * 3
