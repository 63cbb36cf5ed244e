"""The end of a table of people: who made what, and how much of it was luck."""

from collections.abc import Sequence
from dataclasses import dataclass

from game.core.blinding import tells_worth
from game.core.game_queries import Played
from game.core.words import labels
from game.core.words.equation import Equation
from game.duels.party_queries import next_seat, party_cards, party_seats
from game.models import Party, PartySeat
from game.pages.board.challenge import equation_of


@dataclass(frozen=True, slots=True)
class GuestCard:
    """``equation`` is None where not every decision was judged, or nothing may be said."""

    seat: PartySeat
    points: int
    gave_up: bool
    won: bool
    equation: Equation | None


@dataclass(frozen=True, slots=True)
class PartyPage:
    game_name: str
    turn: PartySeat | None
    guests: Sequence[GuestCard]

    @property
    def winners(self) -> list[str]:
        return [guest.seat.name for guest in self.guests if guest.won]

    @property
    def judged(self) -> bool:
        return any(guest.equation for guest in self.guests)


def party_page(party: Party) -> PartyPage:
    turn = next_seat(party_seats(party))
    cards = party_cards(party)
    finished = [played.state.total for _seat, played in cards if played.game.finished_at]
    best = max(finished, default=None) if turn is None and len(cards) > 1 else None
    guests = [_guest(seat, played, best) for seat, played in cards]
    return PartyPage(labels.ruleset_name(cards[0][1].game.rules), turn, guests)


def _guest(seat: PartySeat, played: Played, best: int | None) -> GuestCard:
    finished = played.game.finished_at is not None
    return GuestCard(
        seat=seat,
        points=played.state.total,
        gave_up=played.game.abandoned_at is not None,
        won=finished and played.state.total == best,
        equation=equation_of(played) if finished and tells_worth(played.game) else None,
    )
