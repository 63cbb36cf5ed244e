"""Policies of one head: numpy plays them as the environments they were trained in would."""

import json
import sys
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

from solver.learning.baselines.single_head import NoSingleHead, SingleHead, read_single_head
from solver.learning.environments import dealt, played
from solver.learning.numbering import NUMBERINGS, Numbering
from solver.learning.vectorised import Games
from solver.players.features import features_of, layout, mask_of, number_of
from solver.players.files import load, save
from solver.rules import RULESETS, Hold, start

YAHTZEE = RULESETS["yahtzee"]


def a_policy(actions: str = "faces", hidden: int = 8) -> SingleHead:
    random, ends = (
        np.random.default_rng(3),
        (layout(YAHTZEE).width, Numbering(YAHTZEE, actions).count),
    )
    sizes = [(ends[0], hidden), (hidden, ends[1])]
    layers = [
        (
            random.standard_normal(size).astype(np.float32),
            random.standard_normal(size[1]).astype("f4"),
        )
        for size in sizes
    ]
    return SingleHead(YAHTZEE, actions, "tanh", layers)


@pytest.mark.parametrize("actions", NUMBERINGS)
def test_the_best_allowed_is_chosen_however_the_dice_lie(actions: str) -> None:
    policy, random, numbering = (
        a_policy(actions),
        np.random.default_rng(5),
        Numbering(YAHTZEE, actions),
    )
    (first, bias), (second, last) = policy.layers
    state = dealt(start(YAHTZEE), random)
    while not state.finished:
        roll = np.array([YAHTZEE.cup.roll_index[state.dice]])
        worth = np.tanh(features_of(state) @ first + bias) @ second + last
        allowed = np.flatnonzero(numbering.masks(mask_of(state)[None], roll)[0])
        best = int(numbering.plain(allowed[[worth[allowed].argmax()]], roll)[0])
        lying = replace(state, dice=state.dice[::-1])
        action = policy.choose(lying, random)
        if isinstance(action, Hold):
            assert action.kept(lying.dice) == Hold(best).kept(state.dice)
        else:
            assert number_of(YAHTZEE, action) == best
        state = dealt(played(state, best, random), random)


def test_its_mean_is_that_of_the_first_games_of_every_place() -> None:
    policy = a_policy()
    table, numbering = Games(YAHTZEE, 3, seed=4), Numbering(YAHTZEE, "faces")
    first: dict[int, int] = {}
    while len(first) < 3:
        masks = numbering.masks(table.masks, table.rolls)
        table.step(numbering.plain(policy.best(table.features, masks), table.rolls))
        for place in np.flatnonzero(table.finished).tolist():
            first.setdefault(place, int(table.scores[place]))
    assert policy.greedy_mean(3, seed=4) == pytest.approx(sum(first.values()) / 3)


def test_a_policy_is_read_as_it_was_written(tmp_path: Path) -> None:
    policy = a_policy("distinct")
    policy.write(tmp_path / "it.npz", seed=3)
    found = read_single_head(tmp_path / "it.npz")
    assert (found.rules, found.actions, found.activation) == (YAHTZEE, "distinct", "tanh")
    for mine, theirs in zip(policy.layers, found.layers, strict=True):
        assert all((a == b).all() for a, b in zip(mine, theirs, strict=True))


@pytest.mark.parametrize(
    "changes",
    [{"actions": "dice"}, {"activation": "sign"}, {"actions": "slots"}, {"ruleset": "yatzy"}],
)
def test_a_policy_for_something_else_is_refused(tmp_path: Path, changes: dict[str, str]) -> None:
    a_policy().write(tmp_path / "it.npz")
    facts, arrays = load(tmp_path / "it.npz", "worth of every action")
    save(tmp_path / "it.npz", facts["kind"], facts | changes, **arrays)
    with pytest.raises(NoSingleHead, match="other features or actions"):
        read_single_head(tmp_path / "it.npz")


@pytest.mark.needs("torch", "sb3_contrib")
@pytest.mark.parametrize(("script", "games"), [("ppo", 300), ("dqn", 600)])
def test_baselines_leave_a_policy_with_its_curve(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str, games: int
) -> None:
    command = [script, "--actions", "faces", "--games", str(games), "--every", "100"]
    monkeypatch.setattr(sys, "argv", [*command, "--out", str(tmp_path)])
    from solver.learning.baselines.training import GRADED, GRADES_SEED

    import_module(f"solver.learning.baselines.{script}").main()
    lines = [json.loads(line) for line in (tmp_path / "curve.jsonl").read_text().splitlines()]
    assert [line["games"] // 100 for line in lines] == [*range(1, games // 100 + 1)]
    policy = read_single_head(tmp_path / "policy.npz")
    assert policy.greedy_mean(GRADED, GRADES_SEED) == lines[-1]["mean"] > 60  # random play has 46
