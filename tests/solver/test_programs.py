"""Local programs as players, by our protocol and by that of the Yahtzee AI contest."""

import contextlib
import json
import os
import re
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from solver.advice.wire import BadInput
from solver.arena.illegal import Disqualified
from solver.arena.match import make_random_roller, play_many, play_out
from solver.arena.programs import (
    ContestProgram,
    JsonProgram,
    Limits,
    family,
    is_program_name,
    open_named,
)
from solver.arena.programs.contest import parse_action, to_integers
from solver.arena.programs.process import MEGABYTE
from solver.arena.programs.program import Program
from solver.arena.programs.protocol import BadAnswer
from solver.players import CannotPlay
from solver.players.agent import Agent, Batch
from solver.rules import (
    RULESETS,
    Box,
    Hold,
    Ruleset,
    Score,
    State,
    apply_action,
    apply_roll,
    list_legal_actions,
    start_state,
)
from solver.rules.rulesets import YAHTZEE, find_ruleset
from tests.solver.hostile import program

PATIENT = Limits(first=120, answer=120, bank=600, goodbye=60)  # no machine is as slow as that
HURRIED = replace(PATIENT, answer=0.5, goodbye=0.2)  # for those who never answer at all


@pytest.fixture(autouse=True)
def marks(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """However a test ends, nothing that carries a mark of its programs is left, dead or alive."""
    others = (
        dead_children()
    )  # of tests before: a process that has run a program adopts every orphan
    known: list[str] = []
    drawn = iter(range(10**6))

    def mark(_: int) -> str:
        known.append(f"{os.getpid()}-{id(known)}-{next(drawn)}")
        return known[-1]

    monkeypatch.setattr("solver.arena.programs.process.secrets.token_hex", mark)
    yield known
    assert [mark for mark in known if family.find_processes(mark)] == []
    assert dead_children() <= others


def dead_children() -> set[str]:
    found = set()
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            state, parent = (process / "stat").read_text().rpartition(")")[2].split()[:2]
            if state == "Z" and int(parent) == os.getpid():
                found.add(process.name)
    return found


def first_throw(*dice: int, rules: Ruleset = YAHTZEE) -> State:
    return apply_roll(apply_action(start_state(rules), Hold(0)), dice)


def last_throw(*dice: int, rules: Ruleset = YAHTZEE) -> State:
    state = first_throw(*dice, rules=rules)
    while state.throws_left:
        state = apply_roll(apply_action(state, Hold(31)), dice)
    return state


def rng(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


def fault(agent: Program, state: State | None = None) -> str:
    state = state or first_throw(1, 2, 2, 5, 6)
    with pytest.raises(Disqualified) as ended:
        agent.choose(state, rng())
    with pytest.raises(Disqualified) as again:
        agent.choose(state, rng())
    assert again.value.reason == ended.value.reason
    assert family.find_processes(agent._process._mark) == []
    agent.close()
    return ended.value.reason


def of(
    folder: Path, *changes: str, limits: Limits = PATIENT, rules: Ruleset = YAHTZEE
) -> JsonProgram:
    return JsonProgram(program(folder, *changes), rules, limits)


@pytest.mark.parametrize(
    "rules",
    [
        pytest.param(rules, id=rules.id, marks=[] if rules == YAHTZEE else [pytest.mark.nightly])
        for rules in RULESETS.values()
    ],
)
@pytest.mark.parametrize("batch", [False, True])
def test_a_program_plays_whole_games_of_every_ruleset(
    tmp_path: Path, rules: Ruleset, batch: bool
) -> None:
    with of(tmp_path, f"BATCH = {batch}", rules=rules) as agent:
        assert isinstance(agent, Agent)
        assert isinstance(agent, Batch)
        assert (agent.name, agent.batch) == ("hostile", batch)
        ends = play_many(agent, rules, 5, rng(), rng())
        assert all(end.finished for end in ends)
        assert play_out(agent, rules, make_random_roller(rng()), rng()).end.finished
        assert agent.close() == 0


def test_a_batch_is_asked_in_lines_of_no_more_than_may_be_and_answered_in_order(
    tmp_path: Path,
) -> None:
    refuses_more = (
        "act_as_ever = act\ndef act(m): assert len(m['questions']) <= 3; return act_as_ever(m)"
    )
    with of(tmp_path, "BATCH = True", refuses_more, limits=replace(PATIENT, batch=3)) as agent:
        together = play_many(agent, YAHTZEE, 8, rng(), rng())
    with of(tmp_path) as agent:
        assert play_many(agent, YAHTZEE, 8, rng(), rng()) == together


def test_what_a_program_tosses_comes_from_the_seed(tmp_path: Path) -> None:
    luck = """
import random
def new(message):
    random.seed(message["seed"])
    return {"ok": True}
def choose(question):
    return {"action": "score", "category": random.choice(list(question["options"]))}
"""
    with of(tmp_path, luck) as agent, of(tmp_path, luck) as same:
        games = [
            play_out(a, YAHTZEE, make_random_roller(rng()), np.random.default_rng(seed)).actions
            for a, seed in ((agent, 5), (same, 5), (agent, 5), (agent, 6))
        ]
    assert games[0] == games[1] == games[2] != games[3]


def test_a_program_is_told_where_it_stands_and_how_the_others_do(tmp_path: Path) -> None:
    tells = """
chosen = act
def act(message):
    print(json.dumps(message), file=sys.stderr)
    return chosen(message)
"""
    with of(tmp_path, "BATCH = True", tells) as agent:
        state = apply_action(
            last_throw(6, 6, 6, 1, 2), agent.choose(last_throw(6, 6, 6, 1, 2), rng())
        )
        state = apply_roll(apply_action(state, Hold(0)), (2, 2, 3, 3, 3))
        agent.choose(state, rng(), others=(250, 7))
        agent.choose_among([state, state], rng(), [(1,), (2, 3)])
        agent.close()
        told, many = map(json.loads, agent.last_words.splitlines()[-2:])
    assert [question["others"] for question in many["questions"]] == [[1], [2, 3]]
    assert told["position"]["filled"] == ["ones"]
    assert (told["card"], told["score"], told["others"]) == ({"ones": 1}, 1, [250, 7])
    assert told["options"]["full_house"] == 25
    assert "ones" not in told["options"]


# What ends a program, each with its reason


ACTS = "def act(message): {}"


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (ACTS.format("raise KeyError('oops')"), r"exit status 1 .*last words: KeyError: 'oops'"),
        (ACTS.format("sys.exit(0)"), "ended with exit status 0 instead of answering"),
        (ACTS.format("os.kill(os.getpid(), 11)"), "was ended by SIGSEGV"),
        (ACTS.format("os.write(1, b'{\"acti'); os._exit(9)"), "ended with exit status 9"),
        (ACTS.format("print('my move'); return {}"), "more than one line|which is no JSON"),
        (ACTS.format("return []"), r"'\[\]', which is no JSON object"),
        (ACTS.format("return {}"), 'action is "hold" or "score"'),
        (ACTS.format("return {'error': 'no idea'}"), "refused: 'no idea'"),
        (ACTS.format("return {'action': 'score', 'category': 3}"), "category is the name of a box"),
        (ACTS.format("return {'action': 'score', 'category': 'pair'}"), "there is no box 'pair'"),
        (ACTS.format("return {'action': 'hold'}"), "dice is a list of the faces to keep"),
        (ACTS.format("return {'action': 'hold', 'dice': [1.0]}"), "dice is a list of the faces"),
        (ACTS.format("return {'action': 'hold', 'dice': [True]}"), "dice is a list of the faces"),
        (ACTS.format("return {'action': 'hold', 'dice': [1, 1]}"), "these dice do not lie there"),
        (ACTS.format("return {'action': 'hold', 'dice': list(range(10**5))}"), "4,096 bytes"),
        (ACTS.format("os.write(1, b'\\xff\\x1b[2J\\n'); sys.stdin.read()"), "which is no JSON"),
        (ACTS.format("os.write(1, b'[' * 4000 + b'\\n'); sys.stdin.read()"), "which is no JSON"),
    ],
)
def test_what_a_program_does_wrong_is_named_with_its_position(
    tmp_path: Path, change: str, reason: str
) -> None:
    told = fault(of(tmp_path, change))
    assert re.search(reason, told)
    assert '"dice": [1, 2, 2, 5, 6], "rolls_left": 2' in told
    assert "\x1b" not in told


