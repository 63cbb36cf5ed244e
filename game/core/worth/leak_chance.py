"""Leaks: boxes that cost a player more than the player's general habits explain.

Each move of a player follows one of several habits: choose the best option; choose costly options
less often (at five temperatures); choose any option with the same chance; or choose the option with
the most points in this turn. The expectation-maximisation algorithm estimates how often each habit
decides, from the player's moves, for every roll of a turn and third of a game. The habits therefore
explain mistakes that depend on the loss, the roll or the turn, and uniform or greedy play. A move
is predicted only from moves whose best and greedy options are for other boxes.

A mistake touches two boxes: the box of the best move and the box of the chosen move. A node is

    a box                    every mistake that touches the box
    a box, hold or box       its mistakes in holding dice, or in filling a box
    a box, hold, 1, 2, ...   its mistakes in holding dice after that roll
    box, 1, 2, ...           mistakes of filling a box before the last roll

The points lost in each node are compared with those of simulated players with the same habits. A
node is a leak if hardly any simulated player exceeds the expectation as far in any node.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from game.core.worth.leak_tree import BOX, HOLD, PHASES, Path, find_phase
from solver.advice import Advisor, find_position
from solver.dp.arrays import Floats, Ints
from solver.dp.space import TIE
from solver.dp.turn import Carried, Turn, find_first_best
from solver.rules import Action, Hold, Ruleset, State

TEMPERATURES = (0.1, 0.3, 1.0, 3.0, 10.0)
OWN_MOVES = 5.0  # moves; weight of the overall shares in the shares per roll and third of a game
STEPS, FEW_STEPS = 40, 10  # iterations with all moves, then with the moves for other boxes
PLAYERS = 500  # simulated players
AT_ONCE = 50
CHANCE = 0.03  # chance of a false leak in any node; below 1 in 20, because habits are estimates
LEAST = 0.1  # points per game, added to each node's deviation, so that tiny nodes are no leaks
NEARLY = 0.8  # a finer node replaces a coarser node if it has this share of its excess
MOST = 3  # most leaks that the program reports per player
WINDFALL = 1e-6  # weight of turns that end without points; other turns have weight 1


@dataclass(frozen=True, slots=True)
class MoveOptions:
    """The options of a move, holds before boxes. For each option, ``costs`` has its cost, and
    ``aims`` the index of the box at which it aims. ``greedy`` and ``chosen`` are indices of
    options, ``holds`` is the number of holds. ``throw`` and ``third`` count from 0."""

    throw: int
    third: int
    holds: int
    costs: Floats
    aims: Ints
    greedy: int
    chosen: int


def list_risky_moves(
    advisor: Advisor, moves: Iterable[tuple[State, Action]]
) -> tuple[MoveOptions, ...]:
    turns = dict[int, tuple[Carried, Turn]]()
    choices = (list_move_options(advisor, state, action, turns) for state, action in moves)
    return tuple(choice for choice in choices if (choice.costs[choice.costs < np.inf] > TIE).any())


def list_move_options(
    advisor: Advisor, state: State, action: Action | None, turns: dict[int, tuple[Carried, Turn]]
) -> MoveOptions:
    """Return the options of a move. ``turns`` caches the values that a turn's moves share."""
    evaluated = advisor.evaluate(find_position(state))
    turn, roll, left = evaluated.turn, evaluated.roll, evaluated.position.throws_left
    if state.turn not in turns:
        # For every hold, the chance that the turn ends in each box with points. An end without
        # points has a weight near 0 instead of 1.
        weights = np.zeros((*turn.gains.shape, len(turn.boxes)))
        each = np.arange(len(turn.boxes))
        weights[each, :, each] = np.where(turn.gains > 0, 1.0, WINDFALL)
        # This turn as if it were the game's last, so that only its own points count.
        columns = turn.rules.bonus_threshold + 1
        last = Turn(
            turn.space,
            turn.filled,
            turn.upper,
            turn.chips_won,
            lambda numbers: np.zeros((len(numbers), columns)),
        )
        last.saves = False
        turns[state.turn] = Carried(turn, weights), last
    ends, greedy = turns[state.turn]
    holds, aims, worth = evaluated.holds, evaluated.boxes, greedy.scores[:, roll]
    if len(holds):
        worth = np.concatenate((greedy.holds(left)[holds], worth))
        aims = np.concatenate((turn.boxes[ends.holds(left)[holds].argmax(axis=1)], aims))
    chosen = -1
    if isinstance(action, Hold):
        hold = state.rules.cup.hold_index[action.kept(state.dice)]
        chosen = int((holds == hold).argmax())
    elif action:
        chosen = len(holds) + turn.place[state.rules.index[action.category]]
    return MoveOptions(
        throw=min(state.throws_made, state.rules.throws) - 1,
        third=PHASES.index(find_phase(state.rules, state.turn)),
        holds=len(holds),
        costs=evaluated.value - np.concatenate((evaluated.hold_values, evaluated.box_values)),
        aims=aims,
        greedy=int(find_first_best(worth)),
        chosen=chosen,
    )


