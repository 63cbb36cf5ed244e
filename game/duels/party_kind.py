"""The kind of games on a shared device, in which only one of the players can act at a time."""

from abc import ABC, abstractmethod
from collections.abc import Sequence

from django.utils.functional import cached_property
from django.utils.translation import gettext as _

from game.core.kind import Kind
from game.core.refusals import Refused
from game.duels.parties import AtTable, find_next_seat, list_party_seats
from game.models import Decision, Game, PartySeat
from game.pages.presentation import Presentation
from solver.rules import Action, Score


class RoundTableKind(Kind, ABC):
    """The base class of games in which players take turns on one device."""

    @property
    @abstractmethod
    def others_turn(self) -> str:
        """The name of the player whose turn it is, or "" if it is this card's turn."""

    @property
    def waits(self) -> str:
        name = self.others_turn
        return _("Pass the dice to %(name)s.") % {"name": name} if name else ""

    def check_turn(self) -> None:
        if name := self.others_turn:
            raise Refused(_("It is %(name)s's turn.") % {"name": name})


class PartyKind(RoundTableKind):
    mode = Game.Mode.PARTY
    counted = False  # the server cannot know which person plays
    personal = False
    watched = False
    thrown = False

    @cached_property
    def seat(self) -> PartySeat:
        return PartySeat.objects.select_related("party").get(game=self.game)

    @cached_property
    def seats(self) -> list[AtTable]:
        return list_party_seats(self.seat.party)

    @cached_property
    def turn(self) -> PartySeat | None:
        """The seat of the player whose turn it is, or None at the end."""
        return find_next_seat(self.seats)

    def can_take_back(self, actions: Sequence[Action]) -> bool:
        """Return whether the player can take back the last move: no one has rolled since then."""
        if not isinstance(actions[-1], Score) or self.game.abandoned_at:
            return False
        last = self.game.decisions.order_by("-seq").values_list("created_at", flat=True)[0]
        rolled = Decision.objects.filter(game__party_seat__party=self.seat.party_id, category="")
        return not rolled.filter(created_at__gt=last).exists()

    @property
    def player_label(self) -> str:
        return self.seat.name

    @property
    def others_turn(self) -> str:
        if self.turn is None or self.turn.game_id == self.game.pk:
            return ""
        return self.turn.name


KIND = PartyKind
PAGES = Presentation(
    again="duels/_party_again.html",
    about="duels/_party_about.html",
    passing="duels/_party_pass.html",
)
