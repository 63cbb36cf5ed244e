"""Chunks of tournament games. One core plays a chunk, and a checkpoint stores its results.

The seed, the chunk's number and the seat determine the dice, so the result does not depend on which
core plays a chunk, or when. Players with a decision table play from the table. The arena asks all
other players for each move, and plays a turn of every game before the next turn. A player sees
the other scores from before the turn, so no seat has an advantage. An illegal answer or an
exception disqualifies the player that caused it, and the other players continue.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cache, partial

import numpy as np

from solver.arena.contestants import Contestant
from solver.arena.illegal import Disqualified, Where
from solver.arena.turns import Faces, Judge, Turns, play_turn
from solver.dp.arrays import Floats, Ints
from solver.dp.space import Space
from solver.players import find_player
from solver.players.agent import Batch, Facing, GamesInPlay, Seated, Tabular
from solver.rules import (
    Action,
    Hold,
    IllegalAction,
    Ruleset,
    Score,
    State,
    apply_action,
    apply_roll,
    start_state,
)
from solver.rules.dice import FACES

SIZE = 250  # games per chunk; large chunks share more cards, small chunks lose less in a crash
DICE_OF, LUCK_OF = 0, 1


class Seat:
    def __init__(self, contestant: Contestant, rng: np.random.Generator) -> None:
        self.contestant, self.rng = contestant, rng
        self.at_once = isinstance(contestant.agent, Batch)

    def play_turn(
        self, first: int, states: list[State], faces: Faces, others: Sequence[Sequence[int]]
    ) -> Turns:
        """Play one turn of each game, the first with number ``first``, and update ``states``."""
        rules, space = states[0].rules, Space(states[0].rules)
        turns = Turns.create_empty(len(states), rules.throws)
        turns.rows[:] = [space.find_row(s.filled, chips_won=s.chips_won) for s in states]
        turns.columns[:] = [space.find_column(s.upper) for s in states]
        for game, state in enumerate(states):
            states[game] = apply_roll(apply_action(state, Hold(0)), faces[game, 0].tolist())
        playing = list(range(len(states)))
        for number in range(rules.throws):
            for game in playing:
                turns.rolls[game, number] = rules.cup.roll_index[tuple(sorted(states[game].dice))]
            actions = self._request_actions(
                first, [(game, states[game], others[game]) for game in playing]
            )
            for game, action in zip(playing, actions, strict=True):
                before = states[game]
                after = apply_answer(before, action, Where.from_state(first + game, before))
                if isinstance(action, Hold):
                    turns.kept[game, number] = rules.cup.hold_index[action.kept(before.dice)]
                    after = apply_roll(after, faces[game, number + 1].tolist())
                else:
                    turns.boxes[game] = rules.index[action.category]
                states[game] = after
            playing = [game for game in playing if states[game].dice]
            if not playing:
                break
        return turns

    def _request_actions(
        self, first: int, questions: list[tuple[int, State, Sequence[int]]]
    ) -> Sequence[Action]:
        if self.at_once:
            agent, states, others = (
                self.contestant.agent,
                [q[1] for q in questions],
                [q[2] for q in questions],
            )
            with _Watched(Where.from_state(first + questions[0][0], states[0])):
                if isinstance(agent, Seated):
                    answers = list(agent.choose_among(states, self.rng, others))
                elif len(states) > 1 and isinstance(agent, Batch):
                    answers = list(agent.choose_many(states, self.rng))
                else:
                    answers = [agent.choose(states[0], self.rng, others[0])]
                if len(answers) != len(questions):
                    raise Disqualified(f"{len(answers)} answers to {len(questions)} questions")
                return answers
        answers = []
        for game, state, seen in questions:
            with _Watched(Where.from_state(first + game, state)):
                answers.append(self.contestant.agent.choose(state, self.rng, seen))
        return answers


class _Watched:
    """A context manager that turns any exception of a player's code into ``Disqualified``."""

    def __init__(self, where: Where) -> None:
        self._where = where

    def __enter__(self) -> None:
        pass

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: object
    ) -> None:
        if isinstance(error, Disqualified):
            raise Disqualified(error.reason, error.where or self._where) from error
        if isinstance(error, Exception | SystemExit):
            reason = f"raised {type(error).__name__}: {error}"
            raise Disqualified(reason, self._where) from error


