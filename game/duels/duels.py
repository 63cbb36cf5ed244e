"""Duels: challenges and their seats. The moves of a duel are moves of ordinary games."""

import secrets
from collections.abc import Sequence

from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from game.core.access import check_may_play
from game.core.events import announce_duel
from game.core.fair import blocks
from game.core.refusals import NoSuchRules, NotUnderstood, Refused
from game.duels.duel_ends import NotAtTheTable, lock_duel
from game.duels.opponents import find_bot
from game.models import Duel, DuelSeat, Game, Player
from game.models.duel import FEWEST_SEATS, MOST_SEATS
from solver.players import UnknownPlayer
from solver.rules import PLAYED

MOST_CHALLENGES = 5  # open challenges per player
MINUTES = (0, 3, 5, 10, 20)
DAYS = (1, 3, 7)
USUAL_DAYS = 3


def create_duel(
    *,
    player: Player | None,
    ruleset: str,
    people: int,
    bots: Sequence[str] = (),
    listed: bool = False,
    minutes: int = 0,
    days: int = USUAL_DAYS,
    lockstep: bool = True,
    added: str = "",
) -> tuple[Duel, Player]:
    """Create a challenge in which its owner plays. Begin it at once if the others are bots."""
    if ruleset not in PLAYED:
        raise NoSuchRules
    try:
        plays = all(find_bot(bot).plays(PLAYED[ruleset]) for bot in bots)
    except UnknownPlayer:
        plays = False
    if people < 1 or not plays or len(set(bots)) != len(bots):
        raise NotUnderstood
    if not FEWEST_SEATS <= people + len(bots) <= MOST_SEATS:
        facts = {"fewest": FEWEST_SEATS, "most": MOST_SEATS}
        raise Refused(_("A duel has %(fewest)s to %(most)s seats, including yours.") % facts)
    if minutes not in MINUTES or days not in DAYS:
        raise NotUnderstood
    if listed and not lockstep:
        raise Refused(
            _("Only friends can play at their own pace, because anyone can join a listed duel.")
        )
    with transaction.atomic():
        owner = _find_or_create_player(player)
        waiting = Duel.objects.filter(
            seats__player=owner, seats__number=1, started_at=None, withdrawn_at=None
        )
        if waiting.count() >= MOST_CHALLENGES:
            text = _("%(count)s of your challenges are still open: withdraw one of them first.")
            raise Refused(text % {"count": MOST_CHALLENGES})
        pace = {"minutes": minutes, "days": days, "lockstep": lockstep}
        duel = _seal_dice(Duel(ruleset=ruleset, listed=listed and people > 1, **pace))
        programs = [Player.objects.get_or_create(bot=name)[0] for name in bots]
        _create_seats(duel, added, [owner, *[None] * (people - 1), *programs])
        _begin_if_full(duel)
        return duel, owner


def enter_duel(*, token: str, player: Player | None, added: str = "") -> tuple[Duel, Player]:
    """Give the player a free seat, unless the player already has one. Return duel and player."""
    try:
        with transaction.atomic():
            duel = lock_duel(token)
            owner = _find_or_create_player(player)
            if not duel.seats.filter(player=owner).exists():
                _take_seat(duel, owner, added)
            return duel, owner
    except IntegrityError as error:
        raise Refused(_("Someone else was quicker: every seat is taken.")) from error


def find_or_create_rematch(*, token: str, player: Player | None, added: str = "") -> Duel:
    """Return the rematch: a duel of the same players on new dice. The first request creates it."""
    with transaction.atomic():
        before = lock_duel(token)
        if player is None or not before.seats.filter(player=player).exists():
            raise NotAtTheTable
        if before.state != "finished":
            raise Refused(_("This duel is still being played."))
        check_may_play(player)
        again = Duel.objects.filter(rematch_of=before).first()
        if again is None:
            players = [seat.player for seat in before.seats.select_related("player") if seat.player]
            if len(players) < FEWEST_SEATS:
                raise Refused(_("There is no one left to play with."))
            programs = [person for person in players if person.bot]
            others = len(players) - len(programs) - 1
            pace = {"minutes": before.minutes, "days": before.days, "lockstep": before.lockstep}
            again = Duel(rematch_of=before, ruleset=before.ruleset, **pace)
            _create_seats(_seal_dice(again), added, [player, *[None] * others, *programs])
            _begin_if_full(again)
            announce_duel(before)
        elif not again.seats.filter(player=player).exists():
            _take_seat(lock_duel(again.token), player, added)
        return again


def send_greeting(*, token: str, player: Player | None, greeting: str) -> None:
    """Show one of the fixed greetings next to the player's name, instead of an earlier one."""
    check_may_play(player)
    if greeting not in DuelSeat.Greeting.values:
        raise NotUnderstood
    with transaction.atomic():
        duel = lock_duel(token)
        seats = duel.seats.filter(player=player, exit="")
        if player is None or duel.state not in {"running", "finished"} or not seats.exists():
            raise NotAtTheTable
        seats.update(greeting=greeting)
        announce_duel(duel)


def _find_or_create_player(player: Player | None) -> Player:
    """Return the player, or a new one for a visitor. Raise an error if the player may not play."""
    if player is None:
        return Player.objects.create()
    check_may_play(player)
    return player


def _seal_dice(duel: Duel) -> Duel:
    """Save the duel with the hash that seals its dice, before players add texts to the seed."""
    duel.key = secrets.token_hex(32)
    duel.commitment = blocks.hash_seed(duel.key)
    duel.created_at = timezone.now()
    duel.save(force_insert=True)
    return duel


def _create_seats(duel: Duel, added: str, players: Sequence[Player | None]) -> None:
    """Create the seats of a duel. ``added`` is the text that its creator adds to the seed."""
    first, *others = (
        DuelSeat(duel=duel, number=number, player=player)
        for number, player in enumerate(players, start=1)
    )
    first.added = added
    DuelSeat.objects.bulk_create([first, *others])


def _take_seat(duel: Duel, owner: Player, added: str) -> None:
    before = duel.rematch_of
    if before is not None and not before.seats.filter(player=owner).exists():
        raise NotAtTheTable  # only players of the first duel may join its rematch
    free = duel.seats.filter(player=None).order_by("number").first()
    if duel.state != "open" or free is None:
        raise Refused(_("Someone else was quicker: every seat is taken."))
    free.player, free.added = owner, added
    free.save(update_fields=["player", "added"])
    _begin_if_full(duel)
    announce_duel(duel)


def _begin_if_full(duel: Duel) -> None:
    if duel.seats.filter(player=None).exists():
        return
    seats = list(duel.seats.select_related("player"))
    added = "+".join(seat.added for seat in seats if seat.added)
    duel.started_at = timezone.now()
    if duel.key:  # duels from an earlier version have a seed, but no key
        duel.seed = blocks.derive_seed(duel.key, added)
    duel.save(update_fields=["started_at", "seed"])
    for seat in seats:
        assert seat.player is not None  # noqa: S101
        assert duel.started_at is not None  # noqa: S101
        seat.game = Game.objects.create(
            player=seat.player,
            mode=Game.Mode.DUEL,
            ruleset=duel.ruleset,
            seed=duel.seed,
            key=duel.key,
            added=added,
            commitment=duel.commitment,
            started_at=duel.started_at,
        )
        seat.save(update_fields=["game"])
