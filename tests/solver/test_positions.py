"""Positions, slips of the pen, and their short codes."""

import gzip
import json
from collections.abc import Mapping
from functools import partial
from math import isqrt, log2
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solver.advice import Advisor
from solver.advice.wire import parse_position
from solver.arena import positions
from solver.arena.positions import STRENGTHS, BadPositions
from solver.cli import main
from solver.dp.levels import solve_by_level
from solver.dp.outcomes import bound_score
from solver.dp.space import Space
from solver.players import find_player
from solver.players.values import average_boxes
from solver.rules import SOLVED, YATZY, Ruleset, start_state
from solver.rules.rulesets import YAHTZEE
from solver.study.effort import count_vertices
from solver.study.html import Words
from solver.study.published import HUMANS, KEYS, read_reported, require_published
from solver.study.slips import DRAFT_SLIPS, SLIPS, Slip
from solver.study.sources import find_cited_number
from solver.tables import packed, write_packed
from solver.tables.file import BadTable
from solver.tables.packed import Between, Coding, Whole, choose_coding, open_packed
from tests.selection import examples
from tests.solver.test_large import SAVED, by_level
from tests.solver.test_unfinished import RULES, interrupted, killed_after

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


ALL = (*SLIPS, *DRAFT_SLIPS)


def facts_of(text: str, of: tuple[Slip, ...] = SLIPS) -> Mapping[str, Any]:
    (found,) = [slip.facts for slip in of if text in slip.says]
    return found


@pytest.mark.parametrize("slip", ALL, ids=lambda slip: f"{slip.number} {slip.says[:20]}")
def test_every_fact_stands_in_a_sentence_and_every_place_is_filled(slip: Slip) -> None:
    assert "%(" not in " ".join(slip.translate_texts(Words()))
    assert all(f"%({name})s" in slip.says + slip.but for name in slip.facts)


def test_the_slips_about_dice_and_graph_follow_from_what_is_printed() -> None:
    assert len(SLIPS) == 13
    stated = read_reported()["graph"]
    assert facts_of("The graph has") == {
        "stated": stated["states"],
        "counted": sum(one.defined for one in count_vertices(YATZY)),
    }
    kept = sum(bool(dice) for dice in YATZY.cup.holds)
    assert facts_of("You can hold") == {"stated": stated["holds"], "counted": kept}
    dice = read_reported()["real_dice_test"]
    counts = {int(face): count for face, count in dice["counts"].items()}
    counted, pips = sum(counts.values()), sum(face * count for face, count in counts.items())
    assert facts_of("rolls of five dice") == {
        "throws": dice["throws"],
        "stated": dice["reported_total"],
        "counted": counted,
        "percent": 100 * counted / dice["reported_total"],
    }
    mean = facts_of("mean of the real dice")
    assert (mean["stated"], mean["pips"], mean["counted"]) == (dice["reported_mean"], pips, counted)
    assert mean["mean"] == pytest.approx(pips / counted)
    assert pips / mean["wrong"] == pytest.approx(mean["stated"])


def test_the_slips_about_games_follow_from_the_appendices() -> None:
    people = facts_of("games of people")
    assert (people["stated"], people["counted"]) == (300, require_published(HUMANS).games)
    told = [slip.facts for slip in SLIPS if "Strategy" in slip.says]
    assert told == [
        {"player": name, "stated": of.stated, "counted": of.games}
        for name in ("dice-based", "forced-scoring")
        for of in [require_published(name)]
    ]
    assert {one["player"] for one in told} == {
        name for name in KEYS if require_published(name).games != require_published(name).stated
    }
    ranges = {name: require_published(name).range for name in KEYS}
    least = min(ranges, key=lambda name: ranges[name])
    assert facts_of("narrowest range") == {
        "player": "dice-based",
        "range": ranges["dice-based"],
        "other": least,
        "least": ranges[least],
    }
    means = require_published("optimal").mean, require_published(HUMANS).mean
    assert tuple(facts_of("optimal program averages").values()) == (*means, 248.44)


