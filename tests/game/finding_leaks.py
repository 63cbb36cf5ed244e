"""python -m tests.game.finding_leaks [--players 200] [--games 30] [--ruleset yatzy]: whom the leak
finder tells of a leak.

First players who err at random, as the peers do and otherwise, hotter and cooler than any grade:
every leak of theirs is chance. Then players of the grade Strong with one bad habit, as often as
they give way to it: what it costs them a game, in how many it is found, and what it is called.
"""

import argparse
from collections import Counter
from collections.abc import Iterable, Iterator

import numpy as np

from game.core.worth.leak_tree import Leak, Sums, averaged, summed, tree
from game.core.worth.peers import alike, game_of, peers
from game.practice.leak_queries import named
from solver.advice import Advisor
from solver.players.agent import Agent
from solver.players.erring import Erring
from solver.rules import RULESETS, Ruleset
from tests.game.habits import HABITS, Habitual

TEMPERATURES = (0.08, 0.13, 0.25, 0.33, 0.43, 0.55, 0.7, 0.88, 1.1, 1.46, 1.9, 3.0, 4.7, 8.0)
RATES = (0.5, 0.35, 0.2, 0.1)
OTHERWISE = (1.0, 2.5, 6.0)  # the temperatures of those who err seldom
OFTEN = (0.25, 0.5, 1.0)
NAMED = 2  # of a habit, those named most


def leaks_of(rules: Ruleset, games: list[Sums]) -> list[Leak]:
    lost = averaged(games)
    others = alike(rules, lost[()].mean)
    return named(tree(lost), games, others) if others else []


def players(
    agent: Agent, advisor: Advisor, count: int, games: int, seed: int
) -> Iterator[list[Sums]]:
    """The games of each."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        yield [summed(game_of(agent, advisor, rng)) for _ in range(games)]


def told(rules: Ruleset, them: Iterable[list[Sums]]) -> tuple[float, float, Counter[str]]:
    """The share that is told of a leak, the points lost a game, and what comes first."""
    found, first, lost = 0, Counter[str](), []
    for count, games in enumerate(them, 1):  # noqa: B007
        leaks = leaks_of(rules, games)
        lost += [sums.get((), 0.0) for sums in games]
        first.update(".".join(leak.path) for leak in leaks[:1])
        found += bool(leaks)
    return found / count, float(np.mean(lost)), first


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--players", type=int, default=200)
    parser.add_argument("--games", type=int, default=30)
    parser.add_argument("--ruleset", choices=list(RULESETS), default="yatzy")
    asked = parser.parse_args()
    rules = RULESETS[asked.ruleset]
    advisor = Advisor.open(rules)
    advisor.compile()
    kinds = [(1.0, heat) for heat in TEMPERATURES]
    kinds += [(rate, heat) for rate in RATES for heat in OTHERWISE]
    print("erring  temperature  points a game  told of a leak")
    for rate, heat in kinds:
        erring = Erring(advisor, rate, heat)
        share, lost, first = told(rules, players(erring, advisor, asked.players, asked.games, 1))
        print(f"{rate:6.2f}  {heat:11.2f}  {lost:13.1f}  {share:14.1%}", *first, flush=True)
    usual = Erring(advisor, 1.0, peers(rules)["strong"].temperature)
    without = told(rules, players(usual, advisor, asked.players, asked.games, 2))[1]
    for name, habit in HABITS.items():
        for often in OFTEN:
            habitual = Habitual(usual, habit, often)
            them = players(habitual, advisor, asked.players, asked.games, 3)
            share, lost, first = told(rules, them)
            names = ", ".join(f"{path} {n}" for path, n in first.most_common(NAMED))
            print(
                f"{name}, {often:.0%}: {lost - without:.1f} more, {share:.0%}: {names}", flush=True
            )


if __name__ == "__main__":
    main()
