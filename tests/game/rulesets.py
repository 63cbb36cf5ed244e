"""Games by any rules, begun and played as the services do it."""

import secrets
from collections.abc import Sequence
from random import Random
from typing import Any, NamedTuple

import numpy as np

from game.core.game_queries import Played
from game.core.starting import save_and_roll
from game.models import Game, Player
from solver.advice import Advisor, find_position
from solver.rules import (
    Action,
    Hold,
    Ruleset,
    Score,
    State,
    apply_action,
    apply_roll,
    list_legal_actions,
    start_state,
)
from tests.play import play_out


class Recorded(NamedTuple):
    rules: Ruleset
    moves: Sequence[tuple[State, Action]]
    end: State

    @property
    def turns(self) -> list[dict[str, Any]]:
        turns, afters = list[dict[str, Any]](), [state for state, _ in self.moves[1:]] + [self.end]
        for (state, action), after in zip(self.moves, afters, strict=True):
            if not state.dice:
                turns.append({"thrown": [], "held": []})
                continue
            turns[-1]["thrown"].append(state.dice)
            if isinstance(action, Score):
                points = state.offers[state.rules.index[action.category]]
                turns[-1] |= {"box": action.category, "points": points}
                turns[-1]["chip"] = after.chips - state.chips
            else:
                turns[-1]["held"].append(action.kept(state.dice))
        return turns


def played_at_random(rules: Ruleset, seed: int) -> Recorded:
    rng = np.random.default_rng(seed)
    state, moves = start_state(rules), list[tuple[State, Action]]()
    while not state.finished:
        actions = list_legal_actions(state)
        action = actions[int(rng.integers(len(actions)))]
        moves.append((state, action))
        state = apply_action(state, action)
        if state.waiting:
            state = apply_roll(state, rng.integers(1, 7, rules.dice).tolist())
    return Recorded(rules, moves, state)


def played_erring(coach: Advisor, seed: int, erring: float) -> Recorded:
    """Return a game of perfect play that takes one of the nine best options so often."""
    random, state, moves = Random(seed), start_state(coach.rules), list[tuple[State, Action]]()
    while not state.finished:
        action: Action = Hold(0)
        if state.dice:
            options = coach.advise(find_position(state)).options
            option = random.choice(options[:9]) if random.random() < erring else options[0]
            action = Hold.from_faces(option.dice, state.dice, 0)
            action = Score(option.category) if option.action == "score" else action
        moves.append((state, action))
        state = apply_action(state, action)
        if state.waiting:
            state = apply_roll(state, [random.randint(1, 6) for _ in range(coach.rules.dice)])
    return Recorded(coach.rules, moves, state)


def begun(player: Player, rules: Ruleset, *, coach: str = "off") -> Played:
    game = Game(mode=Game.Mode.SOLO, ruleset=rules.id, coach=coach, seed=secrets.token_hex(32))
    return save_and_roll(player, game)


def known_game(player: Player, rules: Ruleset) -> Game:
    return played_out(
        save_and_roll(player, Game(mode=Game.Mode.SOLO, ruleset=rules.id, seed="ab" * 32))
    )


def played_out(played: Played, seed: int = 0) -> Game:
    rng = np.random.default_rng(seed)

    def choose(state: State) -> Action:
        actions = list_legal_actions(state)
        return actions[int(rng.integers(len(actions)))]

    return Game.objects.get(pk=play_out(played, choose).game.pk)


def finished_game(player: Player, rules: Ruleset, seed: int = 0) -> Game:
    return played_out(begun(player, rules), seed)
