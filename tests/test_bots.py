"""Tests of the programs in docs/bots.md, and of the Java kit for bots."""

import json
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from jsonschema import Draft202012Validator

from solver.arena.controller import Category, Controller
from solver.arena.match import make_random_roller, play_many, play_out
from solver.arena.programs import FENCED, USUAL, JsonProgram, Limits, protocol
from solver.arena.programs.check import MALFORMED, examine_program, make_rare_positions
from solver.cli import main
from solver.rules import RULESETS, Action, Hold, Ruleset, Score, State
from solver.rules.rulesets import YAHTZEE

DOCS = Path(__file__).parents[1] / "docs"
BOTS = DOCS / "bots"
TEXT = (DOCS / "bots.md").read_text(encoding="utf-8")
SCHEMA = json.loads((DOCS / "bot-protocol.schema.json").read_text(encoding="utf-8"))
PATIENT = Limits(first=120, answer=120, goodbye=60)  # no machine is slower
PYTHON = shlex.join([sys.executable, str(BOTS / "bot.py")])

# For each language: the programs that its bot needs, how to build it, and how to start it.
LANGUAGES: dict[str, tuple[tuple[str, ...], list[str], list[str]]] = {
    "python": ((sys.executable,), [], [sys.executable, str(BOTS / "bot.py")]),
    "javascript": (("node",), [], ["node", str(BOTS / "bot.js")]),
    "rust": (
        ("rustc", "cc"),
        ["rustc", "--edition", "2021", "-D", "warnings", "-o", "{}/bot", str(BOTS / "bot.rs")],
        ["{}/bot"],
    ),
    "java": (
        ("javac", "java"),
        ["javac", "-Xlint:all", "-Werror", "-d", "{}", str(BOTS / "Bot.java")],
        ["java", "-cp", "{}", "Bot"],
    ),
    "c": (
        ("cc",),
        ["cc", "-Wall", "-Wextra", "-Werror", "-o", "{}/bot", str(BOTS / "bot.c")],
        ["{}/bot"],
    ),
}
INSTALLED = [name for name, (needs, _, _) in LANGUAGES.items() if all(map(shutil.which, needs))]
# Each change tests Python's bot (`bot check`); the others are tested at night, if they are built.
OTHERS = pytest.mark.parametrize(
    "language",
    [
        pytest.param(name, marks=[pytest.mark.nightly, pytest.mark.needs(*needs)])
        for name, (needs, _, _) in LANGUAGES.items()
        if name != "python"
    ],
)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], str]:
    known: dict[str, str] = {}

    def command(language: str) -> str:
        if language not in known:
            folder = tmp_path_factory.mktemp(language)
            _, build, start = LANGUAGES[language]
            if build:
                subprocess.run([word.format(folder) for word in build], check=True)
            known[language] = shlex.join(word.format(folder) for word in start)
        return known[language]

    return command


def test_the_languages_of_the_bot_are_those_of_the_document(
    record_testsuite_property: Callable[[str, object], None],
) -> None:
    """Every machine has Python; a report names the other languages whose bots ran here."""
    record_testsuite_property("bots in", ", ".join(INSTALLED))
    assert "python" in INSTALLED
    told = re.findall(r"^\| \w+ \| \[[\w.]+\]\((bots/[\w.]+)\)", TEXT, flags=re.MULTILINE)
    bots = {f"bots/{path.name}" for path in BOTS.iterdir() if path.is_file()}
    assert sorted(told) == sorted(bots)
    assert len(told) == len(LANGUAGES)