def apply_answer(state: State, action: object, where: Where) -> State:
    """Return the state after the player's action. Raise ``Disqualified`` for an illegal action; if
    the dice are a joker, the reason lists the boxes allowed."""
    if not isinstance(action, Hold | Score):
        reason = f"answered with {type(action).__name__}, which is neither a hold nor a box"
        raise Disqualified(reason, where)
    part = action.slots if isinstance(action, Hold) else action.category
    if isinstance(part, bool) or not isinstance(part, int if isinstance(action, Hold) else str):
        raise Disqualified(f"answered with {action!r}, which is of the wrong type", where)
    try:
        return apply_action(state, action)
    except IllegalAction as error:
        reason = str(error)
        number = state.rules.index.get(action.category) if isinstance(action, Score) else None
        if state.joker and number is not None and state.boxes[number] is None:
            allowed = ", ".join(state.rules.categories[box].id for box in state.joker.boxes)
            reason = f"{error}: a joker goes into {allowed}"
        raise Disqualified(reason, where) from error


@dataclass(frozen=True)
class Setting:
    rules: Ruleset
    seed: int
    same_dice: bool = False


@dataclass(frozen=True)
class Chunk:
    number: int  # number of the chunk, which determines the dice
    first: int  # number of the chunk's first game
    games: int


@dataclass
class PlayedGames:
    """A player's results in a chunk, one entry per game. ``totals[turn, game]`` is the score before
    the turn; chunks that were read from a checkpoint have no totals."""

    scores: Ints
    luck: Floats
    regret: Floats
    decisions: Ints
    totals: Ints = field(default_factory=lambda: np.zeros((0, 0), dtype=np.int64), repr=False)


def play_tabular(
    agent: Tabular, seat: int, chunk: Chunk, setting: Setting, judge: Judge
) -> PlayedGames:
    rules, games = setting.rules, GamesInPlay.new(setting.rules, chunk.games)
    faces, rng = roll_dice(setting, chunk, seat), _make_generator(setting, chunk, seat, LUCK_OF)
    totals, played = [], list[Turns]()
    for turn in range(len(rules.categories)):
        totals.append(games.totals)
        played.append(play_turn(agent, games, faces[:, turn], rng))
    return _judge_games(played, games.totals, np.array(totals), judge)


def play_known(text: str, seat: int, chunk: Chunk, setting: Setting) -> PlayedGames:
    """Play a chunk in a worker process. ``text`` is the name of a registered player."""
    agent, judge = _open_known_player(text, setting.rules)
    return play_tabular(agent, seat, chunk, setting, judge)


@cache
def _open_known_player(text: str, rules: Ruleset) -> tuple[Tabular, Judge]:
    agent = find_player(text).open(rules)
    if not isinstance(agent, Tabular):
        raise TypeError(f"{text} has no table of its decisions")
    return agent, Judge(rules)


def _judge_games(played: list[Turns], scores: Ints, totals: Ints, judge: Judge) -> PlayedGames:
    """Return a player's results. ``played`` has the turns in order, ``scores`` the final score of
    each game, and totals[turn, game] the score before each turn."""
    judgement = judge.measure(played)
    shape = (len(played), len(scores))
    luck, regret = (
        judgement.luck.reshape(shape).sum(axis=0),
        judgement.regret.reshape(shape).sum(axis=0),
    )
    return PlayedGames(scores, luck, regret, judgement.decisions.reshape(shape).sum(axis=0), totals)


def roll_dice(setting: Setting, chunk: Chunk, seat: int) -> Faces:
    """Return the faces [game, turn, roll, slot]. With ``same_dice`` all seats have the same."""
    rng = _make_generator(setting, chunk, 0 if setting.same_dice else seat, DICE_OF)
    rules = setting.rules
    shape = (chunk.games, len(rules.categories), rules.throws, rules.dice)
    return rng.integers(1, FACES + 1, size=shape, dtype=np.uint8)


def _make_generator(setting: Setting, chunk: Chunk, seat: int, use: int) -> np.random.Generator:
    key = (chunk.number, seat, use)
    return np.random.default_rng(np.random.SeedSequence(setting.seed, spawn_key=key))


