"""The faults there are, what each needs of a machine, and how one is done."""

import asyncio
import tempfile
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.faults.outcome import Outcome
from tests.faults.stage import Stage

Do = Callable[[Path], Coroutine[Any, Any, Outcome]]
Script = Callable[[Stage], Awaitable[str]]  # what is done while people play; how it recovers
NO_PROXY = "not tried: Caddy is not installed"
Setting = Callable[[], str]  # why it cannot be tried on this machine; nothing where it can


@dataclass(frozen=True)
class Fault:
    name: str
    do: Do
    missing: Setting

    def outcome(self) -> Outcome:
        if missing := self.missing():
            return Outcome(self.name, not_tried=missing)
        with tempfile.TemporaryDirectory(prefix="yatzy-fault-") as folder:
            try:
                found = asyncio.run(self.do(Path(folder)))
            except Exception as error:  # the others are tried all the same
                found = Outcome("", wrong=[f"{type(error).__name__}: {error}"])
        found.fault = self.name
        return found


async def on_stage(stage: Stage, script: Script) -> Outcome:
    async with stage.played():
        recovered = await script(stage)
    return told(stage, recovered)


def told(stage: Stage, recovered: str) -> Outcome:
    return Outcome(
        "",
        seen=str(stage.seen),
        behind=str(stage.behind) if stage.behind_proxy else NO_PROXY,
        acknowledged=sum(map(len, stage.record.acknowledged.values())),
        stored=stage.kept["stored"],
        lost=stage.kept["lost"],
        recovered=recovered,
        seconds=stage.seconds,
        wrong=sorted(set(stage.wrong + stage.kept["wrong"])),
    )


def nothing() -> str:
    return ""
