"""Programs of people: their tokens, and the games on the ladder that they ask for."""

import secrets
from contextlib import suppress
from datetime import timedelta

from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from game.models import Duel, LadderProgram, Player
from game.selectors.ladder import digest_of, duel_under_way, duels_waiting
from game.selectors.studies import studies
from game.services.duel_ends import duels_quit
from game.services.duels import duel_create, duel_join
from game.services.nicknames import check_free, key_of, nickname_checked
from game.services.refusals import InTrial, Refused

MOST_PROGRAMS = 5  # of an account, at a time
CLOCK = 10  # minutes of each for a game
AGAIN = timedelta(minutes=1)  # whoever waits is noted as there once in so long


def program_make(*, owner: Player, name: str, asks: bool) -> tuple[LadderProgram, str]:
    """With its token, which nobody can show again."""
    name = nickname_checked(name)
    if not name:
        raise Refused(_("A program has a name."))
    check_free(None, name)
    if studies().include(owner):
        raise InTrial
    token = secrets.token_urlsafe(32)
    try:
        with transaction.atomic():
            Player.objects.select_for_update().get(pk=owner.pk)
            if owner.programs.exclude(token="").count() >= MOST_PROGRAMS:
                raise Refused(_("%(count)s programs are the most.") % {"count": MOST_PROGRAMS})
            player = Player.objects.create(nickname=name, nickname_key=key_of(name), program=True)
            made = LadderProgram(owner=owner, player=player, token=digest_of(token), asks=asks)
            made.save(force_insert=True)
            return made, token
    except IntegrityError as error:
        raise Refused(_("Somebody else has this name.")) from error


def program_revoke(*, owner: Player, number: int) -> None:
    """Its token is worth nothing any more, and nobody waits for it; what it played stays."""
    with transaction.atomic():
        for program in owner.programs.select_for_update(of=("self",)).filter(pk=number):
            program.token = ""
            program.save(update_fields=["token"])
            duels_quit(player=program.player)


def ladder_ask(*, program: LadderProgram, ruleset: str, added: str = "") -> Duel:
    """The game that it is in; else one with whoever waits; else one that waits for others."""
    with transaction.atomic():
        LadderProgram.objects.select_for_update(of=("self",)).get(pk=program.pk)  # one at a time
        under_way = duel_under_way(program)
        if under_way is not None:
            return _still_there(under_way)
        for token in duels_waiting(ruleset, besides=program.owner).values_list("token", flat=True):
            with suppress(Refused):
                return duel_join(token=token, player=program.player, added=added)[0]
        return duel_create(
            player=program.player,
            ruleset=ruleset,
            people=2,
            minutes=CLOCK,
            added=added,
            ladder=True,
        )[0]


def _still_there(duel: Duel) -> Duel:
    now = timezone.now()
    if duel.state == "open" and duel.created_at < now - AGAIN:
        duel.created_at = now
        duel.save(update_fields=["created_at"])
    return duel