def test_a_used_box_a_fourth_throw_and_a_box_closed_to_a_joker_are_illegal(tmp_path: Path) -> None:
    ones = "def choose(question): return {'action': 'score', 'category': 'ones'}"
    hold = "def choose(question): return {'action': 'hold', 'dice': []}"
    filled = pytest.raises(Disqualified, match="the box ones is filled already")
    with of(tmp_path, ones) as agent, filled:
        play_out(agent, YAHTZEE, make_random_roller(rng()), rng())
    assert "no throw is left: choose a box" in fault(of(tmp_path, hold), last_throw(1, 2, 3, 4, 6))
    joker = apply_roll(
        apply_action(apply_action(last_throw(3, 3, 3, 3, 3), Score("yahtzee")), Hold(0)),
        (3, 3, 3, 3, 3),
    )
    assert "must not be scored in ones now" in fault(of(tmp_path, ones), joker)


def test_the_illegal_one_of_many_answers_is_named_with_its_own_position(tmp_path: Path) -> None:
    worse = "def choose(q): return {'action': 'hold', 'dice': [6]}"
    with of(tmp_path, "BATCH = True", worse) as agent:
        states = [first_throw(6, 1, 1, 1, 1), first_throw(1, 2, 3, 4, 5)]
        with pytest.raises(Disqualified, match=r"do not lie there at .*\[1, 2, 3, 4, 5\]"):
            agent.choose_many(states, rng())


