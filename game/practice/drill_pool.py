"""Positions that anyone can drill, graded by how hard it is to find the best option.

Two facts grade a position. ``trap`` is the cost of the natural move: to hold the most equal dice
while rolls are left, and after the last roll to fill the open box that scores most now. ``gap`` is
the difference between the best and the second-best option.

    level 1   the natural choice is right, and everything else costs 2 points or more
    level 2   the natural choice is right, and something else costs only 0.5 to 2 points
    level 3   the natural choice costs 1 point or more, the second best 0.75 or more
    level 4   the natural choice costs 0.5 points or more, the second best only 0.25 to 0.75

The positions come from simulated games with some mistakes. ``./yatzy drill_pool`` makes the file of
a ruleset. The same seed gives the same file as long as numpy's random numbers stay the same.
"""

import csv
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import TextIO

import numpy as np

from game.core.worth.drilled import DRILLED, make_pool_path
from game.core.worth.severity import INACCURACY
from solver.advice import Advisor, Option, Position, find_position
from solver.arena.match import make_random_roller, play_out
from solver.dp.space import TIE
from solver.players.erring import Erring
from solver.rules import Ruleset

COLUMNS = ("level", "filled", "upper", "dice", "rolls_left", "trap", "gap")
CHIPS = "chips_won"  # column of the file, only for rulesets with bonus chips
NEEDED = "needed"  # column of the file, only in pools of the theme "to win"
STOCK = "stock"  # column of the file, only for rulesets with saved rolls
LEVELS = (1, 2, 3, 4)
RUNGS = 3  # number of steps in a level; an answer moves the player one step
SEED = 1952
FEWEST_OPEN = 4  # least number of open boxes, because the last turns teach little about other turns
EACH = 20  # positions per level and number of rolls left
MISTAKES = {"rate": 0.25, "temperature": 2.0}


@dataclass(frozen=True, slots=True)
class Exercise:
    position: Position
    level: int
    trap: float
    gap: float
    needed: int = 0  # points needed to win; 0 in other positions

    @property
    def key(self) -> str:
        return make_key(self.position, self.needed)


def make_key(position: Position, needed: int = 0) -> str:
    """Return the name of the position in addresses, from which ``find_exercise`` finds it."""
    dice = "".join(map(str, position.dice))
    facts = (position.filled, position.upper, position.chips_won, dice, position.rolls_left)
    return format_key(position.rules.id, *facts, needed, position.stock)


def format_key(
    ruleset: str,
    filled: int,
    upper: int,
    chips_won: bool,
    dice: str,
    rolls_left: int,
    needed: int = 0,
    stock: int = 0,
) -> str:
    known = f"{ruleset}.{filled}-{upper}-{int(chips_won)}-{dice}-{rolls_left}"
    return known + f"-{needed}" * bool(needed) + f"s{stock}" * bool(stock)


def find_exercise(name: str) -> Exercise | None:
    rules = DRILLED.get(name.partition(".")[0])
    return load_exercises(rules).get(name) if rules else None


@cache
def load_exercises(rules: Ruleset) -> dict[str, Exercise]:
    """Return the ruleset's exercises by name, ordered by level, and shuffled within each level."""
    with make_pool_path(rules).open(newline="") as file:
        return {exercise.key: exercise for exercise in read_pool(rules, file)}


