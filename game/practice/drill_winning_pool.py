"""The theme "to win" of the drill: few boxes are open, the player needs some number of points to
win, and playing for the most points is wrong. The pool has positions in which the best move for
points loses at least two games in a hundred. ``level`` is the number of open boxes, ``trap`` the
chance to win that this move costs, ``gap`` the best chance to win. ``./yatzy drill_pool --theme
win`` makes the file of a ruleset."""

from collections import Counter
from functools import cache
from pathlib import Path

import numpy as np

from game.data import make_data_path
from game.practice import drill_pool
from game.practice.drill_pool import MISTAKES, Exercise
from solver.advice import Advisor, Position, find_position
from solver.advice.winning import Chances, find_chances, make_target_payoff, predict_points
from solver.arena.match import make_random_roller, play_out
from solver.players.erring import Erring
from solver.rules import RULESETS, Ruleset

OPEN = (1, 2, 3)  # numbers of open boxes
EACH = 8  # positions per number of open boxes and of rolls left
SEED = 1952
TRAP = 0.02
SHARES = (0.1, 0.25, 0.5, 0.75)  # chances to reach a target when playing for points
LIKELY = (0.03, 0.97)  # limits of the best chance to win; near-certain results teach nothing


def make_pool_path(rules: Ruleset) -> Path:
    return make_data_path("drill_win", rules, "csv")


@cache
def load_exercises(rules: Ruleset) -> dict[str, Exercise]:
    with make_pool_path(rules).open(newline="") as file:
        return {exercise.key: exercise for exercise in drill_pool.read_pool(rules, file)}


def find_exercise(name: str) -> Exercise | None:
    rules = RULESETS.get(name.partition(".")[0])
    return load_exercises(rules).get(name) if rules else None


def calculate_chances(coach: Advisor, position: Position, needed: int) -> Chances:
    """Return, for each option, the chance to score at least ``needed`` more points. A bonus that is
    already secured does not count towards them."""
    bonus = coach.rules.bonus(position.upper)
    return find_chances(coach, position, make_target_payoff(needed + bonus))


def grade_position(coach: Advisor, position: Position, needed: int) -> Exercise | None:
    """Return the position as an exercise; None if the best move for points wins almost as often."""
    level = len(coach.rules.open(position.filled))
    if level not in OPEN or needed < 1:
        return None
    chances = calculate_chances(coach, position, needed)
    trap, chance = chances.by_points.regret, chances.chance
    if trap < TRAP or not LIKELY[0] <= chance <= LIKELY[1]:
        return None
    return Exercise(position, level, trap, chance, needed)


def make_pool(coach: Advisor, *, seed: int = SEED, each: int = EACH) -> list[Exercise]:
    """Return ``each`` positions per number of open boxes and of rolls left, ordered by level."""
    rng = np.random.default_rng(seed)
    pool: dict[str, Exercise] = {}
    cells: Counter[tuple[int, int]] = Counter()
    # After the last roll, only one box is left, so there is no decision.
    while len(pool) < each * (len(OPEN) * coach.rules.throws - 1):
        game = play_out(Erring(coach, **MISTAKES), coach.rules, make_random_roller(rng), rng)
        for state, _action in game.decisions:
            boxes = len(coach.rules.open(state.filled))
            if boxes not in OPEN:
                continue
            position = find_position(state)
            cell = (boxes, position.rolls_left)
            if cells[cell] >= each:
                continue
            reach = predict_points(coach, position)[::-1].cumsum()[::-1]
            bonus = coach.rules.bonus(position.upper)
            targets = {int(np.flatnonzero(reach >= share)[-1]) - bonus for share in SHARES}
            exercises = [grade_position(coach, position, needed) for needed in sorted(targets)]
            # the target at which playing for points costs the most chance to win
            hardest = max(filter(None, exercises), key=lambda exercise: exercise.trap, default=None)
            if hardest is not None and hardest.key not in pool:
                pool[hardest.key] = hardest
                cells[cell] += 1
    mixed = rng.permutation(len(pool)).tolist()
    return sorted((list(pool.values())[at] for at in mixed), key=lambda exercise: exercise.level)
