"""Ends a duel for one player or for all: after the last move, a late move, or on request, and when
a player is deleted or joins an account.

``Player.in_duels`` is True if a player has a seat in a duel with other people. Every page reads the
player, so most pages need no query of duels.

Code that changes a duel locks the duel first, and then its games. A move locks only its game.
"""

from collections.abc import Collection
from datetime import datetime
from typing import Any

from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.db.models.signals import post_save
from django.http import Http404
from django.utils import timezone
from django.utils.translation import gettext as _

from game.core.duel_awaited_queries import query_seats_with_people
from game.core.events import announce, announce_duel, guest_joins, player_goes
from game.core.refusals import Refused
from game.duels.duel_queries import DuelStanding, load_standing
from game.models import Duel, DuelSeat, Game, Player


class NoSuchDuel(Http404):
    def __init__(self) -> None:
        super().__init__(_("There is no such duel."))


class NotAtTheTable(PermissionDenied):
    def __init__(self) -> None:
        super().__init__(_("You are not playing in this duel: you can only watch it."))


def leave_duel(*, token: str, player: Player | None) -> Duel:
    """Give up a running duel, or leave a challenge that has not begun."""
    with transaction.atomic():
        duel = lock_duel(token)
        seat = None if player is None else duel.seats.filter(player=player).first()
        if seat is None:
            raise NotAtTheTable
        if duel.state == "open":
            if seat.number == 1:
                duel.withdrawn_at = timezone.now()
                duel.save(update_fields=["withdrawn_at"])
            else:
                seat.player = None
                seat.save(update_fields=["player"])
            announce_duel(duel)
        elif duel.state == "running":
            now = timezone.now()
            _settle(duel, now)
            seat.refresh_from_db()
            game = Game.objects.get(pk=seat.game_id)
            if duel.state != "running" or seat.left_at is not None:
                return duel
            if game.over:
                raise Refused(_("You have filled your card: the other players are still playing."))
            _record_exit(seat, DuelSeat.Exit.GAVE_UP, now)
            if not _settle(duel, now):
                announce_duel(duel)
        return duel


def call_off_duel(*, token: str, player: Player | None, now: datetime | None = None) -> Duel:
    """Call off the duel for all players; only a player who has filled no box may do so."""
    now = now or timezone.now()
    with transaction.atomic():
        duel, shown, place = _lock_at_table(token, player, now)
        if not shown.has_moves_left(place):
            return duel
        if shown.rounds.courses[place].turns:
            raise Refused(_("You have filled a box: you can no longer call off this duel."))
        duel.withdrawn_at = now
        duel.save(update_fields=["withdrawn_at"])
        _record_exit(shown.sittings[place].seat, DuelSeat.Exit.OFF, now)
        _abandon(Game.objects.filter(seat__duel=duel), now)
        announce_duel(duel)
        return duel


def remove_late_players(*, token: str, player: Player | None, now: datetime | None = None) -> Duel:
    """Remove the players who are late with a move. The others continue the duel, or have won it."""
    now = now or timezone.now()
    with transaction.atomic():
        duel, shown, place = _lock_at_table(token, player, now)
        if not shown.has_moves_left(place):
            return duel
        overdue = shown.rounds.list_late_seats(now)
        if place in overdue:
            raise Refused(_("The other players are waiting for you: make your move first."))
        if not overdue:
            raise Refused(_("No one has run out of time."))
        for late in overdue:
            _record_exit(shown.sittings[late].seat, DuelSeat.Exit.TIME, now)
        if not _settle(duel, now):
            announce_duel(duel)
        return duel


def _lock_at_table(
    token: str, player: Player | None, now: datetime
) -> tuple[Duel, DuelStanding, int]:
    """Lock the duel and remove late players. Return the duel, its state, and the player's seat."""
    duel = lock_duel(token)
    if duel.state == "running":
        _settle(duel, now)
    shown = load_standing(duel) if duel.started_at else None
    place = shown.find_place(player) if shown else None
    if shown is None or place is None:
        raise NotAtTheTable
    return duel, shown, place


