"""Ablations: small runs that differ from the default run in one choice.

Every run has a folder: a finished run is not repeated, and an interrupted one continues. A choice
and the default run share their seeds, so they are compared in pairs. The runs are small, and the
report names the size for which its results hold.

``figures.csv`` has a row per choice with the results of its runs, and the report uses only that
file: markdown with a chart per ablation. Its questions are from a published draft that left the
results empty; the report names the ablations that were not run.
"""

import csv
import json
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from functools import partial
from io import StringIO
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from solver.charts import Axis, Chart, Line
from solver.dp.sweep import Progress
from solver.learning.loop import CHECKPOINT_FILE, played_by, read_curve
from solver.learning.policy_gradient.config import (
    CARDS,
    DICE,
    FEATURES,
    Config,
    config_of,
)
from solver.learning.policy_gradient.training import CONFIG_FILE, TrainingRun, train
from solver.players import greedy
from solver.players.learned import NetworkPlay
from solver.statistics.inference import paired, t_test
from solver.statistics.student import holm
from solver.tables import write_whole

RESULT, FIGURES, REPORT = "result.json", "figures.csv", "report.md"
MEANS = ("mean", "bonus", "wins", "cpu_seconds")
COLUMNS = ("ablation", "choice", "ruleset", "games", "seeds", "graded", *MEANS, "regrets", "curve")
# Seconds on one core, measured for the default run; the command shows an estimate before it starts.
SECONDS_A_GAME, SECONDS_A_GRADED, SECONDS_A_REGRET = 0.0008, 0.0004, 5.0
BARE: dict[str, Any] = {
    "starts": 0.0,
    "dice": "counts",
    "card": ("raw",),
    "features": ("rolls", "chips"),
}
Choices = dict[str, dict[str, Any]]
Regret = Callable[[NetworkPlay, int], float]  # points lost per game, from this many games


def each(name: str, *values: Any) -> Choices:
    return {f"{name.replace('_', ' ')} {value}": {name: value} for value in values}


def _encodings() -> Choices:
    usual = Config()
    dice = {f"dice: {name}": {"dice": name} for name in DICE if name != usual.dice}
    return dice | {f"card: {name}": {"card": (name,)} for name in CARDS}


def _features() -> Choices:
    without = {
        f"without {name}": {"features": tuple(other for other in FEATURES if other != name)}
        for name in FEATURES
    }
    nothing = {"none": {"features": ()}, "bare": {**BARE, "rolling": "categorical"}}
    return without | nothing | {"bare, holds by face": BARE}


ABLATIONS: dict[str, Choices] = {
    "algorithm": {
        "reinforce, no baseline": {"algorithm": "reinforce", "baseline": "none"},
        "reinforce, mean": {"algorithm": "reinforce", "baseline": "mean"},
        "reinforce, value": {"algorithm": "reinforce"},
        "a2c": {"algorithm": "a2c"},
    },
    "encoding": _encodings(),
    "features": _features(),
    "heads": each("rolling", "categorical", "bernoulli"),
    "trunk": {
        **{
            f"{depth} x {width}": {"depth": depth, "width": width}
            for depth, width in ((1, 128), (2, 128), (3, 256), (2, 384))
        },
        "no layer norm": {"layer_norm": False},
        **each("activation", "relu", "tanh"),
        **each("initial", "orthogonal"),
    },
    "returns": {
        **each("gae_lambda", 0.0, 0.6, 0.9, 1.0),
        "gamma from 0.95 to 1": {"gamma": 0.95},
        "gamma 0.95 throughout": {"gamma": 0.95, "gamma_end": 0.95},
        "advantages as they are": {"normalised": False},
        **each("scale", 1.0, 50.0),
    },
    "exploring": {
        **each("starts", 0.0, 0.8),
        **each("entropy", 0.0, 0.01, 0.1),
        "entropy 0.05 throughout": {"entropy_end": 0.05},
    },
    "steps": {
        **each("clip", 0.1, 0.4),
        **each("most_kl", 0.02),
        **each("epochs", 1, 4),
        **each("part", 2048),
        **each("batch", 64, 1024),
        **each("value_weight", 0.1, 2.0),
    },
    "rate": {
        **each("rate", 0.0005, 0.001, 0.004),
        **each("schedule", "constant", "cosine"),
        **each("warm_up", 0.0),
        **each("optimiser", "rmsprop"),
    },
    "transfer": {
        "turns alone": {"task": "turn"},
        "turns, then games": {"from": "turns alone"},
    },
}
USUAL = "usual"