@pytest.mark.parametrize(
    "language",
    [
        pytest.param(
            "js" if name == "javascript" else name,
            marks=[pytest.mark.nightly] * (name != "python") + [pytest.mark.needs(*needs)],
        )
        for name, (needs, _, _) in LANGUAGES.items()
    ],
)
def test_a_new_bot_plays_once_it_is_built_as_is_said(
    language: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "my bot"
    folder.mkdir()
    status = main(["bot", "new", language, str(folder)])
    *build, check, fight = [shlex.split(line) for line in capsys.readouterr().err.splitlines()[1:]]
    for command in build:
        subprocess.run(command, check=True)
    program = check[check.index("check") + 1]
    assert fight[fight.index("fight") + 1 :][:2] == ["greedy", f"cmd:{program}"]
    with JsonProgram(program, YAHTZEE, PATIENT) as agent:
        assert (
            status,
            play_out(agent, YAHTZEE, make_random_roller(rng(1)), rng(1)).end.finished,
        ) == (0, True)
    (example,) = (path for path in BOTS.iterdir() if (folder / path.name).exists())
    assert (folder / example.name).read_bytes() == example.read_bytes()
    before = (folder / example.name).stat().st_mtime_ns
    assert main(["bot", "new", language, str(folder)]) == 2
    assert (folder / example.name).stat().st_mtime_ns == before


def test_the_bot_of_the_document_is_the_one_in_the_file() -> None:
    code = re.search(r"```python\n(.*?)```", TEXT, flags=re.DOTALL)
    assert code is not None
    assert (BOTS / "bot.py").read_text(encoding="utf-8").endswith(code[1])


@OTHERS
def test_a_bot_keeps_the_protocol(language: str, built: Callable[[str], str]) -> None:
    report = examine_program(lambda: JsonProgram(built(language), YAHTZEE, PATIENT), YAHTZEE)
    assert [finding for finding in report.findings if not finding.passed] == []
    assert (report.name, report.batch, len(report.findings)) == ("Most of a face", True, 9)


@OTHERS
@pytest.mark.parametrize("rules", RULESETS.values(), ids=lambda rules: rules.id)
def test_the_bot_makes_the_same_moves_in_every_language(
    language: str, rules: Ruleset, built: Callable[[str], str]
) -> None:
    assert moves(built(language), rules) == moves(PYTHON, rules)


def moves(command: str, rules: Ruleset) -> tuple[list[Action], list[Any]]:
    with JsonProgram(command, rules, PATIENT) as agent:
        single = [
            play_out(agent, rules, make_random_roller(rng(n)), rng(n)).actions for n in range(3)
        ]
        together = play_many(agent, rules, 10, rng(1), rng(1))
        rare = [agent.choose(state, rng(1)) for state in make_rare_positions(rules, 50, rng(1))]
    return rare, [single, together]


def test_the_bot_does_what_its_first_line_says() -> None:
    with JsonProgram(PYTHON, YAHTZEE, PATIENT) as agent:
        game = play_out(agent, YAHTZEE, make_random_roller(rng(1)), rng(1))
    for state, action in game.decisions:
        facts = protocol.make_question(state)
        if state.throws_left and len(set(state.dice)) > 1:
            kept = action.kept(state.dice)  # type: ignore[union-attr]
            assert len(set(kept)) == 1
            assert len(kept) == max(map(state.dice.count, state.dice))
        else:
            best = max(facts["options"].values())
            assert facts["options"][action.category] == best  # type: ignore[union-attr]


def rng(seed: int) -> np.random.Generator:
    return np.random.default_rng(seed)


# The schema


def valid(kind: str, facts: Any) -> bool:
    return not list(Draft202012Validator(SCHEMA | {"$ref": f"#/$defs/{kind}"}).iter_errors(facts))


def test_the_schema_is_one() -> None:
    Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("rules", RULESETS.values(), ids=lambda rules: rules.id)
def test_every_line_of_games_is_as_the_schema_says(
    rules: Ruleset, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = recorded(monkeypatch)
    with JsonProgram(PYTHON, rules, PATIENT) as agent:
        play_out(agent, rules, make_random_roller(rng(1)), rng(1))
        play_many(agent, rules, 3, rng(1), rng(1))
        agent.choose(next(make_rare_positions(rules, 1, rng(2))), rng(1), (7, 250))
        agent.end()
    kinds = {json.loads(question)["type"] for question, _ in lines}
    assert kinds == {"hello", "new", "act", "end"}
    for question, answer in lines:
        assert valid("question", json.loads(question)), question
        assert valid("answer", json.loads(answer)), answer
        assert b" " not in question.replace(rules.title.encode(), b"")


def recorded(monkeypatch: pytest.MonkeyPatch) -> list[tuple[bytes, bytes]]:
    from solver.arena.programs.process import Process

    lines: list[tuple[bytes, bytes]] = []
    answer = Process._request_answer

    def tapped(self: Process, line: bytes, most: int, seconds: float) -> bytes:
        lines.append((line, answer(self, line, most, seconds)))
        return lines[-1][1]

    monkeypatch.setattr(Process, "_request_answer", tapped)
    return lines


@pytest.mark.parametrize("line", MALFORMED)
def test_what_is_no_question_is_none_in_the_schema(line: bytes) -> None:
    try:
        facts = json.loads(line)
    except ValueError:
        return
    assert not valid("question", facts)


@pytest.mark.parametrize(
    "facts",
    [
        {"action": "hold"},
        {"action": "hold", "dice": [7]},
        {"action": "hold", "dice": [1] * 6},
        {"action": "score", "category": 3},
        {"action": "dance"},
        {"ok": 1},
        {"answers": [{"action": "hold"}]},
        {"name": ""},
        {"name": "x", "batch": 1},
        [],
    ],
)
def test_what_the_arena_refuses_the_schema_refuses_too(facts: Any) -> None:
    assert not valid("answer", facts)


def test_the_examples_of_the_document_are_as_the_schema_says() -> None:
    examples = list(json_examples())
    kinds = [facts.get("type", "answer") for facts in examples]
    assert kinds.count("answer") == 4
    assert {"hello", "new", "act", "end", "error"} <= set(kinds)
    for facts in examples:
        if "questions" in facts or facts.get("type") == "hello":
            continue  # the document shortens this example
        assert valid("question" if "type" in facts else "answer", facts), facts


def json_examples() -> Iterator[dict[str, Any]]:
    for text in re.findall(r"```json\n(.*?)\n```", TEXT, flags=re.DOTALL):
        yield json.loads(text)


def test_the_document_tells_the_limits_that_are_held() -> None:
    told = next(facts for facts in json_examples() if facts.get("type") == "hello")
    assert told["limits"] == FENCED.facts
    assert told["protocol"] == protocol.PROTOCOL
    assert set(told["ruleset"]) == set(protocol.make_hello(YAHTZEE, USUAL)["ruleset"])
    assert f"| {USUAL.bank:g} seconds, and {USUAL.increment:g} more for every question |" in TEXT
    for limit in (USUAL.first, USUAL.answer, USUAL.goodbye):
        assert f"| {limit:g} seconds |" in TEXT
    assert f"{USUAL.line:,} bytes, and {USUAL.line_each} more" in TEXT
    assert f"threads do not count | {USUAL.processes} |" in TEXT
    assert f"| {USUAL.memory >> 30} GB |" in TEXT
    assert f"| {USUAL.errors >> 20} MB;" in TEXT


# bot check


def check(run: Any, *arguments: str) -> tuple[int, dict[str, Any]]:
    status, out, _ = run("bot", "check", *arguments, "--ruleset", "yahtzee", "--json", "--trust")
    return status, json.loads(out)


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    from solver.cli import main

    def command(*arguments: str) -> tuple[int, str, str]:
        status = main(arguments)
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return command


def changed(folder: Path, old: str, new: str) -> str:
    text = (BOTS / "bot.py").read_text(encoding="utf-8")
    assert text.count(old) == 1
    (folder / "bot.py").write_text(text.replace(old, new), encoding="utf-8")
    return shlex.join([sys.executable, str(folder / "bot.py")])


def test_a_good_program_passes(run: Any) -> None:
    status, facts = check(run, PYTHON)
    assert (status, facts["passed"], facts["name"]) == (0, True, "Most of a face")
    assert facts["batch"] is True
    assert [finding["passed"] for finding in facts["findings"]] == [True] * 9
    assert 0 < facts["times"]["median"] <= facts["times"]["longest"]
    assert facts["times"]["answers"] > 20 * 13


@pytest.mark.parametrize(
    ("old", "new", "finding", "detail"),
    [
        ('"name": "Most of a face", ', "", "starts and says its name", "name is 1 to 60"),
        (
            "max(options, key=options.get)",
            "max(set(question['position']['filled']) | set(options), key=len)",
            "plays whole games",
            "is filled already",
        ),
        (
            "max(options, key=options.get)",
            "min(set(h['ruleset']['boxes']) - set(question['position']['filled']))",
            "plays rare positions",
            "must not be scored in",
        ),
        (
            "[choose(question) for question in",
            "[choose(question) for question in 2 *",
            "answers many questions at once",
            "gave 40 answers to 20 questions",
        ),
        (
            "max(options, key=options.get)",
            "__import__('random').choice(list(options))",
            "plays the same from the same seed",
            "asked the same again, it chose",
        ),
        (
            "max(options, key=options.get)",
            "list(options)[next(calls) % len(options)]",
            "starts again when a new game begins",
            "asked the same again, it chose",
        ),
        (
            "(ValueError, TypeError, LookupError)",
            "MemoryError",
            "refuses invalid lines, and continues",
            "ended with exit status 1",
        ),
        (
            '{"error": "unknown type"}',
            '{"ok": True}',
            "refuses invalid lines, and continues",
            "where an error was due",
        ),
        (
            "for line in sys.stdin:",
            "import atexit, os\natexit.register(os._exit, 5)\nfor line in sys.stdin:",
            "ends when its input ends",
            "it ended with exit status 5",
        ),
        (
            "dice, options = question",
            "assert 'weather' not in question\n    dice, options = question",
            "ignores unknown keys",
            "ended with exit status 1",
        ),
    ],
)
def test_what_a_program_does_wrong_is_found(
    run: Any, tmp_path: Path, old: str, new: str, finding: str, detail: str
) -> None:
    command = changed(tmp_path, old, new)
    head = "import itertools, json, sys\ncalls = itertools.count()\nh = {}\n"
    text = Path(shlex.split(command)[-1]).read_text(encoding="utf-8")
    text = text.replace('case "hello":', 'case "hello":\n            h.update(message)')
    Path(shlex.split(command)[-1]).write_text(head + text, encoding="utf-8")
    status, facts = check(run, command)
    found = {one["check"]: one["detail"] for one in facts["findings"] if not one["passed"]}
    assert (status, facts["passed"]) == (1, False)
    assert detail in found[finding]


def test_a_program_of_the_contest_is_checked_as_far_as_its_convention_goes(
    run: Any, tmp_path: Path
) -> None:
    path = tmp_path / "bot.py"
    path.write_text(
        "for numbers in iter(input, ''):\n    print(2 * numbers.split().index('-1'), flush=True)"
    )
    status, facts = check(run, f"contest:{shlex.join([sys.executable, str(path)])}")
    found = {one["check"]: one["detail"] for one in facts["findings"] if not one["passed"]}
    assert status == 1
    assert len(facts["findings"]) == 4
    assert set(found) == {"plays rare positions", "ends when its input ends"}
    assert "these dice must not be scored in" in found["plays rare positions"]


def test_the_report_for_people_has_a_line_for_each_finding_and_the_times(run: Any) -> None:
    status, out, err = run("bot", "check", PYTHON, "--trust")
    assert status == 0
    assert "Most of a face" in out
    assert out.count("│ yes │") == 9
    assert "An answer took" in err


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("/nowhere/bot",), "there is no program '/nowhere/bot' to start"),
        ((PYTHON, "--ruleset", "kniffel"), "unknown ruleset 'kniffel'"),
        ((f"contest:{PYTHON}", "--ruleset", "yatzy"), "play yahtzee only, not yatzy"),
    ],
)
def test_what_cannot_be_checked_is_refused(
    run: Any, arguments: tuple[str, ...], reason: str
) -> None:
    status, out, err = run("bot", "check", *arguments, "--trust")
    assert (status, out) == (2, "")
    assert reason in err


