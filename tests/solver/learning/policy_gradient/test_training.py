"""Runs go on exactly, choose what is allowed, and learn something within seconds."""

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from solver.advice.moments import Evaluation
from solver.learning.loop import read_curve
from solver.learning.policy_gradient.config import BadConfig, Config, make_config, parse_config
from solver.learning.policy_gradient.games import GameTable, make_random_card
from solver.learning.policy_gradient.training import TrainingRun, train
from solver.learning.policy_gradient.update import Adam, assign_credit, calculate_rate
from solver.learning.vectorised import Games
from solver.players import files
from solver.players.features import Positions, mark_distinct_holds, number_holds
from solver.players.learned import NetworkPlay
from solver.players.network import (
    POLICY,
    calculate_choice_logits,
    forward,
    pick_boxes,
    pick_slots,
    read,
)
from solver.rules import find_ruleset

TINY = make_config(games=48, batch=8, width=16, depth=1, every=16, graded=10)
LEARNS = {  # games, and a score; a second or two each. Random play has 45.9 points
    "reinforce": (3200, 70),
    "a2c": (3200, 85),
    "ppo": (640, 95),
}


def finished(run: TrainingRun, folder: Path) -> list[dict[str, Any]]:
    return list(train(run, folder))


def test_a_run_that_was_broken_off_goes_on_bit_for_bit(tmp_path: Path) -> None:
    whole = TrainingRun(TINY)
    finished(whole, tmp_path / "whole")
    broken: Iterator[dict[str, Any]] = train(TrainingRun(TINY), tmp_path / "broken")
    next(broken)
    again = TrainingRun.load(tmp_path / "broken" / "checkpoint.npz")
    assert again.done == 2
    finished(again, tmp_path / "broken")
    assert np.array_equal(again.flat, whole.flat)
    assert np.array_equal(again.adam.square, whole.adam.square)
    one, other = (read_curve(tmp_path / name) for name in ("whole", "broken"))
    times = [line.pop("cpu_seconds") for line in (*one, *other)]
    assert (one, len(times)) == (other, 6)
    assert [line["games"] for line in one] == [16, 32, 48]


def test_lines_after_the_checkpoint_are_not_told_twice(tmp_path: Path) -> None:
    finished(TrainingRun(TINY), tmp_path)
    (tmp_path / "curve.jsonl").write_text(
        (tmp_path / "curve.jsonl").read_text() + json.dumps({"games": 64}) + "\n"
    )
    finished(TrainingRun.load(tmp_path / "checkpoint.npz"), tmp_path)
    assert [line["games"] for line in read_curve(tmp_path)] == [16, 32, 48]


def test_a_run_is_graded_at_its_end_whether_or_not_that_is_due(tmp_path: Path) -> None:
    lines = finished(TrainingRun(replace(TINY, every=32)), tmp_path)
    assert [line["games"] for line in lines] == [32, 48]


