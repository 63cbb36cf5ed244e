"""The kind of games in a duel: one card per player, the same dice for all, turn by turn."""

from django.core.exceptions import PermissionDenied
from django.db.models import Max
from django.utils.functional import cached_property
from django.utils.translation import gettext as _

from game.core.events import announce_duel
from game.core.kind import Kind
from game.duels import duel_views
from game.duels.duel_ends import check_duel_turn, settle_duel_later
from game.duels.duel_queries import find_place_in_rounds
from game.models import Duel, DuelSeat, Game
from game.pages.presentation import Presentation
from solver.rules import Action, Score


class DiceInDuel(PermissionDenied):
    def __init__(self) -> None:
        super().__init__(
            _(
                "Other players are still playing with these dice."
                " You can see this game after the duel."
            )
        )


class DuelKind(Kind):
    mode = Game.Mode.DUEL
    beats = True
    watched = False  # the duel itself has the link for watchers
    thrown = False
    compared = True

    @cached_property
    def withheld(self) -> PermissionDenied | None:
        under_way = {"duel__finished_at": None, "duel__withdrawn_at": None}
        running = DuelSeat.objects.filter(game=self.game, **under_way).exists()
        return DiceInDuel() if running else None

    @property
    def roll_limit(self) -> tuple[int, int] | None:
        """The first (turn, roll) that the player may not see yet, or None without a limit."""
        place = None if self.game.finished_at else find_place_in_rounds(self.game)
        return place and place[0].find_roll_limit(place[1])

    @property
    def must_go_on(self) -> str:
        return _("To give up a game in a duel, use the duel's page.")

    def goal(self) -> int | None:
        others = Game.objects.filter(seat__duel__seats__game=self.game).exclude(pk=self.game.pk)
        best: int | None = others.aggregate(best=Max("final_score"))["best"]
        return None if best is None else best + 1

    def check_turn(self) -> None:
        check_duel_turn(self.game)

    def react_to_decision(self, action: Action) -> None:
        if isinstance(action, Score):
            settle_duel_later(self.game)

    def notify_pages(self) -> None:
        announce_duel(Duel.objects.get(seats__game=self.game))


KIND = DuelKind
PAGES = Presentation(over="duels/_over.html", elsewhere=duel_views.answer)
