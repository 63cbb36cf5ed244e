"""The leak finder: every lost point has a place, and the page says how sure that is."""

import json
import statistics
from io import StringIO
from pathlib import Path as FilePath

import numpy as np
import pytest
from django.core.management import call_command
from hypothesis import given, settings
from hypothesis import strategies as st

from game.core.worth import peers as peers_module
from game.core.worth.leak_tree import (
    DEEPEST,
    PHASES,
    Misplay,
    Path,
    aim,
    averaged,
    bonus,
    path_of,
    phase,
    place,
    slips,
    summed,
    tree,
)
from game.core.worth.peers import peers
from game.core.worth.severity import GRADES, decisions_of, grade
from game.core.worth.skill import Moments
from game.core.worth.tables import advisor as site_advisor
from solver.advice import Advisor, position_of
from solver.arena.match import Match, at_random, play_out
from solver.players.erring import Erring
from solver.rules import PLAYED, RULESETS, YATZY, Action, Hold, Ruleset, Score, State
from solver.rules.game import Box
from solver.statistics.inference import difference
from tests.endings import ends_of
from tests.selection import examples


def erring_game(advisor: Advisor, seed: int) -> Match:
    rng = np.random.default_rng(seed)
    return play_out(Erring(advisor, 1.0, 2.0), advisor.rules, at_random(rng), rng)


def judged(advisor: Advisor, match: Match) -> list[tuple[State, Action, float]]:
    return [(state, do, advisor.entry(state, do).regret) for state, do in match.decisions]


# Where a decision belongs


@settings(max_examples=examples(12))
@given(seed=st.integers(0, 10**6))
def test_a_hold_is_aimed_at_the_likeliest_box_of_all_that_it_may_end_in(
    any_advisor: Advisor, seed: int
) -> None:
    """One hold that is followed to its end, against the chances of every hold and box."""
    for state, action in erring_game(any_advisor, seed).decisions[::3]:
        if isinstance(action, Score):
            assert aim(any_advisor, state, action) == action.category
            continue
        position, kept = position_of(state), action.kept(state.dice)
        options = any_advisor.advise(position).options
        held = next(one for one in options if one.action == "hold" and one.dice == kept)
        chances = {box: end.chance for box, end in ends_of(any_advisor, position, held).items()}
        aimed = aim(any_advisor, state, action)
        assert aimed in [rule.id for rule in any_advisor.rules.categories]
        assert chances.get(aimed, 0.0) == pytest.approx(max(chances.values(), default=0.0))


@settings(max_examples=examples(10))
@given(seed=st.integers(0, 10**6))
def test_every_decision_has_the_place_that_its_card_and_dice_say(
    any_advisor: Advisor, seed: int
) -> None:
    rules = any_advisor.rules
    for state, action in erring_game(any_advisor, seed).decisions:
        kind, throw, _, third, reach = place(any_advisor, state, action)
        assert kind == ("hold" if isinstance(action, Hold) else "box")
        assert int(throw) == {2: 1, 1: 2, 0: 3}[state.throws_left]
        ended = [state.turn >= len(rules.categories) * n / 3 for n in (1, 2)]
        assert third == PHASES[sum(ended)]
        faces = [n + 1 for n, number in enumerate(rules.upper) if state.boxes[number] is None]
        most = state.upper + 5 * sum(faces)
        won, lost = state.upper >= 63, most < 63
        assert reach == ("safe" if won else "gone" if lost else "open")


def test_the_thirds_of_a_game_have_as_many_turns_each() -> None:
    assert [phase(YATZY, turn) for turn in range(15)] == [p for p in PHASES for _ in range(5)]
    rules = RULESETS["yahtzee"]
    counts = [[phase(rules, turn) for turn in range(13)].count(p) for p in PHASES]
    assert counts == [5, 4, 4]