def settle_duel(*, token: str, now: datetime | None = None) -> bool:
    """Remove late players, and end the duel if it is over. Return whether this changed anything."""
    with transaction.atomic():
        duel = lock_duel(token)
        return duel.state == "running" and _settle(duel, now or timezone.now())


def lock_duel(token: str) -> Duel:
    duel = Duel.objects.select_for_update().filter(token=token).first()
    if duel is None:
        raise NoSuchDuel
    return duel


def _settle(duel: Duel, now: datetime) -> bool:
    """Remove late players, end the duel if it is over, and return whether anything changed. The
    caller must lock the duel and its games, because a move may arrive."""
    games = Game.objects.select_for_update(of=("self",)).filter(seat__duel=duel).order_by("pk")
    keys = [game.pk for game in games]
    for empty in duel.seats.filter(player=None, exit=""):  # seats of deleted players
        _record_exit(empty, DuelSeat.Exit.GAVE_UP, now)
    shown, late = load_standing(duel), False
    # Remove late players one by one, because each removal may begin the next turn.
    while (due := shown.rounds.find_next_deadline()) is not None and due[0] <= now:
        moment, place = due
        _record_exit(shown.sittings[place].seat, DuelSeat.Exit.TIME, moment)
        shown, late = load_standing(duel), True
    if shown.rounds.over:
        duel.finished_at = now
        duel.save(update_fields=["finished_at"])
        _abandon(Game.objects.filter(pk__in=keys), now)
    if late or shown.rounds.over:
        announce_duel(duel)
    return late or shown.rounds.over


def _record_exit(seat: DuelSeat, why: DuelSeat.Exit, moment: datetime) -> None:
    seat.exit, seat.left_at = why, moment
    seat.save(update_fields=["exit", "left_at"])
    _abandon(Game.objects.filter(pk=seat.game_id), moment)


def _abandon(games: QuerySet[Game], moment: datetime) -> None:
    """Mark unfinished games as abandoned: they keep their boxes, but statistics exclude them."""
    for game in games.filter(finished_at=None, abandoned_at=None):
        game.abandoned_at = moment
        game.save(update_fields=["abandoned_at"])
        announce(game)


# The columns of a duel that change when it begins or ends.
STATE_COLUMNS = {"started_at", "finished_at", "withdrawn_at"}


def listen() -> None:
    post_save.connect(_note_saved_duel, sender=Duel, dispatch_uid="game.duels.duel_ends")
    player_goes.connect(_leave_all, dispatch_uid="game.duels.duel_ends.goes")
    guest_joins.connect(_move_seats, dispatch_uid="game.duels.duel_ends.joins")


def _note_saved_duel(
    *, instance: Duel, created: bool, update_fields: Collection[str] | None, **_: Any
) -> None:
    if not created and (update_fields is None or STATE_COLUMNS & set(update_fields)):
        _note_sitting(Player.objects.filter(seats__duel=instance, bot=""))


def _note_sitting(players: QuerySet[Player]) -> None:
    sits = query_seats_with_people().filter(player=OuterRef("pk"))
    players.update(in_duels=Exists(sits))


def _leave_all(*, player: Player, **_: Any) -> None:
    """Leave every duel, so that no opponent waits for a player who is deleted."""
    for token in _open_duels_of(player):
        _leave(token, player)


def _move_seats(*, guest: Player, account: Player, **_: Any) -> None:
    """Give the guest's duels to the account. If both play in one duel, the guest leaves it."""
    for token in _open_duels_of(guest) & _open_duels_of(account):
        _leave(token, guest)
    taken = DuelSeat.objects.filter(player=account, duel=OuterRef("duel"))
    DuelSeat.objects.filter(~Exists(taken), player=guest).update(player=account)
    _note_sitting(Player.objects.filter(pk=account.pk))


def _open_duels_of(player: Player) -> set[str]:
    duels = Duel.objects.filter(
        seats__player=player, seats__left_at=None, finished_at=None, withdrawn_at=None
    )
    return set(duels.values_list("token", flat=True))


def _leave(token: str, player: Player) -> None:
    try:
        leave_duel(token=token, player=player)
    except Refused:  # the game is finished, so there is nothing to give up
        return