class Size(NamedTuple):
    """The size of an ablation's runs."""

    ruleset: str
    games: int  # in training
    seeds: int
    graded: int


class SmallRun(NamedTuple):
    """A run with its folder and choices. It starts from ``origin``'s policy, if there is one."""

    folder: Path
    config: Config
    origin: Path | None

    @property
    def choices(self) -> Any:
        """The choices, in the form that JSON returns."""
        return json.loads(json.dumps(self.config.facts()))

    def known(self, graded: int) -> dict[str, Any] | None:
        """Return the stored result of a run with these choices, or None."""
        path = self.folder / RESULT
        facts: dict[str, Any] = json.loads(path.read_text()) if path.exists() else {}
        same = facts and facts["graded"] == graded and facts["config"] == self.choices
        return facts if same else None

    def begun(self) -> TrainingRun:
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

    def result(self, graded: int, regret: Regret) -> dict[str, Any]:
        if known := self.known(graded):
            return known
        run = self.begun()
        for _ in train(run, self.folder):
            pass
        facts = {"graded": graded, "config": self.choices, **graded_run(run, graded, regret)}
        facts |= {"cpu_seconds": run.seconds, "curve": read_curve(self.folder)}
        write_whole(self.folder / RESULT, json.dumps(facts))
        return facts


def small_runs(name: str, size: Size, folder: Path) -> dict[str, list[SmallRun]]:
    """Return a run per seed for every choice and for the default run, which all ablations share."""
    seeds = range(1, size.seeds + 1)
    runs = {USUAL: [_small_run(folder / USUAL, USUAL, {}, size, seed) for seed in seeds]}
    for choice, changes in ABLATIONS[name].items():
        runs[choice] = [_small_run(folder / name, choice, changes, size, seed) for seed in seeds]
    return runs


