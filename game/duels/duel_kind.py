"""A card of a duel: played beside those of the others, turn by turn, on dice that all have."""

from typing import cast

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.utils.functional import cached_property
from django.utils.translation import gettext as _

from game.core.events import announce_duel
from game.core.kind import Kind
from game.core.refusals import Refused
from game.duels import duel_views
from game.duels.duel_ends import duel_check_turn, duel_settle_later
from game.duels.duel_queries import best_of_others, place_in_rounds
from game.models import Duel, DuelSeat, Game
from game.pages.requests.visitors import PlayRequest
from solver.rules import Action, Score


class DiceInDuel(PermissionDenied):
    def __init__(self) -> None:
        super().__init__(
            _("Others are still playing these dice: this game is shown when the duel is over.")
        )


class DuelKind(Kind):
    mode = Game.Mode.DUEL
    beats = True
    watched = False  # the duel has a link of its own
    thrown = False
    compared = True
    over = "duels/_over.html"

    @cached_property
    def withheld(self) -> PermissionDenied | None:
        under_way = {"duel__finished_at": None, "duel__withdrawn_at": None}
        running = DuelSeat.objects.filter(game=self.game, **under_way).exists()
        return DiceInDuel() if running else None

    @property
    def fallen(self) -> tuple[int, int] | None:
        """The last roll that is shown; a filled card has shown every roll."""
        place = None if self.game.finished_at else place_in_rounds(self.game)
        return place and place[0].fallen(place[1])

    @property
    def must_go_on(self) -> str:
        return _("To give up a game of a duel, use the page of the duel.")

    def goal(self) -> int | None:
        best = best_of_others(self.game)
        return None if best is None else best + 1

    def check_turn(self) -> None:
        duel_check_turn(self.game)

    def decided(self, action: Action) -> None:
        if isinstance(action, Score):
            duel_settle_later(self.game)

    def changed(self) -> None:
        announce_duel(Duel.objects.get(seats__game=self.game))

    def elsewhere(self, request: HttpRequest, refusal: Exception | None = None) -> HttpResponse:
        request = cast(PlayRequest, request)
        if isinstance(refusal, Refused):
            return duel_views.refused(request, self.game, refusal)
        return duel_views.moved(request, self.game)


KIND = DuelKind