@pytest.mark.parametrize(
    ("answers", "reason"),
    [("[]", "gave 0 answers to 2 questions"), ("{'a': 1}", "want a list of answers")],
)
def test_a_batch_wants_an_answer_to_every_question(
    tmp_path: Path, answers: str, reason: str
) -> None:
    change = ACTS.format(f"return {{'answers': {answers}}}")
    wrong = pytest.raises(Disqualified, match=f"{reason}.*the first of 2 positions")
    with of(tmp_path, "BATCH = True", change) as agent, wrong:
        agent.choose_many([first_throw(1, 2, 3, 4, 5)] * 2, rng())


FORKS = """
def act(message):
    for n in range({children}):
        if not os.fork():
            {child}
            time.sleep(1000)
    {then}
"""
EATS = """
def act(message):
    for n in range(3):
        if not os.fork():
            held = bytearray(b"x" * (60 << 20))
            time.sleep(1000)
    time.sleep(1000)
"""
HANGS = ACTS.format("time.sleep(1000)")
WRITES = "def act(message):\n    while True: os.write({})"
TWICE = "def new(message): os.write(1, b'{\"ok\":true}\\n' * 2); time.sleep(1000)"
MANY = r"ran \d+ processes at once: 16 are allowed"
WAITS = "time.sleep(1000)"
# What each does, within which limits, and why it is ended.
ENDED: dict[str, tuple[str, dict[str, float], str]] = {
    "says no ok": ("def new(message): return {'ok': 1}", {}, 'where {"ok":true} was due'),
    "hangs": (HANGS, {"answer": 0.5, "goodbye": 0.2}, r"no answer within 0\.5 s.*flushed"),
    "closes its output": (
        ACTS.format("os.close(1); time.sleep(1000)"),
        {"goodbye": 0.2},
        "closed its standard output",
    ),
    "spends its bank": (HANGS, {"bank": 0.5, "increment": 0}, r"used up its 0\.5 seconds for the"),
    "answers when its input ends": (
        ACTS.format("sys.stdin.read(); return choose(message)"),
        {"answer": 0.5, "goodbye": 0.2},
        "gave no answer",
    ),
    "writes no line": (WRITES.format("1, b'x' * 65536"), {}, "4,096 bytes|more than one line"),
    "writes lines": (WRITES.format("1, b'{}\\n' * 9999"), {}, "4,096 bytes|more than one line"),
    "writes unasked": (TWICE, {}, "more than one line"),
    "writes errors": (
        WRITES.format("2, b'x' * 65536"),
        {"errors": 2 * MEGABYTE},
        "more than 2 MB to standard error",
    ),
    "eats memory": (
        ACTS.format("return {'x': bytearray(10**9)}"),
        {"memory": 256 * MEGABYTE},
        "last words: MemoryError",
    ),
    "eats memory in many": (EATS, {"memory": 150 * MEGABYTE}, "used more than 150 MB of memory"),
    "multiplies": (FORKS.format(children=40, child="pass", then=WAITS), {}, MANY),
    "leaves its group": (FORKS.format(children=40, child="os.setsid()", then=WAITS), {}, MANY),
    "leaves its parents": (
        FORKS.format(children=40, child="os.setsid(); os.fork()", then=WAITS),
        {},
        MANY,
    ),
    "leaves others behind": (  # for which the fixture looks
        FORKS.format(children=5, child="os.setsid()", then="os._exit(4)"),
        {},
        "ended with exit status 4",
    ),
}


