"""Recovers an account without e-mail, by a recovery code that the player types. The site shows the
code only once, and stores only its hash."""

import secrets

from django.contrib.auth.hashers import check_password, make_password
from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext as _

from game.core.refusals import Refused
from game.models import Player

LETTERS = "ABCDEFGHJKMNPQRSTVWXYZ23456789"  # letters and digits that are hard to confuse
GROUPS, GROUP = 5, 5  # 25 characters out of 30 possible ones: 122 bits
# The hash of a random text. Comparing a code with this hash makes an unknown name take as long as a
# wrong code.
NO_CODE = (
    "argon2$argon2id$v=19$m=19456,t=2,p=1$d0Y5UHJscEVqd3lPZ1JZNFdmNE5kcA"
    "$8z/FeOeSoT1EOoQ1mLRel4kQEAjzW7hIGH5TciADCPY"
)


class NotRecovered(Refused):
    """The error for a wrong name or recovery code; it does not reveal which of them is wrong."""

    status = 400

    def __init__(self) -> None:
        super().__init__(_("No account has that name and that recovery code."))


def make_recovery_code(*, player: Player) -> str:
    """Return a new code, which cannot be shown again. The former code becomes invalid."""
    groups = ("".join(secrets.choice(LETTERS) for _n in range(GROUP)) for _g in range(GROUPS))
    code = "-".join(groups)
    player.recovery = make_password(normalise_code(code))
    player.save(update_fields=["recovery"])
    return code


def recover_account(*, name: str, code: str, password: str) -> User:
    """Set a new password, make the code invalid, and sign the user out in all other browsers."""
    with transaction.atomic():
        players = Player.objects.select_for_update(of=("self",)).select_related("user")
        player = players.filter(user__username=name, user__is_active=True).first()
        kept = (player.recovery if player else "") or NO_CODE
        fits = check_password(normalise_code(code), kept)
        if player is None or player.user is None or not fits:
            raise NotRecovered
        player.recovery = ""
        player.save(update_fields=["recovery"])
        player.user.set_password(password)
        player.user.save(update_fields=["password"])
        return player.user


def normalise_code(code: str) -> str:
    return "".join(filter(str.isalnum, code.upper()))
