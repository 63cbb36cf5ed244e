"""Where points are lost: places, sums and their uncertainty, peers, and what chance explains."""

import statistics
from collections.abc import Mapping
from io import StringIO
from pathlib import Path as FilePath

import numpy as np
import pytest
from django.core.management import call_command
from hypothesis import given, settings
from hypothesis import strategies as st

from game.core.worth import peers as peers_module
from game.core.worth import too_good
from game.core.worth.leak_tree import (
    DEEPEST,
    PHASES,
    Leak,
    Misplay,
    Path,
    Sums,
    averaged,
    path_of,
    place,
    summed,
    tree,
)
from game.core.worth.peers import Alike, Peers, Usual, alike, peers
from game.core.worth.severity import GRADES, decisions_of, grade
from game.core.worth.skill import Moments
from game.core.worth.tables import advisor as site_advisor
from game.practice.leak_queries import Excess, excess, named
from solver.advice import Advisor, position_of
from solver.arena.match import at_random, play_out
from solver.players.erring import Erring
from solver.rules import PLAYED, YATZY, Action, Ruleset, Score, State
from tests.endings import ends_of
from tests.game.finding_leaks import players, told
from tests.known import known
from tests.selection import examples

GAMES = 30
seeds = st.integers(0, 10**6)


def erring_game(advisor: Advisor, seed: int) -> list[tuple[State, Action]]:
    rng = np.random.default_rng(seed)
    erring = Erring(advisor, 1.0, 2.0)
    return list(play_out(erring, advisor.rules, at_random(rng), rng).decisions)


# Places


@settings(max_examples=examples(12))
@given(seed=seeds)
def test_every_decision_has_the_place_that_its_card_and_dice_say(
    any_advisor: Advisor, seed: int
) -> None:
    """A hold is aimed at the likeliest box of all that it may end in."""
    rules = any_advisor.rules
    for number, (state, action) in enumerate(erring_game(any_advisor, seed)):
        kind, throw, aimed, third, reach = place(any_advisor, state, action)
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
            options = any_advisor.advise(position_of(state)).options
            kept = action.kept(state.dice)
            held = next(one for one in options if one.action == "hold" and one.dice == kept)
            ends = ends_of(any_advisor, position_of(state), held)
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
    made = [[Misplay(1, 0, path, cost, (), Score("x")) for path, cost in game] for game in games]
    averages = averaged([summed(game) for game in made])
    paths = {path[:steps] for game in games for path, _ in game for steps in range(DEEPEST + 1)}
    assert set(averages) == paths | {()}
    for path, moments in averages.items():
        lost = [sum(c for p, c in game if p[: len(path)] == path) for game in games]
        assert moments.count == len(games)
        assert moments.mean == pytest.approx(statistics.fmean(lost))
        assert moments.deviation == pytest.approx(statistics.stdev(lost), abs=1e-6)
    expect_whole(tree(averages), averages[()].mean)


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
    grades = peers(rules)
    assert list(grades) == [one.id for one in GRADES]
    for name, theirs in grades.items():
        whole = theirs.at(()).mean
        assert grade(whole, rules).id == name
        assert theirs.rating == pytest.approx(whole / decisions_of(rules))
        assert all(usual.spread >= 0 for usual in theirs.lost.values())
        assert theirs.games == peers_module.GAMES
        boxes_and_holds = theirs.at(("hold",)).mean + theirs.at(("box",)).mean
        assert boxes_and_holds == pytest.approx(whole, abs=0.002)
        assert all(path_of(".".join(path), rules) == path for path in theirs.lost if path)
        if whole:  # who loses as much as a grade is compared with it
            others = known(alike(rules, whole))
            for path in ((), ("hold",), ("box", "3")):
                assert others.at(path).mean == pytest.approx(max(theirs.at(path).mean, 0.001))
    totals = [theirs.at(()).mean for theirs in grades.values()]
    assert totals == sorted(totals)
    assert grades["steady"].at(("hold", "1", "nothing")).mean == 0
    assert known(alike(rules, 1e-3)).fewer is grades["grandmaster"]
    assert known(alike(rules, 1e3)).more is grades["beginner"]
    assert alike(rules, 0.0) is None


@pytest.mark.nightly
def test_the_file_is_what_bots_that_play_anew_lose(fast: Advisor) -> None:
    """To the last digit: their dice follow from a seed."""
    assert peers_module.made(fast) == peers_module.file_of(YATZY).read_text(encoding="utf-8")


