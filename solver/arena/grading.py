"""Grades for players: the points that each of their decisions costs, compared with perfect play.

    optimum - mean = sum over all decisions of (how often it occurs) * (its cost)

The costs by kind of decision, turn and box therefore show where a player loses points. A player
with a decision table gets an exact grade, which covers every card that the player reaches, weighted
by the card's probability. If that takes too long, pass ``games``: the player plays this many games,
and the grade covers a random sample of their cards. The grade of any other player covers the
decisions that the player makes in games.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np

from solver.advice import Advisor, Position, find_position
from solver.arena.match import make_random_roller, play_out
from solver.arena.turns import make_card_tables
from solver.dp.arrays import (
    Floats,
    Ints,
    Throws,
    build_throws,
    find_roll_chances,
    make_random_rolls,
)
from solver.dp.outcomes import Jokers, Outcomes, build_jokers, build_outcomes
from solver.dp.slots import GameArrays, build_game
from solver.dp.space import TIE, Space
from solver.exact.distribution import Distribution, calculate_distribution
from solver.players.agent import Agent, Card, GamesInPlay, Tabular
from solver.players.cards import CardPlay, Numbers, Tables, join_tables
from solver.players.learned import NetworkPlay
from solver.rules import Hold, Ruleset
from solver.rules.dice import FACES, Dice
from solver.tables import open_table

CARDS_AT_ONCE = 2048
WORST = 10
# Grading by games judges one card per 50 games in each turn, and at least 400 cards.
GAMES_A_START, LEAST_STARTS = 50, 400
EXACT, DRAWN, PLAYED = "exact", "drawn", "played"
SCORES = tuple(range(150, 351, 25))


class Tally(NamedTuple):
    """Averages per game, as arrays. ``kind`` is 0 for the hold after the first roll, 1 for the hold
    after the second roll, and so on. The last kind is the choice of a box."""

    made: Floats  # [turn, kind]: number of decisions
    regret: Floats  # [turn, kind]: points lost
    used: Floats  # [turn, box]: share of games in which the turn fills the box
    scored: Floats  # [box]: share of games in which the box gets points
    earned: Floats  # [box]: points, including chips
    by_box: Floats  # [box]: points lost by filling this box although another box was better
    by_best: Floats  # [box]: points lost by filling another box although this box was best

    @classmethod
    def make_empty(cls, rules: Ruleset) -> "Tally":
        boxes = len(rules.categories)
        shapes = ((boxes, rules.throws), (boxes, rules.throws), (boxes, boxes))
        return cls(*map(np.zeros, shapes), *(np.zeros(boxes) for _ in range(4)))


class Judging(NamedTuple):
    """The arguments of ``grading_kernels``: exact values, the arrays of the game, and results.
    ``worst`` has the largest losses, each with its card, rolls left, roll, and hold or box."""

    values: Floats
    stride: int
    game: GameArrays
    dice: Throws
    first_throw: Floats
    jokers: Jokers
    outcomes: Outcomes
    tally: Tally
    worst: tuple[Floats, Ints]


@dataclass(frozen=True)
class Mistake:
    filled: tuple[str, ...]
    upper: int
    chips_won: bool
    dice: Dice
    throws_left: int
    choice: Dice | str  # held dice or filled box
    best: Dice | str
    cost: float
    share: float


@dataclass(frozen=True)
class GradedPlayer:
    player: str
    rules: Ruleset
    how: str
    games: int
    scores: Distribution
    optimum: float
    tally: Tally
    mistakes: Sequence[Mistake]
    error: float

    @property
    def regret(self) -> float:
        return float(self.tally.regret.sum())


def grade_agent(
    name: str, agent: Agent, rules: Ruleset, *, games: int | None = None, seed: int = 1
) -> GradedPlayer:
    """Grade an agent. The grade is exact if the agent is ``Tabular`` and ``games`` is None.
    Otherwise it comes from played games."""
    if isinstance(agent, Tabular) and games is None:
        rules = agent.rules
        policy = AskedOnce(agent) if isinstance(agent, NetworkPlay) else agent
        judge = CardJudge(policy)

        def visit_cards(rows: Ints, columns: Ints, chances: Floats) -> None:
            judge.cards(rows, columns, chances)
            if isinstance(policy, AskedOnce):
                policy.forget()

        scores = calculate_distribution(policy, visit=visit_cards)
        mistakes = judge.list_mistakes()
        return GradedPlayer(
            name, rules, EXACT, 0, scores, judge.optimum, judge.tally, mistakes, 0.0
        )
    if isinstance(agent, Tabular):
        return _grade_by_sample(name, agent, games or 0, seed)
    return _grade_played_games(name, agent, rules, games or 0, seed)


class AskedOnce(CardPlay):
    """A cache of a slow player's decisions. ``make_tables`` fills it; ``cards`` reads from it."""

    def __init__(self, agent: CardPlay) -> None:
        super().__init__(agent.rules)
        self.agent = agent
        self.looks_at_upper, self.uses_luck = agent.looks_at_upper, agent.uses_luck
        self.forget()

    def forget(self) -> None:
        self._asked: list[tuple[Ints, Numbers, Numbers]] = []  # several threads append to this list
        self._known: tuple[Ints, Numbers, Numbers] | None = None

    def card(self, row: int, column: int) -> Card:
        return self.agent.card(row, column)

    def make_tables(self, rows: Ints, columns: Ints) -> Tables:
        number, holds, boxes = self.agent.make_tables(rows, columns)
        keys = rows.astype(np.int64) * self.space.columns + columns
        self._asked.append((keys, holds[number], boxes))
        return number, holds, boxes

    def cards(self, rows: Ints, columns: Ints) -> tuple[Numbers, Numbers]:
        if self._known is None:
            columns_asked = list(zip(*self._asked, strict=True))
            self._known = (
                np.concatenate(columns_asked[0]),
                join_tables(columns_asked[1]),
                join_tables(columns_asked[2]),
            )
            self._order = self._known[0].argsort()
        keys, holds, boxes = self._known
        wanted = rows.astype(np.int64) * self.space.columns + columns
        at = self._order[np.searchsorted(keys[self._order], wanted)]
        return holds[at], boxes[at]


