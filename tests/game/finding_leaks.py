"""python -m tests.game.finding_leaks [--players 100] [--games 30] [--pool 200] [--ruleset yatzy]:
for whom the leak finder names a leak.

First players who err at random in ways that have nothing to do with a box: every leak of theirs is
chance. Then players of the grade Strong who play one box badly: how often a leak is named, and
which. A player is a draw of games from a pool of the same kind.
"""

import argparse
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from game.core.worth.leak_chance import LeakTest, MoveOptions, list_move_options
from solver.advice import Advisor, find_position
from solver.arena.match import make_random_roller, play_out
from solver.dp.arrays import Floats
from solver.dp.space import TIE
from solver.dp.turn import Carried, Turn
from solver.rules import RULESETS, Action, Hold, Ruleset, Score, State

Policy = Callable[[MoveOptions, np.random.Generator], int]  # the option that is chosen


def best(choice: MoveOptions) -> int:
    return int((choice.costs < TIE).argmax())


def by_cost(heat: float, rate: float = 1.0) -> Policy:
    """Choose an option the less often the more it costs."""

    def choose(choice: MoveOptions, rng: np.random.Generator) -> int:
        if not heat or rng.random() >= rate:
            return best(choice)
        weights: Floats = np.exp(-choice.costs / heat)
        return int(rng.choice(len(weights), p=weights / weights.sum()))

    return choose


def by_roll(*heats: float) -> Policy:
    return lambda choice, rng: by_cost(heats[choice.throw])(choice, rng)


def by_third(*heats: float) -> Policy:
    return lambda choice, rng: by_cost(heats[choice.third])(choice, rng)


def at_times(rate: float, policy: Policy) -> Policy:
    return lambda choice, rng: policy(choice, rng) if rng.random() < rate else best(choice)


def uniform(choice: MoveOptions, rng: np.random.Generator) -> int:
    return int(rng.choice(np.flatnonzero(choice.costs < np.inf)))


def greedy(choice: MoveOptions, rng: np.random.Generator) -> int:
    return choice.greedy


def content(choice: MoveOptions, rng: np.random.Generator) -> int:
    """Choose any option that costs less than a point."""
    return int(rng.choice(np.flatnonzero(choice.costs < 1.0)))


AT_RANDOM: Mapping[str, Policy] = {
    **{f"by cost, {heat}": by_cost(heat) for heat in (0.13, 0.3, 0.7, 1.2, 2.5, 5.0)},
    "by cost, seldom": by_cost(6.0, 0.2),
    "first roll": by_roll(1.5, 0.0, 0.0),
    "second roll": by_roll(0.0, 1.5, 0.0),
    "last roll": by_roll(0.0, 0.0, 1.5),
    "early turns": by_third(1.5, 0.0, 0.0),
    "late turns": by_third(0.0, 0.0, 1.5),
    **{f"uniform, {rate}": at_times(rate, uniform) for rate in (0.03, 0.1, 0.3)},
    **{f"greedy, {rate}": at_times(rate, greedy) for rate in (0.1, 0.3, 1.0)},
    "content": content,
}
STRONG = by_cost(0.7)


def shuns(box: int, often: float) -> Policy:
    """Play the best of all options for other boxes."""

    def choose(choice: MoveOptions, rng: np.random.Generator) -> int:
        costs = np.where(choice.aims == box, np.inf, choice.costs)
        if choice.aims[best(choice)] == box and np.isfinite(costs).any() and rng.random() < often:
            return int(costs.argmin())
        return STRONG(choice, rng)

    return choose


def chases(box: int, most: float, often: float) -> Policy:
    """Hold for this box if that costs at most so much."""

    def choose(choice: MoveOptions, rng: np.random.Generator) -> int:
        costs = np.where(choice.aims == box, choice.costs, np.inf)[: choice.holds]
        if costs.min(initial=np.inf) <= most and rng.random() < often:
            return int(costs.argmin())
        return STRONG(choice, rng)

    return choose


def one_box(rules: Ruleset) -> dict[str, Policy]:
    """Return players who lose 7 to 13 points per game in one box, by the name of the box."""
    at = rules.index
    box = at["chance"]

    def choose(choice: MoveOptions, rng: np.random.Generator) -> int:
        costs = np.where(choice.aims == box, choice.costs, np.inf)
        if not choice.holds and costs.min() <= 15.0 and rng.random() < 1.0:
            return int(costs.argmin())
        return STRONG(choice, rng)

    return {
        "full_house": shuns(at["full_house"], 0.6),
        "yatzy": shuns(at["yatzy"], 0.6),
        "sixes": shuns(at["sixes"], 0.3),
        "two_pairs": shuns(at["two_pairs"], 0.7),
        "small_straight": shuns(at["small_straight"], 0.8),
        "chance": choose,
        "large_straight": chases(at["large_straight"], 12.0, 0.5),
    }


@dataclass
class Watched:
    advisor: Advisor
    policy: Policy
    made: list[MoveOptions] = field(default_factory=list)
    turns: dict[int, tuple[Carried, Turn]] = field(default_factory=dict)

    def choose(self, state: State, rng: np.random.Generator, others: Sequence[int] = ()) -> Action:
        if not state.dice:
            self.turns.pop(state.turn, None)  # of the game before
            return Hold(0)
        choice = list_move_options(self.advisor, state, None, self.turns)
        at = self.policy(choice, rng)
        if np.isfinite(choice.costs).sum() > 1:
            self.made.append(replace(choice, chosen=at))
        evaluated = self.advisor.evaluate(find_position(state))
        if at < choice.holds:
            held = state.rules.cup.holds[evaluated.holds[at]]
            return Hold.from_faces(held, state.dice, state.held)
        return Score(state.rules.categories[evaluated.boxes[at - choice.holds]].id)


def games_of(policy: Policy, advisor: Advisor, games: int, seed: int) -> list[list[MoveOptions]]:
    rng, made = np.random.default_rng(seed), []
    for _ in range(games):
        agent = Watched(advisor, policy)
        play_out(agent, advisor.rules, make_random_roller(rng), rng)
        made.append(agent.made)
    return made


def named(
    rules: Ruleset, pool: Sequence[list[MoveOptions]], players: int, games: int = 30, seed: int = 1
) -> Iterable[str]:
    rng = np.random.default_rng(seed)
    for player in range(players):
        drawn = [pool[at] for at in rng.choice(len(pool), games, replace=False)]
        leaks = LeakTest(rules, drawn).find_leaks(player)
        yield ".".join(leaks[0]) if leaks else ""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--players", type=int, default=100)
    parser.add_argument("--games", type=int, default=30)
    parser.add_argument("--pool", type=int, default=200)
    parser.add_argument("--ruleset", choices=list(RULESETS), default="yatzy")
    args = parser.parse_args()
    rules = RULESETS[args.ruleset]
    advisor = Advisor.open(rules)
    advisor.compile()
    for name, policy in [*AT_RANDOM.items(), *one_box(rules).items()]:
        pool = games_of(policy, advisor, args.pool, 1)
        lost = np.mean([sum(move.costs[move.chosen] for move in game) for game in pool])
        first = Counter(named(rules, pool, args.players, args.games))
        share = 1 - first.pop("", 0) / args.players
        names = ", ".join(f"{path} {times}" for path, times in first.most_common(3))
        print(
            f"{name:16} {lost:6.1f} points per game, a leak for {share:4.0%}: {names}", flush=True
        )


if __name__ == "__main__":
    main()
