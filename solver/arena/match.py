"""Functions that let an agent play games with dice from any source."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from solver.players.agent import Agent, Batch
from solver.rules import Action, Block, Hold, Ruleset, State, apply_action, apply_roll, start_state
from solver.rules.dice import FACES

Faces = Callable[[State], Sequence[int]]  # state before a roll -> rolled faces
FIRST_THROW = Hold(0)  # the action before the first roll of a turn; the player has no other option


@dataclass(frozen=True, slots=True)
class Match:
    """A played game: every state with the player's action, including the first rolls of turns."""

    moves: tuple[tuple[State, Action], ...]
    end: State

    @property
    def actions(self) -> list[Action]:
        return [action for _, action in self.moves]

    @property
    def decisions(self) -> list[tuple[State, Action]]:
        """The decisions: each move after a roll, with the state before the move."""
        return [(state, action) for state, action in self.moves if state.dice]


def make_block_roller(block: Block) -> Faces:
    return lambda state: block[state.turn][state.throws_made]


def make_random_roller(rng: np.random.Generator) -> Faces:
    return lambda state: rng.integers(1, FACES + 1, size=state.rules.dice).tolist()


def make_random_blocks(games: int, seed: int, rules: Ruleset) -> tuple[Block, ...]:
    """Return a block for each game: block[turn][roll][slot] is the face of a die."""
    rng = np.random.default_rng(seed)
    size = (games, len(rules.categories), rules.throws, rules.dice)
    faces = rng.integers(1, FACES + 1, size=size)
    return tuple(
        tuple(tuple(tuple(throw) for throw in throws) for throws in turns)
        for turns in faces.tolist()
    )


def play_out(
    agent: Agent, rules: Ruleset, faces: Faces, rng: np.random.Generator | None = None
) -> Match:
    """Play a game. Without ``rng``, an agent makes the same random choices in every game."""
    rng = rng or np.random.default_rng(0)
    state, moves = start_state(rules), list[tuple[State, Action]]()
    while not state.finished:
        moves.append((state, agent.choose(state, rng) if state.dice else FIRST_THROW))
        state = apply_action(*moves[-1])
        if state.waiting:
            state = apply_roll(state, faces(state))
    return Match(tuple(moves), state)


def play_many(
    agent: Agent, rules: Ruleset, games: int, dice: np.random.Generator, rng: np.random.Generator
) -> list[State]:
    """Play many games at once; a step is one move in every game. Return the final states."""
    states = [start_state(rules)] * games
    while going := [game for game, state in enumerate(states) if not state.finished]:
        for game in going:
            if not states[game].dice:
                states[game] = apply_action(states[game], FIRST_THROW)
        _roll_waiting_dice(states, dice)
        questions = [states[game] for game in going]
        if isinstance(agent, Batch):
            actions = agent.choose_many(questions, rng)
        else:
            actions = [agent.choose(state, rng) for state in questions]
        for game, action in zip(going, actions, strict=True):
            states[game] = apply_action(states[game], action)
        _roll_waiting_dice(states, dice)
    return states


def _roll_waiting_dice(states: list[State], dice: np.random.Generator) -> None:
    waiting = [game for game, state in enumerate(states) if state.waiting]
    size = len(waiting), states[0].rules.dice
    faces = dice.integers(1, FACES + 1, size=size).tolist()
    for game, thrown in zip(waiting, faces, strict=True):
        states[game] = apply_roll(states[game], thrown)
