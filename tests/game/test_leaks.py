"""Where points are lost: places, sums and their uncertainty, peers, and what chance explains."""

import statistics
from io import StringIO
from pathlib import Path as FilePath

import numpy as np
import pytest
from django.core.management import call_command
from hypothesis import given, settings
from hypothesis import strategies as st

from game.core.worth import peers as peers_module
from game.core.worth import too_good
from game.core.worth.leak_chance import LeakTest, MoveOptions, list_move_options
from game.core.worth.leak_tree import (
    DEEPEST,
    PHASES,
    Leak,
    Misplay,
    Path,
    average_losses,
    build_tree,
    find_path,
    name_aim,
    sum_losses,
)
from game.core.worth.peers import read_peers
from game.core.worth.severity import GRADES, count_decisions, find_grade
from game.core.worth.tables import load_advisor as site_advisor
from solver.advice import Advisor, find_position
from solver.arena.match import make_random_roller, play_out
from solver.players.erring import Erring
from solver.rules import PLAYED, YATZY, Action, Ruleset, Score, State
from tests.endings import ends_of
from tests.game.finding_leaks import AT_RANDOM, games_of, named, one_box
from tests.known import known
from tests.selection import examples

seeds = st.integers(0, 10**6)


def erring_game(advisor: Advisor, seed: int) -> list[tuple[State, Action]]:
    rng = np.random.default_rng(seed)
    erring = Erring(advisor, 1.0, 2.0)
    return list(play_out(erring, advisor.rules, make_random_roller(rng), rng).decisions)


# Places


@pytest.mark.sampled("any_advisor")
@settings(max_examples=examples(12))
@given(seed=seeds)
def test_every_decision_has_the_place_that_its_card_and_dice_say(
    any_advisor: Advisor, seed: int
) -> None:
    """A hold is aimed at the likeliest box of all that it may end in."""
    rules = any_advisor.rules
    for number, (state, action) in enumerate(erring_game(any_advisor, seed)):
        kind, throw, aimed, third, reach = find_path(any_advisor, state, action)
        assert int(throw) == {2: 1, 1: 2, 0: 3}[state.throws_left]
        ended = [state.turn >= len(rules.categories) * n / 3 for n in (1, 2)]
        assert third == PHASES[sum(ended)]
        faces = [n + 1 for n, at in enumerate(rules.upper) if state.boxes[at] is None]
        won, lost = state.upper >= 63, state.upper + 5 * sum(faces) < 63
        assert reach == ("safe" if won else "gone" if lost else "open")
        if isinstance(action, Score):
            assert (kind, aimed) == ("box", action.category)
            continue
        assert kind == "hold"
        if number % 3 == 0:
            options = any_advisor.advise(find_position(state)).options
            kept = action.kept(state.dice)
            held = next(one for one in options if one.action == "hold" and one.dice == kept)
            ends = ends_of(any_advisor, find_position(state), held)
            chances = {box: end.chance for box, end in ends.items()}
            assert chances.get(aimed, 0.0) == pytest.approx(max(chances.values(), default=0.0))


# Sums and their uncertainty


@settings(max_examples=examples(25))
@given(
    st.lists(
        st.lists(
            st.tuples(st.tuples(*[st.sampled_from("ab")] * DEEPEST), st.floats(0.1, 9)), max_size=6
        ),
        min_size=2,
        max_size=8,
    )
)
def test_every_place_is_averaged_over_all_games_and_no_point_is_counted_twice(
    games: list[list[tuple[Path, float]]],
) -> None:
    made = [
        [Misplay(1, 0, path, (), cost, (), Score("x")) for path, cost in game] for game in games
    ]
    averages = average_losses([sum_losses(game) for game in made])
    paths = {path[:steps] for game in games for path, _ in game for steps in range(DEEPEST + 1)}
    assert set(averages) == paths | {()}
    for path, moments in averages.items():
        lost = [sum(c for p, c in game if p[: len(path)] == path) for game in games]
        assert moments.count == len(games)
        assert moments.mean == pytest.approx(statistics.fmean(lost))
        assert moments.deviation == pytest.approx(statistics.stdev(lost), abs=1e-6)
    expect_whole(build_tree(averages), averages[()].mean)


def expect_whole(leak: Leak, lost: float) -> None:
    if not leak.path:
        assert leak.points == pytest.approx(lost)
    costs = [child.points for child in leak.children]
    assert leak.rest + sum(costs) == pytest.approx(leak.points)
    assert costs == sorted(costs, reverse=True)
    assert all(cost >= max(0.05, 0.005 * lost) for cost in costs)
    for child in leak.children:
        expect_whole(child, lost)


# Peers


@pytest.mark.parametrize("rules", PLAYED.values(), ids=list(PLAYED))
def test_the_players_of_every_grade_are_of_that_grade(rules: Ruleset) -> None:
    grades = read_peers(rules)
    assert list(grades) == [one.id for one in GRADES]
    for name, theirs in grades.items():
        assert find_grade(theirs.lost, rules).id == name
        assert theirs.rating == pytest.approx(theirs.lost / count_decisions(rules))
    losses = [theirs.lost for theirs in grades.values()]
    assert losses == sorted(losses)


