"""The benchmark's rows: what follows from their runs, how policies are graded, who is refused."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from solver.advice import Advisor
from solver.arena import benchmark
from solver.arena.benchmark import (
    BUDGETS,
    CLASSES,
    PROTOCOL,
    BadRow,
    BoardRow,
    GradedRun,
    Point,
    board,
    read_curve,
    read_row,
    targets,
)
from solver.arena.contestants import Contestant
from solver.arena.learners import stored_report
from solver.arena.results import policy_of
from solver.arena.submission import policy_at
from solver.cli.learn_board import shown
from solver.learning.baselines.single_head import SingleHead
from solver.learning.numbering import Numbering
from solver.players import find_player
from solver.players.features import layout
from solver.players.files import TRAINED, save
from solver.players.learned import NetworkPlay
from solver.players.values import ValuePlay
from solver.rules import RULESETS
from tests.known import known
from tests.solver.conftest import Run as Command
from tests.solver.hostile import program

YAHTZEE = RULESETS["yahtzee"]
KINDS = ("hold 1", "hold 2", "box")
CURVE = (Point(10, 1.0, 200.0), Point(20, 2.5, 241.0), Point(40, 4.0, 239.0))
LINE = '{"games": 10, "seconds": 1.5, "mean": 200}\n'


def a_run(seed: int, mean: float, curve: tuple[Point, ...] = CURVE) -> GradedRun:
    return GradedRun(
        seed, "", "played", 100, mean, 0.1, 40.0, 0.5, (1.0, 2.0, 250 - mean - 3), curve
    )


def a_row(*runs: GradedRun, name: str = "it", knew: str = "model-free") -> BoardRow:
    return BoardRow(PROTOCOL, name, knew, "yahtzee", "me", "", 250.0, KINDS, runs)


def on_file(folder: Path, row: BoardRow) -> Path:
    path = folder / f"{row.name}.json"
    path.write_text(json.dumps(row.facts()))
    return path


def test_a_row_is_the_mean_of_its_runs_with_their_spread() -> None:
    row = a_row(a_run(1, 230.0), a_run(2, 236.0), a_run(3, 233.0))
    assert row.mean == pytest.approx(233.0)
    assert row.spread == pytest.approx(3.0)
    assert row.lost == pytest.approx([1.0, 2.0, 14.0])
    assert row.mean + sum(row.lost) == pytest.approx(row.optimum)
    assert row.typical.seed == 3
    assert row.margin == pytest.approx(1.96 * 0.1 / 3**0.5)
    assert a_row(a_run(1, 230.0)).spread is None


def test_a_learner_has_five_seeds_and_who_learned_nothing_needs_one() -> None:
    five = [a_run(n, 230.0) for n in range(5)]
    assert a_row(*five).whole
    assert not a_row(*five[:4]).whole
    assert a_row(five[0], knew="fixed").whole


def test_a_height_is_reached_by_the_first_grade_that_is_no_lower() -> None:
    run = a_run(1, 240.0)
    assert run.reached(241.0, "games") == 20
    assert run.reached(241.0, "seconds") == 2.5
    late = a_run(2, 240.0, (Point(500, 60.0, 245.0),))
    never = a_run(3, 240.0, (Point(10, 1.0, 230.0),))
    assert a_row(run, late, never).reached(241.0, "games") == 500  # of the seed in the middle
    assert a_row(run, never).reached(241.0, "games") is None


def test_within_a_budget_counts_what_was_graded_by_then() -> None:
    run, slow = a_run(1, 240.0), a_run(2, 240.0, (Point(20, 3.0, 221.0),))
    assert run.within(20, "games") == 241.0
    assert run.within(3.9, "seconds") == 241.0
    assert run.within(40, "games") == 239.0  # the latest, not the best
    assert run.within(9, "games") is None
    assert a_row(run, slow).within(20, "games") == pytest.approx(231.0)
    assert a_row(run, slow).within(2.5, "seconds") is None


def test_training_is_told_by_the_seed_in_the_middle() -> None:
    runs = [a_run(n, 240.0, (Point(n, n / 2, 230.0),)) for n in (1, 10, 3)]
    assert a_row(*runs).trained("games") == 3
    assert a_row(*runs).trained("seconds") == 1.5
    assert a_row(a_run(1, 240.0, ()), knew="fixed").trained("games") == 0


def test_heights_are_multiples_of_five_below_perfect_play() -> None:
    assert targets(254.588) == [240.0, 245.0, 250.0]
    assert targets(248.440) == [235.0, 240.0, 245.0]


def test_the_board_has_a_class_after_the_other_and_the_best_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(benchmark, "BOARD", tmp_path)
    rows = [
        a_row(a_run(1, 250.0), name="b", knew="model-based"),
        a_row(a_run(1, 230.0), name="c"),
        a_row(a_run(1, 240.0), name="d"),
        replace(a_row(a_run(1, 249.0), name="e"), ruleset="yatzy"),
    ]
    for row in rows[:3]:
        on_file(tmp_path, row)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    mine = on_file(elsewhere, a_row(a_run(1, 235.0), name="a"))
    assert [one.name for one in board(YAHTZEE, [mine, on_file(elsewhere, rows[3])])] == [
        "d",
        "a",
        "c",
        "b",
    ]
    assert board(YAHTZEE)[0] == rows[2]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("{", "is no JSON"),
        ("[]", "is no row"),
        ('{"runs": []}', "is no row"),
        (json.dumps(a_row().facts()), "has no run"),
        (json.dumps(a_row(a_run(1, 240.0), knew="clever").facts()), "class is unknown"),
        (json.dumps(a_row(a_run(1, 240.0)).facts() | {"protocol": 0}), "of protocol 0"),
        (json.dumps(a_row(a_run(1, 240.0)).facts() | {"more": 0}), "unexpected keyword"),
    ],
)
def test_a_file_that_is_no_row_is_refused(tmp_path: Path, content: str, reason: str) -> None:
    path = tmp_path / "row.json"
    path.write_text(content)
    with pytest.raises(BadRow, match=reason):
        read_row(path)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("{", "line 1 is no JSON"),
        ('{"games": 10}', "point 1 of the curve lacks"),
        ('{"games": 10, "seconds": 1, "mean": null}', "point 1 of the curve lacks"),
        ('{"games": 10, "seconds": 1, "mean": NaN}', "not finite"),
        ('{"games": 10, "seconds": Infinity, "mean": 1}', "not finite"),
        (LINE + LINE, "point 2 of the curve is not after"),
        (LINE + '{"games": 11, "seconds": 1.5, "mean": 1}', "point 2 of the curve is not after"),
        ('{"games": 0, "seconds": 1, "mean": 1}', "point 1 of the curve is not after"),
    ],
)
def test_a_curve_that_is_none_is_refused(tmp_path: Path, content: str, reason: str) -> None:
    path = tmp_path / "curve.jsonl"
    path.write_text(content)
    with pytest.raises(BadRow, match=reason):
        read_curve(path)


def test_what_comes_with_the_program_is_whole() -> None:
    """Every row of the board can be read, is of a class, and adds up."""
    files = sorted(benchmark.BOARD.glob("*.json"))
    assert files
    for row in map(read_row, files):
        assert row.knew in CLASSES
        assert row.ruleset in RULESETS
        assert all(run.mean + sum(run.lost) == pytest.approx(row.optimum) for run in row.runs)
        assert all(bool(run.curve) == row.learned for run in row.runs)


@pytest.mark.parametrize("ruleset", ["yahtzee", "yatzy"])
def test_the_board_and_the_report_tell_one_value_of_what_ships(ruleset: str) -> None:
    report = known(stored_report(RULESETS[ruleset]))
    rows = {row.name: row for row in benchmark.board(RULESETS[ruleset])}
    for told in report["learners"]:
        runs = rows[told["player"]].runs
        digest = policy_of(find_player(told["player"]))
        (shipped,) = (run for run in runs if run.policy == digest)
        known_to = max(1e-5, 4 * shipped.error)  # nought where it was graded exactly
        assert shipped.mean == pytest.approx(told["mean"], abs=known_to)
        assert shipped.lost == pytest.approx(told["regret_by_kind"], abs=known_to)


@pytest.mark.parametrize("name", ["learned-yahtzee", "learned-yatzy"])
def test_the_network_that_ships_is_the_seed_in_the_middle(name: str) -> None:
    player = find_player(name)
    (row,) = (one for one in benchmark.board(RULESETS[player.rulesets[0]]) if one.name == name)
    assert row.whole
    assert row.typical.policy == policy_of(player)


def test_our_own_files_are_policies() -> None:
    values, network = (
        policy_at(str(TRAINED / f"{name}.npz"), YAHTZEE)
        for name in ("td-yahtzee", "learned-yahtzee")
    )
    assert isinstance(values.contestant.agent, ValuePlay)
    assert isinstance(network.contestant.agent, NetworkPlay)
    assert values.curve[-1].games == 500_000
    assert values.digest != network.digest


def single_head(path: Path) -> Path:
    random, count = np.random.default_rng(1), Numbering(YAHTZEE, "faces").count
    weights = random.standard_normal((layout(YAHTZEE).width, count)).astype(np.float32)
    policy = SingleHead(YAHTZEE, "faces", "relu", [(weights, np.zeros(count, np.float32))])
    policy.write(path, curve=[{"games": 10, "seconds": 1.5, "mean": 46.0}])
    return path


PLAYER = """
from solver.rules import Hold, legal_actions

