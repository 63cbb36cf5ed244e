"""Places at the gate: whoever sends much waits behind themselves, and nobody else does."""

import asyncio
import time
from collections.abc import Iterable

import pytest

from tests.game.test_gate import run
from yatzy_site import gate
from yatzy_site.deadlines import Budget
from yatzy_site.gate import Crowded, Turnstile

MANY, FEW = "one who sends much", "one who plays"


class Watched:
    """Clients that come to a turnstile, and go when they are told to."""

    def __init__(self, at_once: int) -> None:
        self.at_once, self.gate = at_once, Turnstile(at_once)
        self.inside: list[str] = []
        self.tasks: list[asyncio.Task[None]] = []

    async def come(self, *clients: str, seconds: float = 5) -> None:
        for client in clients:
            self.tasks.append(asyncio.ensure_future(self._come(client, seconds)))
            await asyncio.sleep(0)

    async def _come(self, client: str, seconds: float) -> None:
        if await self.gate.take(client, Budget(seconds)):
            self.inside.append(client)

    async def go(self, *clients: str) -> None:
        for client in clients:
            self.inside.remove(client)
            self.gate.give(client)
            await asyncio.sleep(0.001)

    async def empty(self) -> bool:
        await self.go(*self.inside)
        gate = self.gate
        return (gate.free, dict(gate.held), gate.turns) == (self.at_once, {}, {})


def test_who_has_no_place_is_next_however_many_others_want() -> None:
    async def test() -> None:
        watched = Watched(2)
        await watched.come(*[MANY] * 20, FEW)
        assert watched.inside == [MANY, MANY]
        await watched.go(MANY)
        assert watched.inside == [MANY, FEW]
        await watched.go(FEW)
        assert watched.inside == [MANY, MANY]  # no place is empty while somebody waits

    run(test)


def test_places_are_shared_by_turns_and_the_longest_wait_ends_first() -> None:
    async def test() -> None:
        watched = Watched(1)
        await watched.come("a", "b", "b", "c", "d", "c")
        order = []
        while watched.inside:
            order += watched.inside
            await watched.go(*watched.inside)
        assert order == ["a", "b", "c", "d", "b", "c"]
        assert await watched.empty()

    run(test)


def test_of_one_client_whoever_came_first_is_first() -> None:
    async def test() -> None:
        watched = Watched(1)
        await watched.come(*[MANY] * 3)
        await watched.go(MANY)
        assert [task.done() for task in watched.tasks] == [True, True, False]
        for _ in range(2):
            await watched.go(MANY)
        assert await watched.empty()

    run(test)


def test_one_client_alone_fills_no_queue(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gate, "OF_ONE", 2)
    monkeypatch.setattr(gate, "WAITING", 3)

    async def test() -> None:
        watched = Watched(1)
        await watched.come(MANY, MANY, MANY)
        await _refused(watched, MANY)
        await watched.come(FEW)
        await _refused(watched, "one more")
        for _ in range(4):
            await watched.go(*watched.inside)
        assert await watched.empty()

    run(test)


async def _refused(watched: Watched, client: str) -> None:
    with pytest.raises(Crowded):
        await watched.gate.take(client, Budget(5))


def test_who_has_waited_for_too_long_stands_in_nobodys_way() -> None:
    async def test() -> None:
        watched = Watched(1)
        await watched.come(MANY)
        await watched.come(FEW, FEW, seconds=0.01)
        await asyncio.sleep(0.05)
        assert (watched.inside, watched.gate.waiting, watched.gate.turns) == ([MANY], 0, {})
        assert await watched.empty()

    run(test)


@pytest.mark.parametrize("when", ["before", "after"])
def test_who_is_broken_off_keeps_no_place(when: str) -> None:
    """Before or after a place was given to it: it has not run since."""

    async def test() -> None:
        watched = Watched(1)
        await watched.come(MANY, FEW, MANY)
        steps: Iterable[str] = ("cancel", "give") if when == "before" else ("give", "cancel")
        for step in steps:
            if step == "give":
                watched.inside.remove(MANY)
                watched.gate.give(MANY)
            else:
                watched.tasks[1].cancel()
        await asyncio.sleep(0.01)
        assert watched.inside == [MANY]
        assert await watched.empty()

    run(test)


def test_a_place_that_is_given_in_the_last_moment_is_taken() -> None:
    """In the same round of the loop in which the wait for it ends."""

    async def test() -> None:
        gate, loop = Turnstile(1), asyncio.get_running_loop()
        assert await gate.take(MANY, Budget(5))
        loop.call_later(0.02, gate.give, MANY)
        loop.call_later(0.01, time.sleep, 0.05)
        assert await gate.take(FEW, Budget(0.02))
        gate.give(FEW)
        assert gate.free == 1

    run(test)
