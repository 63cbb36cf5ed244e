"""A site with people who play on it, while something is done to it."""

import asyncio
import atexit
import json
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager
from functools import cache
from pathlib import Path
from typing import Any

from tests.browser.managers import ROOT
from tests.browser.server import prepare
from tests.faults.kept import written
from tests.faults.people import Beginner, Program, Seen, Stubborn
from tests.faults.proxy import is_installed, proxy
from tests.faults.site import Site
from tests.load.person import Record

PEOPLE = 4
THINK = 0.1  # seconds
ARRIVE = 0.5
RECOVER = 90.0  # seconds until everybody plays on, once nothing is wrong any more


@cache
def prepared() -> Path:
    """A folder with an empty database and static files."""
    folder = tempfile.TemporaryDirectory(prefix="yatzy-prepared-")
    atexit.register(folder.cleanup)
    prepare(Path(folder.name))
    return Path(folder.name)


class NotRecovered(Exception):
    """Somebody was not answered any more."""


class Stage:
    """Everybody is there twice, if there is a proxy: before the server itself, and behind that."""

    def __init__(
        self, folder: Path, player: type[Stubborn] = Stubborn, many: int = PEOPLE, **more: str
    ) -> None:
        self.folder, self.player, self.many, self.more = folder, player, many, more
        self.site = Site(folder, **more)
        self.address = self.site.address  # where people find it
        self.behind_proxy = ""  # and where others do
        self.record, self.seen, self.behind = Record(), Seen(), Seen()
        self.people: list[Stubborn] = []
        self.is_over = False
        self.wrong: list[str] = []
        self.mended_at = 0.0
        self.seconds = 0.0  # from then until everybody had played on
        self.kept: dict[str, Any] = {}

    @asynccontextmanager
    async def played(self) -> AsyncIterator[None]:
        """Everybody plays before, meanwhile and afterwards; what is kept is known in the end."""
        await asyncio.to_thread(self.prepare)
        await self.started()
        with ExitStack() as closing:
            if is_installed():
                self.behind_proxy = await asyncio.to_thread(
                    closing.enter_context, proxy(self.site.port)
                )
            playing = [asyncio.create_task(one.play()) for one in self._crowd()]
            try:
                await self.goes_on()
                yield
                self.mended_at = self.mended_at or time.monotonic()
                await self.goes_on()
                self.seconds = time.monotonic() - self.mended_at
                self.is_over = True
                await asyncio.wait_for(asyncio.gather(*playing), RECOVER)
            finally:
                for task in playing:
                    task.cancel()
                await asyncio.to_thread(self.site.stop)
        self.wrong += self.record.errors + self.seen.wrong + self.behind.wrong
        self.wrong += self.site.tracebacks()
        self.kept = await asyncio.to_thread(self.look)

    def prepare(self) -> None:
        """Migrated and collected once for all faults of SQLite, which takes longer than most."""
        if "DATABASE_URL" in self.more:
            self.site.manage("migrate", "--no-input")
        shutil.copytree(prepared(), self.folder, dirs_exist_ok=True)

    def _crowd(self) -> list[Stubborn]:
        """Where there is a proxy a large crowd comes through it, and a few do not."""
        if not self.behind_proxy:
            self._come(self.address, self.many, self.seen)
        else:
            self._come(self.address, min(self.many, PEOPLE), self.seen)
            self._come(self.behind_proxy, self.many, self.behind)
        return self.people

    def _come(self, address: str, many: int, seen: Seen) -> None:
        kinds: list[type[Stubborn]] = [*[self.player] * many, Beginner, Program]
        for number, kind in enumerate(kinds, len(self.people) + 1):
            over = lambda: self.is_over  # noqa: E731
            person = kind(address, number, self.record, THINK, ARRIVE, over, seen=seen)
            self.people.append(person)

    async def goes_on(self, moves: int = 5, *, players: bool = False) -> None:
        """Until everybody, or everybody who plays, has been answered so many times more."""
        asked = [one for one in self.people if not players or type(one) is self.player]
        wanted = [person.done + moves for person in asked]
        until = time.monotonic() + RECOVER
        while any(one.done < most for one, most in zip(asked, wanted, strict=True)):
            if time.monotonic() > until:
                raise NotRecovered(f"after {RECOVER:.0f} s: {self.seen}; behind: {self.behind}")
            await asyncio.sleep(0.02)

    async def started(self) -> None:
        self.site.start()
        await asyncio.to_thread(self.site.wait)

    @property
    def addresses(self) -> list[str]:
        return [self.site.address, *filter(None, [self.behind_proxy])]

    def mended(self) -> None:
        """From now on nothing is wrong any more."""
        self.mended_at = time.monotonic()

    def expect(self, holds: object, otherwise: str) -> None:
        if not holds:
            self.wrong.append(otherwise)

    def look(self, **more: str) -> dict[str, Any]:
        """What the database has of what everybody was told."""
        file = self.folder / "acknowledged.json"
        written(self.record.acknowledged, self.record.totals, file)
        return looked_up(self.site.environment | more, file)


def looked_up(environment: dict[str, str], file: Path) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-m", "tests.faults.kept", str(file)],
        cwd=ROOT,
        env=environment | {"DJANGO_SETTINGS_MODULE": "yatzy_site.settings"},
        capture_output=True,
        text=True,
        timeout=600,
    )
    if done.returncode:
        raise RuntimeError(done.stderr)
    found: dict[str, Any] = json.loads(done.stdout)
    return found