@pytest.mark.nightly
def test_the_file_is_what_bots_that_play_anew_lose(fast: Advisor) -> None:
    """The figures agree to the last digit: the dice follow from a seed."""
    assert peers_module.make_peers_file(fast) == peers_module.make_peers_path(YATZY).read_text(
        encoding="utf-8"
    )


def test_the_command_writes_a_file_that_can_be_read(
    yatzy_tables: None, tmp_path: FilePath, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(peers_module, "TRIED", 6)
    monkeypatch.setattr(peers_module, "SELDOM", (0.5,))
    out = tmp_path / peers_module.make_peers_path(YATZY).name
    call_command("peers", ruleset="yatzy", games=4, out=out, stdout=StringIO())
    monkeypatch.setattr("game.data.FOLDER", tmp_path)
    grades = read_peers.__wrapped__(YATZY)
    assert list(grades) == [one.id for one in GRADES]
    assert grades["beginner"].lost > grades["master"].lost > 0
    assert (tmp_path / too_good.make_games_path(YATZY).name).exists()
    assert known(site_advisor(YATZY))._compiled is None  # the site's own is left alone


def test_who_may_be_any_of_several_kinds_varies_as_they_do_together() -> None:
    """Variances are averaged, not deviations: 3 and 4 of as many kinds are no 3.5."""
    kinds = [np.array([10.0 - apart, 10.0 + apart]) / 2**0.5 for apart in (3.0, 4.0)]
    assert peers_module._calculate_deviation(kinds) == pytest.approx(12.5**0.5)


# What is a leak and what is chance


def count_told(advisor: Advisor, way: str, games: int, players: int) -> int:
    pool = games_of(AT_RANDOM[way], advisor, games, 1)
    return sum(map(bool, named(YATZY, pool, players)))


@pytest.mark.nightly
@pytest.mark.timeout(3600)
def test_chance_names_a_leak_for_at_most_one_player_in_twenty(fast: Advisor) -> None:
    """Players of a kind share some of their games, so that one kind may be above it by chance."""
    told = [count_told(fast, way, 200, 60) for way in AT_RANDOM]
    assert sum(told) <= 60 * len(told) / 20
    assert max(told) <= 60 / 8


@pytest.mark.nightly
@pytest.mark.parametrize("box", one_box(YATZY))
def test_who_plays_one_box_badly_learns_which_nine_times_in_ten(fast: Advisor, box: str) -> None:
    pool = games_of(one_box(YATZY)[box], fast, 150, 1)
    leaks = [leak.split(".")[0] for leak in named(YATZY, pool, 40)]
    assert set(leaks) <= {box, ""}
    # A box that is chased costs much in some games and nothing in others.
    assert leaks.count(box) >= (0.8 if box == "large_straight" else 0.9) * 40


def test_a_small_sample_of_players_at_random_and_of_one_who_shuns_yatzy(fast: Advisor) -> None:
    assert not any(count_told(fast, way, 40, 3) for way in ("by cost, 0.7", "greedy, 0.3"))
    pool = games_of(one_box(YATZY)["yatzy"], fast, 40, 1)
    assert {leak.split(".")[0] for leak in named(YATZY, pool, 3)} == {"yatzy"}


@pytest.mark.sampled("any_advisor")
@settings(max_examples=examples(8))
@given(seed=seeds)
def test_every_option_of_a_move_has_its_cost_and_the_box_that_it_aims_at(
    any_advisor: Advisor, seed: int
) -> None:
    decided = [move for move in erring_game(any_advisor, seed) if move[0].dice]
    for (state, action), entry in zip(decided, any_advisor.entries(decided), strict=True):
        choice = list_move_options(any_advisor, state, action, {})
        assert choice.costs[choice.chosen] == pytest.approx(entry.regret, abs=1e-9)
        aimed = state.rules.categories[choice.aims[choice.chosen]].id
        if isinstance(action, Score):
            assert aimed == action.category
        elif state.turn % 3 == 0:
            assert aimed == name_aim(any_advisor, state, action)


def moves_of(costs: list[float], box: int, other: int, times: int) -> list[MoveOptions]:
    both = np.array([box, other])
    return [
        MoveOptions(2, n % 3, 0, np.array([0.0, cost or 4.0]), both, 0, int(cost > 0))
        for n, cost in enumerate(costs * times)
    ]


def test_the_finest_place_is_named_and_what_it_explains_is_not_named_again() -> None:
    """Every other decision for Sixes went wrong, at 4 points, and none of the others."""
    games = [
        [move for box in range(15) for move in moves_of([4.0 * (box == 5), 0.0], box, 14 - box, 2)]
    ] * 12
    test = LeakTest(YATZY, games)
    assert test.find_leaks() == [("sixes", "box")]
    at = test.paths.index(("sixes", "box"))
    assert test.sum_losses(test.chosen[None])[0][at] == pytest.approx(8.0)
    assert LeakTest(YATZY, [moves_of([0.0], 3, 4, 20)]).find_leaks() == []


@pytest.fixture(scope="module")
def fast(yatzy_tables: None) -> Advisor:
    advisor = Advisor.open(YATZY)
    advisor.compile()
    return advisor