@pytest.mark.parametrize(
    ("upper", "sixes", "told"),
    [(33, None, "open"), (32, None, "gone"), (63, None, "safe"), (62, 0, "gone"), (62, 1, "safe")],
)
def test_the_bonus_is_in_reach_as_long_as_five_sixes_would_win_it(
    upper: int, sixes: int | None, told: str
) -> None:
    """Fives hold all the points, as no dice could have it: the sum is what counts."""
    boxes: list[Box | None] = [Box(0, ())] * 4 + [Box(upper, ())] + [None] * 10
    boxes[5] = None if sixes is None else Box(sixes, ())
    assert bonus(State(YATZY, tuple(boxes), 2, (1, 2, 3, 4, 6))) == told


# Sums and their uncertainty


@settings(max_examples=examples(25))
@given(
    games=st.lists(
        st.lists(
            st.tuples(
                st.tuples(*(st.sampled_from("ab") for _ in range(DEEPEST))), st.floats(0.1, 9)
            ),
            max_size=6,
        ),
        min_size=2,
        max_size=8,
    )
)
def test_every_place_is_averaged_over_all_games_as_lists_would_be(
    games: list[list[tuple[Path, float]]],
) -> None:
    made = [[Misplay(1, 0, path, cost, (), Score("x")) for path, cost in game] for game in games]
    found = averaged([summed(game) for game in made])
    paths = {path[:steps] for game in games for path, _ in game for steps in range(DEEPEST + 1)}
    assert set(found) == paths | {()}
    for path in found:
        lost = [sum(c for p, c in game if p[: len(path)] == path) for game in games]
        assert found[path].count == len(games)
        assert found[path].mean == pytest.approx(statistics.fmean(lost))
        assert found[path].deviation == pytest.approx(statistics.stdev(lost), abs=1e-6)


@settings(max_examples=5)
@given(seed=st.integers(0, 10**6))
def test_the_tree_holds_every_lost_point_once(any_advisor: Advisor, seed: int) -> None:
    games = [judged(any_advisor, erring_game(any_advisor, seed + n)) for n in range(3)]
    lost = statistics.fmean(sum(cost for *_, cost in game) for game in games)
    found = averaged([summed(slips(any_advisor, game)) for game in games])
    root = tree(found)
    assert root.points == pytest.approx(lost)
    for length in range(DEEPEST + 1):
        of_length = sum(one.mean for path, one in found.items() if len(path) == length)
        assert of_length == pytest.approx(lost)
    waiting = [root]
    while waiting:
        leak = waiting.pop()
        assert leak.rest + sum(child.points for child in leak.children) == pytest.approx(
            leak.points
        )
        costs = [child.points for child in leak.children]
        assert costs == sorted(costs, reverse=True)
        assert all(cost >= max(0.05, 0.005 * lost) for cost in costs)
        waiting += leak.children


def made_up(rng: np.random.Generator, games: int) -> list[dict[Path, float]]:
    """Games of several slips each, costlier together in some games than in others."""
    found = []
    for bad in rng.exponential(1.0, games):
        costs = rng.exponential(2.0 * bad, rng.poisson(3))
        kinds = rng.choice(["hold", "box"], len(costs)).tolist()
        path = ("1", "ones", "early", "open")
        made = (
            Misplay(1, 0, (k, *path), c, (), Score("x"))
            for k, c in zip(kinds, costs.tolist(), strict=True)
        )
        found.append(summed(made))
    return found


@pytest.mark.nightly
def test_the_uncertainty_holds_the_truth_as_often_as_it_says_where_slips_come_in_bunches() -> None:
    """Counting decisions instead of games would hold it in four of five samples."""
    rng, truth = np.random.default_rng(5), 3.0  # points a game in holds: 1.5 slips of 2 on average
    held = 0
    for _ in range(1000):
        interval = averaged(made_up(rng, 100))[("hold",)].interval
        held += interval is not None and truth in interval
    assert 0.92 < held / 1000 < 0.97