@pytest.mark.skipif(not family.PROC.is_dir(), reason="needs Linux")
@pytest.mark.parametrize("what", ENDED)
def test_who_takes_too_much_is_ended_with_all_descendants(tmp_path: Path, what: str) -> None:
    change, limits, reason = ENDED[what]
    given = fault(of(tmp_path, change, limits=replace(PATIENT, **limits)))  # type: ignore[arg-type]
    assert re.search(reason, given)
    assert len(given) < 600


@pytest.mark.parametrize(
    "name", ["''", "7", "'x' * 61", "'two\\nlines'", "'\\x1b[2J'", "'\\ud800'", "None"]
)
def test_a_name_is_fit_to_be_shown(tmp_path: Path, name: str) -> None:
    with pytest.raises(Disqualified, match="name is 1 to 60 printable characters"):
        of(tmp_path, f"def hello(message): return {{'name': {name}}}")


def test_a_program_says_by_true_or_false_whether_it_takes_many_questions(tmp_path: Path) -> None:
    with pytest.raises(Disqualified, match="batch is true or false, not '1'"):
        of(tmp_path, "BATCH = 1")


def test_a_program_may_refuse_rules_that_it_does_not_know(tmp_path: Path) -> None:
    change = "def hello(message): return {'error': 'only ' + message['ruleset']['id']}"
    with pytest.raises(Disqualified, match="refused: 'only yahtzee'"):
        of(tmp_path, change)


def test_a_program_that_never_says_its_name_is_ended(tmp_path: Path) -> None:
    limits = replace(PATIENT, first=0.5)
    with pytest.raises(Disqualified, match=r"no answer within 0\.5 seconds"):
        of(tmp_path, "def hello(message): time.sleep(1000)", limits=limits)


def test_a_program_that_does_not_read_is_ended_while_it_is_asked(tmp_path: Path) -> None:
    """More questions than any pipe holds."""
    never = "def new(message): print('{\"ok\":true}', flush=True); time.sleep(1000)"
    limits = replace(HURRIED, batch=5000)
    late = pytest.raises(Disqualified, match="gave no answer within")
    with of(tmp_path, "BATCH = True", never, limits=limits) as agent, late:
        agent.choose_many([first_throw(1, 2, 3, 4, 5)] * 5000, rng())


def test_every_answer_is_taken_from_the_bank(tmp_path: Path) -> None:
    """Each is in time, all together are not."""
    slow = ACTS.format("time.sleep(0.2); return choose(message)")
    spent = pytest.raises(Disqualified, match="used up its 1 seconds for the match")
    limits = replace(PATIENT, bank=1, increment=0)
    with of(tmp_path, slow, limits=limits) as agent, spent:
        play_out(agent, YAHTZEE, make_random_roller(rng()), rng())


def test_every_question_puts_time_into_the_bank(tmp_path: Path) -> None:
    limits = replace(PATIENT, bank=0, increment=60)
    with of(tmp_path, limits=limits) as agent:
        assert play_out(agent, YAHTZEE, make_random_roller(rng()), rng()).end.finished


def test_a_line_between_two_questions_is_an_offence(tmp_path: Path) -> None:
    chatty = "def new(message):\n print('{\"ok\":true}', flush=True); print('hm', flush=True)\n"
    chatty += " open(sys.argv[1] + '.said', 'w'); time.sleep(1000)"
    command = program(tmp_path, chatty) + f" {tmp_path / 'it'}"
    with JsonProgram(command, YAHTZEE, PATIENT) as agent:
        with contextlib.suppress(Disqualified):  # where both lines came at once
            agent.begin(1)
            while not (tmp_path / "it.said").exists():
                os.sched_yield()
        with pytest.raises(Disqualified, match=r"without being asked: 'hm'|more than one line"):
            agent.ask_action(first_throw(1, 2, 3, 4, 5))


def test_standard_error_is_read_and_only_its_end_is_kept(tmp_path: Path) -> None:
    loud = ACTS.format("os.write(2, b'x' * 10**6 + b'\\x1b[31m the end'); return choose(message)")
    with of(tmp_path, loud) as agent:
        play_out(agent, YAHTZEE, make_random_roller(rng()), rng())
        agent.close()
        assert agent.last_words.endswith("\N{REPLACEMENT CHARACTER}[31m the end")
        assert len(agent.last_words) <= 4096


