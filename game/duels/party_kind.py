"""A card at a table of people: real dice go round with the device."""

from django.utils.functional import cached_property

from game.duels.parties import AtTable, next_seat, party_seats
from game.duels.round_table_kind import RoundTableKind
from game.models import Game, PartySeat


class PartyKind(RoundTableKind):
    mode = Game.Mode.PARTY
    counted = False  # no matter who it was that played
    personal = False
    watched = False
    thrown = False
    again = "duels/_party_again.html"
    about = "duels/_party_about.html"
    passing = "duels/_party_pass.html"

    @cached_property
    def seat(self) -> PartySeat:
        return PartySeat.objects.select_related("party").get(game=self.game)

    @cached_property
    def seats(self) -> list[AtTable]:
        return party_seats(self.seat.party)

    @cached_property
    def turn(self) -> PartySeat | None:
        """The seat whose turn it is; None at the end."""
        return next_seat(self.seats)

    @property
    def player_label(self) -> str:
        return self.seat.name

    @property
    def others_turn(self) -> str:
        if self.turn is None or self.turn.game_id == self.game.pk:
            return ""
        return self.turn.name


KIND = PartyKind