class LeakTest:
    def __init__(self, rules: Ruleset, games: Sequence[Sequence[MoveOptions]]) -> None:
        moves = [move for game in games for move in game]
        self.rules, self.games = rules, len(games)
        self.boxes, self.throws = len(rules.categories), rules.throws
        size = max(len(move.costs) for move in moves)
        self.every = np.arange(len(moves))
        costs = np.full((len(moves), size), np.inf)
        self.aims = np.zeros(costs.shape, dtype=np.int64)
        for at, move in enumerate(moves):
            costs[at, : len(move.costs)] = move.costs
            self.aims[at, : len(move.aims)] = move.aims
        self.costs = np.where(np.isfinite(costs), costs, 0.0)
        self.right = (costs < TIE).argmax(axis=1)
        self.best = self.aims[self.every, self.right]
        self.holds, self.throw, self.chosen, third, greedy = np.array(
            [(move.holds, move.throw, move.chosen, move.third, move.greedy) for move in moves]
        ).T
        # An array by [habit, move, option]: the chance that a player who always follows this habit
        # chooses the option.
        options = np.arange(size)
        sure = [options == option[:, None] for option in (self.right, greedy)]
        drawn = [np.exp(-costs / heat) for heat in TEMPERATURES]
        ways: Floats = np.array([*sure, *drawn, np.isfinite(costs)], dtype=float)
        ways /= ways.sum(axis=2, keepdims=True)
        # An array by [move, option]: the chance that the player chooses the option, predicted from
        # the player's habits in moves for other boxes.
        self.chances = np.empty(ways.shape[1:])
        likely, strata = ways[:, self.every, self.chosen].T, self.throw * len(PHASES) + third
        start = np.full((strata.max() + 1, len(ways)), 1 / len(ways))
        (shares,) = _estimate_shares(likely, strata, np.ones((1, len(likely))), start, STEPS)
        boxes = np.stack((self.best, self.aims[self.every, greedy]))
        pairs, pair_of_move = np.unique(boxes, axis=1, return_inverse=True)
        others = [~np.isin(boxes, pair).any(axis=0) for pair in pairs.T]
        theirs = _estimate_shares(likely, strata, np.array(others, float), shares, FEW_STEPS)
        for number, habits in enumerate(theirs):
            here = pair_of_move.ravel() == number
            self.chances[here] = np.einsum("nk,knj->nj", habits[strata[here]], ways[:, here])

    def sum_losses(self, chosen: Ints) -> Floats:
        """Return an array by [player, node] of points lost per game. ``chosen`` has, by [player,
        move], the index of the option that the player chose."""
        players, kinds = len(chosen), self.throws + 1
        shape = players, self.boxes, kinds
        costs, aims = self.costs[self.every, chosen], self.aims[self.every, chosen]
        filled = chosen >= self.holds
        parts = np.zeros(shape)
        for box, points in ((aims, costs), (self.best, np.where(aims == self.best, 0.0, costs))):
            at = (np.arange(players)[:, None] * self.boxes + box) * kinds
            at += np.where(filled, self.throws, self.throw)
            parts += np.bincount(at.ravel(), points.ravel(), parts.size).reshape(shape)
        early = filled & (self.holds > 0)
        rolls = [early & (self.throw == throw) for throw in range(self.throws - 1)]
        columns = [
            parts.sum(axis=2),
            parts[:, :, :-1].sum(axis=2),
            parts.reshape(players, -1),
            *((costs * here).sum(axis=1, keepdims=True) for here in rolls),
        ]
        lost: Floats = np.concatenate(columns, axis=1) / self.games
        return lost

    @property
    def paths(self) -> list[Path]:
        names = [category.id for category in self.rules.categories]
        rolls = [str(throw + 1) for throw in range(self.throws)]
        kinds = [*((HOLD, roll) for roll in rolls), (BOX,)]
        return [
            *((name,) for name in names),
            *((name, HOLD) for name in names),
            *((name, *kind) for name in names for kind in kinds),
            *((BOX, roll) for roll in rolls[:-1]),
        ]

    def find_leaks(self, seed: int = 0) -> list[Path]:
        """Return the paths of up to ``MOST`` leaks. The leaks are found one by one; the mistakes of
        a leak do not count again for the next leak."""
        rng = np.random.default_rng(seed)
        sums = np.cumsum(self.chances, axis=1)
        sums /= sums[:, -1:]
        simulated = np.concatenate(
            [
                self.sum_losses((rng.random((AT_ONCE, len(sums), 1)) > sums).sum(axis=2))
                for _ in range(PLAYERS // AT_ONCE)
            ]
        )
        usual, error = simulated.mean(axis=0), simulated.std(axis=0) + LEAST
        furthest = ((simulated - usual) / error).max(axis=1)
        limit = usual + error * np.quantile(furthest, 1 - CHANCE)
        paths, chosen, sure = self.paths, self.chosen.copy(), list[Path]()
        while len(sure) < MOST:
            losses = self.sum_losses(chosen[None])[0]
            excess = np.where(losses > limit, losses - usual, 0.0)
            top = int(excess.argmax())
            if not excess[top]:
                break
            inside = [
                at
                for at in np.flatnonzero(excess >= NEARLY * excess[top])
                if paths[at][0] == paths[top][0]
            ]
            at = max(inside, key=lambda at: (len(paths[at]), excess[at]))
            sure.append(paths[at])
            # Correct each move that can change the losses of this path: the move concerns the
            # path's box or, for a path that begins with "box", fills a box before the last roll.
            if paths[top][0] == BOX:
                touched = (chosen >= self.holds) & (self.holds > 0)
            else:
                box = self.rules.index[paths[top][0]]
                touched = (self.best == box) | (self.aims[self.every, chosen] == box)
            chosen = np.where(touched, self.right, chosen)
        return sure


def _estimate_shares(
    likely: Floats, strata: Ints, weights: Floats, start: Floats, steps: int
) -> Floats:
    """Return an array by [case, stratum, habit]: the share of a stratum's moves that the habit
    decides. ``weights`` has, by [case, move], 1 for each move that counts. A stratum is a roll of
    the turn in a third of the game. The shares are maximum-likelihood estimates, moved towards the
    mean of all strata."""
    shares = np.repeat(start[None], len(weights), axis=0)
    parts = [strata == stratum for stratum in range(len(start))]
    moves = [(likely[part], weights[:, part]) for part in parts]
    for _ in range(steps):
        counts = np.empty_like(shares)
        for stratum, (mine, counting) in enumerate(moves):
            habits = shares[:, stratum]
            chances = np.maximum(habits @ mine.T, 1e-300)
            counts[:, stratum] = habits * ((counting / chances) @ mine)
        sums = counts.sum(axis=1) + 0.5
        all_moves = sums / sums.sum(axis=1, keepdims=True)
        shares = counts + OWN_MOVES * all_moves[:, None]
        shares /= shares.sum(axis=2, keepdims=True)
    return shares
