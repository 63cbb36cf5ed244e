"""The programs of docs/learning.md do what the page says."""

import re
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

from solver.dp.arrays import Floats

PAGE = Path(__file__).resolve().parents[3] / "docs" / "learning.md"
PROGRAMS = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)


def test_ten_lines_move_the_policy_up_the_slope_of_its_likelihood() -> None:
    """The result of 400 games differs by 30 points with the seed; the first step does not."""
    one_turn = PROGRAMS[0].replace("range(1000)", "range(1)")
    one_turn = one_turn.replace("while not done:", "while not weights.any():")
    page: dict[str, Any] = {"__name__": "page"}
    exec(one_turn, page)
    env, draws = gymnasium.make("Yatzy-v0"), np.random.default_rng(1)
    moves: list[tuple[Floats, Floats, int]] = []
    seen, info = env.reset(seed=0)
    while not moves or moves[-1][2] < 32:
        mask = info["action_mask"].astype(float)
        moves.append((seen, mask, int(draws.choice(len(mask), p=mask / mask.sum()))))
        seen, reward, _, _, info = env.step(moves[-1][2])

    def log_likelihood(weights: Floats) -> float:
        logits = [(weights @ seen, mask, action) for seen, mask, action in moves]
        return float(sum(at[action] - np.log(mask @ np.exp(at)) for at, mask, action in logits))

    direction = np.random.default_rng(2).normal(size=page["weights"].shape)
    slope = (log_likelihood(1e-5 * direction) - log_likelihood(-1e-5 * direction)) / 2e-5
    moved = float((page["weights"] * direction).sum())
    assert moved == pytest.approx(0.01 * (float(reward) - 7) * slope, rel=1e-6)
    assert moved != 0


def test_compiled_games_are_played_as_shown(capsys: pytest.CaptureFixture[str]) -> None:
    exec(PROGRAMS[1], {"__name__": "page"})
    means = [float(word) for word in capsys.readouterr().out.split()]
    assert 40 < sum(means) / len(means) < 52