def test_the_command_writes_a_file_that_can_be_read(
    yatzy_tables: None, tmp_path: FilePath, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(peers_module, "TRIED", 6)
    monkeypatch.setattr(peers_module, "SELDOM", (0.5,))
    out = tmp_path / peers_module.file_of(YATZY).name
    call_command("leak_peers", ruleset="yatzy", games=4, out=out, stdout=StringIO())
    monkeypatch.setattr("game.data.FOLDER", tmp_path)
    grades = peers.__wrapped__(YATZY)
    assert list(grades) == [one.id for one in GRADES]
    assert {one.games for one in grades.values()} == {4}
    assert grades["beginner"].at(()).mean > grades["master"].at(()).mean > 0
    assert (tmp_path / too_good.file_of(YATZY).name).exists()
    assert known(site_advisor(YATZY))._compiled is None  # the site's own is left alone


def test_who_may_be_any_of_several_kinds_varies_as_they_do_together() -> None:
    """By their variances, not by their deviations: 3 and 4 of as many kinds are no 3.5."""
    kinds: list[dict[Path, Moments]] = [
        {(): Moments(2, 10.0, 100.0 + deviation**2 / 2)} for deviation in (3.0, 4.0)
    ]
    assert peers_module._deviation(kinds) == pytest.approx(12.5**0.5)


def grade_of(lost: Mapping[Path, float], spread: float = 0.0) -> Peers:
    usual = {path: Usual(mean, spread) for path, mean in lost.items()}
    return Peers(1000, lost[()], 1.0, 1.0, usual)


FIRST: Path = ("hold", "1")
FEWER = grade_of({(): 8.0, ("hold",): 6.0, FIRST: 1.0, ("hold", "2"): 5.0}, 0.1)
MORE = grade_of({(): 32.0, ("hold",): 18.0, FIRST: 16.0, ("hold", "2"): 2.0}, 0.3)
totals = st.floats(1.0, 100.0)
paths = st.sampled_from([(), ("hold",), FIRST, ("hold", "2"), ("box",)])


@given(totals, paths)
def test_points_grow_as_a_power_of_all_that_is_lost(total: float, path: Path) -> None:
    """The spread stays between two grades, and as large a share beyond the last."""
    ends = [max(one.at(path).mean, 0.001) for one in (FEWER, MORE)]
    usual = Alike(total, FEWER, MORE).at(path)
    power = np.log(ends[1] / ends[0]) / np.log(4)
    assert usual.mean == pytest.approx(ends[0] * (total / 8) ** power)
    share = min(1.0, max(0.0, np.log(total / 8) / np.log(4)))
    spreads = [one.at(path).spread / end for one, end in zip((FEWER, MORE), ends, strict=True)]
    assert usual.spread / usual.mean == pytest.approx(
        spreads[0] + share * (spreads[1] - spreads[0])
    )
    small = 1e-5
    more, less = (Alike(total + by, FEWER, MORE).at(path).mean for by in (small, -small))
    slope = Alike(total, FEWER, MORE).slope(path)
    assert slope == pytest.approx((more - less) / 2 / small, rel=1e-4, abs=1e-6)


# What is a leak and what is chance


@pytest.mark.parametrize(
    ("own", "error", "spread", "likely"),
    [
        *((3.0, 0.0, 0.0, 3.0), (3.0, 1.0, 0.0, 2.5), (3.0, 2.0, 0.0, 1.0), (3.0, 2.0, 2.0, 2.0)),
        *((0.0, 0.5, 0.0, 0.25), (1.0, 0.0, 0.0, 1.0)),
    ],
)
def test_a_place_is_drawn_towards_the_others_the_more_the_less_is_known(
    own: float, error: float, spread: float, likely: float
) -> None:
    assert Excess(own, 1.0, error, spread, GAMES).likely == pytest.approx(likely)


@pytest.mark.parametrize(
    ("points", "error", "spread", "sure"),
    [
        *((3.13, 1.0, 0.0, True), (3.11, 1.0, 0.0, False), (-9.0, 1.0, 0.0, False)),
        *((3.13, 0.8, 0.9, False), (3.13, 0.8, 0.6, True)),
        *((0.1, 0.0, 0.0, True), (0.0, 0.0, 0.0, False)),
    ],
)
def test_sure_is_what_chance_brings_in_one_of_five_hundred(
    points: float, error: float, spread: float, sure: bool
) -> None:
    """The t of 29 degrees of freedom with a five hundredth above it is 3.1202 (from a table)."""
    assert Excess(1.0 + points, 1.0, error, spread, GAMES).sure == sure


def test_chance_is_how_far_the_difference_lies_apart_not_how_far_games_do() -> None:
    """Whose place is always the same share of a game is no surer for bad games."""
    others, hold = Alike(16.0, FEWER, MORE), ("hold",)
    slope = others.slope(hold)
    games: list[Sums] = [{(): total, hold: slope * total} for total in [4.0, 28.0] * 15]
    found = excess(games, hold, others)
    assert found.error == pytest.approx(0.0, abs=1e-12)
    assert found.own == pytest.approx(16.0 * slope)
    assert found.points == pytest.approx(found.own - others.at(hold).mean)
    apart = excess([{(): 16.0, hold: 1.0}, {(): 16.0, hold: 5.0}] * 8, hold, others)
    assert apart.error == pytest.approx(np.std([1.0, 5.0] * 8, ddof=1) / 4)


def leaks_in(steady: Mapping[Path, float], wild: Mapping[Path, float]) -> list[Path]:
    """Of games that lost so much, give or take a tenth, when others lose a point each.

    What is wild is lost in every other game, and each second of those in the games between.
    """
    extra = {**steady, **wild}
    places = {path[:steps] for path in extra for steps in range(len(path) + 1)}
    inside = {at: [one for one in extra if one[: len(at)] == at] for at in places}
    theirs = {at: float(len(ones)) for at, ones in inside.items()}
    more = grade_of({at: 2 * mean for at, mean in theirs.items()})
    games: list[Sums] = []
    for n in range(GAMES):
        own = {path: lost + 0.1 * (-1) ** n for path, lost in steady.items()}
        own |= {path: lost * (1 + (-1) ** (n + k)) for k, (path, lost) in enumerate(wild.items())}
        games.append({at: sum(own[one] for one in ones) for at, ones in inside.items()})
    # As if nothing followed from all that is lost.
    flat = Alike(theirs[()], grade_of(theirs), more)
    return [leak.path for leak in named(tree(averaged(games)), games, flat)]


def boxes(*lost: float, of: str = "1") -> dict[Path, float]:
    return {("hold", of, f"box{n}"): points for n, points in enumerate(lost)}


HOLDS, LATE = [("hold",)], {("hold", "2", "late"): 1.0}


@pytest.mark.parametrize(
    ("steady", "wild", "leaks"),
    [
        (boxes(1.0, 1.0, 1.0), {}, []),
        (boxes(4.0, 1.0, 1.0), {}, [(*FIRST, "box0")]),  # explains nearly all
        (boxes(3.0, 4.0, 1.0), {}, [(*FIRST, "box1"), (*FIRST, "box0")]),  # the larger first
        (boxes(3.0, 3.0, 3.0, 3.0), {}, HOLDS),  # all leak: the coarsest place
        (boxes(3.0, 3.0, 3.0, 1.0, 1.0), {}, HOLDS),
        (boxes(3.0, 3.0) | boxes(3.0, 3.0, of="2"), {}, HOLDS),
        (boxes(4.0), boxes(*[1.25] * 12, of="3"), HOLDS),  # half is explained
        (boxes(4.0), boxes(*[1.05] * 12, of="3"), [(*FIRST, "box0")]),
        ({(*FIRST, "only"): 4.0} | LATE, {}, [FIRST]),  # others lose all of it there too
        ({(*FIRST, "only"): 4.0, ("box",): 1.0}, {}, HOLDS),
        (boxes(3.0, 0.0, 0.0), {}, [(*FIRST, "box0")]),  # sure, in a place that is not
    ],
)
def test_the_place_is_named_that_explains_what_is_lost(
    steady: dict[Path, float], wild: dict[Path, float], leaks: list[Path]
) -> None:
    wild = {(*FIRST, f"few{n}"): lost for n, lost in enumerate(wild.values())}
    assert leaks_in(steady, wild) == leaks


@pytest.fixture(scope="module")
def fast(yatzy_tables: None) -> Advisor:
    advisor = Advisor.open(YATZY)
    advisor.compile()
    return advisor


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("rate", "heat"),
    [*((1.0, heat) for heat in (0.08, 0.25, 0.55, 1.1, 3.0, 8.0)), (0.5, 2.5), (0.2, 6), (0.1, 6)],
)
def test_nothing_stands_out_for_nineteen_players_in_twenty_who_err_at_random(
    fast: Advisor, rate: float, heat: float
) -> None:
    share, _lost, _first = told(YATZY, players(Erring(fast, rate, heat), fast, 200, GAMES, 1))
    assert share <= 1 / 20
