"""What is a leak and what is chance: players who err at random, and players with a habit."""

from collections.abc import Mapping

import numpy as np
import pytest

from game.core.worth.leak_tree import DEEPEST, Path, Sums, averaged, tree
from game.core.worth.peers import Alike, Peers, Usual, alike, peers
from game.practice.leak_queries import FEW, Excess, excess, named
from solver.advice import Advisor
from solver.players.erring import Erring
from solver.rules import RULESETS, YATZY, Ruleset
from tests.game.finding_leaks import leaks_of, players, told
from tests.game.habits import HABITS, Habitual
from tests.known import known

GAMES = 30


def grade_of(lost: Mapping[Path, float], spread: float = 0.0) -> Peers:
    usual = {path: Usual(mean, spread) for path, mean in lost.items()}
    return Peers(1000, lost[()], 1.0, 1.0, usual)


HOLD: Path = ("hold",)
FEWER = grade_of({(): 8.0, HOLD: 6.0, ("hold", "1"): 1.0, ("hold", "2"): 5.0}, 0.1)
MORE = grade_of({(): 32.0, HOLD: 18.0, ("hold", "1"): 16.0, ("hold", "2"): 2.0}, 0.3)


# Those who lose as much


def test_between_two_grades_points_grow_as_a_power_of_all_that_is_lost() -> None:
    between = Alike(16.0, FEWER, MORE)
    assert between.at(("hold", "1")).mean == pytest.approx(4.0)
    assert between.at(HOLD).mean == pytest.approx((6.0 * 18.0) ** 0.5)
    for total, theirs in ((8.0, FEWER), (32.0, MORE)):
        usual = Alike(total, FEWER, MORE).at(HOLD)
        assert (usual.mean, usual.spread) == pytest.approx(
            (theirs.at(HOLD).mean, theirs.at(HOLD).spread)
        )
    assert between.at(()).mean == pytest.approx(16.0)
    half = (0.1 / 6.0 + 0.3 / 18.0) / 2
    assert between.at(HOLD).spread == pytest.approx(between.at(HOLD).mean * half)


def test_beyond_the_last_grade_it_goes_on_and_the_spread_stays_as_large_a_share() -> None:
    assert Alike(64.0, FEWER, MORE).at(("hold", "1")).mean == pytest.approx(64.0)
    far = Alike(2.0, FEWER, MORE).at(("hold", "1"))
    assert far.mean == pytest.approx(1.0 / 16)
    assert far.spread / far.mean == pytest.approx(0.1)


@pytest.mark.parametrize("path", [(), HOLD, ("hold", "1"), ("box",)])
def test_the_slope_is_what_one_more_point_adds(path: Path) -> None:
    small = 1e-5
    ends = [Alike(16.0 + by, FEWER, MORE).at(path).mean for by in (-small, small)]
    assert Alike(16.0, FEWER, MORE).slope(path) == pytest.approx((ends[1] - ends[0]) / 2 / small)


@pytest.mark.parametrize("rules", RULESETS.values(), ids=list(RULESETS))
def test_whoever_loses_as_much_as_a_grade_is_compared_with_it(rules: Ruleset) -> None:
    for theirs in list(peers(rules).values())[1:]:
        others = known(alike(rules, theirs.at(()).mean))
        for path in ((), ("hold",), ("box", "3")):
            assert others.at(path).mean == pytest.approx(max(theirs.at(path).mean, 0.001))
    assert known(alike(rules, 1e-3)).fewer is peers(rules)["grandmaster"]
    assert known(alike(rules, 1e3)).more is peers(rules)["beginner"]
    assert alike(rules, 0.0) is None


# One place


def test_what_is_told_is_drawn_towards_the_others_the_more_the_less_is_known() -> None:
    assert Excess(3.0, 1.0, 0.0, 0.0, GAMES).likely == pytest.approx(3.0)
    assert Excess(3.0, 1.0, 1.0, 0.0, GAMES).likely == pytest.approx(1.0 + 2.0 * 3 / 4)
    assert Excess(3.0, 1.0, 2.0, 0.0, GAMES).likely == pytest.approx(1.0)
    assert Excess(3.0, 1.0, 2.0, 2.0, GAMES).likely == pytest.approx(2.0)
    assert Excess(0.0, 1.0, 0.5, 0.0, GAMES).likely == pytest.approx(1.0 - 3 / 4)
    assert Excess(1.0, 1.0, 0.0, 0.0, GAMES).likely == 1.0


def test_sure_is_what_chance_brings_in_one_of_five_hundred() -> None:
    """The t of 29 degrees of freedom with a five hundredth above it is 3.1202 (from a table)."""
    assert Excess(1.0 + 3.13, 1.0, 1.0, 0.0, GAMES).sure
    assert not Excess(1.0 + 3.11, 1.0, 1.0, 0.0, GAMES).sure
    assert not Excess(1.0 - 9.0, 1.0, 1.0, 0.0, GAMES).sure
    assert not Excess(1.0 + 3.13, 1.0, 0.8, 0.9, GAMES).sure
    assert Excess(1.0 + 3.13, 1.0, 0.8, 0.6, GAMES).sure
    assert Excess(1.1, 1.0, 0.0, 0.0, GAMES).sure
    assert not Excess(1.0, 1.0, 0.0, 0.0, GAMES).sure