def find_player_level(regrets: Iterable[float]) -> int:
    """Return the level after first attempts with these costs, oldest first. An attempt without an
    inaccuracy moves the player up a step, any other moves down; a level has three steps."""
    place = 0
    for regret in regrets:
        place += 1 if regret < INACCURACY else -1
        place = min(max(place, 0), len(LEVELS) * RUNGS - 1)
    return LEVELS[place // RUNGS]


def read_pool(rules: Ruleset, file: TextIO) -> Iterator[Exercise]:
    for row in csv.DictReader(file):
        filled = rules.make_mask(row["filled"].split())
        dice = tuple(map(int, row["dice"]))
        facts = (filled, int(row["upper"]), dice, int(row["rolls_left"]), row.get(CHIPS) == "1")
        position = Position(rules, *facts, int(row.get(STOCK, 0)))
        grades = int(row["level"]), float(row["trap"]), float(row["gap"])
        yield Exercise(position, *grades, int(row.get(NEEDED, 0)))


def write_pool(rules: Ruleset, pool: Iterable[Exercise], file: TextIO) -> None:
    pool = list(pool)
    more = [CHIPS] * bool(rules.joker) + [NEEDED] * any(exercise.needed for exercise in pool)
    more += [STOCK] * bool(rules.stock)
    writer = csv.DictWriter(file, (*COLUMNS, *more), extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    writer.writerows(_make_row(exercise) for exercise in pool)


def _make_row(exercise: Exercise) -> dict[str, object]:
    position = exercise.position
    return {
        "level": exercise.level,
        "filled": " ".join(position.rules.ids(position.filled)),
        "upper": position.upper,
        "dice": "".join(map(str, position.dice)),
        "rolls_left": position.rolls_left,
        "trap": f"{exercise.trap:.3f}",
        "gap": f"{exercise.gap:.3f}",
        CHIPS: int(position.chips_won),
        NEEDED: exercise.needed,
        STOCK: position.stock,
    }


def grade_position(advisor: Advisor, position: Position) -> Exercise | None:
    """Return the position as an exercise with its level. Return None if all options are equal, if
    few boxes are open, or if no level fits."""
    options = advisor.advise(position).options
    wrong = [option.regret for option in options if not option.best]
    if not wrong or len(advisor.rules.open(position.filled)) < FEWEST_OPEN:
        return None
    trap, gap = find_natural_option(options, position).regret, min(wrong)
    if trap < TIE:
        level = 1 if gap >= 2.0 else 2 if gap >= 0.5 else 0
    elif trap >= 1.0 and gap >= 0.75:
        level = 3
    else:
        level = 4 if trap >= 0.5 and 0.25 <= gap < 0.75 else 0
    return Exercise(position, level, trap, gap) if level else None


def find_natural_option(options: Iterable[Option], position: Position) -> Option:
    """Return the option that a player who does not look ahead would choose."""
    if position.throws_left:
        # If two groups of equal dice are largest, hold the group with the higher face.
        face = max(set(position.dice), key=lambda face: (position.dice.count(face), face))
        kept = (face,) * position.dice.count(face)
        return next(hold for hold in options if hold.action == "hold" and hold.dice == kept)
    boxes = [option for option in options if option.action == "score"]
    return max(boxes, key=lambda option: (option.points, -position.rules.index[option.category]))


def make_pool(advisor: Advisor, *, seed: int = SEED, each: int = EACH) -> list[Exercise]:
    """Return positions ordered by level, and shuffled within a level. There are ``each`` positions
    for every level and number of rolls left."""
    rng = np.random.default_rng(seed)
    pool: dict[str, Exercise] = {}
    cells: Counter[tuple[int, int]] = Counter()
    turns: Counter[tuple[int, int, int]] = Counter()
    # Take only a few positions from each turn of the game, so that the pool has nearly all turns.
    a_turn = 1 + each // (len(advisor.rules.categories) - FEWEST_OPEN + 1)
    while len(pool) < each * len(LEVELS) * advisor.rules.throws:
        game = play_out(Erring(advisor, **MISTAKES), advisor.rules, make_random_roller(rng), rng)
        for state, _action in game.decisions:
            position = find_position(state)
            exercise = grade_position(advisor, position) if make_key(position) not in pool else None
            if exercise is None:
                continue
            cell = (exercise.level, min(position.throws_left, advisor.rules.throws - 1))
            turn = (*cell, position.filled.bit_count())
            if cells[cell] < each and turns[turn] < a_turn:
                pool[exercise.key] = exercise
                cells[cell] += 1
                turns[turn] += 1
    mixed = rng.permutation(len(pool)).tolist()
    return sorted((list(pool.values())[at] for at in mixed), key=lambda exercise: exercise.level)
