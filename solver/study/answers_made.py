"""The calculation of the facts for ``answers.py``. This module loads the compiler."""

from dataclasses import replace
from typing import Any

import numpy as np

from solver.advice import Advisor
from solver.arena.learners import read_simplified, read_stored_losses, read_stored_report
from solver.arena.match import make_random_roller, play_out
from solver.arena.results import rank_players, read_result
from solver.dp.arrays import Floats
from solver.exact.distribution import calculate_distribution
from solver.learning.loop import train
from solver.learning.sarsa import VALUES, Learner
from solver.learning.simplified import CATEGORIES, Simplified
from solver.learning.summary import collect_facts as summary
from solver.learning.summary import make_run
from solver.learning.turn_starts import TdLearner, TdSettings
from solver.players import PLAYERS, find_player
from solver.players.erring import Erring
from solver.rules import YATZY
from solver.rules.rulesets import YAHTZEE
from solver.study.answers import EARLY_GAMES, LOW
from solver.study.mixes import read_stored_mixes
from solver.study.study import read_stored_facts

LADDER = (
    "greedy",
    "playbook-10",
    "playbook-20",
    "playbook-30",
    "learned-yatzy",
    "td-yatzy",
    "optimal",
)
HALVES = "dice-based"
RISKS = ("optimal", "learned-yatzy", "playbook-10", "greedy", "scorecard-based", "dice-based")
EARLY_BATCH = 200
HEAT = 0.8  # temperature of the player that makes mistakes, in points: higher means more mistakes
JUDGED_GAMES = 2000  # number of games in which this player's mistakes are measured
APART = (2, 5, 10)  # points per game by which one of the two players is better
SURE = 1.96 + 0.8416  # standard errors; a test at 5 % with 80 % power needs this difference


def calculate_facts() -> dict[str, Any]:
    """Return the facts of all answers. Three need simulated games, which take about a minute."""
    yatzy = {
        name: result.distribution
        for name in dict.fromkeys(LADDER + RISKS)
        if (result := read_result(PLAYERS[name], YATZY))
    }
    split = calculate_distribution(find_player("optimal").open_tabular(YATZY))
    assert split.with_bonus is not None  # noqa: S101
    wins = rank_players(YAHTZEE)
    against = wins.names.index("greedy")
    learned = read_stored_report(YAHTZEE)
    assert learned is not None  # noqa: S101
    people = read_stored_facts()["people"]
    all_lost = read_stored_losses(YATZY)
    assert all_lost is not None  # noqa: S101
    losses = all_lost["players"][HALVES]
    mixes = read_stored_mixes()["mixes"]
    return {
        "means": {name: yatzy[name].mean for name in LADDER},
        "people": {
            key: people[key]
            for key in ("published_games", "published_mean", "mean", "standard_error", "p")
        },
        "halves": {
            "mean": mixes[HALVES][HALVES][0],
            "lost_by_boxes": losses["regret_by_kind"][-1],
            "lost_by_holds": sum(losses["regret_by_kind"][:-1]),
            "perfect_boxes": mixes[HALVES]["optimal"][0],
            "perfect_holds": mixes["optimal"][HALVES][0],
        },
        "risks": {
            name: {
                "mean": yatzy[name].mean,
                "sd": yatzy[name].deviation,
                "one_in_twenty": yatzy[name].find_quantile(0.05),
                "one_in_hundred": yatzy[name].find_quantile(0.01),
                "low": float(yatzy[name].probabilities[:LOW].sum()),
            }
            for name in RISKS
        },
        "humps": {
            "bonus": split.bonus_probability,
            "with": _sum_tens(split.with_bonus),
            "without": _sum_tens(split.probabilities - split.with_bonus),
        },
        "tournament": {
            "players": len(wins.names),
            "winner": wins.names[0],
            "points": float(wins.points[0]),
            "against_greedy": {
                name: float(wins.wins[number, against])
                for number, name in enumerate(wins.names)
                if number != against
            },
        },
        "learner": {
            "optimum": learned["optimum"],
            "mean": next(
                facts["mean"]
                for facts in learned["learners"]
                if facts["player"] == "learned-yahtzee"
            ),
            "curve": next(
                [(point["games"], point["mean"]) for point in facts["curve"]]
                for facts in learned["learners"]
                if facts["player"] == "learned-yahtzee"
            ),
            "early": _measure_early(),
        },
        "smallest": {**read_simplified(), "while_learning": _repeat_lessons()},
        "apart": _simulate_erring(),
    }


def _sum_tens(shares: Floats) -> list[float]:
    padded = np.pad(shares, (0, -len(shares) % 10))
    return [round(share, 9) for share in padded.reshape(-1, 10).sum(axis=1).tolist()]


def _measure_early() -> float:
    settings = TdSettings(ruleset="yahtzee-plain", games=EARLY_GAMES, batch=EARLY_BATCH)
    learner = TdLearner.new(settings)
    *_earlier, last = train(learner)
    return float(last["mean"])


def _repeat_lessons() -> dict[str, dict[str, float]]:
    """Repeat the SARSA runs that the source prints. Return averages of their last trials."""
    return {
        name: summary(make_run(*_run_lesson(boxes, games, punishment)))["trials"][-1]
        for name, (boxes, games, punishment) in {
            "four boxes": (4, 1000, -10.0),
            "three of a kind": (1, 100, 0.0),
            "three of a kind, wasted turns cost 5": (1, 100, -5.0),
        }.items()
    }


def _run_lesson(boxes: int, games: int, punishment: float) -> tuple[Any, ...]:
    settings = replace(VALUES["source"], games=games, punishment=punishment)
    learner = Learner(Simplified(CATEGORIES[:boxes]))
    return learner, settings, list(learner.learn(settings))


def _simulate_erring() -> dict[str, Any]:
    """Simulate a player that makes mistakes. Return its mean loss, the standard deviations of its
    scores and losses per game, and the number of games that a test needs to show a difference."""
    advisor = Advisor.open(YATZY)
    advisor.compile()
    player, scores, losses = Erring(advisor, 1.0, HEAT), [], []
    for number in range(JUDGED_GAMES):
        rng = np.random.default_rng([1, number])
        game = play_out(player, YATZY, make_random_roller(rng), rng)
        scores.append(game.end.total)
        losses.append(advisor.make_ledger(game.moves).regret)
    spread = {"scores": float(np.std(scores, ddof=1)), "losses": float(np.std(losses, ddof=1))}
    games = {
        str(points): {name: _count_games(sd, points) for name, sd in spread.items()}
        for points in APART
    }
    return {"lost": float(np.mean(losses)), "spread": spread, "games": games}


def _count_games(deviation: float, points: float) -> int:
    """Return the games per player that a test needs if the means differ by ``points`` per game."""
    return int(np.ceil(2 * (SURE * deviation / points) ** 2))
