"""Graded positions: made the same each time, with the coach's values, and scored as promised."""

import gzip
import json
from pathlib import Path
from statistics import mean
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from solver.advice import Advisor
from solver.advice.wire import parse_position
from solver.arena import positions
from solver.arena.positions import STRENGTHS, BadPositions
from solver.cli import main
from solver.players import find_player
from solver.rules import SOLVED, YATZY, start_state
from solver.rules.rulesets import YAHTZEE

SHIPPED = sorted(path.name.partition(".")[0] for path in positions.SHIPPED.glob("*.jsonl.gz"))
ONE_ROLL = 1e-6  # what values are rounded to


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("positions") / "some.jsonl"
    positions.write(path, positions.make(Advisor.open(YATZY), 24, 5))
    return path


def lines_of(ruleset: str) -> list[dict[str, Any]]:
    raw = gzip.decompress(positions.find_shipped_file(ruleset).read_bytes()).decode()
    return [json.loads(line) for line in raw.splitlines()]


def answers(graded: positions.GradedPositions, *, worst: bool = False) -> list[str]:
    choose = min if worst else max
    return [
        json.dumps({"id": key, "answer": choose(of.options, key=of.options.__getitem__)})
        for key, of in graded.positions.items()
    ]


def test_the_same_seed_gives_the_same_bytes_and_a_longer_file_begins_like_a_shorter(
    file: Path,
) -> None:
    advisor = Advisor.open(YATZY)
    assert positions.make(advisor, 24, 5) == file.read_text()
    assert positions.make(advisor, 12, 5).splitlines()[1:] == file.read_text().splitlines()[1:13]
    assert positions.make(advisor, 12, 6).splitlines()[1:] != file.read_text().splitlines()[1:13]


def test_a_compressed_file_says_the_same(file: Path, tmp_path: Path) -> None:
    for copy in (tmp_path / "one.jsonl.gz", tmp_path / "two.jsonl.gz"):
        positions.write(copy, file.read_text())
        assert positions.read(copy) == positions.read(file)
    assert (tmp_path / "one.jsonl.gz").read_bytes() == (tmp_path / "two.jsonl.gz").read_bytes()


@pytest.mark.parametrize("ruleset", ["yatzy", "yahtzee"])
def test_what_comes_with_the_program_is_what_the_command_makes(ruleset: str) -> None:
    made = positions.make(Advisor.open(SOLVED[ruleset]), 40, 1).splitlines()
    assert [json.loads(line) for line in made[1:]] == lines_of(ruleset)[1:41]


@pytest.mark.parametrize("ruleset", SHIPPED)
def test_files_that_come_with_the_program(ruleset: str) -> None:
    heading, *lines = lines_of(ruleset)
    assert len(SHIPPED) == 4
    assert positions.find_shipped_file(ruleset).stat().st_size < 1_000_000
    assert heading["rules_hash"] == SOLVED[ruleset].hash
    assert len(lines) == len({line["id"] for line in lines}) == 1000
    assert {line["strength"] for line in lines} == set(STRENGTHS)
    assert all(len(line["options"]) > 1 for line in lines)


@pytest.mark.parametrize("ruleset", ["yatzy", "yahtzee"])
def test_values_are_the_advisors(ruleset: str) -> None:
    advisor = Advisor.open(SOLVED[ruleset])
    for line in lines_of(ruleset)[1:80]:
        keys = {"filled", "upper", "dice", "rolls_left", "chips_won"} & line.keys()
        advice = advisor.advise(parse_position(advisor.rules, {key: line[key] for key in keys}))
        assert len(advice.options) == len(line["options"])
        assert max(line["options"].values()) == pytest.approx(advice.value, abs=ONE_ROLL)
        assert sorted(line["options"].values()) == pytest.approx(
            sorted(option.value for option in advice.options), abs=ONE_ROLL
        )


def test_the_words_say_what_the_numbers_say() -> None:
    for line in lines_of("maxi-yatzy")[1:100]:
        for name, points in line["card"].items():
            assert f"{name} {points}" in line["text"]
        assert f"show {' '.join(map(str, line['dice']))}." in line["text"]
        assert f"Rolls left in this turn: {line['rolls_left']}." in line["text"]


def test_the_best_answers_lose_nothing(file: Path) -> None:
    graded = positions.read(file)
    facts = positions.grade_answers(graded, answers(graded)).facts()
    assert (facts["mean_regret"], facts["best_answers"], facts["problems"]) == (0.0, 24, [])
    assert facts["average_score"] == pytest.approx(Advisor.open(YATZY).value_start, abs=ONE_ROLL)


def test_a_game_costs_what_a_decision_costs_times_the_decisions_of_a_game() -> None:
    def position(name: str, strength: str, decisions: int, worst: float) -> positions.Graded:
        options = {"hold 6": 200.0, "hold 5": 200.0 - worst}
        return positions.Graded(name, start_state(YATZY), 1, strength, decisions, options)

    these = [position("a", "strong", 30, 2.0), position("b", "greedy", 20, 6.0)]
    more = [position("c", "strong", 40, 1.0), position("d", "greedy", 30, 4.0)]
    graded = positions.GradedPositions(
        YATZY, 248.0, {"strong": 10.0, "greedy": 120.0}, {one.id: one for one in [*these, *more]}
    )
    facts = positions.grade_answers(graded, answers(graded, worst=True)).facts()
    assert facts["points_lost_per_game"] == {"strong": 50.0, "greedy": 120.0}
    assert (facts["nearest_strength"], facts["average_score"]) == ("greedy", 128.0)


