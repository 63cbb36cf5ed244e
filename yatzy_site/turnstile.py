"""Who is worked on next: a place goes to the client that has fewest, so that each has a share.

However many requests somebody sends, they wait behind one another; whoever has none under way is
next. Nobody waits where a place is free.
"""

import asyncio
from collections import Counter, deque
from dataclasses import dataclass, field
from weakref import WeakKeyDictionary

from yatzy_site.deadlines import Budget

WAITING = 1000  # requests; more would wait for longer than anybody does
OF_ONE = 250  # of one client, so that nobody fills it alone: a class at one address sends fewer

Turn = asyncio.Future[None]


class Crowded(Exception):
    """Too many wait already."""


@dataclass
class PlacesOfClients:
    free: int  # places
    held: Counter[str] = field(default_factory=Counter)  # places, by client
    turns: dict[str, deque[Turn]] = field(default_factory=dict)  # who waits, longest first

    def enter(self, client: str) -> None:
        self.free -= 1
        self.held[client] += 1

    def leave(self, client: str) -> None:
        self.free += 1
        self.held[client] -= 1
        if not self.held[client]:
            del self.held[client]
        self.call()

    def forget(self, client: str, turn: Turn) -> None:
        if turn in (turns := self.turns.get(client, deque())):
            turns.remove(turn)
            if not turns:
                del self.turns[client]

    def call(self) -> None:
        while self.free and self.turns:
            client = min(self.turns, key=lambda one: self.held[one])
            turns = self.turns.pop(client)
            turn = turns.popleft()
            if turns:
                self.turns[client] = turns  # behind the others that have as few
            if not turn.done():  # its time is over, and nobody has told it yet
                self.enter(client)
                turn.set_result(None)


class Turnstile:
    """So many are worked on at once, and the others wait for as long as they have time."""

    def __init__(self, at_once: int) -> None:
        self.at_once = at_once
        self.waiting = 0  # requests
        self._places: WeakKeyDictionary[asyncio.AbstractEventLoop, PlacesOfClients] = (
            WeakKeyDictionary()
        )

    @property
    def line(self) -> PlacesOfClients:
        """A loop has its own: a test has many."""
        return self._places.setdefault(asyncio.get_running_loop(), PlacesOfClients(self.at_once))

    async def take(self, client: str, budget: Budget) -> bool:
        """False where no place became free in time."""
        line = self.line
        if line.free:
            line.enter(client)
            return True
        if self.waiting >= WAITING or len(line.turns.get(client, ())) >= OF_ONE:
            raise Crowded
        turn: Turn = asyncio.get_running_loop().create_future()
        line.turns.setdefault(client, deque()).append(turn)
        self.waiting += 1
        try:
            with budget.waiting() as left:
                async with asyncio.timeout(left):
                    await turn
        except TimeoutError:
            return _is_given(turn)
        except BaseException:
            if _is_given(turn):
                line.leave(client)
            raise
        finally:
            self.waiting -= 1
            line.forget(client, turn)
        return True

    def give(self, client: str) -> None:
        self.line.leave(client)


def _is_given(turn: Turn) -> bool:
    return turn.done() and not turn.cancelled()
