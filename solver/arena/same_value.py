"""The same-value test: several players play with the same dice, compared decision by decision.

A rolled die shows the face that the block has for its slot, turn and roll, no matter which dice
were held before. Players who make the same decisions therefore get the same dice. Each decision has
a cost (its regret): the expected points that it loses, compared with the best decision.

A file of dice has the study's format: a row is one die in all rolls of one turn, including faces
that the game does not use. With five dice, 75 rows are a game of Yatzy.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from solver import Refusal
from solver.advice import Advisor, find_position
from solver.arena.match import make_block_roller, play_out
from solver.dp.space import TIE
from solver.dp.sweep import Progress
from solver.players import PlayerEntry
from solver.rules import Action, Block, Ruleset, Score, play, replay_actions
from solver.rules.dice import FACES, Dice

MOST_BYTES = 64_000_000


class UnfinishedGame(ValueError):
    pass


@dataclass(frozen=True, slots=True)
class JudgedDecision:
    """A decision and its cost in points; ``best`` is the best option after a mistake."""

    dice: Dice
    throws_left: int
    choice: Dice | str
    regret: float
    best: Dice | str | None

    @property
    def costly(self) -> bool:
        return self.regret > TIE


@dataclass(frozen=True, slots=True)
class JudgedTurn:
    decisions: tuple[JudgedDecision, ...]
    category: str
    points: int  # points of the turn, including the chip of a joker
    total: int  # total after the turn, without the bonus

    @property
    def regret(self) -> float:
        return sum(decision.regret for decision in self.decisions)


@dataclass(frozen=True, slots=True)
class JudgedGame:
    player: str
    turns: tuple[JudgedTurn, ...]
    score: int
    bonus: int
    luck: float

    @property
    def regret(self) -> float:
        return sum(turn.regret for turn in self.turns)


@dataclass(frozen=True, slots=True)
class Difference:
    """The first state in which two players decided differently, and both decisions."""

    turn: int
    decision: int
    first: JudgedDecision
    second: JudgedDecision


@dataclass(frozen=True, slots=True)
class SameValue:
    """A same-value test. ``games[n]`` has each player's game on block n of the dice."""

    players: tuple[str, ...]
    blocks: tuple[Block, ...]
    games: tuple[tuple[JudgedGame, ...], ...]

    def list_totals(self, player: int) -> list[int]:
        return [games[player].score for games in self.games]


def play_all_blocks(
    players: Sequence[PlayerEntry],
    blocks: Sequence[Block],
    advisor: Advisor,
    *,
    seed: int = 1,
    people: Mapping[str, Sequence[Sequence[Action]]] | None = None,
    progress: Progress | None = None,
) -> SameValue:
    """Play all blocks of dice with all players. Add games of ``people``, as lists of actions."""
    rng, rules = np.random.default_rng(seed), advisor.rules
    agents = [(player.name, player.open(rules)) for player in players]
    games = []
    for number, block in enumerate(blocks):
        row = []
        for name, agent in agents:
            match = play_out(agent, rules, make_block_roller(block), rng)
            row.append(judge_game(name, block, match.actions, advisor))
        for name, theirs in (people or {}).items():
            row.append(judge_game(name, block, theirs[number], advisor))
        games.append(tuple(row))
        if progress:
            progress(number + 1, len(blocks))
    names = tuple(name for name, _ in agents) + tuple(people or {})
    return SameValue(names, tuple(blocks), tuple(games))


def judge_game(name: str, block: Block, actions: Sequence[Action], advisor: Advisor) -> JudgedGame:
    """Return a finished game with each decision's cost. Raise IllegalAction if one is illegal."""
    ledger = advisor.make_ledger(list(replay_actions(advisor.rules, block, actions)))
    costs = [entry.regret for entry in ledger.entries]
    return judge_with_costs(name, advisor.rules, block, actions, costs, ledger.luck, advisor)


