"""The report of the ablations: five questions, each answered by the figures that are there.

The questions are those of a published draft whose results were left empty. Markdown with charts
beside it; what was not run yet is named as missing.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from solver.charts import Axis, Chart, Line
from solver.learning.policy_gradient.ablations import ABLATIONS
from solver.tables import write_whole

REPORT = "report.md"
Rows = list[dict[str, Any]]
QUESTIONS = (
    (
        "How does playing each turn for its points trade off against playing the game?",
        ("transfer",),
        "A policy that is rewarded turn by turn plays whole games here; beside it one that was "
        "rewarded for games from the start, and one that went on from the first.",
    ),
    (
        "How far does self-play without shaped rewards come with a fixed budget?",
        ("algorithm", "lambda"),
        "The only reward is what an action adds to the score. The budget is the same for all.",
    ),
    (
        "Which choices matter most?",
        ("encoding", "features", "heads", "capacity", "layernorm", "activation", "entropy"),
        "Every row differs from the usual run in one choice.",
    ),
    (
        "What do learned policies do badly?",
        (),
        "The share of games with the bonus, above, tells whether a policy plans beyond its turn; "
        "what each kind of decision costs is in the regret of a tournament's facts "
        "(`python -m solver tournament PLAYER optimal --json`).",
    ),
    (
        "Could it be carried over to several players?",
        (),
        "Inputs are groups of features and the heads are those of one card, so the others' totals "
        "would be one group more (`solver.learning.table` has it). No run here had opponents.",
    ),
)


def write_report(folder: Path) -> Path:
    known = {name: _read(folder / f"{name}.json") for name in ABLATIONS}
    found = {name: facts for name, facts in known.items() if facts}
    for name, facts in found.items():
        write_whole(folder / f"{name}.svg", _chart(facts).svg() + "\n")
    path = folder / REPORT
    write_whole(path, "\n".join(_lines(found)))
    return path


def _read(path: Path) -> dict[str, Any]:
    facts: dict[str, Any] = json.loads(path.read_text()) if path.exists() else {}
    return facts


def _lines(found: dict[str, Any]) -> Iterator[str]:
    yield "# What matters in a policy gradient for Yatzy\n"
    for number, (question, names, words) in enumerate(QUESTIONS, start=1):
        yield f"## {number}. {question}\n"
        yield f"{words}\n"
        for name in names:
            yield from _section(name, found.get(name))
    yield "## Choices by what they matter\n"
    yield from _ranking(found)


def _section(name: str, facts: dict[str, Any] | None) -> Iterator[str]:
    if facts is None:
        yield f"*{name}*: not run. `python -m solver learn ablate {name} --out DIR`\n"
        return
    yield (
        f"*{name}*, {facts['ruleset']}: {facts['games']:,} training games, seeds 1 to "
        f"{facts['seeds']}, graded by {facts['graded']:,} greedy games each.\n"
    )
    yield "| choice | mean | spread of the seeds | with the bonus | seconds of a core |"
    yield "| --- | --- | --- | --- | --- |"
    for row in facts["rows"]:
        figures = f"{row['mean']:.1f} | {row['spread']:.1f} | {row['bonus']:.1%}"
        yield f"| {row['choice']} | {figures} | {row['cpu_seconds']:.1f} |"
    yield f"\n![{name}]({name}.svg)\n"


def _ranking(found: dict[str, Any]) -> Iterator[str]:
    """By the points between the best choice and the worst."""
    ranked = sorted(found.items(), key=lambda item: -_range(item[1]["rows"]))
    yield "| | best choice | worst choice | points between them |"
    yield "| --- | --- | --- | --- |"
    for name, facts in ranked:
        best = max(facts["rows"], key=lambda row: row["mean"])["choice"]
        worst = min(facts["rows"], key=lambda row: row["mean"])["choice"]
        yield f"| {name} | {best} | {worst} | {_range(facts['rows']):.1f} |"


def _range(rows: Rows) -> float:
    means = [float(row["mean"]) for row in rows]
    return max(means) - min(means)


def _chart(facts: dict[str, Any]) -> Chart:
    lines = [
        Line([p[0] for p in row["curve"]], [p[1] for p in row["curve"]], row["choice"])
        for row in facts["rows"]
    ]
    title = f"{facts['name']}: greedy play while learning, seed 1"
    return Chart(title, lines, Axis("training games"), Axis("mean score"))