def test_the_slips_about_chances_and_rules_follow_from_the_rules() -> None:
    assert facts_of("Yatzy in one roll") == {"stated": 6**5, "true": 6**5 // 6}
    turns = 50 / float(average_boxes(YATZY)[YATZY.index["yatzy"]])
    assert facts_of("Yatzy in three rolls")["true"] == round(turns, 1)
    assert facts_of("The bonus is for more") == {"points": YATZY.bonus_threshold}
    assert Space(YATZY).columns == YATZY.bonus_threshold + 1


def test_the_slips_of_the_drafts_follow_from_what_they_print() -> None:
    """Inputs: one of six for each die 30, throws 3, counts of faces 30, boxes 13."""
    inputs = 30 + 3 + 30 + 13
    assert facts_of("A position has", DRAFT_SLIPS)["inputs"] == inputs
    width = facts_of("A layer needs", DRAFT_SLIPS)
    assert (width["inputs"], width["fewer"]) == (inputs, inputs - 30)
    assert (width["stated"], width["width"]) == (inputs - 30 + 3, inputs + width["added"])
    neurons = facts_of("The number of neurons grows", DRAFT_SLIPS)
    positions = neurons["times"] * 10 ** neurons["power"]
    assert (neurons["root"], neurons["true"]) == (isqrt(positions), round(log2(positions), 1))
    assert round(neurons["root"], -6) == neurons["stated"]
    bonus = facts_of("otherwise", DRAFT_SLIPS)
    assert (bonus["threshold"], bonus["points"]) == (YAHTZEE.bonus_threshold, YAHTZEE.bonus_points)
    boxes = len(YAHTZEE.categories)
    assert facts_of("The turn, from", DRAFT_SLIPS)["filled"] == boxes - 1
    assert facts_of("A player chooses a box", DRAFT_SLIPS)["throws"] == YAHTZEE.throws
    assert facts_of("The earlier draft", DRAFT_SLIPS)["boxes"] == boxes
    assert facts_of("the score is the boxes", DRAFT_SLIPS) == {
        "optimum": find_cited_number("verhoeff", "yahtzee-free-joker"),
        "plain": find_cited_number("glenn", "yahtzee-plain"),
        "points": YAHTZEE.bonus_points,
        "chip": YAHTZEE.joker.chip if YAHTZEE.joker else 0,
    }


CODINGS = (Between(), Whole(SOLVED["maxi-yatzy"]))


@settings(max_examples=examples(60))
@given(
    st.sampled_from(CODINGS),
    st.sampled_from([1, 2, 3, 4, 5, 29, 30, 31, 32]),
    st.integers(1, 4),
    st.integers(0, 2**32),
    st.sampled_from([0.0, 1e-7, 1.0, 200.0]),
)
def test_a_value_is_half_a_unit_away_at_most(
    kept: Coding, stocks: int, columns: int, seed: int, spread: float
) -> None:
    random = np.random.default_rng(seed)
    values = random.uniform(0, 30) + spread * random.uniform(size=(3, stocks, columns))
    rows = kept.encode_rows(values)
    assert rows.shape == (3, kept.find_size(stocks, columns))
    for row, theirs in zip(rows, values, strict=True):
        half = kept.unit(row[None]) / 2 + 1e-12
        for saved in range(stocks):
            found = kept.decode_plane(row.tobytes(), stocks, columns, saved)
            assert np.abs(found - theirs[saved]).max() <= half
    assert kept.unit(rows) == max(kept.unit(row[None]) for row in rows)


def test_what_lies_between_two_stocks_is_kept_more_finely() -> None:
    """Values that grow ever more slowly: 12 bits each are hardly less exact than 16."""
    values = 200 * (1 - 0.97 ** np.arange(21.0))[None, :, None]
    unit = CODINGS[0].unit(CODINGS[0].encode_rows(values))
    assert unit == pytest.approx(200 * (1 - 0.97**20) / (2**16 - 1), rel=0.01)
    assert CODINGS[0].find_size(21, 40) == 12 + 40 * (11 * 2 + 10)
    assert CODINGS[0].find_size(30, 40) == 12 + 40 * (16 * 2 + 14)
    assert CODINGS[0].find_size(31, 40) == 12 + 40 * 31 * 2


@pytest.mark.parametrize("rules", SOLVED.values(), ids=list(SOLVED))
def test_whole_numbers_count_as_far_as_a_game_goes_and_not_to_its_double(rules: Ruleset) -> None:
    assert bound_score(rules) < Whole(rules).step * 2**32 <= 2 * bound_score(rules)


def test_only_what_would_be_too_large_is_kept_so() -> None:
    assert isinstance(choose_coding(SAVED[0], 4 * 10**8), Whole)
    assert isinstance(choose_coding(SAVED[0], 4 * 10**8 + 1), Between)


def test_a_table_that_is_kept_so_says_its_precision_and_is_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rules, path = SAVED[1], tmp_path / "values"
    write_packed(path, rules, partial(solve_by_level, rules))
    whole = path.stat().st_size
    monkeypatch.setattr(packed, "MOST_FINELY", 0)
    with pytest.raises(BadTable, match="older program"):
        open_packed(path, rules)
    write_packed(path, rules, partial(solve_by_level, rules))
    assert path.stat().st_size < whole
    table, (found, start) = open_packed(path, rules), by_level(rules)
    table.check()
    assert table.value_start == start
    assert 1e-5 < table.precision < 0.02
    for row, planes in enumerate(found):
        for saved, values in enumerate(planes):
            stored = table.read_row(row | saved << len(rules.categories))
            assert np.array_equal(np.isnan(stored), np.isnan(values))
            assert np.nanmax(np.abs(stored - values)) <= table.precision + 1e-12


def test_what_was_begun_in_one_way_is_not_gone_on_with_in_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(packed, "SELDOM", 0.0)
    interrupted(tmp_path / "values", 2)
    monkeypatch.setattr(packed, "MOST_FINELY", 0)
    told = list[int]()
    write_packed(tmp_path / "values", RULES, killed_after(99, told))
    assert told[0] == 1
    open_packed(tmp_path / "values", RULES).check()