class AskedTable:
    """The players of a chunk that decide move by move, and the games of all other players."""

    def __init__(
        self,
        chunk: Chunk,
        setting: Setting,
        contestants: dict[int, Contestant],
        tabular: dict[int, PlayedGames],
    ) -> None:
        self.chunk, self.setting, self.tabular = chunk, setting, tabular
        self.seats = {
            n: Seat(contestant, _make_generator(setting, chunk, n, LUCK_OF))
            for n, contestant in contestants.items()
        }
        self.faces = {n: roll_dice(setting, chunk, n) for n in contestants}
        self.states = {n: [start_state(setting.rules)] * chunk.games for n in contestants}
        turns = len(setting.rules.categories)
        self.turns = {
            n: [Turns.create_empty(chunk.games, setting.rules.throws) for _ in range(turns)]
            for n in contestants
        }
        self.totals = {n: np.zeros((turns, chunk.games), dtype=np.int64) for n in contestants}
        self.out: dict[int, Disqualified] = {}

    def play(self, judge: Judge) -> dict[int, PlayedGames]:
        """Play the chunk. Return the games by seat; add disqualified players to ``self.out``."""
        with ThreadPoolExecutor(max(1, len(self.seats))) as pool:
            self._run_for_present(pool, self._begin)
            for turn in range(len(self.setting.rules.categories)):
                present = self._list_present_seats()
                for n in present:
                    self.totals[n][turn] = [state.total for state in self.states[n]]
                self._run_for_present(pool, partial(self._play_turn, turn=turn, present=present))
            self._run_for_present(
                pool, partial(self._announce_results, present=self._list_present_seats())
            )
        return {
            n: _judge_games(
                self.turns[n], np.array([s.total for s in states]), self.totals[n], judge
            )
            for n, states in self.states.items()
            if n not in self.out
        }

    def _list_present_seats(self) -> list[int]:
        return [n for n in self.seats if n not in self.out]

    def _run_for_present(self, pool: ThreadPoolExecutor, act: Callable[[int], None]) -> None:
        def act_or_disqualify(n: int) -> None:
            try:
                act(n)
            except Disqualified as reason:
                self.out[n] = reason

        list(pool.map(act_or_disqualify, self._list_present_seats()))

    def _begin(self, n: int) -> None:
        for game in range(self.chunk.games):
            self.seats[n].contestant.tell("new_game", self.chunk.first + game)

    def _play_turn(self, n: int, turn: int, present: list[int]) -> None:
        """Play a turn of player ``n`` in all games; a ``Batch`` decides all games at once."""
        games, seat = self.chunk.games, self.seats[n]
        at_once = games if seat.at_once else 1
        for first in range(0, games, at_once):
            if not seat.at_once:
                seat.contestant.tell("go_on", self.chunk.first + first)
            part, others = slice(first, first + at_once), []
            for game in range(first, first + at_once):
                scores = [self.totals[other][turn, game] for other in present if other != n]
                scores += [played.totals[turn, game] for played in self.tabular.values()]
                others.append(sorted(map(int, scores)))  # sorted to hide the players
            states: list[State] = self.states[n][part]
            turns = seat.play_turn(
                self.chunk.first + first, states, self.faces[n][part, turn], others
            )
            self.states[n][part] = states
            for stored, played in zip(self.turns[n][turn], turns, strict=True):
                stored[part] = played

    def _announce_results(self, n: int, present: list[int]) -> None:
        for game in range(self.chunk.games):
            scores = [self.states[other][game].total for other in present if other != n]
            others = sorted((*scores, *(int(p.scores[game]) for p in self.tabular.values())))
            score = self.states[n][game].total
            self.seats[n].contestant.tell("end_game", self.chunk.first + game, score, others)


def find_tabular_agents(contestants: Sequence[Contestant]) -> dict[int, Tabular]:
    """Return, by seat, the agents with a decision table that do not react to opponents."""
    return {
        n: c.agent
        for n, c in enumerate(contestants)
        if isinstance(c.agent, Tabular) and not isinstance(c.agent, Facing)
    }
