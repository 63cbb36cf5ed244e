"""Ablations: small runs that differ from the default run in one setting.

Every run has a folder, so a later start skips finished runs and continues interrupted runs. Each
setting is compared with all default runs (Welch's interval, Holm's p). The default run has more
seeds, because every comparison uses it. The runs are small, and the report says how small.

``figures.csv`` has a row per setting with the results of its runs. The report uses only this file.
It is a markdown file with a chart and a table, and lists the settings that have not been run yet.
"""

import csv
import json
from collections.abc import Callable
from concurrent.futures import Executor
from functools import partial
from io import StringIO
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from solver.charts import OWN, REFERENCE, Axis, Chart, Layer, Line, Points, Rule
from solver.dp.sweep import Progress
from solver.learning.loop import CHECKPOINT_FILE, play_games, read_curve
from solver.learning.policy_gradient.config import CARDS, DICE, FEATURES, Config, make_config
from solver.learning.policy_gradient.training import CONFIG_FILE, TrainingRun, train
from solver.players import greedy
from solver.players.learned import NetworkPlay
from solver.statistics.inference import (
    Interval,
    adjust_by_holm,
    estimate_difference,
    estimate_mean,
    t_test,
)
from solver.tables import write_whole

RESULT, FIGURES, REPORT, FOREST = "result.json", "figures.csv", "report.md", "forest.svg"
FAR = 40.0  # points per game; the chart omits settings that lose this much more than the default
MEANS = ("mean", "bonus", "wins", "cpu_seconds")
COLUMNS = ("ablation", "choice", "ruleset", "games", "seeds", "graded", *MEANS, "regrets", "curve")
# Seconds on one core, measured with the default run, for estimates of the run time.
SECONDS_A_GAME, SECONDS_A_GRADED, SECONDS_A_REGRET = 0.0008, 0.0004, 5.0
BARE: dict[str, Any] = {
    "starts": 0.0,
    "dice": "counts",
    "card": ("raw",),
    "features": ("rolls", "chips"),
}
Choices = dict[str, dict[str, Any]]
Regret = Callable[[NetworkPlay, int], float]  # (player, games) -> points lost per game


def vary(name: str, *values: Any) -> Choices:
    return {f"{name.replace('_', ' ')} {value}": {name: value} for value in values}


ABLATIONS: dict[str, Choices] = {
    "algorithm": {
        "reinforce, no baseline": {"algorithm": "reinforce", "baseline": "none"},
        "reinforce, mean": {"algorithm": "reinforce", "baseline": "mean"},
        "reinforce, value": {"algorithm": "reinforce"},
        "a2c": {"algorithm": "a2c"},
        # Parts of 256 with one pass, or of 512 with two passes, have as many updates as the
        # default.
        "reinforce, as many updates": {"algorithm": "reinforce", "part": 256},
        "a2c, as many updates": {"algorithm": "a2c", "part": 256},
    },
    "encoding": {
        **{f"dice: {name}": {"dice": name} for name in DICE if name != Config.dice},
        **{f"card: {name}": {"card": (name,)} for name in CARDS},
    },
    "features": {
        **{
            f"without {name}": {"features": tuple(other for other in FEATURES if other != name)}
            for name in FEATURES
        },
        "none": {"features": ()},
        "bare": {**BARE, "rolling": "categorical"},
        "bare, holds by face": BARE,
    },
    "heads": vary("rolling", "categorical", "bernoulli"),
    "trunk": {
        **{
            f"{depth} x {width}": {"depth": depth, "width": width}
            for depth, width in ((1, 128), (2, 128), (3, 256), (2, 384))
        },
        "no layer norm": {"layer_norm": False},
        **vary("activation", "relu", "tanh"),
        **vary("initial", "orthogonal"),
    },
    "returns": {
        **vary("gae_lambda", 0.0, 0.6, 0.9, 1.0),
        "gamma from 0.95 to 1": {"gamma": 0.95},
        "gamma 0.95 throughout": {"gamma": 0.95, "gamma_end": 0.95},
        "advantages as they are": {"normalised": False},
        **vary("scale", 1.0, 50.0),
    },
    "exploring": {
        **vary("starts", 0.0, 0.8),
        **vary("entropy", 0.0, 0.01, 0.1),
        "entropy 0.05 throughout": {"entropy_end": 0.05},
    },
    "steps": {
        **vary("clip", 0.1, 0.4),
        **vary("most_kl", 0.02),
        **vary("epochs", 1, 4),
        **vary("part", 2048),
        **vary("batch", 64, 1024),
        **vary("value_weight", 0.1, 2.0),
    },
    "rate": {
        **vary("rate", 0.0005, 0.001, 0.004),
        **vary("schedule", "constant", "cosine"),
        **vary("warm_up", 0.0),
        **vary("optimiser", "rmsprop"),
    },
    "transfer": {"turns alone": {"task": "turn"}, "turns, then games": {"from": "turns alone"}},
}
USUAL = "usual"


