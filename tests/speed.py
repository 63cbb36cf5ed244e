"""Measure how fast this checkout is, store the figures, and show them in the documents.

    python -m tests.speed           measure, then write docs/speed.json, docs/lab.md and README.md
    python -m tests.speed --show    write the two documents from docs/speed.json

Run it while nothing else runs. Figures without another name are medians of wall time.
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

TOP = Path(__file__).resolve().parent.parent
FILE = TOP / "docs" / "speed.json"
Figures = dict[str, tuple[float, str]]
PROGRAMS = (("solver", "bench"), ("tests.game.measure",))
PEER = "yatzy-solver: "
# A line of the table, its figures, and the figures of the other program.
ROWS: tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...] = (
    (
        "solve Yatzy, float64: wall time / core-seconds",
        ("solve, all cores", "solve, all cores, processor time"),
        ("solve, all cores", "solve, all cores, processor time"),
    ),
    ("the same on one core", ("solve, one core",), ()),
    ("first solve, nothing compiled yet", ("first solve, nothing compiled",), ()),
    ("memory of a solve, beyond Python with numba", ("memory of a solve over numba",), ()),
    ("the table: size / to open it", ("table", "open the table"), ()),
    (
        "one advice, all options: compiled / in a web process",
        ("one advice, compiled", "one advice, numpy"),
        ("one advice",),
    ),
    (
        "review of a game, 45 decisions: compiled / in a web process",
        ("ledger of a game, compiled", "ledger of a game, numpy"),
        (),
    ),
    (
        "100,000 / 1,000,000 perfect games",
        ("100,000 games of optimal", "1,000,000 games of optimal"),
        (),
    ),
    ("100,000 games of the learned player", ("100,000 games of learned-yatzy",), ()),
    (
        "exact distribution of perfect play",
        ("exact distribution of optimal", "memory of that, whole process"),
        (),
    ),
    (
        "an action in process: without a coach / with the live one",
        ("an action, coach off, the median game", "an action, coach live, the median game"),
        (),
    ),
    (
        "API, positions per second of processor time: best option / all",
        (
            "API positions per second of processor time, best option",
            "API positions per second of processor time, all options",
        ),
        (),
    ),
)
TABLE = re.compile(r"(?<=<!-- speed -->\n).*?(?=<!-- /speed -->)", re.DOTALL)


def measure() -> dict[str, Any]:
    figures: Figures = {}
    for program in PROGRAMS:
        command = [sys.executable, "-m", *program, "--json"]
        figures |= json.loads(subprocess.check_output(command, cwd=TOP))
    cpu = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    names = re.findall(r"model name\s*: (.*)", cpu)
    return {"processor": (names or ["unknown"])[0], "cores": os.cpu_count(), "figures": figures}


def rounded(value: float, unit: str) -> str:
    """Round to two significant digits, because the medians of two runs differ by a few per cent."""
    digits = float(f"{value:.2g}")
    number = f"{digits:,.0f}" if digits >= 10 else f"{digits:g}"
    return f"{number} {unit.replace('us', 'µs')}".strip()


def table(facts: dict[str, Any]) -> str:
    figures = facts["figures"]
    lines = ["| | this program | yatzy-solver |", "| --- | --- | --- |"]
    for label, ours, peers in ROWS:
        cells = (ours, tuple(PEER + name for name in peers if PEER + name in figures))
        shown = (" / ".join(rounded(*figures[name]) for name in names) for names in cells)
        lines.append(f"| {label} | {' | '.join(shown)} |")
    return "\n".join([*lines, ""])


def where(facts: dict[str, Any]) -> str:
    return f"Medians on {facts['cores']} cores of an {facts['processor']}."


def lab(text: str, facts: dict[str, Any]) -> str:
    return TABLE.sub(lambda _: f"{where(facts)}\n\n{table(facts)}", text)


def readme(text: str, facts: dict[str, Any]) -> str:
    names = ("solve, all cores", "one advice, numpy", "table")
    solve, advice, size = (rounded(*facts["figures"][name]) for name in names)
    sentence = f"takes {solve} on {facts['cores']} cores, one advice {advice} in a web process,"
    sentence += f" and the table {size} on\ndisk"
    return re.sub(r"(?<=Solving Yatzy )takes .*? on\s+disk", sentence, text, flags=re.DOTALL)


def main() -> None:
    if "--show" not in sys.argv:
        FILE.write_text(json.dumps(measure(), indent=1) + "\n", encoding="utf-8")
    facts = json.loads(FILE.read_text(encoding="utf-8"))
    for name, shown in (("docs/lab.md", lab), ("README.md", readme)):
        path = TOP / name
        path.write_text(shown(path.read_text(encoding="utf-8"), facts), encoding="utf-8")
    sys.stdout.write(f"{where(facts)}\n\n{table(facts)}")


if __name__ == "__main__":
    main()
