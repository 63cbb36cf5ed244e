"""A position in one line: its dice, what is left, and where its options are ranked."""

from dataclasses import dataclass

from django.urls import reverse

from game.coach.position_addresses import explore_query
from solver.advice import Position


@dataclass(frozen=True, slots=True)
class PositionLine:
    position: Position
    needed: int = 0  # points, where it is asked how to win
    key: int = 0  # of what keeps it
    query: str = ""  # where the points of each box are known too

    @property
    def open_boxes(self) -> int:
        return len(self.position.rules.open(self.position.filled))

    @property
    def explore(self) -> str:
        query = self.query or explore_query(self.position, needed=self.needed or None)
        return f"{reverse('explore')}?{query}"