def _grade_by_sample(name: str, agent: Tabular, games: int, seed: int) -> GradedPlayer:
    """Play games, and judge a sample of each turn's cards."""
    rules, random = agent.rules, np.random.default_rng(seed)
    played, starts = GamesInPlay.new(rules, games), []
    drawn = min(games, max(LEAST_STARTS, games // GAMES_A_START))
    for _ in rules.categories:
        some = random.choice(games, drawn, replace=False)
        starts.append((played.rows[some].astype(np.int64), played.upper[some].astype(np.int64)))
        throws = make_random_rolls(random, rules, games)
        luck = random.integers(1 << 32, size=(rules.throws, games), dtype=np.uint32)
        agent.turns(played, throws, luck, threads=1)
    judge = CardJudge(agent)
    variance = 0.0
    for rows, columns in starts:
        keys, times = np.unique(rows * judge.space.columns + columns, return_counts=True)
        losses = judge.cards(*np.divmod(keys, judge.space.columns), times / len(rows))
        mean = losses @ times / len(rows)
        variance += float(((losses - mean) ** 2) @ times) / max(1, len(rows) - 1) / len(rows)
    scores = Distribution(np.bincount(played.totals) / games, float(played.earned.mean()), 0)
    facts = scores, judge.optimum, judge.tally, judge.list_mistakes(), variance**0.5
    return GradedPlayer(name, rules, DRAWN, games, *facts)


class CardJudge:
    def __init__(self, agent: Tabular) -> None:
        from solver.dp.outlook import pad_values  # slow: loads the compiler

        rules = agent.rules
        self.agent, self.rules, self.space = agent, rules, Space(rules)
        table = open_table(rules)
        self.optimum = table.value_start
        self.tally = Tally.make_empty(rules)
        self._worst = np.zeros(WORST), np.zeros((WORST, 4), dtype=np.int64)
        self._judging = Judging(
            pad_values(self.space, table.read_all()).reshape(-1),
            self.space.stride,
            build_game(rules),
            build_throws(rules.dice),
            find_roll_chances(rules.dice),
            build_jokers(rules),
            build_outcomes(rules),
            self.tally,
            self._worst,
        )
        self._seen: list[tuple[Ints, Ints, Floats]] = []

    def cards(self, rows: Ints, columns: Ints, weights: Floats) -> Floats:
        """Return the mean points lost in a turn from each card. Add all decisions to the tally."""
        from solver.arena.grading_kernels import judge_cards  # slow: loads the compiler

        first = sum(len(seen[0]) for seen in self._seen)
        self._seen.append((rows, columns, weights))
        losses = np.zeros(len(rows))
        for at in range(0, len(rows), CARDS_AT_ONCE):
            some = slice(at, at + CARDS_AT_ONCE)
            places = rows[some].astype(np.int32), columns[some].astype(np.int32)
            number, holds, boxes = make_card_tables(self.agent, *places)
            judge_cards(
                rows[some],
                columns[some],
                weights[some],
                first + at,
                holds if len(holds) == 1 else holds[number],
                boxes[number],
                self._judging,
                losses[some],
            )
        return losses

    def list_mistakes(self) -> list[Mistake]:
        """Return the mistakes that cost most per game, the worst first, at most one per card."""
        rows, columns, weights = (np.concatenate(parts) for parts in zip(*self._seen, strict=True))
        losses, places = self._worst
        coach = Advisor.open(self.rules)
        mistakes = []
        for loss, (card, left, roll, choice) in zip(losses.tolist(), places.tolist(), strict=True):
            if loss > TIE * weights[card]:  # a smaller loss is a rounding error
                place = int(rows[card]), int(columns[card])
                position = make_position(self.space, *place, self.rules.cup.rolls[roll], left)
                what: Dice | str
                if left and choice < self.rules.cup.first_roll:
                    what = self.rules.cup.holds[choice]
                else:
                    box = choice if not left else int(self.agent.card(*place).boxes[0, roll])
                    what = self.rules.categories[box].id
                options = coach.advise(position).options
                (cost,) = [o.regret for o in options if what == (o.category or o.dice)]
                mistakes.append(
                    Mistake(
                        filled=tuple(position.rules.ids(position.filled)),
                        upper=position.upper,
                        chips_won=position.chips_won,
                        dice=position.dice,
                        throws_left=position.rolls_left,
                        choice=what,
                        best=options[0].category or options[0].dice,
                        cost=cost,
                        share=loss / cost,
                    )
                )
        return mistakes


def make_position(space: Space, row: int, column: int, dice: Dice, left: int) -> Position:
    """Return a position on this card. If the column has several upper totals, use the lowest."""
    filled, flag = row & space.rules.full, row >> space.boxes
    upper = min(
        total
        for total in space.rules.list_upper_totals(filled)
        if space.find_column(total) == column
    )
    return Position(space.rules, filled, upper, dice, left, bool(flag))


def _grade_played_games(
    name: str, agent: Agent, rules: Ruleset, games: int, seed: int
) -> GradedPlayer:
    coach, tally = Advisor.open(rules), Tally.make_empty(rules)
    coach.compile()
    dice, luck = (np.random.default_rng([seed, n]) for n in range(2))
    scores, losses, bonuses = [], [], 0
    for _ in range(games):
        match = play_out(agent, rules, make_random_roller(dice), luck)
        costs = []
        for state, action in match.decisions:
            options = coach.advise(find_position(state)).options
            turn, kind = state.turn, rules.throws - 1 - state.throws_left
            tally.made[turn, kind] += 1 / games
            if isinstance(action, Hold):
                kept = tuple(sorted(d for n, d in enumerate(state.dice) if action.slots >> n & 1))
                (cost,) = [o.regret for o in options if o.action == "hold" and o.dice == kept]
                tally.regret[turn, kind] += cost / games
            else:
                (chosen,) = [option for option in options if option.category == action.category]
                box, cost = rules.index[action.category], chosen.regret
                best = next(option for option in options if option.category)
                tally.used[turn, box] += 1 / games
                tally.scored[box] += (chosen.points > 0) / games
                tally.earned[box] += chosen.points / games
                tally.by_box[box] += (cost - best.regret) / games
                tally.by_best[rules.index[best.category]] += (cost - best.regret) / games
                if state.throws_left:  # the two decisions are: hold all dice, then fill a box
                    tally.regret[turn, kind] += best.regret / games
                    tally.made[turn, -1] += 1 / games
                tally.regret[turn, -1] += (cost - best.regret) / games
            costs.append(cost)
        losses.append(sum(costs))
        scores.append(match.end.total)
        bonuses += match.end.upper >= rules.bonus_threshold
    played = Distribution(np.bincount(scores) / games, bonuses / games, 0)
    error = float(np.std(losses) / games**0.5)
    return GradedPlayer(name, rules, PLAYED, games, played, coach.value_start, tally, [], error)


def grade_facts(grade: GradedPlayer) -> dict[str, Any]:
    rules, tally, scores = grade.rules, grade.tally, grade.scores
    boxes = [category.id for category in rules.categories]
    named = {
        name: dict(zip(boxes, getattr(tally, name).tolist(), strict=True))
        for name in ("earned", "scored", "by_box", "by_best")
    }
    every = [category.score((FACES,) * rules.dice) for category in rules.categories]
    fewer = [category.score((FACES,) * (rules.dice - 1) + (1,)) for category in rules.categories]
    fixed = [category.points is not None for category in rules.categories]
    (five_alike,) = [n for n in range(len(every)) if fixed[n] and every[n] and not fewer[n]]
    return {
        "player": grade.player,
        "ruleset": rules.id,
        "how": grade.how,
        "games": grade.games,
        "mean": scores.mean,
        "sd": scores.deviation,
        "median": scores.median,
        "bonus": scores.bonus_probability,
        "five_of_a_kind": float(tally.scored[five_alike]),
        "at_least": {str(score): float(scores.probabilities[score:].sum()) for score in SCORES},
        "optimum": grade.optimum,
        "regret": grade.regret,
        "regret_error": grade.error,
        "kinds": (*(f"hold {number}" for number in range(1, rules.throws)), "box"),
        "decisions": tally.made.sum(axis=0).tolist(),
        "regret_by_kind": tally.regret.sum(axis=0).tolist(),
        "regret_by_turn": tally.regret.sum(axis=1).tolist(),
        "regret_by_box": named["by_box"],
        "regret_by_best_box": named["by_best"],
        "points": named["earned"],
        "scored": named["scored"],
        "usage_by_turn": dict(zip(boxes, tally.used.T.tolist(), strict=True)),
        "mistakes": [asdict(mistake) for mistake in grade.mistakes],
    }
