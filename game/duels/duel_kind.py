"""The kind of games in a duel: one card per player, the same dice for all, turn by turn."""

from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import Max
from django.utils import timezone
from django.utils.functional import cached_property
from django.utils.translation import gettext as _

from game.core.events import announce_duel
from game.core.kind import Kind
from game.core.refusals import GameIsOver, Refused
from game.duels import duel_views
from game.duels.duel_ends import settle_duel
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
        at = find_place_in_rounds(self.game)
        if at is None:
            raise GameIsOver
        rounds, place = at
        deadline = rounds.find_deadline(place)
        if deadline is not None and deadline <= timezone.now():
            raise Refused(_("Your time ran out before this move."))
        if rounds.may_play(place):
            return
        if rounds.courses[place].turns > rounds.round:
            raise Refused(_("You have played this turn: wait for the other players."))
        raise Refused(_("Your hold is set. The next roll comes when everyone has made their move."))

    def react_to_decision(self, action: Action) -> None:
        """After a box, settle the duel when the move is committed, because that locks the duel."""
        if isinstance(action, Score):
            token = Duel.objects.values_list("token", flat=True).get(seats__game=self.game)

            def settle() -> None:
                settle_duel(token=token)

            transaction.on_commit(settle, robust=True)

    def notify_pages(self) -> None:
        announce_duel(Duel.objects.get(seats__game=self.game))


KIND = DuelKind
PAGES = Presentation(over="duels/_over.html", elsewhere=duel_views.answer)