class Last:
    def __init__(self, rules): pass
    def choose(self, state, rng, others=()):
        return legal_actions(state)[-1]

class Cheat(Last):
    def choose(self, state, rng, others=()):
        return Hold(0)

class Raising(Last):
    def choose(self, state, rng, others=()):
        raise LookupError("no idea")
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))  # which takes away what is put there
    (tmp_path / "somebodys.py").write_text(PLAYER)
    (tmp_path / "curve.jsonl").write_text(LINE)
    save(tmp_path / "checkpoint.npz", "checkpoint", {"ruleset": "yahtzee"})
    (tmp_path / "text.npz").write_text("text")
    single_head(tmp_path / "head.npz")
    return tmp_path


def submitted(run: Command, *arguments: str) -> tuple[BoardRow, dict[str, object]]:
    status, out, said = run("learn", "submit", *arguments, "--ruleset", "yahtzee", "--json")
    assert status == 0, said
    path = Path(said.splitlines()[-1].removeprefix("written: "))
    return read_row(path), json.loads(out)


@pytest.mark.usefixtures("all_tables")
def test_a_class_a_program_and_a_file_are_graded_alike(run: Command, folder: Path) -> None:
    learner = ("--class", "model-free", "--curve", "curve.jsonl", "--games", "4")
    for policy in ("somebodys.py:Last", f"cmd:{program(folder)}", "head.npz"):
        row, facts = submitted(run, policy, *learner, "--name", "mine", "--out", "mine.json")
        (done,) = row.runs
        assert (row.name, done.how, done.graded, done.seed) == ("mine", "played", 4, 1)
        assert row.optimum == pytest.approx(Advisor.open(YAHTZEE).value_start, abs=1e-6)
        assert done.mean == pytest.approx(row.optimum - sum(done.lost), abs=1e-5)
        assert done.error > 0
        assert facts["complete"] is False
        assert facts == json.loads(json.dumps(shown(row))) | {  # which is rounded on file
            name: facts[name] for name in ("mean", "margin", "errors", "optimum", "lost")
        }
        assert [*facts["within"]] == [*BUDGETS]  # type: ignore[misc]
    status, out, _ = run("learn", "board", "mine.json", "--ruleset", "yahtzee", "--json")
    assert status == 0
    assert "mine" in [one["name"] for one in json.loads(out)]


