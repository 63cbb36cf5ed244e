"""The report of the ablations: five questions, each answered by the figures that are there.

The questions are those of a published draft whose results were left empty. Markdown with charts
beside it; what was not run yet is named as missing.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from solver.charts import Axis, Chart, Line
from solver.learning.policy_gradient.ablations import ABLATIONS, USUAL
from solver.statistics.arm_compare import holm
from solver.tables import write_whole

REPORT = "report.md"
Rows = list[dict[str, Any]]
SAYS = {
    "greedy_mean": "greedy play",
    "entropy": "entropy",
    "kl": "KL",
    "value_error": "value loss",
    "explained": "explained variance",
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
    known = {name: _read(folder / f"{name}.json") for name in ABLATIONS}
    found = {name: facts for name, facts in known.items() if facts}
    for name, facts in found.items():
        for what in SAYS:
            write_whole(folder / f"{name}-{what}.svg", _chart(facts, what).svg() + "\n")
    path = folder / REPORT
    write_whole(path, "\n".join(_lines(found)))
    return path


def _read(path: Path) -> dict[str, Any]:
    facts: dict[str, Any] = json.loads(path.read_text()) if path.exists() else {}
    return facts


def _lines(found: dict[str, Any]) -> Iterator[str]:
    counts = holm_of(found)
    yield "# What matters in a policy gradient for Yatzy\n"
    for number, (question, names, words) in enumerate(QUESTIONS, start=1):
        yield f"## {number}. {question}\n"
        yield f"{words}\n"
        for name in names:
            yield from _section(name, found.get(name), counts)
    yield "## Choices by what they cost\n"
    yield from _ranking(found, counts)


def holm_of(found: dict[str, Any]) -> dict[tuple[str, str], float]:
    """The p of every choice, as it counts among all of them."""
    alone = {
        (name, row["choice"]): row["p"]
        for name, facts in found.items()
        for row in facts["rows"]
        if row["p"] is not None
    }
    return {place: p for place, (p, _) in holm(alone).items()}


def _section(name: str, facts: dict[str, Any] | None, counts: Any) -> Iterator[str]:
    if facts is None:
        yield f"*{name}*: not run. `python -m solver learn ablate {name} --out DIR`\n"
        return
    yield (
        f"*{name}*, {facts['ruleset']}: {facts['games']:,} training games, seeds 1 to "
        f"{facts['seeds']}, graded by {facts['graded']:,} greedy games each, on the same dice.\n"
    )
    yield (
        "| choice | points lost | more than the usual run (95 %) | Holm's p | mean "
        "| with the bonus | won against `greedy` | seconds of a core |"
    )
    yield "| --- | --- | --- | --- | --- | --- | --- | --- |"
    for row in facts["rows"]:
        p = counts.get((name, row["choice"]))
        figures = f"{row['mean']:.1f} | {row['bonus']:.1%} | {row['wins']:.1%}"
        yield (
            f"| {row['choice']} | {row['regret']:.2f} | {_more(row)} | {_p(p)} | {figures} "
            f"| {row['cpu_seconds']:.1f} |"
        )
    charts = (f"![{name}: {SAYS[what]}]({name}-{what}.svg)" for what in SAYS)
    yield f"\n{' '.join(charts)}\n"


def _more(row: dict[str, Any]) -> str:
    if row["choice"] == USUAL:
        return ""
    found = row["range"]
    return f"{row['more']:+.2f}" + (f" ({found[0]:+.2f} to {found[1]:+.2f})" if found else "")


def _p(p: float | None) -> str:
    return "" if p is None else f"{p:.3f}" if p >= 0.001 else "< 0.001"


def _ranking(found: dict[str, Any], counts: Any) -> Iterator[str]:
    """From what helps to what hurts; only what chance does not explain is said to."""
    rows = [
        (row["more"], name, row)
        for name, facts in found.items()
        for row in facts["rows"]
        if row["choice"] != USUAL
    ]
    yield "| | choice | more points lost than the usual run | Holm's p |"
    yield "| --- | --- | --- | --- |"
    for _, name, row in sorted(rows, key=lambda one: one[0]):
        p = counts.get((name, row["choice"]))
        yield f"| {name} | {row['choice']} | {_more(row)} | {_p(p)} |"


def _chart(facts: dict[str, Any], what: str) -> Chart:
    lines = [
        Line([p["games"] for p in row["curve"]], [p[what] for p in row["curve"]], row["choice"])
        for row in facts["rows"]
    ]
    title = f"{facts['name']}: {SAYS[what]} while learning, mean of the seeds"
    return Chart(title, lines, Axis("training games"), Axis(SAYS[what]))