@pytest.mark.nightly
def test_two_samples_differ_by_chance_as_seldom_as_the_interval_says() -> None:
    rng = np.random.default_rng(9)
    held = 0
    for _ in range(1000):
        ones, others = (averaged(made_up(rng, n))[("hold",)].interval for n in (60, 300))
        assert ones is not None
        assert others is not None
        between = difference(ones, others)
        held += between is not None and 0.0 in between
    assert 0.92 < held / 1000 < 0.97


def test_welch_agrees_with_a_worked_example() -> None:
    ones, others = [27.5, 21.0, 19.0, 23.6], [27.1, 22.0, 20.8, 23.4, 23.4, 23.5]
    means = [averaged([{(): value} for value in of])[()].interval for of in (ones, others)]
    assert means[0] is not None
    assert means[1] is not None
    found = difference(means[0], means[1])
    variances = [statistics.variance(of) / len(of) for of in (ones, others)]
    assert found is not None
    assert found.mean == pytest.approx(statistics.fmean(ones) - statistics.fmean(others))
    assert found.error == pytest.approx(sum(variances) ** 0.5)
    assert found.degrees == pytest.approx(
        sum(variances) ** 2 / (variances[0] ** 2 / 3 + variances[1] ** 2 / 5)
    )


# The players of a grade


@pytest.mark.parametrize("rules", PLAYED.values(), ids=list(PLAYED))
def test_the_players_of_every_grade_are_of_that_grade(rules: Ruleset) -> None:
    found = peers(rules)
    assert list(found) == [one.id for one in GRADES]
    for name, theirs in found.items():
        assert grade(theirs.at(()).mean, rules).id == name
        assert theirs.rating == pytest.approx(theirs.at(()).mean / decisions_of(rules))
        assert all(usual.spread >= 0 for usual in theirs.lost.values())
        assert theirs.games == peers_module.GAMES
        boxes_and_holds = theirs.at(("hold",)).mean + theirs.at(("box",)).mean
        assert boxes_and_holds == pytest.approx(theirs.at(()).mean, abs=0.002)
        assert all(path_of(".".join(path), rules) == path for path in theirs.lost if path)
    totals = [theirs.at(()).mean for theirs in found.values()]
    assert totals == sorted(totals)
    assert found["steady"].at(("hold", "1", "nothing")).mean == 0


@pytest.mark.nightly
def test_the_file_is_what_bots_that_play_anew_lose(yatzy_tables: None) -> None:
    """To the last digit: their dice follow from a seed."""
    coach = Advisor.open(YATZY)
    coach.compile()
    assert peers_module.made(coach) == peers_module.file_of(YATZY).read_text(encoding="utf-8")


def test_the_command_writes_a_file_that_can_be_read(
    yatzy_tables: None, tmp_path: FilePath, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(peers_module, "TRIED", 6)
    call_command(
        "leak_peers",
        ruleset="yatzy",
        games=4,
        out=tmp_path / "leak_peers_yatzy.json",
        stdout=StringIO(),
    )
    monkeypatch.setattr(peers_module, "FOLDER", tmp_path)
    found = peers.__wrapped__(YATZY)
    assert list(found) == [one.id for one in GRADES]
    assert {one.games for one in found.values()} == {4}
    assert found["beginner"].at(()).mean > found["master"].at(()).mean > 0
    coach = site_advisor(YATZY)
    assert json.loads((tmp_path / "expert_games_yatzy.json").read_text())["games"] == 8
    assert coach is not None
    assert coach._compiled is None  # the site's own says what it said before


def test_who_may_be_any_of_four_kinds_varies_as_they_do_together() -> None:
    """By their variances, not by their deviations: 3 and 4 of as many kinds are no 3.5."""
    kinds: list[dict[Path, Moments]] = [
        {(): Moments(2, 10.0, 100.0 + deviation**2 / 2)} for deviation in (3.0, 4.0)
    ]
    assert peers_module._deviation(kinds) == pytest.approx(12.5**0.5)