def test_chance_is_how_far_the_difference_lies_apart_not_how_far_games_do() -> None:
    """Somebody whose place is always the same share of a game is no surer for bad games."""
    others = Alike(16.0, FEWER, MORE)
    totals = [4.0, 28.0] * 15
    games: list[Sums] = [{(): total, HOLD: others.slope(HOLD) * total} for total in totals]
    found = excess(games, HOLD, others)
    assert found.error == pytest.approx(0.0, abs=1e-12)
    assert found.own == pytest.approx(16.0 * others.slope(HOLD))
    assert found.points == pytest.approx(found.own - others.at(HOLD).mean)
    apart = excess([{(): 16.0, HOLD: 1.0}, {(): 16.0, HOLD: 5.0}] * 8, HOLD, others)
    assert apart.error == pytest.approx(np.std([1.0, 5.0] * 8, ddof=1) / 4)


# The tree


def leaks_in(extra: Mapping[Path, float], wild: Mapping[Path, float] | None = None) -> list[Path]:
    """Of games that lost so much, give or take a tenth, where others lose a point each.

    What is wild is lost in every other game, and each second of those in the games between.
    """
    told, wild = extra, wild or {}
    extra = {**told, **wild}
    places = {path[:steps] for path in extra for steps in range(len(path) + 1)}
    inside = {at: [one for one in extra if one[: len(at)] == at] for at in places}
    theirs = {at: float(len(ones)) for at, ones in inside.items()}
    more = grade_of({at: 2 * mean for at, mean in theirs.items()})
    games: list[Sums] = []
    for n in range(GAMES):
        own = {path: lost + 0.1 * (-1) ** n for path, lost in told.items()}
        own |= {path: lost * (1 + (-1) ** (n + k)) for k, (path, lost) in enumerate(wild.items())}
        games.append({at: sum(own[one] for one in ones) for at, ones in inside.items()})
    # As if nothing followed from all that is lost.
    flat = Alike(theirs[()], grade_of(theirs), more)
    return [leak.path for leak in named(tree(averaged(games)), games, flat)]


def boxes(*lost: float) -> dict[Path, float]:
    return {("hold", "1", f"box{n}"): points for n, points in enumerate(lost)}


def test_nothing_is_named_where_everything_is_as_others_lose_it() -> None:
    assert leaks_in(boxes(1.0, 1.0, 1.0)) == []


def test_one_box_that_explains_nearly_all_is_named_and_not_what_it_is_part_of() -> None:
    assert leaks_in(boxes(4.0, 1.0, 1.0)) == [("hold", "1", "box0")]


def test_two_boxes_are_named_the_larger_first() -> None:
    assert FEW == 2
    assert leaks_in(boxes(3.0, 4.0, 1.0)) == [("hold", "1", "box1"), ("hold", "1", "box0")]


def test_where_all_leak_the_coarsest_place_is_named() -> None:
    assert leaks_in(boxes(3.0, 3.0, 3.0, 3.0)) == [("hold",)]
    assert leaks_in(boxes(3.0, 3.0, 3.0, 1.0, 1.0)) == [("hold",)]
    late: dict[Path, float] = {("hold", "2", f"box{n}"): 3.0 for n in range(2)}
    assert leaks_in(boxes(3.0, 3.0) | late) == [("hold",)]


def test_a_box_that_explains_half_of_it_is_told_with_the_rest() -> None:
    for each, named_one in ((1.25, ("hold",)), (1.05, ("hold", "1", "box0"))):
        small: dict[Path, float] = {("hold", "1", f"few{n}"): each for n in range(12)}
        assert leaks_in(boxes(4.0), small) == [named_one]


def test_a_part_in_which_others_lose_all_of_it_too_says_no_more() -> None:
    late: dict[Path, float] = {("hold", "2", "late"): 1.0}
    assert leaks_in({("hold", "1", "only"): 4.0} | late) == [("hold", "1")]
    assert leaks_in({("hold", "1", "only"): 4.0, ("box",): 1.0}) == [("hold",)]


def test_what_is_sure_in_a_place_that_is_not_is_named() -> None:
    assert leaks_in(boxes(3.0, 0.0, 0.0)) == [("hold", "1", "box0")]


# Players


@pytest.fixture(scope="module")
def fast(yatzy_tables: None) -> Advisor:
    advisor = Advisor.open(YATZY)
    advisor.compile()
    return advisor


FEW_OF_THEM = [(1.0, 0.33), (1.0, 1.5), (0.35, 2.5), (0.1, 6.0)]


@pytest.mark.nightly
def test_of_players_who_err_at_random_hardly_anybody_is_told_of_a_leak(fast: Advisor) -> None:
    found = [
        leaks_of(YATZY, games)
        for seed, (rate, heat) in enumerate(FEW_OF_THEM)
        for games in players(Erring(fast, rate, heat), fast, 5, GAMES, seed)
    ]
    assert sum(map(bool, found)) <= 1


def test_who_fills_chance_early_is_told_so_and_of_nothing_else(fast: Advisor) -> None:
    usual = Erring(fast, 1.0, peers(YATZY)["strong"].temperature)
    habit = Habitual(usual, HABITS["fills Chance early"], 1.0)
    for games in players(habit, fast, 5, GAMES, 4):
        paths = [leak.path for leak in leaks_of(YATZY, games)]
        assert [path[:3] for path in paths] == [("box", "3", "chance")]
        assert all(len(path) < DEEPEST for path in paths)


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("rate", "heat"),
    [*((1.0, heat) for heat in (0.08, 0.25, 0.55, 1.1, 3.0, 8.0)), (0.5, 2.5), (0.2, 6), (0.1, 6)],
)
def test_nineteen_players_in_twenty_who_err_at_random_are_told_that_nothing_stands_out(
    fast: Advisor, rate: float, heat: float
) -> None:
    share, _lost, _first = told(YATZY, players(Erring(fast, rate, heat), fast, 200, GAMES, 1))
    assert share <= 1 / 20
