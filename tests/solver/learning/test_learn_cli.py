"""The commands of the learners, what they wrote, and the programs of docs/learning.md."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import gymnasium
import numpy as np
import pytest

from solver.dp.arrays import Floats
from solver.learning.policy_gradient.training import TrainingRun
from solver.learning.sarsa import Learner, Settings
from solver.learning.simplified import CATEGORIES, Simplified
from solver.learning.turn_starts import TdLearner
from solver.players import estimates, files, network
from tests.solver.conftest import Run


def test_four_categories_as_json(run: Run) -> None:
    status, out, _ = run("learn", "sarsa", "--categories", "4", "--json")
    facts = json.loads(out)
    assert status == 0
    assert facts["random_turns"] == pytest.approx(55.1463, abs=1e-4)
    assert facts["optimal_turns"] == pytest.approx(7.46056, abs=1e-5)
    assert facts["optimal_turns_rethrow"] == pytest.approx(7.35173, abs=1e-5)
    assert facts["optimal_turns"] < facts["learned_turns"] < 12
    assert facts["coins"]["random"]["turns"] == pytest.approx(68.3687, abs=1e-4)
    assert facts["coins"]["fewest_turns"]["turns"] == pytest.approx(8.91405, abs=1e-5)
    assert (facts["kept_sets"], facts["actions"], len(facts["trials"])) == (462, 353, 100)


def test_one_category_with_a_punishment(run: Run) -> None:
    status, out, _ = run("learn", "sarsa", "--categories=1", "--punishment=-5", "--json")
    facts = json.loads(out)
    assert status == 0
    assert facts["settings"]["games"] == 100
    assert facts["settings"]["punishment"] == -5
    assert facts["random_points"] == pytest.approx(10.5)
    assert facts["learned_turns"] < 2


def test_a_run_writes_its_log_its_charts_and_a_table_to_start_from(
    run: Run, tmp_path: Path
) -> None:
    folder = tmp_path / "out"
    small = ("--trials", "3", "--games", "20")
    status, out, _ = run("learn", "sarsa", *small, "--json", "--out", str(folder))
    facts = json.loads(out)
    assert status == 0
    assert json.loads((folder / "summary.json").read_text()) == facts
    rows = [row.split(",") for row in (folder / "summary.csv").read_text().splitlines()]
    assert rows[0] == ["trial", "turns", "points"]
    assert [float(row[1]) for row in rows[1:]] == [trial["turns"] for trial in facts["trials"]]
    for chart in ("turns.svg", "points.svg"):
        ElementTree.parse(folder / chart)
    again = json.loads(run("learn", "sarsa", "--load", str(folder / "q.npz"), "--json")[1])
    assert again["learned_turns"] == facts["learned_turns"]
    assert again["trials"] == []
    more = ("--load", str(folder / "q.npz"), "--trials", "2", "--values", "source", "--json")
    on = json.loads(run("learn", "sarsa", *more)[1])
    assert len(on["trials"]) == 2
    assert on["settings"]["alpha_end"] is None
    assert on["learned_turns"] != facts["learned_turns"]


def test_people_watch_it_with_and_without_learning(run: Run) -> None:
    for trials in ("0", "20"):
        status, out, _ = run(
            "learn", "sarsa", "--categories=1", "--trials", trials, "--watch", "2", "--pause", "0"
        )
        assert status == 0
        assert "fewest turns possible" in out
        assert re.search(r"by a coin, into the easier box │ +4\.696 │ +10\.500 │", out)
        assert [out.count(f"game {number}, finished in") for number in (1, 2, 3)] == [1, 1, 0]


def test_a_table_of_another_game_is_refused(run: Run, tmp_path: Path) -> None:
    run("learn", "sarsa", "--categories=1", "--trials=0", "--json", "--out", str(tmp_path))
    status, _, err = run("learn", "sarsa", "--categories=4", "--load", str(tmp_path / "q.npz"))
    assert status == 2
    assert "another game" in err


def test_td_goes_on_with_its_own_run_and_with_no_other(run: Run, tmp_path: Path) -> None:
    few = ("learn", "td", "--ruleset", "yahtzee-plain", "--games", "40", "--batch", "20")
    status, out, _ = run(*few, "--grades", "2", "--json", "--out", str(tmp_path))
    grades = [json.loads(line) for line in out.splitlines()]
    assert status == 0
    assert [grade["games"] for grade in grades] == [20, 40]
    assert len((tmp_path / "curve.jsonl").read_text().splitlines()) == 2
    assert (tmp_path / "values.npz").exists()
    status, out, told = run(*few, "--json", "--out", str(tmp_path))
    assert (status, out) == (0, "")
    assert "going on after 40 games" in told
    status, _, told = run(*few, "--seed", "9", "--json", "--out", str(tmp_path))
    assert status == 2
    assert "holds another run" in told


# A file that holds nothing learned, or something else, is refused by everybody who reads it.


READERS: dict[str, Callable[[Path], Any]] = {
    "sarsa": Learner.load,
    "turn starts": TdLearner.load,
    "values": estimates.read,
    "policy": network.read,
    "policy gradient": TrainingRun.load,
}


@pytest.mark.parametrize("read", READERS.values(), ids=list(READERS))
@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("none", "there is no file|cannot be read"),
        ("nonsense", "nothing learned|damaged"),
        ("another", "holds another"),
        ("damaged", "nothing learned|damaged|holds"),
    ],
)
def test_a_file_of_something_else_is_refused(
    read: Callable[[Path], Any], content: str, reason: str, tmp_path: Path
) -> None:
    path = tmp_path / "file.npz"
    match content:
        case "nonsense":
            path.write_bytes(b"PK nothing")
        case "another":
            files.save(path, "another", {}, q=np.zeros(3))
        case "damaged":
            Learner(Simplified(CATEGORIES[:1])).save(path, Settings())
            whole = bytearray(path.read_bytes())
            whole[len(whole) // 2] ^= 0xFF
            path.write_bytes(whole)
    with pytest.raises(files.BadLearned, match=reason):
        read(path)


# The programs of docs/learning.md do what the page says.


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
