"""Duels: a challenge, its seats, and the end. The moves are those of ordinary games.

Whoever changes a duel locks it first and its games then; a move locks its own game alone.
"""

import secrets
from collections.abc import Sequence
from datetime import datetime

from django.core.exceptions import PermissionDenied
from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.http import Http404
from django.utils import timezone
from django.utils.translation import gettext as _

from game.fair import blocks
from game.models import Duel, DuelSeat, Game, Player
from game.models.duel import FEWEST_SEATS, MOST_SEATS
from game.selectors.duels.tables import DuelStanding, standing
from game.selectors.studies import studies
from game.services.events import announce, announce_duel
from game.services.refusals import InTrial, NoSuchRules, NotUnderstood, Refused
from solver.players import PLAYERS
from solver.rules import RULESETS

MOST_CHALLENGES = 5  # of one player, waiting at a time
MINUTES = (0, 3, 5, 10, 20)


class NoSuchDuel(Http404):
    def __init__(self) -> None:
        super().__init__(_("There is no such duel."))


class NotAtTheTable(PermissionDenied):
    def __init__(self) -> None:
        super().__init__(_("You have no seat in this duel: you can only watch it."))


def duel_create(
    *,
    player: Player | None,
    ruleset: str,
    people: int,
    bots: Sequence[str] = (),
    listed: bool = False,
    minutes: int = 0,
) -> tuple[Duel, Player]:
    """A challenge, with its first seat taken; it begins at once where nobody is waited for."""
    _check_setting(ruleset, people, bots, minutes)
    with transaction.atomic():
        owner = _person(player)
        _check_challenges(owner)
        duel = _laid_out(Duel(ruleset=ruleset, listed=listed and people > 1, minutes=minutes))
        _seat(duel, [owner, *[None] * (people - 1), *map(_bot, bots)])
        _begin_if_full(duel)
        return duel, owner


def duel_join(*, token: str, player: Player | None) -> tuple[Duel, Player]:
    """Take a free seat; whoever sits there already is answered with the duel as it stands."""
    try:
        with transaction.atomic():
            duel = duel_lock(token)
            owner = _person(player)
            if not duel.seats.filter(player=owner).exists():
                _take_seat(duel, owner)
            return duel, owner
    except IntegrityError as error:
        raise Refused(_("Somebody else was quicker: every seat is taken.")) from error


def duel_leave(*, token: str, player: Player | None) -> Duel:
    """Give up, or withdraw from a challenge that has not begun."""
    with transaction.atomic():
        duel = duel_lock(token)
        seat = None if player is None else duel.seats.filter(player=player).first()
        if seat is None:
            raise NotAtTheTable
        if duel.state == "open":
            _withdraw(duel, seat)
        elif duel.state == "running":
            _give_up(duel, seat)
        return duel


def duel_rematch(*, token: str, player: Player | None) -> Duel:
    """The same people and programs on new dice; who asks first makes it, the others join it."""
    with transaction.atomic():
        before = duel_lock(token)
        if player is None or not before.seats.filter(player=player).exists():
            raise NotAtTheTable
        if before.state != "finished":
            raise Refused(_("This duel is still being played."))
        _check_may_play(player)
        again = Duel.objects.filter(rematch_of=before).first()
        if again is None:
            again = _rematch(before, player)
            announce_duel(before)
        elif not again.seats.filter(player=player).exists():
            _take_seat(duel_lock(again.token), player)
        return again


def duel_settle(*, token: str, now: datetime | None = None) -> bool:
    """What time alone has changed: whose clock ran out, and whether the duel is over."""
    with transaction.atomic():
        duel = duel_lock(token)
        return duel.state == "running" and _settle(duel, now or timezone.now())


def duels_quit(*, player: Player) -> None:
    """Before a player is deleted: nobody shall wait for them."""
    for token in open_duels_of(player):
        duel_leave_quietly(token, player)


def open_duels_of(player: Player) -> list[str]:
    found = Duel.objects.filter(
        seats__player=player, seats__left_at=None, finished_at=None, withdrawn_at=None
    )
    return list(found.values_list("token", flat=True))