def test_nobody_else_is_harmed(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    with of(tmp_path / "other", "BATCH = True") as other:
        before = play_many(other, YAHTZEE, 3, rng(), rng())
        fault(of(tmp_path, FORKS.format(children=5, child="pass", then="os.abort()")))
        fault(of(tmp_path, ACTS.format("os.killpg(0, 9)")))
        assert play_many(other, YAHTZEE, 3, rng(), rng()) == before


def test_a_program_is_told_what_was_wrong_before_it_is_ended(tmp_path: Path) -> None:
    agent = of(tmp_path, ACTS.format("return {'action': 'dance'}"))
    assert "last words" not in fault(agent)  # they are about its answer, and known
    assert agent.last_words.startswith('answered \'{"action":"dance"}\'')


def test_who_does_not_end_with_its_input_is_ended(tmp_path: Path) -> None:
    agent = of(tmp_path, "import atexit; atexit.register(time.sleep, 1000)", limits=HURRIED)
    assert agent.close() is None


def test_an_interrupt_leaves_nothing_running(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent = of(tmp_path)
    monkeypatch.setattr(
        agent._process, "_request_answer", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt)
    )
    with pytest.raises(KeyboardInterrupt):
        agent.choose(first_throw(1, 2, 3, 4, 5), rng())
    assert family.find_processes(agent._process._mark) == []


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        ("", "empty command"),
        ("python3 'bot.py", "No closing quotation"),
        ("/nowhere/bot", "no program '/nowhere/bot'"),
    ],
)
def test_a_command_that_cannot_be_meant_is_refused(command: str, reason: str) -> None:
    with pytest.raises(BadInput, match=reason):
        JsonProgram(command, YAHTZEE)


def test_a_file_that_is_no_program_says_so(tmp_path: Path) -> None:
    path = tmp_path / "bot"
    path.write_bytes(b"\x7fnonsense")
    path.chmod(0o755)
    with pytest.raises(Disqualified, match=r"status 127 .*cannot be started: Exec format error"):
        JsonProgram(str(path), YAHTZEE)


def test_no_shell_reads_the_command(tmp_path: Path) -> None:
    command = program(tmp_path) + f" ; touch {tmp_path / 'touched'}"
    with JsonProgram(command, YAHTZEE):
        pass
    assert not (tmp_path / "touched").exists()


def test_programs_are_named_by_how_they_speak(tmp_path: Path) -> None:
    assert is_program_name("cmd:./bot --fast")
    assert is_program_name("contest:./bot")
    assert not is_program_name("dice-based:pseudo-code")
    assert not is_program_name("cmd")
    with open_named(f"cmd:{program(tmp_path)}", YAHTZEE, PATIENT) as agent:
        assert agent.name == "hostile"


def test_the_contest_is_of_one_ruleset() -> None:
    with pytest.raises(CannotPlay, match="play yahtzee only, not yatzy"):
        ContestProgram("python3", find_ruleset("yatzy"))


@pytest.mark.skipif(not family.PROC.is_dir(), reason="needs Linux")
def test_an_orphan_of_a_program_is_its_keepers_to_bury(tmp_path: Path) -> None:
    adopted = """
def act(message):
    ours, theirs = os.pipe()
    if not os.fork():
        between = os.getpid()
        if not os.fork():
            while os.getppid() == between:
                time.sleep(0.001)
            os.write(theirs, str(os.getppid()).encode())
        os._exit(0)
    return {"error": "adopted by " + os.read(ours, 20).decode()}
"""
    agent = of(tmp_path, adopted)
    assert f"adopted by {agent._process._program.pid}" in fault(agent)


# The convention of the Yahtzee AI contest: 34 integers in, one number out.


THREES = (3, 3, 3, 3, 3)


def state(dice: tuple[int, ...], throws_left: int, chips: int = 0, **boxes: int) -> State:
    card = [Box(boxes[c.id], ()) if c.id in boxes else None for c in YAHTZEE.categories]
    position = replace(start_state(YAHTZEE), boxes=tuple(card), throws_left=throws_left)
    return replace(position, dice=dice, chips=chips)


FIRST = state((1, 3, 4, 5, 6), 2, fours=8, chance=20)
LAST = replace(FIRST, throws_left=0)
OPEN_OWN = state(THREES, 2, fours=8, yahtzee=0)
FILLED_OWN = state(THREES, 2, threes=6, yahtzee=50)
LOWER = {name.id: 0 for name in YAHTZEE.categories[6:]}
NO_LOWER = state(THREES, 2, threes=6, **LOWER)


