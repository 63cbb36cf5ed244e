"""Thousands of games side by side, compiled, for training that needs a game in microseconds.

The states of ``Games`` are arrays with an entry per game. ``step`` takes an action for each game.
It sets ``rewards``, ``finished`` and ``scores``, and the ``features`` and ``masks`` of the next
decision. A new game replaces a finished game, and ``last`` then has the features at the end of the
finished game. Actions and features have the numbers of ``players.features``. A test compares every
number with ``solver.rules``.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from solver.dp.arrays import Ints, calculate_points
from solver.dp.compiled import inlined
from solver.dp.sweep import count_cores
from solver.learning.chance import Luck, draw_number, kernel, list_falls, make_streams, roll_dice
from solver.players.features import (
    NO_FACE,
    NOT_ALLOWED,
    Positions,
    calculate_shares,
    count_actions,
    find_face_alike,
    find_most_points,
    find_most_upper,
    find_par,
    find_par_total,
    find_saved_scale,
    list_joker_points,
    make_dice_features,
    make_layout,
    number_holds,
)
from solver.rules import IllegalAction, Ruleset, State

Floats32 = npt.NDArray[np.float32]


class RuleTables(NamedTuple):
    """The rules as tables.

    If all dice of a roll show the same face, ``alike[roll]`` is this face minus 1, otherwise
    NO_FACE. On a card with jokers, ``joker[filled, face]`` is the number of a row of ``jokers[row,
    box]`` (points or NOT_ALLOWED). The last row is for dice that are not a joker. ``dice[roll]``
    has the features that depend only on the dice.
    """

    points: Any  # [roll, box]: points of the roll
    share: Any  # [roll, box]: points divided by the maximum of the box
    most: Any  # [box]: maximum points
    face: Any  # [box]: 0 for a lower box
    dice: Any
    upper: Any  # [upper total]: features of the total, except ``upper_par``
    alike: Any
    holds: Any  # [roll, bit mask of held slots]: number of the hold
    falls: Any
    joker: Any
    jokers: Any
    chip: int
    chip_box: int
    threshold: int
    bonus: int
    throws: int
    par: int  # number of dice per upper face that wins the bonus
    stock: int
    per_saved: float
    per_threshold: float
    per_turn: float


@cache
def make_rule_tables(rules: Ruleset) -> RuleTables:
    joker, jokers = list_joker_points(rules)
    totals = np.arange(find_most_upper(rules) + 1)[:, None]
    left = rules.bonus_threshold - totals
    share = totals / rules.bonus_threshold
    forms = (
        totals / find_most_upper(rules),
        left / rules.bonus_threshold,
        np.minimum(share, 1),
        left <= 0,
    )
    return RuleTables(
        points=np.ascontiguousarray(calculate_points(rules).T),
        share=np.ascontiguousarray(calculate_shares(rules)),
        most=find_most_points(rules),
        face=np.array([category.face for category in rules.categories]),
        dice=make_dice_features(rules.dice),
        upper=np.hstack(forms).astype(np.float32),
        alike=find_face_alike(rules.dice),
        holds=number_holds(rules.dice),
        falls=list_falls(rules.dice),
        joker=joker,
        jokers=jokers,
        chip=rules.joker.chip if rules.joker else 0,
        chip_box=rules.index[rules.joker.box] if rules.joker else -1,
        threshold=rules.bonus_threshold,
        bonus=rules.bonus_points,
        throws=rules.throws,
        par=find_par(rules),
        stock=rules.stock,
        per_saved=find_saved_scale(rules),
        per_threshold=1 / rules.bonus_threshold,
        per_turn=1 / len(rules.categories),
    )


class GameStates(NamedTuple):
    """The states of all games, as arrays with an entry per game."""

    roll: Any
    left: Any  # rolls left, including saved rolls
    saved: Any  # saved rolls at the start of the turn
    filled: Any
    turn: Any
    upper: Any
    par: Any  # upper total if each filled upper box had ``RuleTables.par`` dice
    chips: Any
    total: Any  # the score so far
    luck: Luck  # the random stream of each game's dice


class StepResults(NamedTuple):
    """The results of a step, with an entry per game. If a game ended, a new game takes its entry;
    ``scores`` and ``last`` (features) are about the last game that ended there."""

    features: Floats32
    last: Floats32
    masks: Any
    rewards: Floats32
    finished: Any
    scores: Ints


@inlined
def find_joker_row(game: Any, filled: int, roll: int) -> Any:
    """Return the row of ``jokers`` for these dice; -1 if the dice are not a joker."""
    face = game.alike[roll]
    return -1 if face == NO_FACE else game.joker[filled & (game.joker.shape[0] - 1), face]


@inlined
def begin(game: Any, places: Any, g: int) -> None:
    places.left[g], places.saved[g] = game.throws - 1, 0
    places.filled[g], places.turn[g] = 0, 0
    places.upper[g], places.par[g], places.chips[g], places.total[g] = 0, 0, False, 0
    places.roll[g] = roll_dice(places.luck, g, 0, game.falls)


@inlined
def score_box(game: Any, places: Any, g: int, box: int) -> Any:
    """Fill the box, and roll for the next turn. Return the points that the score gained."""
    filled, roll, upper = places.filled[g], places.roll[g], places.upper[g]
    row = find_joker_row(game, filled, roll)
    points = game.points[roll, box] if row < 0 else game.jokers[row, box]
    added = points + (game.chip if row >= 0 and places.chips[g] else 0)
    if game.face[box]:
        places.upper[g] = upper + points
        places.par[g] += game.par * game.face[box]
        added += game.bonus if upper < game.threshold <= upper + points else 0
    places.chips[g] |= box == game.chip_box and points > 0
    places.filled[g] = filled | 1 << box
    places.turn[g] += 1
    places.total[g] += added
    places.saved[g] = min(places.left[g], game.stock)
    places.left[g] = game.throws - 1 + places.saved[g]
    places.roll[g] = roll_dice(places.luck, g, 0, game.falls)
    return added


@inlined
def write_card(game: Any, places: Any, features: Any, g: int) -> None:
    """Write the features of game ``g`` that describe its card, except the open boxes."""
    at = game.dice.shape[1] + game.face.shape[0]
    for n in range(game.upper.shape[1]):
        features[g, at + n] = game.upper[places.upper[g], n]
    at += game.upper.shape[1]
    features[g, at] = (places.upper[g] - places.par[g]) * game.per_threshold
    features[g, at + 1] = places.turn[g] * game.per_turn
    features[g, at + 3 + game.throws] = places.chips[g]


@kernel
def observe(game: Any, places: Any, seen: Any, start: int, end: int) -> None:
    """Write features and masks of games ``start`` to ``end - 1``, as in ``players.features``."""
    boxes, shown, holds = game.face.shape[0], game.dice.shape[1], game.holds.shape[1]
    potential = seen.features.shape[1] - boxes - (game.stock > 0)
    for g in range(start, end):
        filled, roll, left = places.filled[g], places.roll[g], places.left[g]
        for n in range(holds):
            seen.masks[g, n] = left > 0
        for n in range(shown):
            seen.features[g, n] = game.dice[roll, n]
        for box in range(boxes):
            is_open = 1 - (filled >> box & 1)
            seen.masks[g, holds + box] = is_open
            seen.features[g, shown + box] = is_open
            seen.features[g, potential + box] = is_open * game.share[roll, box]
        joker = find_joker_row(game, filled, roll)
        if joker >= 0:
            for box in range(boxes):
                points = game.jokers[joker, box]
                seen.masks[g, holds + box] = points != NOT_ALLOWED
                seen.features[g, potential + box] = max(points, 0) / game.most[box]
        write_card(game, places, seen.features, g)
        at = shown + boxes + game.upper.shape[1] + 2
        saved = min(places.saved[g], left)
        for n in range(game.throws):
            seen.features[g, at + n] = n == left - saved
        if game.stock:
            seen.features[g, potential + boxes] = saved * game.per_saved
        seen.features[g, potential - 2] = joker >= 0


@kernel
def play(game: Any, places: Any, seen: Any, chosen: Any, start: int, end: int) -> None:
    full, holds = (1 << game.face.shape[0]) - 1, game.holds.shape[1]
    for g in range(start, end):
        seen.finished[g] = False
        seen.rewards[g] = 0.0
        if chosen[g] < holds:
            places.roll[g] = roll_dice(
                places.luck, g, game.holds[places.roll[g], chosen[g]], game.falls
            )
            places.left[g] -= 1
        else:
            seen.rewards[g] = score_box(game, places, g, chosen[g] - holds)
        if places.filled[g] == full:
            seen.finished[g] = True
            seen.scores[g] = places.total[g]
            write_card(game, places, seen.last, g)
            begin(game, places, g)
    observe(game, places, seen, start, end)


@kernel
def begin_all(game: Any, places: Any, seen: Any) -> None:
    for g in range(places.roll.shape[0]):
        begin(game, places, g)
    observe(game, places, seen, 0, places.roll.shape[0])


@kernel
def find_first_illegal(masks: Any, chosen: Any) -> int:
    """Return the number of the first game whose mask forbids the chosen action, or -1."""
    for g in range(chosen.shape[0]):
        if not 0 <= chosen[g] < masks.shape[1] or not masks[g, chosen[g]]:
            return g
    return -1


def refuse_illegal(masks: npt.NDArray[np.int8], chosen: npt.NDArray[np.integer[Any]]) -> None:
    wrong = find_first_illegal(masks, chosen)
    if wrong >= 0:
        raise IllegalAction(f"game {wrong} does not allow action {chosen[wrong]} now")


@kernel
def choose_allowed(masks: Any, luck: Any, chosen: Any, start: int, end: int) -> None:
    """Write a random allowed action to ``chosen`` for each game from ``start`` to ``end - 1``."""
    for g in range(start, end):
        allowed = 0
        for n in range(masks.shape[1]):
            allowed += masks[g, n]
        steps = draw_number(luck, g, allowed)
        at = 0
        while steps > 0 or not masks[g, at]:
            steps -= masks[g, at]
            at += 1
        chosen[g] = at


class Games:
    """Games of a ruleset, played side by side. Every step overwrites the arrays, so copy what you
    need later. Equal seeds and actions give equal games, with any number of threads."""

    def __init__(self, rules: Ruleset, count: int, seed: int, threads: int | None = None) -> None:
        self.rules = rules
        self.count = count
        self._game = make_rule_tables(rules)
        self._luck, dice = make_streams(seed, 2 * count).reshape(2, count)
        roll, left, saved, filled, turn, upper, par, total = np.zeros((8, count), dtype=np.int64)
        chips = np.zeros(count, dtype=np.bool_)
        self._places = GameStates(
            roll, left, saved, filled, turn, upper, par, chips, total, dice.copy()
        )
        self._seen = StepResults(
            features=np.zeros((count, make_layout(rules).width), dtype=np.float32),
            last=np.zeros((count, make_layout(rules).width), dtype=np.float32),
            masks=np.zeros((count, count_actions(rules)), dtype=np.int8),
            rewards=np.zeros(count, dtype=np.float32),
            finished=np.zeros(count, dtype=np.bool_),
            scores=np.zeros(count, dtype=np.int64),
        )
        self._pool = ThreadPoolExecutor(threads or count_cores())
        self._chunk = -(-count // (threads or count_cores()))
        begin_all(self._game, self._places, self._seen)

    @property
    def features(self) -> Floats32:
        return self._seen.features

    @property
    def masks(self) -> npt.NDArray[np.int8]:
        masks: npt.NDArray[np.int8] = self._seen.masks
        return masks

    @property
    def rewards(self) -> Floats32:
        """The points of each action: box, chips, and the bonus once it is won."""
        return self._seen.rewards

    @property
    def finished(self) -> npt.NDArray[np.bool_]:
        """A flag per game: True if the action ended the game. A new game has then replaced it."""
        finished: npt.NDArray[np.bool_] = self._seen.finished
        return finished

    @property
    def scores(self) -> Ints:
        return self._seen.scores

    @property
    def last(self) -> Floats32:
        return self._seen.last

    @property
    def totals(self) -> Ints:
        totals: Ints = self._places.total
        return totals

    @property
    def dice(self) -> npt.NDArray[np.int64]:
        dice: npt.NDArray[np.int64] = np.array(self.rules.cup.rolls)[self._places.roll]
        return dice

    @property
    def rolls(self) -> Ints:
        rolls: Ints = self._places.roll
        return rolls

    @property
    def positions(self) -> Positions:
        p, threshold = self._places, self.rules.bonus_threshold
        rows = p.filled | p.chips.astype(np.int64) << len(self.rules.categories)
        return Positions(rows, np.minimum(p.upper, threshold), p.roll.copy(), p.left.copy())

    def restart(self, seed: int) -> None:
        self._luck[:], self._places.luck[:] = make_streams(seed, 2 * self.count).reshape(2, -1)
        begin_all(self._game, self._places, self._seen)

    def step(self, chosen: npt.NDArray[np.integer[Any]]) -> None:
        """Play an action in every game. If one is illegal, raise an error and change no game."""
        refuse_illegal(self.masks, chosen)
        self._run_chunks(partial(play, self._game, self._places, self._seen, chosen))

    def random_actions(self) -> Ints:
        chosen = np.empty(self.count, dtype=np.int64)
        self._run_chunks(partial(choose_allowed, self.masks, self._luck, chosen))
        return chosen

    def put(self, place: int, state: State) -> None:
        """Replace a game by a state with rolled dice. Its lower boxes may have any points."""
        p = self._places
        p.roll[place] = state.rules.cup.roll_index[tuple(sorted(state.dice))]
        p.left[place], p.filled[place], p.turn[place] = state.throws_left, state.filled, state.turn
        p.saved[place] = state.stock
        p.upper[place], p.par[place] = state.upper, find_par_total(state)
        p.chips[place], p.total[place] = state.chips_won, state.total
        observe(self._game, p, self._seen, place, place + 1)

    def _run_chunks(self, work: Callable[[int, int], None]) -> None:
        if self._chunk >= self.count:  # a single chunk needs no other thread
            return work(0, self.count)
        starts = range(0, self.count, self._chunk)
        list(self._pool.map(lambda at: work(at, min(at + self._chunk, self.count)), starts))
        return None
