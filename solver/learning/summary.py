"""The summary of a SARSA run: exact values, its log and its charts."""

import csv
import io
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from solver.charts import Axis, Chart, Layer, Line, Rule
from solver.learning.sarsa import Learner, Settings, TrialAverages
from solver.learning.simplified import HOLDINGS, KEPT, Simplified, TurnPlay, Worth, make_coin_turn

WASTED_TURN, POINT = {"wasted": -1.0, "point": 0.0}, {"wasted": 0.0, "point": 1.0}


@dataclass(frozen=True)
class Value:
    turns: float
    points: float


@dataclass(frozen=True)
class RandomReading:
    random: Value
    fewest_turns: Value
    most_points: Value


@dataclass(frozen=True)
class Run:
    """A SARSA run, with exact values to compare. ``coins`` is random play in the source's second
    interpretation. ``rewarded`` is the best play by the rewards that the learner gets. ``rethrown``
    is the smallest number of turns if held dice could be rolled again."""

    game: Simplified
    settings: Settings
    trials: Sequence[TrialAverages]
    random: Value
    learned: Value
    fewest_turns: Value
    most_points: Value
    rewarded: Value
    rethrown: Value
    coins: RandomReading


def make_run(learner: Learner, settings: Settings, trials: Sequence[TrialAverages]) -> Run:
    game = learner.game
    read = evaluate_random_play(game)
    return Run(
        game=game,
        settings=settings,
        trials=trials,
        random=read["sets"].random,
        learned=_make_value(learner.evaluate()),
        fewest_turns=read["sets"].fewest_turns,
        most_points=read["sets"].most_points,
        rewarded=evaluate_best_play(game, wasted=settings.punishment, point=1.0),
        rethrown=evaluate_best_play(replace(game, rethrow=True), **WASTED_TURN),
        coins=read["coins"],
    )


def evaluate_random_play(game: Simplified) -> dict[str, RandomReading]:
    """Return the results of random play for each interpretation of the source's rules. In "sets"
    every set of held dice is equally likely. In "coins" a coin flip decides whether each die is
    held, and dice that fit two boxes fill the easier box."""
    return {
        "sets": _evaluate_reading(replace(game, easier=False), game.make_uniform_turn()),
        "coins": _evaluate_reading(replace(game, easier=True), make_coin_turn()),
    }


def _evaluate_reading(read: Simplified, turn: TurnPlay) -> RandomReading:
    random = _make_value(read.evaluate(lambda _: turn))
    return RandomReading(
        random, evaluate_best_play(read, **WASTED_TURN), evaluate_best_play(read, **POINT)
    )


def evaluate_best_play(game: Simplified, *, wasted: float, point: float) -> Value:
    turns = game.find_best_turns(wasted=wasted, point=point)
    return _make_value(game.evaluate(lambda open_boxes: turns[open_boxes]))


def _make_value(worth: Worth) -> Value:
    return Value(float(worth.turns[-1]), float(worth.points[-1]))


def collect_facts(run: Run) -> dict[str, Any]:
    return {
        "categories": [category.id for category in run.game.categories],
        "rethrow": run.game.rethrow,
        "kept_sets": HOLDINGS,
        "kept_sets_under_five": KEPT,
        "states": KEPT * run.game.open,
        "actions": run.game.actions,
        "settings": asdict(run.settings),
        "random_turns": run.random.turns,
        "random_points": run.random.points,
        "learned_turns": run.learned.turns,
        "learned_points": run.learned.points,
        "optimal_turns": run.fewest_turns.turns,
        "optimal_turns_rethrow": run.rethrown.turns,
        "optimal_points": run.most_points.points,
        "fewest_turns": asdict(run.fewest_turns),
        "most_points": asdict(run.most_points),
        "best_for_the_rewards": asdict(run.rewarded),
        "coins": asdict(run.coins),
        "trials": [asdict(trial) for trial in run.trials],
    }


def format_log(run: Run) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["trial", "turns", "points"])
    writer.writerows((trial.number, trial.turns, trial.points) for trial in run.trials)
    return text.getvalue()


def draw_chart(run: Run, unit: str) -> Chart:
    """Draw the average turns or points (``unit``) of every trial."""
    numbers = [trial.number for trial in run.trials]
    means = [getattr(trial, unit) for trial in run.trials]
    other = ("fewest possible", run.fewest_turns) if unit == "turns" else ("random", run.random)
    layers: list[Layer] = [Line(numbers, means, f"mean of {run.settings.games:,} games")]
    for series, (name, figures) in enumerate((("learned", run.learned), other), start=2):
        value = getattr(figures, unit)
        layers.append(Rule(y=value, label=f"{name}: {value:.2f}", series=series))
    title = f"SARSA, {len(run.game.categories)} categories: {unit} of a game, trial by trial"
    return Chart(title, layers, Axis("trial"), Axis(unit))