def test_a_position_is_34_integers_as_the_contest_prints_them() -> None:
    own, other = "-1 -1 -1 8 -1 -1 -1 -1 -1 -1 -1 -1 20 0", " -1" * 13 + " 0"
    assert " ".join(map(str, to_integers(FIRST))) == f"{own}{other} 1 3 4 5 6 1"


def test_bonuses_are_points_and_dice_lie_as_they_fell() -> None:
    told = to_integers(state((6, 1, 5, 2, 2), 0, chips=200, yahtzee=50))
    assert (told[11], told[13], told[28:]) == (50, 200, [6, 1, 5, 2, 2, 3])


@pytest.mark.parametrize(
    ("position", "number", "action"),
    [
        (FIRST, 18, Score("small_straight")),
        (FIRST, 5, Hold(0b10)),
        (FIRST, 45, Hold(0b10110)),
        (FIRST, 1, Hold(0)),
        (FIRST, 63, Hold(31)),
        (FIRST, 0, Score("ones")),
        (FIRST, 22, Score("yahtzee")),
        (OPEN_OWN, 4, Score("threes")),
        (FILLED_OWN, 12, Score("three_of_a_kind")),
        (NO_LOWER, 2, Score("twos")),
    ],
)
def test_a_number_is_a_box_or_a_set_of_dice(position: State, number: int, action: object) -> None:
    assert parse_action(f" {number} ".encode(), position) == action


@pytest.mark.parametrize(
    ("position", "answer", "reason"),
    [
        (LAST, "1", "no throw is left"),
        (FIRST, "-1", "not from 0 to 63"),
        (FIRST, "65", "not from 0 to 63"),
        (FIRST, "26", "there is no box 13"),
        (FIRST, "6", "the box fours is filled already"),
        (OPEN_OWN, "22", "the box yahtzee is filled already"),
        (OPEN_OWN, "0", "must not be scored in ones now"),
        (FILLED_OWN, "2", "must not be scored in twos now"),
        (FIRST, "four", "no whole number"),
        (FIRST, "", "no whole number"),
        (FIRST, "1 2", "no whole number"),
    ],
)
def test_an_illegal_number_is_named(position: State, answer: str, reason: str) -> None:
    with pytest.raises(BadAnswer, match=reason):
        parse_action(answer.encode(), position)


def test_every_legal_action_has_its_number() -> None:
    for position in (FIRST, LAST, OPEN_OWN, FILLED_OWN, NO_LOWER):
        meant = set()
        for number in range(64):
            try:
                meant.add(parse_action(b"%d" % number, position))
            except BadAnswer:
                continue
        assert meant == set(list_legal_actions(position))


BOT = """
import sys
for line in sys.stdin:
    numbers = list(map(int, line.split()))
    assert len(numbers) == 34
    print({move}, flush=True)
"""


def command(folder: Path, move: str) -> str:
    path = folder / "contest_bot.py"
    path.write_text(BOT.format(move=move))
    return f"{sys.executable} -S {path}"


def test_a_program_of_the_contest_plays_games_until_its_input_ends(tmp_path: Path) -> None:
    """It holds the sixes, and fills the boxes from the first to the last."""
    move = "1 + sum(2 << n for n in range(5) if numbers[28 + n] == 6) if numbers[33] < 3 else "
    move += "2 * numbers.index(-1)"
    with ContestProgram(command(tmp_path, move), YAHTZEE, PATIENT) as agent:
        assert agent.name == "contest_bot.py"
        games = [play_out(agent, YAHTZEE, make_random_roller(rng(n)), rng(n)) for n in range(3)]
        assert all(game.end.finished for game in games)
        kept = {a.kept(s.dice) for g in games for s, a in g.decisions if isinstance(a, Hold)}
        assert {face for dice in kept for face in dice} == {6}
        assert agent.close() == 0


def test_its_illegal_move_disqualifies_with_the_position(tmp_path: Path) -> None:
    wrong = pytest.raises(Disqualified)
    with ContestProgram(command(tmp_path, "0"), YAHTZEE, PATIENT) as agent, wrong as ended:
        play_out(agent, YAHTZEE, make_random_roller(rng(1)), rng(1))
    assert "answered 0: the box ones is filled already" in ended.value.reason
    assert '"filled": ["ones"]' in ended.value.reason
