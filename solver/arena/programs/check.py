"""A check that a bot follows the protocol. It plays games with the bot and sends invalid lines."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import mean, median
from time import perf_counter

import numpy as np

from solver.arena.illegal import Disqualified
from solver.arena.match import Match, make_random_roller, play_many, play_out
from solver.arena.programs.program import JsonProgram, Program
from solver.rules import (
    Action,
    Ruleset,
    State,
    apply_action,
    apply_roll,
    list_legal_actions,
    start_state,
)
from solver.rules.dice import FACES

GAMES = 20
SEED = 20_000
RARE = 200
MALFORMED = (
    b"",
    b"hello",
    b"[]",
    b"{}",
    b'{"type":"act"',
    b'{"type":"dance"}',
    b'{"type":"act"}',
    b'{"type":"act","position":"' + b"x" * 60_000 + b'"}',
)

Open = Callable[[], Program]


class BadProgram(Exception):
    """The error for a program that breaks the protocol; its message says what happened."""


@dataclass(frozen=True)
class Finding:
    check: str
    passed: bool
    detail: str


@dataclass(frozen=True)
class Times:
    """Answering times of single questions, in seconds: their number, median and maximum."""

    answers: int
    median: float
    longest: float


@dataclass(frozen=True)
class Report:
    name: str
    batch: bool
    findings: tuple[Finding, ...]
    times: Times | None
    last_words: str

    @property
    def passed(self) -> bool:
        return all(finding.passed for finding in self.findings)


class Timed:
    def __init__(self, agent: Program) -> None:
        self.agent = agent
        self.seconds: list[float] = []

    def choose(self, state: State, rng: np.random.Generator, others: Sequence[int] = ()) -> Action:
        began = perf_counter()
        action = self.agent.choose(state, rng, others)
        self.seconds.append(perf_counter() - began)
        return action


class Examiner:
    """The checks of a program. Each check starts a new process, so that checks are independent."""

    def __init__(self, open_it: Open, rules: Ruleset) -> None:
        self.open = open_it
        self.rules = rules
        self.name, self.batch, self.speaks_json = "", False, False
        self.seconds: list[float] = []
        self.last_words = ""

    def make_report(self) -> Report:
        findings = [self._run_check("starts and says its name", self.check_start)]
        if findings[0].passed:
            checks = [
                ("plays whole games", self.check_games),
                ("plays rare positions", self.check_rare),
            ]
            if self.speaks_json:
                checks += [
                    ("answers many questions at once", self.check_batches),
                    ("plays the same from the same seed", self.check_seed),
                    ("starts again when a new game begins", self.check_restart),
                    ("ignores unknown keys", self.check_unknown_keys),
                    ("refuses invalid lines, and continues", self.check_malformed),
                ]
            checks.append(("ends when its input ends", self.check_goodbye))
            findings += [self._run_check(title, check) for title, check in checks]
        seconds = self.seconds
        times = Times(len(seconds), median(seconds), max(seconds)) if seconds else None
        return Report(self.name, self.batch, tuple(findings), times, self.last_words)

    def _run_check(self, title: str, check: Callable[[Program], str]) -> Finding:
        program: Program | None = None
        try:
            program = self.open()
            return Finding(title, True, check(program))
        except (Disqualified, BadProgram) as wrong:
            return Finding(title, False, str(wrong))
        finally:
            if program is not None:
                program.close()
                self.last_words = program.last_words or self.last_words

    def check_start(self, program: Program) -> str:
        self.name = program.name
        self.speaks_json = isinstance(program, JsonProgram)
        self.batch = isinstance(program, JsonProgram) and program.batch
        return self.name

    def check_games(self, program: Program) -> str:
        timed = Timed(program)
        games = [self._play_game(timed, n) for n in range(GAMES)]
        self.seconds = timed.seconds
        return f"{GAMES} games, {mean(game.end.total for game in games):.1f} points on average"

    def check_batches(self, program: Program) -> str:
        if not self.batch:
            return "not offered"
        ends = []
        for _ in range(2):
            dice, luck = np.random.default_rng(SEED), np.random.default_rng(SEED)
            ends.append(play_many(program, self.rules, GAMES, dice, luck))
        if ends[0] != ends[1]:
            raise BadProgram("the same games with the same seed ended differently the second time")
        return f"{GAMES} games side by side"

    def check_seed(self, program: Program) -> str:
        with self.open() as other:
            for n in range(GAMES):
                _require_same_moves(self._play_game(program, n), self._play_game(other, n))
        return f"{GAMES} games, twice"

    def check_restart(self, program: Program) -> str:
        assert isinstance(program, JsonProgram)  # noqa: S101
        game = self._play_game(program, 0)
        for state, _ in game.decisions[:2]:
            program.choose(state, np.random.default_rng(SEED))
        _require_same_moves(game, self._play_game(program, 0))
        program.choose(game.decisions[0][0], np.random.default_rng(SEED))
        program.end()
        _require_same_moves(game, self._play_game(program, 0))
        return "after an unfinished game, and after an early end"

    def check_rare(self, program: Program) -> str:
        """Ask for moves with five of a kind on random cards, where joker rules may apply."""
        rng = np.random.default_rng(SEED)
        for state in make_rare_positions(self.rules, RARE, rng):
            program.choose(state, rng, (state.total // 2, 250))
        return f"{RARE} positions from unknown games"

    def check_unknown_keys(self, program: Program) -> str:
        assert isinstance(program, JsonProgram)  # noqa: S101
        rng = np.random.default_rng(SEED)
        program.begin(1)
        for state in make_rare_positions(self.rules, 1, rng):
            program.ask_action(state, weather={"rain": ["a", 1, None]})
        return "at the end of a question"

    def check_malformed(self, program: Program) -> str:
        assert isinstance(program, JsonProgram)  # noqa: S101
        for line in MALFORMED:
            program.require_refusal(line)
        self._play_game(program, 0)
        return f"{len(MALFORMED)} lines"

    def check_goodbye(self, program: Program) -> str:
        self._play_game(program, 0)
        status = program.close()
        if status is None:
            seconds = program.limits.goodbye
            raise BadProgram(f"it was still running {seconds:g} seconds after its input had ended")
        if status:
            raise BadProgram(f"it ended with exit status {status} instead of 0")
        return "with exit status 0"

    def _play_game(self, agent: Program | Timed, number: int) -> Match:
        dice = np.random.default_rng((SEED, number))
        return play_out(agent, self.rules, make_random_roller(dice), np.random.default_rng(number))


def make_rare_positions(rules: Ruleset, number: int, rng: np.random.Generator) -> Iterator[State]:
    """Yield states with five of a kind on random cards. Half of the earlier rolls are five of a
    kind too, and fill random boxes."""
    for _ in range(number):
        state = start_state(rules)
        for _ in range(int(rng.integers(len(rules.categories)))):
            faces = rng.integers(1, FACES + 1, size=rules.dice).tolist()
            state = apply_action(state, list_legal_actions(state)[0])
            state = apply_roll(state, faces if rng.integers(2) else faces[:1] * len(faces))
            boxes = list_legal_actions(replace(state, throws_left=0))
            state = apply_action(state, boxes[int(rng.integers(len(boxes)))])
        dice = (int(rng.integers(1, FACES + 1)),) * rules.dice
        yield replace(state, dice=dice, throws_left=int(rng.integers(rules.throws)))


def _require_same_moves(first: Match, other: Match) -> None:
    for (state, mine), (_, theirs) in zip(first.decisions, other.decisions, strict=False):
        if mine != theirs:
            raise BadProgram(
                f"asked the same again, it chose {theirs} instead of {mine}, with the dice "
                f"{' '.join(map(str, state.dice))} in turn {state.turn + 1}"
            )


def examine_program(open_it: Open, rules: Ruleset) -> Report:
    return Examiner(open_it, rules).make_report()
