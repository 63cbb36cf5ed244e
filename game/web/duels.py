"""A duel as it is now, for whoever looks: by a page or by a socket."""

from typing import Any

from django.utils import timezone

from game import services
from game.board.duel import DuelView, Onlooker, challenge_view, duel_view
from game.models import Duel, DuelSeat, Player
from game.selectors.duels.tables import duel_of_token, seats_of, standing
from game.selectors.studies import studies
from game.services import InTrial, NoSuchDuel
from game.web import presence
from game.web.bots import runners


def looked_at(token: str, player: Player | None, **said: Any) -> DuelView:
    """The duel as it is now for this viewer; what time has changed is stored first."""
    if player is not None and studies().include(player):
        raise InTrial
    duel = duel_of_token(token)
    if duel is None:
        raise NoSuchDuel
    if duel.state == "running" and standing(duel).due(timezone.now()):
        services.duel_settle(token=token)
        duel = duel_of_token(token) or duel
    if duel.state == "running":
        runners.wake(token)
    return _shown(duel, player, said)


def _shown(duel: Duel, player: Player | None, said: dict[str, Any]) -> DuelView:
    seats = seats_of(duel)
    _seen_here(seats, duel, player)
    here = presence.present(duel.token, seats)
    if duel.started_at is None:
        return challenge_view(duel, seats, player, here)
    onlooker = Onlooker(player, timezone.now(), here, **said)
    return duel_view(standing(duel), onlooker)


def _seen_here(seats: list[DuelSeat], duel: Duel, player: Player | None) -> None:
    for seat in seats:
        if player is not None and seat.player_id == player.pk:
            presence.come(seat, duel.token)