def test_a_batch_that_is_told_of_smaller_ones_gets_them() -> None:
    with JsonProgram(PYTHON, YAHTZEE, replace(PATIENT, batch=2)) as agent:
        assert isinstance(agent, JsonProgram)
        assert len(play_many(agent, YAHTZEE, 5, rng(1), rng(1))) == 5


KIT = pytest.mark.needs("javac", "java")
PROBE = Path(__file__).with_name("java") / "Probe.java"


@pytest.fixture(scope="module")
def command(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("kit")
    kit = sorted((BOTS / "java-kit").rglob("*.java"))
    build = ["javac", "-Xlint:all", "-Werror", "-d", folder, *kit, PROBE]
    subprocess.run(list(map(str, build)), check=True)
    return f"java -cp {shlex.quote(str(folder))} mego.yahtzee.Play mego.yahtzee.Probe"


@KIT
@pytest.mark.nightly
def test_a_player_of_the_published_interface_keeps_the_protocol(command: str) -> None:
    report = examine_program(lambda: JsonProgram(command, YAHTZEE, PATIENT), YAHTZEE)
    assert [finding for finding in report.findings if not finding.passed] == []
    assert (report.name, report.batch) == ("Probe", False)


@KIT
def test_it_sees_what_a_player_in_python_sees(command: str) -> None:
    states = [*make_rare_positions(YAHTZEE, 25, rng(3))]
    with JsonProgram(command, YAHTZEE, PATIENT) as agent:
        states += [
            state
            for state, _ in play_out(agent, YAHTZEE, make_random_roller(rng(1)), rng(1)).decisions
        ]
        for state in states[-25:] + states[:25]:
            chosen = agent.choose(state, rng(1), (250, 7))
            told = json.loads(agent.last_words.splitlines()[-1])
            assert told == seen(state, (250, 7))
            if isinstance(chosen, Hold):
                assert set(chosen.kept(state.dice)) <= {6}
            else:
                assert chosen in {Score(state.rules.categories[n].id) for n in range(13)}


def seen(state: State, others: tuple[int, ...]) -> dict[str, object]:
    game = Controller(state, others)
    card, dice = game.scorecard, list(state.dice)
    return {
        "stage": 2 - state.throws_left,
        "score": card.score,
        "bonuses": [card.yahtzee_bonus, card.upper_bonus],
        "upper": card.upper_score,
        "scores": game.scores,
        "free": [category.name for category in card.free_categories],
        "fit": [category.name for category in Category.matching_categories(dice)],
        "points": [category.score(dice) for category in Category],
    }