class Size(NamedTuple):
    """The number and the length of runs. A setting has ``seeds`` runs, and the default has
    ``usual``. ``graded`` games without random choices grade a finished run."""

    ruleset: str
    games: int  # number of training games of a run
    seeds: int
    graded: int
    usual: int


class SmallRun(NamedTuple):
    """A training run and its folder. With ``origin``, the run starts from the policy in that
    file."""

    folder: Path
    config: Config
    origin: Path | None

    @property
    def choices(self) -> Any:
        """The settings in the form of JSON, so that they can be compared with stored settings."""
        return json.loads(json.dumps(self.config.facts()))

    def read_result(self, graded: int) -> dict[str, Any] | None:
        """Return the run's stored result, or None if it is missing or belongs to other settings."""
        path = self.folder / RESULT
        facts: dict[str, Any] = json.loads(path.read_text()) if path.exists() else {}
        same = facts and facts["graded"] == graded and facts["config"] == self.choices
        return facts if same else None

    def open_run(self) -> TrainingRun:
        files = self.folder / CHECKPOINT_FILE, self.folder / CONFIG_FILE
        if (
            all(path.exists() for path in files)
            and json.loads(files[1].read_text()) == self.choices
        ):
            return TrainingRun.load(files[0])
        run = TrainingRun(self.config)
        if self.origin:
            run.start_from(self.origin / "policy.npz")
        return run

    def complete(self, graded: int, regret: Regret) -> dict[str, Any]:
        if known := self.read_result(graded):
            return known
        run = self.open_run()
        for _ in train(run, self.folder):
            pass
        facts = {"graded": graded, "config": self.choices, **grade_run(run, graded, regret)}
        facts |= {"cpu_seconds": run.seconds, "curve": read_curve(self.folder)}
        write_whole(self.folder / RESULT, json.dumps(facts))
        return facts


def list_small_runs(name: str, size: Size, folder: Path) -> dict[str, list[SmallRun]]:
    """Return an ablation's runs by setting, one per seed. USUAL is the key of the default runs."""
    seeds, every = range(1, size.seeds + 1), range(1, size.usual + 1)
    runs = {USUAL: [_make_small_run(folder / USUAL, USUAL, {}, size, seed) for seed in every]}
    for choice, changes in ABLATIONS[name].items():
        runs[choice] = [
            _make_small_run(folder / name, choice, changes, size, seed) for seed in seeds
        ]
    return runs