def _small_run(
    folder: Path, choice: str, changes: dict[str, Any], size: Size, seed: int
) -> SmallRun:
    """Return a run of at least a hundred batches and eight gradings."""
    choices = {name: value for name, value in changes.items() if name != "from"}
    sizes = {
        "batch": max(1, min(Config.batch, size.games // 100)),
        "games": size.games,
        "every": max(1, size.games // 8),
        "graded": min(1000, size.graded),
    }
    config = config_of(**{**sizes, **choices}, ruleset=size.ruleset, seed=seed)
    origin = changes.get("from")
    return SmallRun(
        folder / _place(choice, size, seed), config, origin and folder / _place(origin, size, seed)
    )


def _place(choice: str, size: Size, seed: int) -> str:
    name = "".join(c if c.isalnum() or c == "." else "-" for c in choice)
    return f"{name}-{size.ruleset}-{size.games}-{seed}"


def every_run(names: list[str], size: Size, folder: Path) -> list[SmallRun]:
    """Return each run once; runs that start from another's policy come last."""
    runs = {
        run.folder: run
        for name in names
        for seeds in small_runs(name, size, folder).values()
        for run in seeds
    }
    return sorted(runs.values(), key=lambda run: run.origin is not None)


def seconds_ahead(names: list[str], size: Size, folder: Path) -> float:
    """Return roughly the core seconds still needed; existing runs cost nothing."""
    each_run = SECONDS_A_GAME * size.games + SECONDS_A_GRADED * size.graded + SECONDS_A_REGRET
    return each_run * sum(not run.known(size.graded) for run in every_run(names, size, folder))


def train_all(
    runs: list[SmallRun],
    graded: int,
    regret: Regret,
    *,
    pool: Executor | None = None,
    progress: Progress | None = None,
) -> None:
    """Train all runs, in a pool if given; workers share the folder and continue unfinished runs."""
    mapped = pool.map if pool else map
    finish = partial(SmallRun.result, graded=graded, regret=regret)
    waves = [[run for run in runs if (run.origin is None) is first] for first in (True, False)]
    done = 0
    for wave in waves:
        for _ in mapped(finish, wave):
            done += 1
            if progress:
                progress(done, len(runs))


def write_figures(size: Size, folder: Path) -> None:
    """Write a row per choice of every finished ablation, and of the default run."""
    text, usual = StringIO(), list[list[Any]]()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for name in ABLATIONS:
        rows = list[list[Any]]()
        for choice, runs in small_runs(name, size, folder).items():
            results = [facts for run in runs if (facts := run.known(size.graded))]
            if len(results) < size.seeds:
                break
            means = [_mean(results, what) for what in MEANS]
            regrets = " ".join(repr(result["regret"]) for result in results)
            lines = zip(*(result["curve"] for result in results), strict=True)
            curve = " ".join(f"{line[0]['games']}:{_mean(line, 'greedy_mean')!r}" for line in lines)
            rows.append([choice, *size, *means, regrets, curve])
        else:
            if not usual:
                usual = rows[:1]
                writer.writerow(["", *usual[0]])
            writer.writerows([name, *row] for row in rows[1:])
    write_whole(folder / FIGURES, text.getvalue())


def _mean(results: Any, name: str) -> float:
    return float(np.mean([result[name] for result in results]))


class ChoiceFigures(NamedTuple):
    """The results of a choice."""

    choice: str
    size: Size
    regrets: list[float]  # points lost per game, by seed
    means: dict[str, float]
    curve: list[tuple[float, float]]
    more: float  # points lost in addition to the default run's, with the same seeds
    range: tuple[float, float] | None
    p: float | None

    @property
    def regret(self) -> float:
        return float(np.mean(self.regrets))


def read_figures(folder: Path) -> dict[str, list[ChoiceFigures]]:
    """Return the rows by ablation, each with the default run first; empty without a file."""
    path, figures = folder / FIGURES, dict[str, list[ChoiceFigures]]()
    if not path.exists():
        return figures
    with path.open(newline="") as file:
        usual, *rows = csv.DictReader(file)
    against = _numbers(usual["regrets"])
    for row in rows:
        figures.setdefault(row["ablation"], [_figures(usual, against)]).append(
            _figures(row, against)
        )
    return figures


def _figures(row: dict[str, str], usual: list[float]) -> ChoiceFigures:
    regrets, curve = _numbers(row["regrets"]), [point.split(":") for point in row["curve"].split()]
    size = Size(row["ruleset"], int(row["games"]), int(row["seeds"]), int(row["graded"]))
    more = paired(regrets, usual) if row["ablation"] else None
    test = more and t_test(more)
    return ChoiceFigures(
        row["choice"],
        size,
        regrets,
        {name: float(row[name]) for name in MEANS},
        [(float(games), float(mean)) for games, mean in curve],
        float(np.mean(regrets) - np.mean(usual)),
        (more.low, more.high) if more else None,
        test.p if test else None,
    )


def _numbers(text: str) -> list[float]:
    return [float(word) for word in text.split()]


def graded_run(run: TrainingRun, games: int, regret: Regret) -> dict[str, float]:
    """Return figures of greedy games on the same dice; ``wins`` are against ``greedy``."""
    player, rules = NetworkPlay(run.network), run.rules
    learned, other = (
        played_by(agent, games, np.random.default_rng(1))
        for agent in (player, greedy.make(rules, ""))
    )
    ahead = np.sign(learned.totals - other.totals)
    return {
        "mean": float(learned.totals.mean()),
        "bonus": float(learned.earned.mean()),
        "wins": float((1 + ahead.mean()) / 2),
        "regret": regret(player, games),
    }


QUESTIONS = (
    (
        "How does playing each turn for its points trade off against playing the game?",
        ("transfer",),
        "A policy that is rewarded turn by turn plays whole games here; beside it one that was "
        "rewarded for games from the start, and one that went on from the first, with as many "
        "games again. Holm's p counts every choice of this report, however many were run.",
    ),
    (
        "How far does self-play without shaped rewards come with a fixed budget?",
        ("algorithm", "returns"),
        "The only reward is what an action adds to the score. The budget is the same for all.",
    ),
    (
        "Which choices matter most?",
        ("encoding", "features", "heads", "trunk", "exploring", "steps", "rate"),
        "Every row differs from the usual run in one choice.",
    ),
    (
        "What do learned policies do badly?",
        (),
        "The share of games with the bonus, and of those won against exact play for the points of "
        "each turn alone, above, tell whether a policy plans beyond its turn; `learn grade` "
        "tells of a player what each kind of decision costs.",
    ),
    (
        "Could it be carried over to several players?",
        (),
        "Inputs are groups of features and the heads are those of one card, so the others' totals "
        "would be one group more (`solver.learning.table` has it). No run here had opponents.",
    ),
)


def write_report(folder: Path) -> Path:
    figures = read_figures(folder)
    for name, rows in figures.items():
        write_whole(folder / f"{name}.svg", _chart(name, rows).svg() + "\n")
    path = folder / REPORT
    write_whole(path, "\n".join(_lines(figures)))
    return path


def _lines(figures: dict[str, list[ChoiceFigures]]) -> Iterator[str]:
    p_values = holm_of(figures).items()
    counts = {place: f"{p:.3f}" if p >= 0.001 else "< 0.001" for place, p in p_values}
    yield "# What matters in a policy gradient for Yatzy\n"
    for number, (question, names, words) in enumerate(QUESTIONS, start=1):
        yield f"## {number}. {question}\n"
        yield f"{words}\n"
        for name in names:
            yield from _section(name, figures.get(name, []), counts)
    yield "## Choices by what they cost\n"
    yield "| | choice | more points lost than the usual run | Holm's p |"
    yield "| --- | --- | --- | --- |"
    every = [(row.more, name, row) for name, rows in figures.items() for row in rows[1:]]
    for _, name, row in sorted(every, key=lambda row_of: row_of[0]):
        p = counts.get((name, row.choice), "")
        yield f"| {name} | {row.choice} | {_more(row)} | {p} |"


def holm_of(figures: dict[str, list[ChoiceFigures]]) -> dict[tuple[str, str], float]:
    """Return the p-value of every choice, adjusted for all choices."""
    alone = {
        (name, row.choice): row.p
        for name, rows in figures.items()
        for row in rows
        if row.p is not None
    }
    return holm(alone)


def _section(name: str, rows: list[ChoiceFigures], counts: dict[Any, str]) -> Iterator[str]:
    if not rows:
        yield f"*{name}*: not run. `./yatzy solver learn ablate {name} --out DIR`\n"
        return
    size = rows[0].size
    yield (
        f"*{name}*, {size.ruleset}: {size.games:,} training games, seeds 1 to "
        f"{size.seeds}, graded by {size.graded:,} greedy games each, on the same dice.\n"
    )
    yield (
        "| choice | points lost | more than the usual run (95 %) | Holm's p | mean "
        "| with the bonus | won against `greedy` | seconds of a core |"
    )
    yield "| --- | --- | --- | --- | --- | --- | --- | --- |"
    for row in rows:
        p, means = counts.get((name, row.choice), ""), row.means
        figures = f"{means['mean']:.1f} | {means['bonus']:.1%} | {means['wins']:.1%}"
        yield (
            f"| {row.choice} | {row.regret:.2f} | {_more(row)} | {p} | {figures} "
            f"| {means['cpu_seconds']:.1f} |"
        )
    yield f"\n![{name}: greedy play]({name}.svg)\n"


def _more(row: ChoiceFigures) -> str:
    if row.choice == USUAL:
        return ""
    likely = row.range
    return f"{row.more:+.2f}" + (f" ({likely[0]:+.2f} to {likely[1]:+.2f})" if likely else "")


def _chart(name: str, rows: list[ChoiceFigures]) -> Chart:
    lines = [
        Line([games for games, _ in row.curve], [mean for _, mean in row.curve], row.choice)
        for row in rows
    ]
    title = f"{name}: greedy play while learning, mean of the seeds"
    return Chart(title, lines, Axis("training games"), Axis("greedy play"))