def test_whoever_was_opened_is_closed_when_another_cannot_be(
    run: Command, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed = []
    monkeypatch.setattr(Contestant, "close", lambda self: closed.append(self.name))
    policies = ("head.npz", "nowhere.npz")
    assert run("learn", "submit", *policies, "--ruleset", "yahtzee", "--class", "fixed")[0] == 2
    assert closed == ["head"]


@pytest.mark.usefixtures("all_tables")
def test_one_policy_a_seed_and_who_has_a_table_loses_by_it(run: Command, folder: Path) -> None:
    names = [str(TRAINED / "td-yahtzee.npz")] * 2
    row, _ = submitted(run, *names, "--class", "model-based", "--seeds", "7", "8", "--games", "30")
    assert [done.seed for done in row.runs] == [7, 8]
    assert row.name == "td-yahtzee"
    assert (folder / "td-yahtzee-yahtzee.json").exists()
    assert {done.how for done in row.runs} == {"drawn"}
    assert row.mean == pytest.approx(254.55, abs=0.1)  # thirty games alone would say 254 ± 20
    assert row.runs[0].curve[-1].games == 500_000


@pytest.mark.usefixtures("all_tables")
def test_tables_show_the_row_and_the_board(run: Command, folder: Path) -> None:
    status, out, _ = run(
        "learn",
        "submit",
        "head.npz",
        "--ruleset",
        "yahtzee",
        "--class",
        "model-free",
        "--games",
        "2",
    )
    assert status == 0
    for words in ("Its runs", "1 of 5", "Points lost in a game", "How soon its curve was there"):
        assert words in out
    status, out, _ = run("learn", "board", "head-yahtzee.json", "--ruleset", "yahtzee")
    assert status == 0
    assert "within a budget" in out


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("nowhere.npz",), "cannot be read"),
        (("text.npz",), "holds nothing learned"),
        (("checkpoint.npz",), "holds checkpoint, which does not play"),
        ((str(TRAINED / "td-yatzy.npz"),), "was learned for yatzy, not for yahtzee"),
        (("nowhere.py:Last",), "there is no file nowhere.py"),
        (("somebodys.py",), "followed by a colon"),
        (("somebodys.py:Nobody",), "no class 'Nobody'"),
        (("nobody",), "unknown player"),
        (("head.npz", "head.npz", "--seeds", "1"), "a seed for each policy"),
        (("head.npz", "head.npz", "--curve", "curve.jsonl"), "a curve for each or for none"),
        (("somebodys.py:Last",), "learned and brings no curve"),
        (("head.npz", "--curve", "text.npz"), "line 1 is no JSON"),
    ],
)
def test_what_cannot_be_graded_is_told_in_a_line(
    run: Command, folder: Path, arguments: tuple[str, ...], reason: str
) -> None:
    given = ("learn", "submit", *arguments, "--ruleset", "yahtzee", "--class", "model-free")
    status, out, said = run(*given)
    assert (status, out) == (2, "")
    assert reason in said
    assert not list(folder.glob("*-yahtzee.json"))


@pytest.mark.usefixtures("all_tables")
@pytest.mark.parametrize(
    ("policy", "reason"),
    [
        ("somebodys.py:Cheat", "did what the rules forbid"),
        ("somebodys.py:Raising", "raised LookupError: no idea"),
        ("cmd:./nothing-there", "nothing-there"),
    ],
)
def test_who_plays_foul_has_no_row(run: Command, folder: Path, policy: str, reason: str) -> None:
    status, out, said = run(
        "learn", "submit", policy, "--ruleset", "yahtzee", "--class", "fixed", "--games", "2"
    )
    assert (status, out) == (2, "")
    assert reason in said
