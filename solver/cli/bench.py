"""The command bench: median times of this solver, and of other solvers that are installed. With
``study``, the time and memory of the study's programs.

Run it on an idle machine. New processes measure the first compilation, the memory, and a web worker
without numba.
"""

import argparse
import importlib.util
import json
import os
import platform
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from random import Random
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import Any

from solver.advice import Advisor, Position
from solver.advice.advising import advise_many
from solver.arena.performance import simulate
from solver.cli.output import add_json_option, add_switch, print_json, show_table
from solver.cli.players import write_file
from solver.cli.solve import solve_where_missing
from solver.dp.sweep import count_cores, load_kernel
from solver.exact.distribution import calculate_distribution
from solver.players import PLAYERS, find_player
from solver.rules import (
    YATZY,
    Action,
    Block,
    State,
    list_legal_actions,
    play,
    replay_actions,
    start_state,
)
from solver.study.effort import DATA, GAMES, PERFECT, list_rows
from solver.study.html import Words
from solver.study.published import KEYS, RULES
from solver.tables import find_table_path, open_table
from solver.tables.parts import make_values

REPEATS = 9
ENOUGH = 3.0  # seconds; longer measurements are not repeated
DICE = (5, 5, 1, 6, 6)
# This program prints how many MB a solve adds to the peak memory of a process with numba.
MEMORY = """
import re, numba
peak = lambda: int(re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1]) / 1024
before = peak()
from solver.dp.sweep import solve
from solver.rules import YATZY
solve(YATZY)
print(peak() - before)
"""
# This program prints the peak memory, in MB, of calculating an exact distribution with numba.
DISTRIBUTION_MEMORY = """
import re
from solver.exact.distribution import calculate_distribution
from solver.players import find_player
from solver.rules import YATZY
calculate_distribution(find_player("optimal").open_tabular(YATZY))
print(int(re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1]) / 1024)
"""
FIRST_SOLVE = """
from time import perf_counter
began = perf_counter()
from solver.dp.sweep import solve
from solver.rules import YATZY
solve(YATZY)
print(perf_counter() - began)
"""
WEB_WORKER = """
import json, sys
from solver.cli.bench import measure_advice, measure_batch, measure_ledger
from solver.advice import Advisor
from solver.rules import YATZY
advisor = Advisor.open(YATZY)
figures = [measure_advice(advisor), measure_ledger(advisor), *measure_batch(advisor)]
assert "numba" not in sys.modules
print(json.dumps(figures))
"""
PERFECT_GAMES = """
from time import perf_counter
began = perf_counter()
from solver.cli.bench import time_perfect_games
time_perfect_games(began)
"""


def measure_seconds(action: Callable[[], Any], *, calls: int = 1, repeats: int = REPEATS) -> float:
    """Return the median seconds per call. Measure several times, each time over ``calls`` calls."""
    times: list[float] = []
    while len(times) < repeats and sum(times) * calls < ENOUGH:
        began = perf_counter()
        for _ in range(calls):
            action()
        times.append((perf_counter() - began) / calls)
    return median(times)


def run_in_new_process(program: str, *, nothing_cached: bool = False) -> str:
    """Run a new Python process and return its output. If requested, the process has no cached
    kernels."""
    with tempfile.TemporaryDirectory() as empty:
        where = {"NUMBA_CACHE_DIR": empty} if nothing_cached else {}
        command = [sys.executable, "-c", program]
        done = subprocess.run(  # noqa: S603
            command, env={**os.environ, **where}, capture_output=True, text=True, check=True
        )
    return done.stdout


