"""The command ``bench study``: time and memory of the study's programs and of ours on this machine."""

import argparse
import json
import os
import platform
import re
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

from solver.arena.performance import simulate
from solver.cli.measuring import measure_seconds, run_in_new_process
from solver.cli.output import add_json_option, add_switch, print_json, show_table
from solver.cli.players import write_file
from solver.dp.sweep import count_cores, load_kernel
from solver.players import find_player
from solver.study.effort import DATA, GAMES, PERFECT, list_rows
from solver.study.html import Words
from solver.study.published import KEYS, RULES
from solver.tables import find_table_path
from solver.tables.parts import make_values

PERFECT_GAMES = """
from time import perf_counter
began = perf_counter()
from solver.cli.bench_study import time_perfect_games
time_perfect_games(began)
"""


def add_commands(commands: Any) -> None:
    study = commands.add_parser(
        "study",
        help="compare our time and memory with the study's",
        description=(
            "Measure time and memory as the published study reports them: solve Yatzy twice, "
            "each time in a new process, and let every program of the study play 100,000 "
            "games. Takes about a minute."
        ),
    )
    add_switch(study, "--write", "store the figures for the lab's page about the study")
    add_json_option(study)
    study.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    ours = measure()
    if options.write:
        write_file(DATA, json.dumps(ours, indent=1) + "\n")
    if options.json:
        print_json(ours)
    else:
        title = f"Time and memory, on {ours['cores']} cores"
        show_table(title, ["", "the study", "this program"], list(list_rows(ours, Words())))


def measure() -> dict[str, Any]:
    """Measure a new process that makes the table and plays as many perfect games as the study.
    ``first`` has the process's seconds before any kernel is compiled. ``games`` has the median
    seconds of each player for ``GAMES`` games."""
    games = {}
    for player in KEYS:
        agent = find_player(player).open(RULES)
        games[player] = measure_seconds(partial(simulate, agent, RULES, player, GAMES, 1))
    load_kernel(RULES)
    # All kernels are compiled now. This new process finds them in the cache.
    of_process = json.loads(run_in_new_process(PERFECT_GAMES))
    first = json.loads(run_in_new_process(PERFECT_GAMES, nothing_cached=True))["perfect"]
    machine = {"date": datetime.now(UTC).date().isoformat(), "cores": count_cores()}
    name = read_system_fact("/proc/cpuinfo", r"model name\s*: (.+)")
    machine["processor"] = name or platform.machine()
    return {**machine, **of_process, "first": first, "games": games}


def time_perfect_games(began: float) -> None:
    """Solve the ruleset in this new process, play perfect games, and print times and memory."""
    with TemporaryDirectory() as folder:
        os.environ["YATZY_TABLES"] = folder
        make_values(RULES, find_table_path(RULES))
        building = perf_counter() - began
        simulate(find_player(PERFECT).open(RULES), RULES, PERFECT, GAMES, 1)
        print_json(
            {
                "building": building,
                "perfect": perf_counter() - began,
                "memory": 1024 * int(read_system_fact("/proc/self/status", r"VmHWM:\s+(\d+)")),
                "table": find_table_path(RULES).stat().st_size,
            }
        )


def read_system_fact(file: str, pattern: str) -> str:
    match = re.search(pattern, Path(file).read_text(encoding="utf-8"))
    return match[1] if match else ""
