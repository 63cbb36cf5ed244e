"""Values of turn starts: what they are made of, how they are learned, and what was learned."""

import weakref
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from solver.advice.moments import evaluate
from solver.dp.space import TIE
from solver.dp.sweep import solve
from solver.learning.loop import train
from solver.learning.turn_starts import (
    NETWORK,
    SUMS,
    TdLearner,
    TdSettings,
    calculate_gradients,
    collect_cards,
    make_fit,
)
from solver.players import PLAYERS, files, find_player
from solver.players.estimates import (
    BadEstimate,
    Sums,
    ValueNetwork,
    describe_cards,
    find_keys,
    find_sizes,
    forward_pass,
    make_inputs,
    make_space,
    open_cards,
    read,
)
from solver.players.files import TRAINED
from solver.players.values import ValuePlay
from solver.rules import PLAYED, RULESETS, find_ruleset
from solver.tables import open_table
from tests.solver.made_up import SIX_DICE

pytestmark = pytest.mark.usefixtures("all_tables")
SMALL = TdSettings("yahtzee-plain", games=400, batch=100, width=8)
PLAIN = find_ruleset("yahtzee-plain")


@pytest.mark.sampled("ruleset")
@pytest.mark.parametrize("ruleset", RULESETS)
def test_a_turn_played_by_v_is_worth_v_before_its_first_throw(ruleset: str) -> None:
    rules = find_ruleset(ruleset)
    values = open_table(rules).read_all()
    rows, columns = open_cards(rules)
    some = np.random.default_rng(1).choice(len(rows), 300, replace=False)
    found = ValuePlay(values, rules).evaluate_starts(rows[some], columns[some], threads=1)
    assert found == pytest.approx(values[rows[some], columns[some]], abs=10 * TIE)