def _make_small_run(
    folder: Path, choice: str, changes: dict[str, Any], size: Size, seed: int
) -> SmallRun:
    """Return a run that has at least a hundred batches and is graded at least eight times."""
    choices = {name: value for name, value in changes.items() if name != "from"}
    sizes = {
        "batch": max(1, min(Config.batch, size.games // 100)),
        "games": size.games,
        "every": max(1, size.games // 8),
        "graded": min(1000, size.graded),
    }
    config = make_config(**{**sizes, **choices}, ruleset=size.ruleset, seed=seed)
    origin = changes.get("from")
    return SmallRun(
        folder / _name_folder(choice, size, seed),
        config,
        origin and folder / _name_folder(origin, size, seed),
    )


def _name_folder(choice: str, size: Size, seed: int) -> str:
    name = "".join(c if c.isalnum() or c == "." else "-" for c in choice)
    return f"{name}-{size.ruleset}-{size.games}-{seed}"


def list_runs(names: list[str], size: Size, folder: Path) -> list[SmallRun]:
    """Return the runs of these ablations, each once. Runs that start from another run come last."""
    runs = {
        run.folder: run
        for name in names
        for seeds in list_small_runs(name, size, folder).values()
        for run in seeds
    }
    return sorted(runs.values(), key=lambda run: run.origin is not None)


def estimate_seconds(names: list[str], size: Size, folder: Path) -> float:
    """Return the estimated seconds, on one core, of all runs whose results are not stored."""
    each_run = SECONDS_A_GAME * size.games + SECONDS_A_GRADED * size.graded + SECONDS_A_REGRET
    return each_run * sum(not r.read_result(size.graded) for r in list_runs(names, size, folder))


def train_all(
    runs: list[SmallRun],
    graded: int,
    regret: Regret,
    *,
    pool: Executor | None = None,
    progress: Progress | None = None,
) -> None:
    """Train all runs, in the processes of ``pool`` if given. Continue interrupted runs."""
    mapped = pool.map if pool else map
    finish = partial(SmallRun.complete, graded=graded, regret=regret)
    waves = [[run for run in runs if (run.origin is None) is first] for first in (True, False)]
    done = 0
    for wave in waves:
        for _ in mapped(finish, wave):
            done += 1
            if progress:
                progress(done, len(runs))


def write_figures(size: Size, folder: Path) -> None:
    """Write figures.csv: a row for the default run, and a row per setting with finished runs."""
    text, usual = StringIO(), size.usual
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for name in ABLATIONS:
        for choice, runs in list_small_runs(name, size._replace(usual=usual), folder).items():
            results = [facts for run in runs if (facts := run.read_result(size.graded))]
            if not results:
                continue
            means = [_average(results, what) for what in MEANS]
            regrets = " ".join(repr(result["regret"]) for result in results)
            lines = zip(*(result["curve"] for result in results), strict=True)
            curve = " ".join(f"{row[0]['games']}:{_average(row, 'greedy_mean')!r}" for row in lines)
            place = ["" if choice == USUAL else name, choice, size.ruleset, size.games]
            writer.writerow([*place, len(results), size.graded, *means, regrets, curve])
        usual = 0  # only one row is for the default run
    write_whole(folder / FIGURES, text.getvalue())


def _average(results: Any, name: str) -> float:
    return float(np.mean([result[name] for result in results]))


class ChoiceFigures(NamedTuple):
    """The results of a setting. ``regrets`` has the points lost per game in each run. ``more`` is
    their mean minus the mean of the default runs."""

    ablation: str
    choice: str
    games: int
    graded: int
    regrets: list[float]
    means: dict[str, float]
    more: float
    likely: Interval | None

    @property
    def regret(self) -> float:
        return float(np.mean(self.regrets))


def read_figures(folder: Path) -> list[ChoiceFigures]:
    """Return the figures of the default run and of every setting; [] if there is no file."""
    path = folder / FIGURES
    if not path.exists():
        return []
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    usual = [float(word) for word in rows[0]["regrets"].split()]
    figures = []
    for row in rows:
        regrets = [float(word) for word in row["regrets"].split()]
        ranges = estimate_mean(regrets), estimate_mean(usual)
        likely = estimate_difference(*ranges) if row["ablation"] and all(ranges) else None  # type: ignore[arg-type]
        means = {name: float(row[name]) for name in MEANS}
        more = float(np.mean(regrets) - np.mean(usual))
        place = row["ablation"], row["choice"], int(row["games"]), int(row["graded"])
        figures.append(ChoiceFigures(*place, regrets, means, more, likely))
    return figures


def grade_run(run: TrainingRun, games: int, regret: Regret) -> dict[str, float]:
    """Grade a policy in games with fixed dice and without random choices. Return the figures by
    name. ``wins`` is the share of games that the policy wins against the player ``greedy``."""
    player, rules = NetworkPlay(run.network), run.rules
    learned, other = (
        play_games(agent, games, np.random.default_rng(1))
        for agent in (player, greedy.make(rules, ""))
    )
    ahead = np.sign(learned.totals - other.totals)
    return {
        "mean": float(learned.totals.mean()),
        "bonus": float(learned.earned.mean()),
        "wins": float((1 + ahead.mean()) / 2),
        "regret": regret(player, games),
    }


def write_report(folder: Path) -> Path:
    """Write a report, and a chart of the settings' confidence intervals with the best at the top.
    Return the path of the report."""
    figures, lines = read_figures(folder), ["# What each choice of a policy gradient is worth\n"]
    if figures:
        usual = figures[0]
        tests = {(row.ablation, row.choice): t_test(row.likely) for row in figures}
        ps = adjust_by_holm({place: test.p for place, test in tests.items() if test})
        lines += [
            f"Each run trains on {usual.games:,} games, and is graded by {usual.graded:,} greedy"
            f" games on the same dice. The usual run has {len(usual.regrets)} seeds. A choice"
            " changes one of its settings. *More* is how many more points per game a choice loses"
            " than the usual run, with Welch's 95 % interval. Holm's p corrects for the number of"
            " choices.\n",
            f"![Points lost, compared with the usual run]({FOREST})\n",
            f"The chart omits choices that lose at least {FAR:g} points more.\n",
            "| choice | runs | points lost | more (95 %) | Holm's p | mean | with bonus "
            "| won against `greedy` | core seconds |",
            "| --- | --- | --- | --- | --- | --- | --- | --- | --- |",
        ]
        for row in sorted(figures, key=lambda figure: figure.more):
            p, means = ps.get((row.ablation, row.choice)), row.means
            more = f"{row.more:+.2f}" if row.ablation else ""
            if row.likely:
                more += f" ({row.likely.low:+.2f} to {row.likely.high:+.2f})"
            lines.append(
                f"| {_format_choice_name(row)} | {len(row.regrets)} | {row.regret:.2f} | {more} "
                f"| {_format_p(p)} "
                f"| {means['mean']:.1f} | {means['bonus']:.1%} | {means['wins']:.1%} "
                f"| {means['cpu_seconds']:.1f} |"
            )
        lines.append("")
        shown = sorted((row for row in figures[1:] if row.more < FAR), key=lambda row: row.more)
        layers: list[Layer] = [
            Line([row.likely.low, row.likely.high], [at, at], series=OWN)
            for at, row in enumerate(shown)
            if row.likely
        ]
        layers.append(Points([row.more for row in shown], list(range(len(shown))), series=OWN))
        layers.append(Rule(x=0.0, label=USUAL, series=REFERENCE))
        chart = Chart(
            "What does each choice lose per game?",
            layers,
            Axis("points more than the usual run (95 %)"),
            Axis(names=tuple(map(_format_choice_name, shown))),
            height=100.0 + 16 * len(shown),
        )
        write_whole(folder / FOREST, chart.svg() + "\n")
    known = {(row.ablation, row.choice) for row in figures}
    for name, choices in ABLATIONS.items():
        if missing := [choice for choice in choices if (name, choice) not in known]:
            command = f"./yatzy solver learn ablate {name} --out DIR"
            lines.append(f"Not run: {', '.join(missing)}. `{command}`\n")
    path = folder / REPORT
    write_whole(path, "\n".join(lines))
    return path


def _format_choice_name(row: ChoiceFigures) -> str:
    return f"{row.ablation}: {row.choice}" if row.ablation else row.choice


def _format_p(p: float | None) -> str:
    if p is None:
        return ""
    return f"{p:.3f}" if p >= 0.001 else "< 0.001"