def duel_leave_quietly(token: str, player: Player) -> None:
    """Also where everything is played and nothing can be given up any more."""
    try:
        duel_leave(token=token, player=player)
    except Refused:
        return


def duel_check_turn(game: Game) -> None:
    """Whether a move of this game may be made now; the rules of the box come after."""
    seat = DuelSeat.objects.select_related("duel").get(game=game)
    shown = standing(seat.duel)
    place, now = shown.place_of_game(game.pk), timezone.now()
    deadline = shown.rounds.deadline(place)
    if deadline is not None and deadline <= now:
        raise Refused(_("Your time had run out before this move."))
    if not shown.rounds.may_play(place):
        raise Refused(_("You have played this turn: wait until all others have."))


def duel_settle_later(game: Game) -> None:
    """After a move that may have been the last: in a transaction of its own, which locks it all."""
    token = Duel.objects.values_list("token", flat=True).get(seats__game=game)

    def settle() -> None:
        duel_settle(token=token)

    transaction.on_commit(settle, robust=True)


def duel_lock(token: str) -> Duel:
    duel = Duel.objects.select_for_update().filter(token=token).first()
    if duel is None:
        raise NoSuchDuel
    return duel


def _check_setting(ruleset: str, people: int, bots: Sequence[str], minutes: int) -> None:
    if ruleset not in RULESETS:
        raise NoSuchRules
    plays = [bot in PLAYERS and PLAYERS[bot].plays(RULESETS[ruleset]) for bot in bots]
    if people < 1 or minutes not in MINUTES or not all(plays) or len(set(bots)) != len(bots):
        raise NotUnderstood
    if not FEWEST_SEATS <= people + len(bots) <= MOST_SEATS:
        facts = {"fewest": FEWEST_SEATS, "most": MOST_SEATS}
        raise Refused(_("A duel has %(fewest)s to %(most)s seats, yours among them.") % facts)


def _person(player: Player | None) -> Player:
    """A visitor without a player becomes one."""
    if player is None:
        return Player.objects.create()
    _check_may_play(player)
    return player


def _check_may_play(player: Player) -> None:
    if studies().include(player):
        raise InTrial


def _check_challenges(owner: Player) -> None:
    waiting = Duel.objects.filter(
        seats__player=owner, seats__number=1, started_at=None, withdrawn_at=None
    )
    if waiting.count() >= MOST_CHALLENGES:
        text = _("%(count)s challenges of yours are waiting: withdraw one of them first.")
        raise Refused(text % {"count": MOST_CHALLENGES})


def _laid_out(duel: Duel) -> Duel:
    """The dice are sealed before anybody knows who will play them."""
    duel.seed = secrets.token_hex(32)
    duel.commitment = blocks.commitment(duel.seed)
    duel.created_at = timezone.now()
    duel.save(force_insert=True)
    return duel


def _seat(duel: Duel, players: Sequence[Player | None]) -> None:
    DuelSeat.objects.bulk_create(
        DuelSeat(duel=duel, number=number, player=player)
        for number, player in enumerate(players, start=1)
    )


def _bot(name: str) -> Player:
    return Player.objects.get_or_create(bot=name)[0]


def _take_seat(duel: Duel, owner: Player) -> None:
    _check_invited(duel, owner)
    free = duel.seats.filter(player=None).order_by("number").first()
    if duel.state != "open" or free is None:
        raise Refused(_("Somebody else was quicker: every seat is taken."))
    free.player = owner
    free.save(update_fields=["player"])
    _begin_if_full(duel)
    announce_duel(duel)


def _check_invited(duel: Duel, owner: Player) -> None:
    """A rematch is for those who played before."""
    before = duel.rematch_of
    if before is not None and not before.seats.filter(player=owner).exists():
        raise NotAtTheTable