@given(wrong=st.lists(st.integers(0, 23), max_size=6, unique=True), data=st.data())
def test_a_bad_answer_costs_the_worst_option_and_is_named(
    file: Path, wrong: list[int], data: st.DataObject
) -> None:
    graded = positions.read(file)
    lines, expected = answers(graded), dict.fromkeys(graded.positions, 0.0)
    keys, named = list(graded.positions), set[tuple[int | None, str]]()
    for at in sorted(wrong, reverse=True):
        key = keys[at]
        values = graded.positions[key].options.values()
        expected[key] = max(values) - min(values)
        kind = data.draw(st.sampled_from(["missing", "doubled", "illegal", "neither"]))
        if kind == "missing":
            lines[at] = ""
            named.add((None, key))
        elif kind == "doubled":
            lines.append(lines[at])
            named.add((len(lines), key))
        else:
            answer = "score nowhere" if kind == "illegal" else "give up"
            lines[at] = json.dumps({"id": key, "answer": answer})
            named.add((at + 1, key))
    facts = positions.grade_answers(graded, lines).facts()
    assert {(problem["line"], problem["id"]) for problem in facts["problems"]} == named
    assert facts["mean_regret"] == pytest.approx(mean(expected.values()))
    wholes = {"turn": facts, "kind": facts, "best_box": facts["regret_by_kind"]["box"]}
    for name, whole in wholes.items():
        rows = facts[f"regret_by_{name}"].values()
        total = sum(row["positions"] * row["mean_regret"] for row in rows)
        assert total == pytest.approx(whole["positions"] * whole["mean_regret"])


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ({"answer": "hold 5 1 5"}, "hold 1 5 5"),
        ({"answer": "Hold 551"}, "hold 1 5 5"),
        ({"answer": "hold 5,5"}, "hold 5 5"),
        ({"answer": "hold nothing"}, "hold nothing"),
        ({"answer": "hold"}, "hold nothing"),
        ({"answer": "score Full house"}, "score full_house"),
        ({"action": "hold", "dice": [6, 2]}, "hold 2 6"),
        ({"action": "hold", "dice": []}, "hold nothing"),
        ({"action": "score", "category": "chance"}, "score chance"),
        ({"answer": "hold 7"}, ""),
        ({"answer": "score"}, ""),
        ({"answer": 5}, ""),
        ({}, ""),
    ],
)
def test_an_answer_is_read_however_it_is_written(written: dict[str, Any], read: str) -> None:
    assert positions.parse_option(written)[0] == read


def test_lines_that_answer_nothing(file: Path) -> None:
    graded = positions.read(file)
    lines = [*answers(graded), "hold 5", '{"id": "elsewhere-1", "answer": "score ones"}']
    problems = positions.grade_answers(graded, lines).facts()["problems"]
    assert [problem["line"] for problem in problems] == [25, 26]
    with pytest.raises(BadPositions):
        positions.grade_answers(graded, lines[24:])


@pytest.mark.parametrize("text", ["", "no JSON", "{}", '{"ruleset": "chess"}', "[1]\n2"])
def test_a_file_of_something_else_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "other").write_text(text)
    with pytest.raises(BadPositions):
        positions.read(tmp_path / "other")


def test_positions_of_other_rules_are_refused(file: Path, tmp_path: Path) -> None:
    changed = file.read_text().replace(YATZY.hash, YAHTZEE.hash, 1)
    (tmp_path / "changed").write_text(changed)
    with pytest.raises(BadPositions):
        positions.read(tmp_path / "changed")


@pytest.mark.parametrize("count", [0, 3, positions.MOST + 1])
def test_a_number_of_positions_out_of_range_is_refused(count: int) -> None:
    with pytest.raises(BadPositions):
        positions.make(Advisor.open(YATZY), count, 1)


@pytest.mark.parametrize("player", ["optimal", "greedy", "random"])
def test_a_player_is_estimated_on_positions_of_its_own_games(player: str) -> None:
    """Its exact mean lies in a range of four standard errors."""
    graded = positions.read(positions.find_shipped_file("yatzy"))
    lines = positions.format_answers(find_player(player).open(YATZY), graded, 1)
    facts = positions.grade_answers(graded, lines).facts()
    exact = {"optimal": 248.43999, "greedy": 199.16410, "random": 49.53375}[player]
    low, high = facts["average_score_range"]
    assert facts["nearest_strength"] == {"optimal": "perfect"}.get(player, player)
    assert abs(facts["average_score"] - exact) <= 2 * (high - low) / 2 + ONE_ROLL


def test_the_commands_work_together(
    file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = tmp_path / "made.jsonl"
    arguments = ["yatzy", "--count", "24", "--seed", "5", "--out", str(made)]
    assert main(["positions", "make", *arguments]) == 0
    assert made.read_text() == file.read_text()
    capsys.readouterr()
    assert main(["positions", "answer", "optimal", "yatzy", "--positions", str(made)]) == 0
    (tmp_path / "answers").write_text(capsys.readouterr().out)
    score = ["positions", "score", "--positions", str(made), str(tmp_path / "answers")]
    assert main([*score, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["mean_regret"] == 0.0
    assert main(score) == 0
    (tmp_path / "answers").write_text('{"id": "yatzy-1", "answer": "hold 1"}\n')
    assert main(["positions", "score", str(tmp_path / "answers")]) == 0
    assert "no answer" in capsys.readouterr().err
    (tmp_path / "answers").write_text('{"id": "chess-1", "answer": "hold 1"}\n')
    assert main(["positions", "score", str(tmp_path / "answers")]) == 2