def judge_with_costs(
    name: str,
    rules: Ruleset,
    block: Block,
    actions: Sequence[Action],
    costs: Sequence[float],
    luck: float,
    advisor: Advisor | None,
) -> JudgedGame:
    """Return a finished game with given costs, one for each decision after a roll. The advisor adds
    the best option to each mistake. Without an advisor, ``best`` is None."""
    steps = list(replay_actions(rules, block, actions))
    end = play(*steps[-1], block)
    if not end.finished:
        raise UnfinishedGame(f"{name} has not finished this game")
    after = [*(state for state, _ in steps[1:]), end]
    decided = [(*move, then) for move, then in zip(steps, after, strict=True) if move[0].dice]
    turns: list[JudgedTurn] = []
    decisions: list[JudgedDecision] = []
    for (state, action, then), cost in zip(decided, costs, strict=True):
        choice = action.category if isinstance(action, Score) else action.kept(state.dice)
        best = None
        if advisor and cost > TIE:
            option = advisor.advise(find_position(state)).best
            best = option.category or option.dice
        decisions.append(JudgedDecision(state.dice, state.throws_left, choice, cost, best))
        if isinstance(action, Score):
            points = then.points - state.points
            turns.append(JudgedTurn(tuple(decisions), action.category, points, then.points))
            decisions = []
    return JudgedGame(name, tuple(turns), end.total, end.bonus, luck)


def find_first_difference(game: JudgedGame, other: JudgedGame) -> Difference | None:
    """Return the first decision that differs between two games, or None if the games are equal. A
    person may hold the same dice as a program, but in other slots. Then the next rolls differ, and
    the function returns the hold before these rolls."""
    for number, (mine, theirs) in enumerate(zip(game.turns, other.turns, strict=True)):
        pairs = list(zip(mine.decisions, theirs.decisions, strict=False))
        for place, (a, b) in enumerate(pairs):
            if sorted(a.dice) != sorted(b.dice):
                return Difference(number, place - 1, *pairs[place - 1])
            if a.choice != b.choice:
                return Difference(number, place, a, b)
    return None


class BadDiceFile(Refusal, ValueError):
    """The error for a file without valid dice. The message gives the file and the faulty line."""


def format_dice(blocks: Iterable[Block]) -> str:
    rows = [
        " ".join(str(throw[slot]) for throw in throws)
        for block in blocks
        for throws in block
        for slot in range(len(throws[0]))
    ]
    return "\n".join(rows) + "\n"


def read_dice(path: Path, rules: Ruleset) -> tuple[Block, ...]:
    try:
        if path.stat().st_size > MOST_BYTES:
            raise BadDiceFile(f"{path} is larger than {MOST_BYTES // 1_000_000} MB")
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise BadDiceFile(f"{path} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise BadDiceFile(f"{path} is not a text file") from None
    return parse_dice(text, str(path), rules)


def parse_dice(text: str, name: str, rules: Ruleset) -> tuple[Block, ...]:
    """Parse games of dice. Spaces, commas or semicolons separate numbers. Skip blank lines."""
    rows = []
    for number, line in enumerate(text.splitlines(), start=1):
        words = [word for word in re.split(r"[\s,;]+", line.strip()) if word]
        if line.strip() and len(words) != rules.throws:
            raise BadDiceFile(
                f"{name}, line {number}: a row is {rules.throws} numbers, not {len(words)}"
            )
        for word in words:
            if word not in {str(face) for face in range(1, FACES + 1)}:
                raise BadDiceFile(
                    f"{name}, line {number}: {word[:20]!r} is no face from 1 to {FACES}"
                )
        if words:
            rows.append(tuple(map(int, words)))
    size = len(rules.categories) * rules.dice
    if not rows:
        numbers = f"{size} rows of {rules.throws} numbers"
        raise BadDiceFile(f"{name} holds no dice: it needs {numbers} per game")
    if len(rows) % size:
        raise BadDiceFile(f"{name} has {len(rows)} rows: a game is {size}, so some are missing")
    turns = [
        tuple(zip(*rows[at : at + rules.dice], strict=True))
        for at in range(0, len(rows), rules.dice)
    ]
    count = len(rules.categories)
    return tuple(tuple(turns[at : at + count]) for at in range(0, len(turns), count))
