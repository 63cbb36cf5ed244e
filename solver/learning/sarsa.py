"""SARSA on the simplified game: the value of each action in each state, learned from play only.

After action ``a`` in state ``s`` the learner gets the reward ``r``, is in state ``s'`` and has
chosen its next action ``a'``. Then (R. Sutton, A. Barto, Reinforcement Learning, 6.4)

    Q(s, a)  becomes  Q(s, a) + alpha (r + gamma Q(s', a') - Q(s, a))

With probability epsilon the learner chooses a random action, otherwise the action with the highest
Q. It breaks ties at random, so at first all actions are random. The reward is the points for a turn
that scores, the punishment for a worthless turn, and 0 for a hold.
"""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from solver.dp.arrays import Floats, Ints
from solver.dp.sweep import Progress
from solver.learning.chance import (
    Luck,
    NextRolls,
    draw_number,
    kernel,
    list_falls,
    make_streams,
    roll_dice,
)
from solver.learning.simplified import (
    CATEGORIES,
    CUP,
    KEPT,
    NO_BOX,
    NOTHING,
    THROWS,
    Simplified,
    TurnPlay,
    Worth,
    choose_best_holds,
    list_rounds,
)
from solver.players import files


@dataclass(frozen=True)
class Settings:
    """The settings of a run. The defaults are the values of the source. If an end value is set,
    epsilon falls linearly, and alpha falls by the same factor per trial."""

    alpha: float = 0.4
    alpha_end: float | None = None
    epsilon: float = 0.33
    epsilon_end: float | None = None
    gamma: float = 1.0
    punishment: float = -10.0
    trials: int = 100
    games: int = 1000
    seed: int = 1

    def calculate_rates(self, trial: int) -> "Rates":
        gone = trial / max(1, self.trials - 1)
        alpha, epsilon = self.alpha, self.epsilon
        if self.alpha_end is not None:
            alpha *= (self.alpha_end / alpha) ** gone
        if self.epsilon_end is not None:
            epsilon += (self.epsilon_end - epsilon) * gone
        return Rates(alpha, epsilon, self.gamma, self.punishment)


# If alpha stays 0.4, Q depends mainly on the last few games. "decaying" prevents this.
VALUES = {"source": Settings(), "decaying": Settings(alpha_end=0.001, epsilon_end=0.05)}


class Rates(NamedTuple):
    alpha: float
    epsilon: float
    gamma: float
    punishment: float


class SeenGame(NamedTuple):
    """The lookup tables of the simplified game, as arrays for the compiled kernel."""

    box: Ints
    points: Ints
    action: Ints
    first: Ints
    hold: Ints
    pair: Ints
    falls: NextRolls


@dataclass(frozen=True)
class TrialAverages:
    """The average number of turns and points per game in one trial, measured during training."""

    number: int
    turns: float
    points: float


@kernel
def run_trial(q: Any, board: Any, step: Any, games: int, luck: Any) -> Any:
    """Play games and update ``q[open boxes, hold, action]``. Return the total turns and points."""
    turns, total = 0, 0
    for _ in range(games):
        state, kept, left = board.box.shape[0] - 1, NOTHING, THROWS - 1
        hold = choose(
            q, board, state, kept, roll_dice(luck, 0, kept, board.falls), step.epsilon, luck
        )
        while state:
            after, reward = state, 0.0
            next_kept, next_left = hold, left - 1
            if hold >= KEPT:
                scored, points = board.box[state, hold - KEPT], board.points[state, hold - KEPT]
                after = state if scored == NO_BOX else state & ~(1 << scored)
                reward = step.punishment if scored == NO_BOX else float(points)
                next_kept, next_left = NOTHING, THROWS - 1
                turns, total = turns + 1, total + points
            ahead, next_hold = 0.0, NOTHING
            if after:
                roll = roll_dice(luck, 0, next_kept, board.falls)
                next_hold = KEPT + roll
                if next_left:
                    next_hold = choose(q, board, after, next_kept, roll, step.epsilon, luck)
                ahead = q[after, next_kept, board.action[after, next_hold]]
            action = board.action[state, hold]
            q[state, kept, action] += step.alpha * (
                reward + step.gamma * ahead - q[state, kept, action]
            )
            state, kept, left, hold = after, next_kept, next_left, next_hold
    return turns, total


FINE = 1 << 30  # epsilon is rounded to a multiple of 1 / FINE


