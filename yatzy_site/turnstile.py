"""The queue of requests: a free place goes to the waiting client that holds fewest places.

A client's requests queue behind each other, and a client without a running request is next. No
request waits while a place is free.
"""

import asyncio
from collections import Counter, deque

from yatzy_site.deadlines import Budget

WAITING = 1000  # most waiting requests; with more, browsers would give up first
OF_ONE = 250  # most waiting requests per client; a class at one address sends fewer

Turn = asyncio.Future[None]


class Crowded(Exception):
    """The error if too many requests wait already."""


class Turnstile:
    """A queue for a limited number of places to run; each request waits until its time is over."""

    def __init__(self, at_once: int) -> None:
        self.free = at_once  # free places
        self.waiting = 0  # waiting requests
        self.held: Counter[str] = Counter()  # held places, by client
        self.turns: dict[str, deque[Turn]] = {}  # requests that wait, by client, longest first

    async def take(self, client: str, budget: Budget) -> bool:
        """Wait for a place; return False if none became free in time."""
        if self.free:
            self.enter(client)
            return True
        if self.waiting >= WAITING or len(self.turns.get(client, ())) >= OF_ONE:
            raise Crowded
        turn: Turn = asyncio.get_running_loop().create_future()
        self.turns.setdefault(client, deque()).append(turn)
        self.waiting += 1
        try:
            with budget.waiting() as left:
                async with asyncio.timeout(left):
                    await turn
        except TimeoutError:
            return _is_given(turn)
        except BaseException:
            if _is_given(turn):
                self.give(client)
            raise
        finally:
            self.waiting -= 1
            if turn in (turns := self.turns.get(client, deque())):
                turns.remove(turn)
                if not turns:
                    del self.turns[client]
        return True

    def give(self, client: str) -> None:
        """Free a client's place, and pass it to the waiting client that holds the fewest places."""
        self.free += 1
        self.held[client] -= 1
        if not self.held[client]:
            del self.held[client]
        while self.free and self.turns:
            client = min(self.turns, key=lambda name: self.held[name])
            turns = self.turns.pop(client)
            turn = turns.popleft()
            if turns:
                # Insert the client behind the clients that hold the same number of places.
                self.turns[client] = turns
            if not turn.done():  # a done turn has timed out
                self.enter(client)
                turn.set_result(None)

    def enter(self, client: str) -> None:
        self.free -= 1
        self.held[client] += 1


def _is_given(turn: Turn) -> bool:
    return turn.done() and not turn.cancelled()
