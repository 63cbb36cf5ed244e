"""Nicknames of players. Staff can remove a nickname and block it."""

import re
import unicodedata

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from game.core.accounts import create_player
from game.core.refusals import Refused
from game.models import Player
from game.models.player import NICKNAME

SHORTEST = 2
ALLOWED = re.compile(r"[\w .'\-]+")
# Names that players cannot choose, because they look like the site's staff or like a player without
# a name.
RESERVED = re.compile(
    r"(admin|administrator|staff|moderator|system|support|yatzy|"
    r"guest.*|gäst.*|gjest.*|gæst.*|vieras.*)"
)


def store_nickname(*, player: Player | None, nickname: str) -> Player:
    """Set the player's nickname; an empty one removes it. A visitor becomes a player."""
    name = clean_nickname(nickname)
    if player is not None and player.nickname_barred:
        raise Refused(_("The staff of this site took your nickname away."))
    others = User.objects.filter(username__iexact=name)
    if player is not None and player.user_id is not None:
        others = others.exclude(pk=player.user_id)
    if name and others.exists():  # the database checks that the nickname is unique
        raise Refused(_("Someone else has this name."))
    try:
        with transaction.atomic():
            player = player or create_player()
            player.nickname, player.nickname_key = name, make_name_key(name)
            player.save(update_fields=["nickname", "nickname_key"])
    except IntegrityError as error:
        raise Refused(_("Someone else has this name.")) from error
    return player


def remove_nickname(*, player: Player) -> None:
    player.nickname, player.nickname_key, player.nickname_barred = "", "", True
    player.save(update_fields=["nickname", "nickname_key", "nickname_barred"])


def unbar_nickname(*, player: Player) -> None:
    player.nickname_barred = False
    player.save(update_fields=["nickname_barred"])


def clean_nickname(text: str) -> str:
    """Return the nickname without invisible characters. Raise Refused for a forbidden name."""
    name = " ".join(unicodedata.normalize("NFKC", text).split())
    if not name:
        return ""
    if not SHORTEST <= len(name) <= NICKNAME:
        facts = {"least": SHORTEST, "most": NICKNAME}
        raise Refused(_("A nickname has %(least)s to %(most)s characters.") % facts)
    if not ALLOWED.fullmatch(name) or not any(map(str.isalpha, name)):
        raise Refused(_("A nickname can contain letters, digits, spaces and . ' - _"))
    if RESERVED.fullmatch(make_name_key(name)):
        raise Refused(_("This name is reserved."))
    return name


def make_name_key(name: str) -> str:
    """Return a key that is equal for names that a reader could confuse."""
    return "".join(filter(str.isalnum, name.casefold()))