def add_commands(commands: Any) -> None:
    bench = commands.add_parser("bench")
    add_json_option(bench)
    bench.set_defaults(run=run_bench)
    study = bench.add_subparsers(title="alone", metavar="PART").add_parser(
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
    study.set_defaults(run=run_study)


def run_bench(options: argparse.Namespace) -> None:
    solve_where_missing(YATZY, quiet=options.json)
    figures = measure()
    if options.json:
        print_json(figures)
        return
    rows = [[name, f"{value:,.3f}", unit] for name, (value, unit) in figures.items()]
    show_table(f"Medians on {count_cores()} cores", ["", "", ""], rows)


def measure() -> dict[str, tuple[float, str]]:
    from solver.dp.sweep import solve

    solve(YATZY)  # compiles the kernels before anything is measured
    processor_times = []  # sums over all threads
    for _ in range(REPEATS):
        began = process_time()
        solve(YATZY)
        processor_times.append(process_time() - began)
    figures = {
        "solve, all cores": (measure_seconds(lambda: solve(YATZY)), "s"),
        "solve, all cores, processor time": (median(processor_times), "s"),
        "solve, one core": (measure_seconds(lambda: solve(YATZY, threads=1)), "s"),
        "first solve, nothing compiled": (
            float(run_in_new_process(FIRST_SOLVE, nothing_cached=True)),
            "s",
        ),
        "memory of a solve over numba": (float(run_in_new_process(MEMORY)), "MB"),
        "table": (find_table_path(YATZY).stat().st_size / 1e6, "MB"),
        "open the table": (1e3 * measure_seconds(lambda: open_table(YATZY)), "ms"),
    }
    advice, ledger, best, every = json.loads(run_in_new_process(WEB_WORKER))
    figures["one advice, numpy"] = (1e6 * advice, "us")
    figures["ledger of a game, numpy"] = (1e3 * ledger, "ms")
    figures["one of 1,000 advices at once, numpy, best option"] = (1e6 * best, "us")
    figures["the same, all options"] = (1e6 * every, "us")
    advisor = Advisor.open(YATZY)
    turns = advisor.compile()
    kernel = measure_seconds(lambda: turns.values(0, 0, 2), calls=200)
    figures["one advice, compiled kernel"] = (1e6 * kernel, "us")
    figures["one advice, compiled"] = (1e6 * measure_advice(advisor), "us")
    figures["ledger of a game, compiled"] = (1e3 * measure_ledger(advisor), "ms")
    return figures | measure_lab() | measure_peer()


def measure_lab() -> dict[str, tuple[float, str]]:
    figures = {}
    for player in (entry for entry in PLAYERS.values() if entry.plays(YATZY)):
        games = partial(simulate, player.open(YATZY), YATZY, player.id, 100_000, 1)
        figures[f"100,000 games of {player.id}"] = (measure_seconds(games), "s")
    perfect = find_player("optimal").open_tabular(YATZY)
    figures["1,000,000 games of optimal"] = (
        measure_seconds(lambda: simulate(perfect, YATZY, "", 1_000_000, 1), repeats=3),
        "s",
    )
    figures["exact distribution of optimal"] = (
        measure_seconds(lambda: calculate_distribution(perfect), repeats=3),
        "s",
    )
    figures["memory of that, whole process"] = (
        float(run_in_new_process(DISTRIBUTION_MEMORY)),
        "MB",
    )
    return figures


def measure_advice(advisor: Advisor) -> float:
    """Return the median seconds to evaluate every option of a first roll without a cache."""
    position = Position(YATZY, 0, 0, DICE, 2)

    def advise() -> None:
        advisor.forget()
        advisor.evaluate(position)

    return measure_seconds(advise, calls=200)


def measure_batch(advisor: Advisor, number: int = 1000) -> tuple[float, float]:
    """Return the seconds per position in a batch, for only the best option and for all."""
    random, positions = Random(1), []  # noqa: S311
    for _ in range(number):
        filled = random.randrange(YATZY.full)
        upper = random.choice(sorted(YATZY.list_upper_totals(filled)))
        dice = tuple(random.randint(1, 6) for _ in range(5))
        positions.append(Position(YATZY, filled, upper, dice, random.randrange(YATZY.throws)))
    best = measure_seconds(lambda: advise_many(advisor, positions, top=1, outlook=True))
    every = measure_seconds(lambda: advise_many(advisor, positions, outlook=True))
    return best / number, every / number


def measure_ledger(advisor: Advisor) -> float:
    decisions = list(replay_actions(YATZY, *make_random_game(Random(1))))  # noqa: S311

    def run_ledger() -> None:
        advisor.forget()
        advisor.make_ledger(decisions)

    return measure_seconds(run_ledger, calls=20)


def make_random_game(random: Random) -> tuple[Block, list[Action]]:
    block = [[[random.randint(1, 6) for _ in range(5)] for _ in range(3)] for _ in range(15)]
    actions: list[Action] = []
    state: State = start_state(YATZY)
    while not state.finished:
        choices = list_legal_actions(state)
        actions.append(random.choice(choices[:32] if state.throws_left else choices))
        state = play(state, actions[-1], block)
    return block, actions


def measure_peer() -> dict[str, tuple[float, str]]:
    """Measure the PyPI package yatzy-solver (Rust, float64) on this machine, if it is installed."""
    if importlib.util.find_spec("yatzy_solver") is None:
        return {}
    import yatzy_solver

    variant = yatzy_solver.Variant("yatzy-scandinavian")
    began, began_processor = perf_counter(), process_time()
    solver = yatzy_solver.Solver.build(variant)
    built, processor = perf_counter() - began, process_time() - began_processor
    position = "dice 1 5 5 6 6 | rolls 2 | upper 0 | filled -"
    advice = measure_seconds(lambda: solver.option_values(position), calls=200)
    return {
        "yatzy-solver: solve, all cores": (built, "s"),
        "yatzy-solver: solve, all cores, processor time": (processor, "s"),
        "yatzy-solver: one advice": (1e6 * advice, "us"),
    }


def run_study(options: argparse.Namespace) -> None:
    ours = measure_study()
    if options.write:
        write_file(DATA, json.dumps(ours, indent=1) + "\n")
    if options.json:
        print_json(ours)
    else:
        title = f"Time and memory, on {ours['cores']} cores"
        show_table(title, ["", "the study", "this program"], list(list_rows(ours, Words())))


def measure_study() -> dict[str, Any]:
    """Measure a new process that makes the table and plays as many perfect games as the study.
    ``first`` is its time before any kernel is compiled. ``games`` is the median time of each player
    for ``GAMES`` games. All times are in seconds."""
    games = {}
    for player in KEYS:
        agent = find_player(player).open(RULES)
        games[player] = measure_seconds(partial(simulate, agent, RULES, player, GAMES, 1))
    load_kernel(RULES)
    # All kernels are compiled now, so the next process reads them from the cache.
    of_process = json.loads(run_in_new_process(PERFECT_GAMES))
    first = json.loads(run_in_new_process(PERFECT_GAMES, nothing_cached=True))["perfect"]
    machine = {"date": datetime.now(UTC).date().isoformat(), "cores": count_cores()}
    name = read_system_fact("/proc/cpuinfo", r"model name\s*: (.+)")
    machine["processor"] = name or platform.machine()
    return {**machine, **of_process, "first": first, "games": games}


def time_perfect_games(began: float) -> None:
    """Solve the ruleset and play perfect games in this new process. Print times and memory."""
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
