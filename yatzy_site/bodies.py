"""What is sent is held in memory, and everybody has a share of that.

The first bytes of every body are free, so that a move always finds room, whoever else sends what.
"""

from collections import Counter

BODY = 2_500_000  # bytes; the largest is a page with a million faces of dice typed in
USUAL = 64_000  # bytes, where nothing long is sent
FREE = 10_000  # bytes of each body
SHARE = 8_000_000  # bytes of one client, beyond the free ones
BODIES = 64_000_000  # bytes of all clients, beyond the free ones
ARRIVE = 10.0  # seconds until a body is there, and more for what has arrived of it
RATE = 16_000  # bytes a second: whoever is slower is not waited for


def seconds_for(arrived: int) -> float:
    """From the beginning of a body of which so much is there, until the next of it."""
    return ARRIVE + arrived / RATE


class Room:
    """What the bodies of a process take up."""

    def __init__(self) -> None:
        self.held = 0  # bytes
        self.of_client: Counter[str] = Counter()  # bytes beyond the free ones

    def has(self, client: str, size: int, more: int) -> bool:
        """Whether a body of this size may become so much longer."""
        added = _counted(size + more) - _counted(size)
        if not added:
            return True
        return self.of_client[client] + added <= SHARE and self.of_client.total() + added <= BODIES

    def take(self, client: str, size: int, more: int) -> None:
        self.held += more
        self.of_client[client] += _counted(size + more) - _counted(size)

    def give(self, client: str, size: int) -> None:
        self.held -= size
        self.of_client[client] -= _counted(size)
        if not self.of_client[client]:
            del self.of_client[client]


def _counted(size: int) -> int:
    return max(0, size - FREE)