@pytest.mark.sampled("ruleset")
@pytest.mark.parametrize("ruleset", RULESETS)
def test_many_cards_are_decided_like_one(ruleset: str) -> None:
    rules = find_ruleset(ruleset)
    play = ValuePlay(open_table(rules).read_all(), rules)
    rows, columns = (places[:: len(places) // 20].copy() for places in open_cards(rules))
    holds, boxes = play.cards(rows, columns)
    for number, place in enumerate(zip(rows.tolist(), columns.tolist(), strict=True)):
        card = play.card(*place)
        assert np.array_equal(holds[number], card.holds)
        assert np.array_equal(boxes[number], card.boxes)


@pytest.mark.parametrize("ruleset", RULESETS)
def test_the_three_numbers_of_a_card_lie_in_three_tables(ruleset: str) -> None:
    rules = find_ruleset(ruleset)
    ends = np.cumsum((0, *find_sizes(rules)))
    for table, keys in enumerate(find_keys(rules, *open_cards(rules))):
        assert ends[table] <= keys.min()
        assert keys.max() < ends[table + 1]


@pytest.mark.parametrize("ruleset", RULESETS)
def test_cards_tell_what_is_open_and_how_the_bonus_stands(ruleset: str) -> None:
    rules = find_ruleset(ruleset)
    rows, columns = open_cards(rules)
    some = np.random.default_rng(2).choice(len(rows), 500, replace=False)
    card = describe_cards(rules, rows[some], columns[some])
    for n, (row, column) in enumerate(zip(rows[some], columns[some], strict=True)):
        still = [box for box in range(len(rules.categories)) if not row >> box & 1]
        upper = [box for box in still if box in rules.upper]
        faces = sum(rules.categories[box].face for box in rules.upper if box not in upper)
        most = column + sum(5 * rules.categories[box].face for box in upper)
        assert card.open_upper[n] == len(upper)
        assert card.open_lower[n] == len(still) - len(upper)
        assert (card.bonus[n] == 0) == (column >= rules.bonus_threshold)
        assert (card.bonus[n] == 1) == (most < rules.bonus_threshold)
        if card.bonus[n] > 1:
            assert card.bonus[n] == 14 + np.clip(column - 3 * faces, -12, 12)


def test_optimism_is_all_that_an_untaught_learner_thinks() -> None:
    for method in (SUMS, NETWORK):
        table = make_fit(replace(SMALL, method=method, optimism=20.0)).estimate.make_table()
        space = make_space(PLAIN)
        rows, columns = open_cards(PLAIN)
        still_open = space.boxes - np.bitwise_count(rows)
        assert table[rows, columns] == pytest.approx(20.0 * still_open)
        assert table[PLAIN.full, -1] == PLAIN.bonus_points
        assert np.array_equal(np.isfinite(table), space.reachable)


def test_a_network_asked_by_parts_says_what_it_says_asked_whole() -> None:
    network = ValueNetwork.new(PLAIN, 20.0, width=8, seed=3)
    network.layers["w3"][:] = np.random.default_rng(1).standard_normal(8)
    rows, columns = (places[::997] for places in open_cards(PLAIN))
    sums = make_inputs(PLAIN, rows, columns) @ network.layers["w1"] + network.layers["b1"]
    whole = network.estimate_prior(rows) + forward_pass(network.layers, sums)[-1]
    assert network.make_table()[rows, columns] == pytest.approx(whole, abs=1e-3)


def test_slopes_are_those_of_the_squared_error() -> None:
    random = np.random.default_rng(4)
    network = ValueNetwork.new(PLAIN, 0.0, width=5, seed=3)
    layers: Any = {name: array.astype(np.float64) for name, array in network.layers.items()}
    for name in ("b1", "b2", "w3"):  # off the kinks
        layers[name] += random.standard_normal(5)
    rows, columns = (places[::9999] for places in open_cards(PLAIN))
    inputs: Any = make_inputs(PLAIN, rows, columns).astype(np.float64)
    targets: Any = random.standard_normal(len(rows))
    share: Any = random.random(len(rows))

    found = calculate_gradients(layers, inputs, targets, share)
    for name, array in layers.items():
        at = np.unravel_index(random.integers(array.size), array.shape)
        kept, errors = array[at], []
        for change in (1e-6, -1e-6):
            array[at] = kept + change
            out = forward_pass(layers, inputs @ layers["w1"] + layers["b1"])[-1]
            errors.append(float(share @ (out - targets) ** 2) / 2)
        array[at] = kept
        assert found[name][at] == pytest.approx((errors[0] - errors[1]) / 2e-6, rel=1e-4, abs=1e-6)


def test_every_turn_of_every_game_is_met() -> None:
    play = ValuePlay(Sums.create_optimistic(PLAIN, 20.0).make_table(), PLAIN)
    met = collect_cards(play, 50, np.random.default_rng(1))
    filled = np.bitwise_count(met.rows)
    for turn in range(len(PLAIN.categories)):
        assert met.times[filled == turn].sum() == 50
    assert filled.max() == len(PLAIN.categories) - 1
    assert met.targets == pytest.approx(play.evaluate_starts(met.rows, met.columns, threads=1))


def test_what_was_played_with_is_gone_with_its_last_name() -> None:
    """Nothing waits for the collector: with six dice the values of a batch are over a gigabyte."""
    play = TdLearner.new(SMALL).play()
    seen = weakref.ref(play)
    del play
    assert seen() is None


def test_sums_move_as_far_towards_one_card_as_the_steps_say() -> None:
    fit = make_fit(SMALL)
    start = fit.estimate.make_table()[0, 0]
    met = collect_cards(ValuePlay(fit.estimate.make_table(), PLAIN), 1, np.random.default_rng(1))
    first = met._replace(
        rows=np.array([0]), columns=np.array([0]), times=np.array([1]), targets=np.array([100.0])
    )
    fit.move(first, 0.5, np.random.default_rng(1))
    assert fit.estimate.make_table()[0, 0] == pytest.approx(100.0 + (start - 100.0) * 0.5**6)


@pytest.mark.parametrize("method", [SUMS, NETWORK])
def test_a_run_that_was_broken_off_goes_on_as_if_it_had_not_been(
    method: str, tmp_path: Path
) -> None:
    whole, first = (TdLearner.new(replace(SMALL, method=method)) for _ in range(2))
    for _ in range(4):
        whole.train_batch()
    for _ in range(2):
        first.train_batch()
    first.save(tmp_path / "half.npz")
    second = TdLearner.load(tmp_path / "half.npz")
    assert (second.games, second.settings) == (200, first.settings)
    second.grades = 1
    list(train(second))
    assert second.games == second.total
    for name, array in whole.fit.estimate.collect_arrays().items():
        assert np.array_equal(array, second.fit.estimate.collect_arrays()[name])


def test_grades_come_when_they_are_due_and_at_the_end() -> None:
    learner = TdLearner.new(replace(SMALL, games=350))
    learner.grades = 2
    games = [grade["games"] for grade in train(learner)]
    assert games == [200, 350]


def test_a_sampled_grade_is_near_the_exact_one_and_says_what_it_is() -> None:
    learner = TdLearner.new(replace(SMALL, games=200))
    learner.grades, learner.sampled = 1, 3000
    *_, told = train(learner)
    assert told["sampled"] == 3000
    exact = evaluate(learner.play(), threads=1)
    assert told["mean"] == pytest.approx(exact.mean, abs=4 * told["standard_error"])
    assert told["standard_error"] == pytest.approx(exact.deviation / 3000**0.5, rel=0.1)
    assert told["bonus_probability"] == pytest.approx(exact.bonus_probability, abs=0.03)
    learner.sampled = 0
    assert "sampled" not in learner.grade_player()


@pytest.mark.nightly
def test_values_are_learned_of_six_dice(monkeypatch: pytest.MonkeyPatch) -> None:
    """Perfect play of these three boxes is found in a few hundred games."""
    monkeypatch.setitem(PLAYED, SIX_DICE.id, SIX_DICE)
    settings = TdSettings(SIX_DICE.id, games=800, batch=100, optimism=60.0)
    learner = TdLearner.new(settings)
    learner.grades = 1
    *_, last = train(learner)
    best = solve(SIX_DICE)[0, 0]
    assert best - 0.3 < last["mean"] <= best + 1e-9


def test_the_numbers_of_all_cards_are_the_same_a_few_at_a_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("solver.players.estimates.KEYS_AT_ONCE", 7)
    sums = Sums.create_optimistic(SIX_DICE, 20.0)
    sums.weights[:] = np.random.default_rng(1).standard_normal(len(sums.weights))
    rows, columns = open_cards(SIX_DICE)
    expected = sums.weights[find_keys(SIX_DICE, rows, columns)].sum(axis=0)
    assert np.array_equal(sums.make_table()[rows, columns], expected)


@pytest.mark.nightly
@pytest.mark.parametrize("method", [SUMS, NETWORK])
def test_what_is_published_plays_as_it_played(method: str, tmp_path: Path) -> None:
    learner = TdLearner.new(replace(SMALL, method=method))
    learner.train_batch()
    learner.publish(tmp_path)
    read_again = read(tmp_path / "values.npz")
    expected = learner.fit.estimate.make_table()
    assert read_again.make_table() == pytest.approx(expected, rel=1e-5, nan_ok=True)


@pytest.mark.nightly
def test_a_small_budget_plays_well_and_optimism_is_why() -> None:
    """253.7 after 48,000 games; perfect play has 254.59. Without optimism it stays at 221."""
    means = {}
    for optimism in (0.0, 25.0):
        settings = TdSettings("yahtzee", games=48_000, batch=800, optimism=optimism)
        learner = TdLearner.new(settings)
        learner.grades = 1
        *_, last = train(learner)
        means[optimism] = last["mean"]
    assert means[25.0] > 253.0
    assert means[0.0] < 230.0


@pytest.mark.nightly
@pytest.mark.parametrize(("player", "reached"), [("td-yatzy", 248.0), ("td-yahtzee", 254.3)])
def test_what_comes_with_the_program_plays_as_well_as_is_said(player: str, reached: float) -> None:
    entry = find_player(player)
    (ruleset,) = entry.rulesets
    found = evaluate(entry.open_tabular(find_ruleset(ruleset)), threads=1)
    assert found.mean > reached
    path = TRAINED / f"{player}.npz"
    assert path.stat().st_size < 2_000_000
    with np.load(path, allow_pickle=False) as file:
        assert '"curve"' in str(file["about"])


def test_files_that_hold_something_else_are_refused(tmp_path: Path) -> None:
    learner = TdLearner.new(SMALL)
    learner.save(tmp_path / "checkpoint.npz")
    with pytest.raises(BadEstimate, match="holds learning"):
        read(tmp_path / "checkpoint.npz")
    facts = {"ruleset": "yatzy", "method": SUMS}
    files.save(tmp_path / "sizes.npz", "values of turn starts", facts, weights=np.zeros(5))
    with pytest.raises(BadEstimate, match="not those of yatzy"):
        read(tmp_path / "sizes.npz")


def test_the_players_say_by_which_rules_they_learned() -> None:
    assert PLAYERS["td-yatzy"].rulesets == ("yatzy",)
    assert PLAYERS["td-yahtzee"].rulesets == ("yahtzee",)