def _begin_if_full(duel: Duel) -> None:
    if duel.seats.filter(player=None).exists():
        return
    duel.started_at = timezone.now()
    duel.save(update_fields=["started_at"])
    for seat in duel.seats.select_related("player"):
        seat.game = _card(duel, seat)
        seat.save(update_fields=["game"])


def _card(duel: Duel, seat: DuelSeat) -> Game:
    """Without a coach, and without a throw: each makes their first one themselves."""
    assert seat.player is not None  # noqa: S101
    assert duel.started_at is not None  # noqa: S101
    return Game.objects.create(
        player=seat.player,
        mode=Game.Mode.DUEL,
        ruleset=duel.ruleset,
        seed=duel.seed,
        commitment=duel.commitment,
        started_at=duel.started_at,
    )


def _rematch(before: Duel, player: Player) -> Duel:
    """The one who asks goes first; programs sit down again, other people are waited for."""
    players = [seat.player for seat in before.seats.select_related("player") if seat.player]
    if len(players) < FEWEST_SEATS:
        raise Refused(_("Nobody is left to play with."))
    programs = [one for one in players if one.bot]
    others = len(players) - len(programs) - 1
    again = Duel(rematch_of=before, ruleset=before.ruleset, minutes=before.minutes)
    _seat(_laid_out(again), [player, *[None] * others, *programs])
    _begin_if_full(again)
    return again


def _withdraw(duel: Duel, seat: DuelSeat) -> None:
    """Without whoever made it there is no challenge; anybody else leaves a seat free."""
    if seat.number == 1:
        duel.withdrawn_at = timezone.now()
        duel.save(update_fields=["withdrawn_at"])
    else:
        seat.player = None
        seat.save(update_fields=["player"])
    announce_duel(duel)


def _give_up(duel: Duel, seat: DuelSeat) -> None:
    now = timezone.now()
    _settle(duel, now)
    seat.refresh_from_db()
    game = Game.objects.get(pk=seat.game_id)
    if duel.state != "running" or seat.left_at is not None:
        return
    if game.over:
        raise Refused(_("You have filled your card: the others finish theirs now."))
    _exit(seat, DuelSeat.Exit.GAVE_UP, now)
    if not _settle(duel, now):
        announce_duel(duel)


def _settle(duel: Duel, now: datetime) -> bool:
    """The duel is locked; its games are waited for, since a move of one may be on its way."""
    games = Game.objects.select_for_update(of=("self",)).filter(seat__duel=duel).order_by("pk")
    keys = [game.pk for game in games]
    for empty in duel.seats.filter(player=None, exit=""):  # whoever sat there was deleted
        _exit(empty, DuelSeat.Exit.GAVE_UP, now)
    shown, late = _without_the_late(duel, now)
    if shown.rounds.over:
        _finish(duel, keys, now)
    if late or shown.rounds.over:
        announce_duel(duel)
    return late or shown.rounds.over


def _without_the_late(duel: Duel, now: datetime) -> tuple[DuelStanding, bool]:
    """One after the other: when nobody waits for the one, the next turn may open for another."""
    late = False
    while True:
        shown = standing(duel)
        due = shown.rounds.next_deadline()
        if due is None or due[0] > now:
            return shown, late
        moment, place = due
        _exit(shown.sittings[place].seat, DuelSeat.Exit.TIME, moment)
        late = True


def _exit(seat: DuelSeat, why: DuelSeat.Exit, moment: datetime) -> None:
    seat.exit, seat.left_at = why, moment
    seat.save(update_fields=["exit", "left_at"])
    _abandon(Game.objects.filter(pk=seat.game_id), moment)


def _finish(duel: Duel, games: Sequence[str], now: datetime) -> None:
    duel.finished_at = now
    duel.save(update_fields=["finished_at"])
    _abandon(Game.objects.filter(pk__in=games), now)


def _abandon(games: QuerySet[Game], moment: datetime) -> None:
    """Cards that are not full stay as they are, and count nowhere."""
    for game in games.filter(finished_at=None, abandoned_at=None):
        game.abandoned_at = moment
        game.save(update_fields=["abandoned_at"])
        announce(game)