@kernel
def choose(q: Any, board: Any, state: int, kept: int, roll: int, epsilon: float, luck: Any) -> Any:
    """Return a hold: a random one with probability epsilon, otherwise the best by ``q``."""
    pair = board.pair[kept, roll]
    start, end = board.first[pair], board.first[pair + 1]
    if draw_number(luck, 0, FINE) < epsilon * FINE:
        return board.hold[start + draw_number(luck, 0, end - start)]
    best, most, equals = start, -np.inf, 0
    for choice in range(start, end):
        value = q[state, kept, board.action[state, board.hold[choice]]]
        if value > most:
            best, most, equals = choice, value, 1
        elif value == most:
            equals += 1
            if draw_number(luck, 0, equals) == 0:
                best = choice
    return board.hold[best]


class Learner:
    def __init__(self, game: Simplified, q: Floats | None = None) -> None:
        r = list_rounds()
        pair = np.broadcast_to(r.pair[NOTHING], r.pair.shape) if game.rethrow else r.pair
        self.game = game
        self.board = SeenGame(
            game.box, game.points, game.action, r.first, r.hold, pair.copy(), list_falls(CUP.dice)
        )
        self.q = np.zeros((game.open + 1, KEPT, game.actions)) if q is None else q

    def learn(
        self, settings: Settings, progress: Progress | None = None
    ) -> Iterator[TrialAverages]:
        luck = make_streams(settings.seed, 1)
        for n in range(settings.trials):
            turns, points = run_trial(
                self.q, self.board, settings.calculate_rates(n), settings.games, luck
            )
            yield TrialAverages(n + 1, turns / settings.games, points / settings.games)
            if progress:
                progress(n + 1, settings.trials)

    def evaluate(self) -> Worth:
        """Return the exact expected turns and points of a player that chooses the highest Q."""
        return self.game.evaluate(self.turn)

    def turn(self, open_boxes: int) -> TurnPlay:
        r = list_rounds()
        kept = np.repeat(r.kept, np.diff(r.first))
        chances = choose_best_holds(self.q[open_boxes, kept, self.game.action[open_boxes, r.hold]])
        return TurnPlay(chances, chances)

    def choose_hold(self, open_boxes: int, kept: int, roll: int, luck: Luck) -> int:
        return int(choose(self.q, self.board, open_boxes, kept, roll, 0.0, luck))

    def save(self, path: Path, settings: Settings) -> None:
        files.save(path, KIND, make_identity(self.game) | {"settings": asdict(settings)}, q=self.q)

    @classmethod
    def load(cls, path: Path) -> tuple["Learner", Settings]:
        facts, arrays = files.load(path, KIND)
        known = (Simplified(CATEGORIES[:n], r) for n in range(1, 5) for r in (False, True))
        game = next((g for g in known if make_identity(g).items() <= facts.items()), None)
        if game is None or arrays["q"].shape != cls(game).q.shape:
            raise files.BadLearned(f"{path} was learned for a game that is not played here")
        return cls(game, arrays["q"]), Settings(**facts["settings"])


KIND = "sarsa"


def make_identity(game: Simplified) -> dict[str, Any]:
    return {"categories": [asdict(c) for c in game.categories], "rethrow": game.rethrow}


def narrate_game(learner: Learner, luck: Luck) -> Iterator[str]:
    """Play a game. Yield a sentence about each roll until every box is filled."""
    open_boxes, turn, total = learner.game.open, 0, 0
    while open_boxes:
        turn += 1
        kept, hold = NOTHING, NOTHING
        for number in range(1, THROWS + 1):
            roll = roll_dice(luck, 0, kept, list_falls(CUP.dice))
            last = number == THROWS
            hold = KEPT + roll if last else learner.choose_hold(open_boxes, kept, roll, luck)
            done = f"turn {turn}, round {number}: {_format_dice(KEPT + roll)}"
            if hold >= KEPT:
                break
            yield f"{done}, keeps {_format_dice(hold)}"
            kept = hold
        box = int(learner.game.box[open_boxes, hold - KEPT])
        if box == NO_BOX:
            yield f"{done}, keeps all: worth nothing"
            continue
        points = int(learner.game.points[open_boxes, hold - KEPT])
        open_boxes, total = open_boxes & ~(1 << box), total + points
        name = learner.game.categories[box].id.replace("_", " ")
        yield f"{done}, keeps all: {points} for {name}"
    yield f"finished in {turn} turns with {total} points"


def _format_dice(hold: int) -> str:
    return " ".join(map(str, CUP.holds[hold])) or "nothing"
