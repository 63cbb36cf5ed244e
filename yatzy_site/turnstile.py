"""The queue of requests: a free place goes to the client that has fewest, so that each has a share.

However many requests somebody sends, they wait behind one another; the client with none under way
is next. Nobody waits where a place is free.
"""

import asyncio
from collections import Counter, deque

from yatzy_site.deadlines import Budget

WAITING = 1000  # requests; more would wait for longer than anybody does
OF_ONE = 250  # of one client, so that nobody fills it alone: a class at one address sends fewer

Turn = asyncio.Future[None]


class Crowded(Exception):
    """Too many wait already."""


class Turnstile:
    """So many are worked on at once, and the others wait for as long as they have time."""

    def __init__(self, at_once: int) -> None:
        self.free = at_once  # places
        self.waiting = 0  # requests
        self.held: Counter[str] = Counter()  # places, by client
        self.turns: dict[str, deque[Turn]] = {}  # who waits, longest first

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
        """Free a place, and call the client that holds fewest."""
        self.free += 1
        self.held[client] -= 1
        if not self.held[client]:
            del self.held[client]
        while self.free and self.turns:
            client = min(self.turns, key=lambda name: self.held[name])
            turns = self.turns.pop(client)
            turn = turns.popleft()
            if turns:
                self.turns[client] = turns  # behind the others that have as few
            if not turn.done():  # its time is over, and nobody has told it yet
                self.enter(client)
                turn.set_result(None)

    def enter(self, client: str) -> None:
        self.free -= 1
        self.held[client] += 1


def _is_given(turn: Turn) -> bool:
    return turn.done() and not turn.cancelled()
