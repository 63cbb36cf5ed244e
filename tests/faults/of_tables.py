"""The solved table is not there, is cut short or damaged while it is read, or becomes another."""

import asyncio
import os
import shutil
from collections.abc import Callable
from pathlib import Path

from solver.rules import YATZY
from solver.tables import OUTLOOK, VALUES, table_path
from tests.faults.outcome import Outcome
from tests.faults.registry import Fault, on_stage
from tests.faults.stage import Stage

MOVES = 20  # of everybody, without a sound table


def missing(table: Path) -> None:
    table.unlink()


def truncated(table: Path) -> None:
    """In place, while the server has it mapped."""
    os.truncate(table, table.stat().st_size // 2)


def damaged(table: Path) -> None:
    """A byte in every row, in place."""
    with table.open("r+b") as file:
        for place in range(64, table.stat().st_size, 256):
            file.seek(place)
            file.write(b"\xa5")


def replaced(table: Path) -> None:
    """By a table of something else, under its name."""
    new = table.with_name("new")
    shutil.copyfile(table_path(YATZY, OUTLOOK), new)
    new.replace(table)


async def harmed(folder: Path, harm: Callable[[Path], None]) -> Outcome:
    table = folder / "tables" / table_path(YATZY, VALUES).name
    table.parent.mkdir()
    shutil.copyfile(table_path(YATZY, VALUES), table)
    stage = Stage(folder, YATZY_TABLES=str(table.parent))

    async def script(stage: Stage) -> str:
        harm(table)
        await stage.goes_on(MOVES, players=True)
        if harm is missing:  # a server that has it open goes on reading it
            stage.site.stop()
            await stage.started()
            await stage.goes_on(MOVES, players=True)
        new = table.with_name("new")
        shutil.copyfile(table_path(YATZY, VALUES), new)
        new.replace(table)
        stage.mended()
        return "games go on without a coach; judged later, once there is a sound table"

    outcome = await on_stage(stage, script)
    await asyncio.to_thread(stage.site.manage, "judge")
    if left := (await asyncio.to_thread(stage.look))["unjudged"]:
        outcome.wrong.append(f"{left} decisions of finished games are not judged")
    return outcome


def fault(name: str, harm: Callable[[Path], None]) -> Fault:
    async def do(folder: Path) -> Outcome:
        return await harmed(folder, harm)

    return Fault(name, do, no_table)


def no_table() -> str:
    there = all(table_path(YATZY, kind).exists() for kind in (VALUES, OUTLOOK))
    return "" if there else "there is no table: run `python -m solver prepare`"


FAULTS = [
    fault("table missing", missing),
    fault("table cut short while it is read", truncated),
    fault("table damaged in every row", damaged),
    fault("table replaced by another", replaced),
]
