"""A table of people with one device: it begins with all its cards, or nothing happens."""

from collections.abc import Sequence
from typing import NamedTuple

from django.db import transaction
from django.http import Http404
from django.utils import timezone
from django.utils.translation import gettext as _

from game.core.accounts import player_create
from game.core.blinding import closed_by
from game.core.refusals import InTrial, Refused
from game.core.starting import deal
from game.core.studies import studies
from game.models import Game, Party, PartySeat, Player
from game.models.party import MOST_AT_A_TABLE
from solver.rules import Ruleset


class TableGuest(NamedTuple):
    """Who sits down, and which coach is to speak to them."""

    name: str
    coach: str = Game.Coach.OFF.value


class NoSuchParty(Http404):
    def __init__(self) -> None:
        super().__init__(_("There is no such table."))


def party_begin(*, player: Player | None, rules: Ruleset, guests: Sequence[TableGuest]) -> Party:
    """In the order of play. All cards belong to ``player``, who is made here where nobody is."""
    if player is not None and studies().include(player):
        raise InTrial
    if not 1 <= len(guests) <= MOST_AT_A_TABLE:
        raise Refused(_("One to %(most)s people sit at a table.") % {"most": MOST_AT_A_TABLE})
    with transaction.atomic():
        host = player or player_create(ruleset=rules.id)
        party = Party.objects.create(host=host, created_at=timezone.now())
        for place, guest in enumerate(guests):
            game = deal(host, _card(rules, guest)).game
            PartySeat.objects.create(party=party, place=place, name=guest.name, game=game)
        return party


def _card(rules: Ruleset, guest: TableGuest) -> Game:
    coach = Game.Coach.OFF if closed_by() is not None else guest.coach
    return Game(mode=Game.Mode.PARTY, ruleset=rules.id, real_dice=True, coach=coach)
