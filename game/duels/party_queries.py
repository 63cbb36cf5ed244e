"""Who sits at a table, what they have, and whose turn it is."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Count, Q

from game.core.game_queries import Played, games_played
from game.models import Party, PartySeat


@dataclass(frozen=True, slots=True)
class AtTable:
    """``filled`` is how many boxes of the card are."""

    seat: PartySeat
    filled: int

    @property
    def over(self) -> bool:
        return self.seat.game.over


def party_seats(party: Party) -> list[AtTable]:
    boxes = Count("game__decisions", filter=Q(game__decisions__hold=None))
    seats = party.seats.select_related("game").annotate(boxes=boxes)
    return [AtTable(seat, seat.boxes) for seat in seats]


def next_seat(seats: Sequence[AtTable]) -> PartySeat | None:
    """Who has filled the fewest boxes, the first of them in the order of play."""
    open_seats = [one for one in seats if not one.over]
    return (
        min(open_seats, key=lambda one: (one.filled, one.seat.place)).seat if open_seats else None
    )


def party_cards(party: Party) -> list[tuple[PartySeat, Played]]:
    """The best first, of whom gave up last."""
    seats = {seat.game_id: seat for seat in party.seats.select_related("game")}
    played = games_played([seat.game for seat in seats.values()])
    found = [(seats[one.game.pk], one) for one in played]
    return sorted(found, key=lambda card: _worse_last(*card))


def _worse_last(seat: PartySeat, played: Played) -> tuple[bool, int, int]:
    return played.game.abandoned_at is not None, -played.state.total, seat.place