def test_every_point_of_a_curve_can_be_exact(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Here as if the exact value of any policy were the same: to work one out takes minutes."""
    asked: list[NetworkPlay] = []

    def exact(player: NetworkPlay) -> Evaluation:
        asked.append(player)
        return Evaluation(123.25, 1.0, 0.5, 1)

    monkeypatch.setattr("solver.learning.policy_gradient.training.evaluate", exact)
    run = TrainingRun(replace(TINY, exact_curve=True))
    finished(run, tmp_path)
    told = [(line["greedy_mean"], line["greedy_bonus"]) for line in read_curve(tmp_path)]
    assert told == [(123.25, 0.5)] * 3
    assert all(player.network is run.network for player in asked)
    finished(TrainingRun(TINY), tmp_path / "played")
    assert len(asked) == 3


def test_another_seed_is_another_run() -> None:
    one, other = TrainingRun(TINY), TrainingRun(replace(TINY, seed=2))
    assert not np.array_equal(one.flat, other.flat)
    assert one.train_batch()["training_mean"] != other.train_batch()["training_mean"]


@pytest.mark.parametrize("rolling", ["categorical", "faces", "bernoulli"])
def test_what_is_forbidden_is_never_chosen(rolling: str) -> None:
    config = replace(TINY, rolling=rolling, batch=64)
    run = TrainingRun(config)
    run.flat *= 30  # as sure of itself as can be
    batch = GameTable(config, run.network, 64).play(np.random.default_rng(1))
    steps, games = np.indices(batch.chosen.shape)
    last = np.arange(len(batch.chosen)) % 3 == 2
    assert batch.allowed[steps[last], games[last], batch.chosen[last]].all()
    if rolling != "bernoulli":
        assert batch.allowed[steps[~last], games[~last], batch.chosen[~last]].all()
    assert np.isfinite(batch.log_chance).all()
    assert (batch.scores == batch.rewards.sum(axis=0)).all()


def test_of_slots_with_the_same_dice_one_may_be_held() -> None:
    assert mark_distinct_holds(5)[0].sum() == 6  # 1 1 1 1 1: none to five of them
    assert mark_distinct_holds(5)[:, [0, 31]].all()


def test_advantages_are_those_of_their_definition() -> None:
    """Written out: the sum over what follows of lambda^k times the surprise k steps on."""
    rng = np.random.default_rng(1)
    config = replace(TINY, gae_lambda=0.7, scale=10.0)
    batch = GameTable(config, TrainingRun(config).network, 8).batch
    batch.rewards[:], batch.values[:] = rng.normal(size=(2, *batch.rewards.shape))
    batch.ends[:] = False
    batch.ends[[11, 38], :] = True
    for task, ends in (("game", (12, 39)), ("turn", range(3, 40, 3))):
        found = assign_credit(replace(config, task=task), batch, 3, gamma=0.9)
        for step in range(len(batch.rewards)):
            end = min(one for one in ends if one > step)
            due = np.zeros(8)
            for later in range(step, end):
                after = batch.values[later + 1] if later + 1 < end else 0
                surprise = batch.rewards[later] / 10 + 0.9 * after - batch.values[later]
                due += (0.9 * 0.7) ** (later - step) * surprise
            assert found.advantages[step] == pytest.approx(due, abs=1e-4)
            assert found.targets[step] == pytest.approx(due + batch.values[step], abs=1e-4)


def test_advantages_are_in_units_of_their_spread_and_the_value_is_held_to_what_came() -> None:
    config = replace(TINY, starts=0.0)
    run = TrainingRun(config)
    batch = run.table.play(np.random.default_rng(1))
    given = assign_credit(config, batch, 3)
    found = run.learning.prepare_batch(batch, 0.0)
    every = np.concatenate([found.holds.advantages, found.boxes.advantages])
    assert every.mean() == pytest.approx(0, abs=1e-5)
    assert every.std() == pytest.approx(1, abs=1e-5)
    left = (given.targets - batch.values).var() / given.targets.var()
    assert found.explained == pytest.approx(1 - left, abs=1e-5)
    run.learning.config = replace(config, normalised=False)
    as_they_are = run.learning.prepare_batch(batch, 0.0)
    assert as_they_are.boxes.advantages == pytest.approx(given.advantages[2::3].ravel())
    run.learning.config = replace(config, gamma=0.5)
    later = run.learning.prepare_batch(batch, 0.5)  # half way from a half to one
    assert later.boxes.targets == pytest.approx(
        assign_credit(config, batch, 3, 0.75).targets[2::3].ravel()
    )


@pytest.mark.parametrize("baseline", ["none", "mean", "value"])
def test_reinforce_credits_what_the_rest_of_the_game_brought(baseline: str) -> None:
    config = make_config(algorithm="reinforce", baseline=baseline, games=8, batch=8, width=8)
    batch = GameTable(config, TrainingRun(config).network, 8).play(np.random.default_rng(1))
    rest = batch.rewards[::-1].cumsum(axis=0)[::-1] / config.scale
    less = {"none": 0, "mean": rest.mean(axis=1, keepdims=True), "value": batch.values}[baseline]
    assert assign_credit(config, batch, 3).advantages == pytest.approx(rest - less, abs=1e-4)


def test_some_of_a_batch_are_ends_of_games_from_random_cards(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Two in a place, which have the turns of a game: what one begins with, the other leaves."""
    network = TrainingRun(TINY).network
    table, places = GameTable(TINY, network, 8), list[Positions]()
    monkeypatch.setattr(table.games, "step", recorded(table.games, places))
    batch = table.play(np.random.default_rng(3), elsewhere=0.5)
    filled = np.array([np.bitwise_count(at.rows & network.rules.full) for at in places[::3]])
    assert [set(at.left.tolist()) for at in places] == [{2}, {1}, {0}] * 13
    lengths = set()
    for place in range(8):
        ends = (np.flatnonzero(batch.ends[:, place]) // 3).tolist()
        first = int(filled[0, place])
        lengths.add(first)
        turns = [*range(first, 13), *range(13 - first, 13)] if place < 4 else [*range(13)]
        assert filled[:, place].tolist() == turns
        assert ends == ([12 - first, 12] if place < 4 else [12])
    assert len(lengths) > 2
    assert batch.scores.tolist() == batch.rewards[:, 4:].sum(axis=0).tolist()
    assert len(table.play(np.random.default_rng(3), elsewhere=1.0).scores) == 1


@pytest.mark.parametrize("ruleset", ["yatzy", "yahtzee"])
def test_a_random_card_is_one_that_play_can_reach(ruleset: str) -> None:
    rules, rng = find_ruleset(ruleset), np.random.default_rng(1)
    cards = [make_random_card(rules, filled, rng) for filled in (*range(1, 13), *[6] * 40)]
    for filled, card in zip(range(1, 13), cards, strict=False):
        assert card.filled.bit_count() == filled
        assert (card.throws_left, len(card.dice)) == (rules.throws - 1, rules.dice)
    for card in cards:
        assert card.upper in rules.list_upper_totals(card.filled)
    assert {card.chips_won for card in cards} == {ruleset == "yahtzee", False}


def test_fewer_and_fewer_games_begin_there(monkeypatch: pytest.MonkeyPatch) -> None:
    run, shares = TrainingRun(replace(TINY, starts=0.5)), list[float]()
    play = run.table.play

    def record_share(rng: np.random.Generator, elsewhere: float) -> Any:
        shares.append(elsewhere)
        return play(rng, elsewhere)

    monkeypatch.setattr(run.table, "play", record_share)
    for _ in range(run.config.batches):
        run.train_batch()
    assert shares == pytest.approx([0.5 * (1 - done / 6) for done in range(6)])


@pytest.mark.parametrize(
    ("schedule", "share", "rate"),
    [
        *(("linear", *one) for one in ((0.05, 1.0), (0.1, 2.0), (0.55, 1.0), (1.0, 0.0))),
        *(("cosine", *one) for one in ((0.1, 2.0), (0.4, 1.5), (0.55, 1.0), (1.0, 0.0))),
        ("constant", 1.0, 2.0),
    ],
)
def test_the_rate_rises_and_falls_by_its_schedule(schedule: str, share: float, rate: float) -> None:
    config = Config(rate=2.0, warm_up=0.1, schedule=schedule)
    assert calculate_rate(config, share) == pytest.approx(rate)


@pytest.mark.parametrize("keeps", [0.9, 0.0])
def test_adam_takes_the_steps_of_its_definition(keeps: float) -> None:
    """Without a mean of gradients those of RMSProp."""
    gradients = np.array([[0.3, -2.0, 0.0], [0.1, -1.0, 4.0], [-0.5, 3.0, 0.2]])
    adam, flat = Adam(3, keeps), np.zeros(3, dtype=np.float32)
    mean, square, expected = np.zeros(3), np.zeros(3), np.zeros(3)
    for step, gradient in enumerate(gradients, 1):
        norm = adam.step(flat, gradient.astype(np.float32), 0.01, clip_norm=1.0)
        assert norm == pytest.approx(np.linalg.norm(gradient))
        clipped = gradient / max(1.0, float(np.linalg.norm(gradient)))
        mean, square = keeps * mean + (1 - keeps) * clipped, 0.999 * square + 0.001 * clipped**2
        spread = np.sqrt(square / (1 - 0.999**step)) + 1e-5
        expected -= 0.01 * mean / (1 - keeps**step) / spread
        assert flat == pytest.approx(expected, rel=1e-3)


def test_orthogonal_weights_stand_upright_on_each_other() -> None:
    network = TrainingRun(replace(TINY, initial="orthogonal", depth=2)).network
    for name in ("trunk0", "trunk1"):
        weights = network.parameters[f"{name}.weights"]
        assert weights.T @ weights == pytest.approx(2 * np.eye(16), abs=1e-5)
    boxes = network.parameters["boxes.weights"]
    assert boxes.T @ boxes == pytest.approx(2e-4 * np.eye(13), abs=1e-8)
    wide = TrainingRun(replace(TINY, initial="orthogonal", width=128)).network
    weights = wide.parameters["trunk0.weights"]  # fewer rows than columns
    assert weights @ weights.T == pytest.approx(2 * np.eye(len(weights)), abs=1e-5)


@pytest.mark.sampled("algorithm")
@pytest.mark.parametrize("algorithm", LEARNS)
def test_a_small_budget_is_enough_to_beat_a_stated_score(algorithm: str) -> None:
    games, score = LEARNS[algorithm]
    small = {"batch": 16, "width": 32, "depth": 1, "part": 100, "rate": 5e-3, "warm_up": 0.0}
    run = TrainingRun(make_config(algorithm=algorithm, games=games, **small))
    while run.done < run.config.batches:
        run.train_batch()
    assert run.grade(500).totals.mean() > score


def test_a_turn_alone_can_be_learned_and_gone_on_from(tmp_path: Path) -> None:
    one = TrainingRun(replace(TINY, task="turn"))
    finished(one, tmp_path)
    other = TrainingRun(replace(TINY, seed=2))
    other.start_from(tmp_path / "policy.npz")
    for name, array in other.network.parameters.items():
        same = np.array_equal(array, one.network.parameters[name])
        assert same == (name != "value.weights" and name != "value.bias"), name
    with pytest.raises(BadConfig):
        TrainingRun(replace(TINY, width=32)).start_from(tmp_path / "policy.npz")


@pytest.mark.parametrize("ruleset", ["yatzy", "yahtzee"])
def test_the_policy_that_is_written_plays_as_it_did_in_training(
    ruleset: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = replace(TINY, ruleset=ruleset, games=16)
    run = TrainingRun(config)
    finished(run, tmp_path)
    player = NetworkPlay(read(tmp_path / "policy.npz"))
    table, places = GameTable(config, run.network, 50), list[Positions]()
    monkeypatch.setattr(table.games, "step", recorded(table.games, places))
    batch = table.play(np.random.default_rng(3))
    for step, at in enumerate(places):
        seen = batch.features[step], batch.dice[step]
        hidden = forward(config.shape, run.network.parameters, *seen).hidden
        name = "boxes" if step % 3 == 2 else "holds"
        logits = calculate_choice_logits(
            config.shape, run.network.parameters, name, hidden, at.rolls
        )
        if name == "boxes":
            due = pick_boxes(logits, batch.allowed[step, :, : logits.shape[1]])
            assert player.choose_boxes(at).tolist() == due.tolist()
        else:
            due = pick_slots(config.shape, logits, mark_distinct_holds(5)[at.rolls])
            assert player.choose_holds(at).tolist() == number_holds(5)[at.rolls, due].tolist()


def test_a_policy_tells_how_it_came_to_play_so(tmp_path: Path) -> None:
    lines = finished(TrainingRun(TINY), tmp_path)
    told = files.load(tmp_path / "policy.npz", POLICY).facts["curve"]
    assert [one["games"] for one in told] == [16, 32, 48]
    assert [one["mean"] for one in told] == [line["greedy_mean"] for line in lines]
    assert [one["seconds"] for one in told] == [line["cpu_seconds"] for line in lines]


def recorded(games: Games, places: list[Positions]) -> Callable[[Any], None]:
    step = games.step

    def step_after(chosen: Any) -> None:
        places.append(games.positions)
        step(chosen)

    return step_after


def test_what_does_not_go_together_is_refused() -> None:
    for wrong in (
        {"algorithm": "sarsa"},
        {"card": ("normalised", "other")},
        {"games": 0},
        {"rate": -1.0},
        {"dice": "attention", "embedding": 5},
    ):
        with pytest.raises(BadConfig):
            make_config(**wrong)


def test_a_configuration_comes_back_from_its_file() -> None:
    config = make_config(card=("raw",), features=(), algorithm="a2c")
    assert parse_config(json.loads(json.dumps(config.facts()))) == config
