"""Players: guests and accounts, their settings, nicknames and recovery codes, and their deletion.

A recovery code replaces a forgotten password without e-mail. The site shows it only once, and
stores only its hash. Staff can remove a nickname and block it.
"""

import re
import secrets
import unicodedata
from datetime import date, timedelta
from typing import Any

from django.contrib.auth.hashers import check_password, make_password
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from game.core.events import guest_joins, player_goes
from game.core.kind import list_modes
from game.core.prepared import Prepared
from game.core.refusals import Refused
from game.core.studies import get_studies
from game.models import (
    Decision,
    DrillAttempt,
    DrillCard,
    DuelSeat,
    FiveAnswer,
    Game,
    Party,
    Player,
    PositionList,
    Reminder,
)
from game.models.drill import POSITION
from game.models.player import NICKNAME

AT_ONCE = 50  # games per statement, because databases limit the values in one statement


def create_player(*, coach: str = "", ruleset: str = "") -> Player:
    player = Player()
    player.coach = coach or player.coach
    player.ruleset = ruleset or player.ruleset
    player.save(force_insert=True)
    return player


def get_or_create_player(*, user: User) -> Player:
    return OWNER.first(user.pk) or Player.objects.get_or_create(user=user)[0]


def merge_guest(*, guest: Player | None, user: User) -> Player:
    """Move everything that a guest has played to an account, and delete the guest."""
    with transaction.atomic():
        players = Player.objects.select_for_update()
        account = players.filter(user=user).first()
        guest = players.filter(pk=guest.pk, user=None).first() if guest else None
        if guest is None:
            return account or Player.objects.create(user=user)
        if account is None:
            guest.user = user
            guest.save(update_fields=["user"])
            return guest
        move_to_account(guest, account)
        return account


def move_to_account(guest: Player, account: Player) -> None:
    """Move everything of a guest to another player, and delete the guest."""
    guest_joins.send(sender=None, guest=guest, account=account)
    # if both played the same dice, the guest's is a rematch
    daily = Game.objects.filter(mode=Game.Mode.DAILY)
    same = daily.filter(player=account, day=OuterRef("day"), ruleset=OuterRef("ruleset"))
    twice = daily.filter(Exists(same), player=guest)
    played = [(game.day, game.ruleset) for game in twice if game.day]
    for day, ruleset in [*played, *guest.days_seen]:
        mark_day_seen(player=account, day=day, ruleset=ruleset)
    twice.update(mode=Game.Mode.REMATCH)
    Game.objects.filter(player=guest).update(player=account)
    # The account keeps its own drill cards and answers.
    cards = DrillCard.objects.filter(player=account, **{name: OuterRef(name) for name in POSITION})
    DrillCard.objects.filter(~Exists(cards), player=guest).update(player=account)
    place = {name: OuterRef(name) for name in ("ruleset", "day", "place")}
    answers = FiveAnswer.objects.filter(player=account, **place)
    FiveAnswer.objects.filter(~Exists(answers), player=guest).update(player=account)
    PositionList.objects.filter(player=guest).update(player=account)
    Party.objects.filter(host=guest).update(host=account)
    Reminder.objects.filter(player=guest).update(player=account)
    guest.delete()
    if guest.nickname and not account.nickname and not account.nickname_barred:
        account.nickname, account.nickname_key = guest.nickname, guest.nickname_key
        account.save(update_fields=["nickname", "nickname_key"])


def store_settings(*, player: Player | None, **settings: Any) -> Player:
    """Store these settings for the player; create a guest if there is no player yet."""
    player = player or create_player()
    for name, value in settings.items():
        setattr(player, name, value)
    player.save(update_fields=settings)
    return player


def delete_player(*, player: Player) -> None:
    """Delete the player, the account and every game."""
    with transaction.atomic():
        user = player.user
        player_goes.send(sender=None, player=player)
        delete_games(games=player.games.all())
        player.delete()
        if user is not None:
            user.delete()


def delete_games(*, games: QuerySet[Game]) -> None:
    """Delete games and their decisions in portions, so that no statement grows too large. Lock the
    games first: if a move were stored now, the database would refuse the deletion."""
    keys = list(games.select_for_update(of=("self",)).values_list("pk", flat=True))
    for at in range(0, len(keys), AT_ONCE):
        Game.objects.filter(pk__in=keys[at : at + AT_ONCE]).delete()


def mark_day_seen(*, player: Player, day: date, ruleset: str) -> None:
    """Record that the player saw the day's dice. An unfinished daily game becomes unranked."""
    with transaction.atomic():
        locked = Player.objects.select_for_update().filter(pk=player.pk).first()
        if locked is None:
            return
        locked.see(day, ruleset)
        locked.save(update_fields=["dice_seen"])
        games = Game.objects.filter(mode=Game.Mode.DAILY, player=player, day=day, ruleset=ruleset)
        games.filter(finished_at__isnull=True).update(unranked=True)


GUEST = Prepared(lambda code: Player.objects.filter(code=code, user=None), values=1)
OWNER = Prepared(lambda user: Player.objects.filter(user=user), values=1, related=lambda: ["user"])


guest_of_code = GUEST.first


def find_player_key(player: Player | None) -> int:
    """Return the player's primary key, or 0 if there is no player. No row has the key 0, so a query
    finds nothing; with NULL, the database would read the rows of all players."""
    return player.pk if player else 0


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


def query_idle_guests(*, days: int, with_games: bool = False) -> QuerySet[Player]:
    """Return the guests who have done nothing for ``days`` days. Include guests with finished games
    only if ``with_games`` is true. Never include accounts, players of duels, or anyone who was ever
    in a trial."""
    since = timezone.now() - timedelta(days=days)
    of_player = Q(player=OuterRef("pk"))
    idle = Player.objects.filter(user=None, bot="", created_at__lt=since).exclude(
        Q(pk__in=get_studies().query_players())
        | Exists(Game.objects.filter(of_player, mode__in=list_modes(lambda kind: kind.measured)))
        | Exists(DuelSeat.objects.filter(of_player))
        | Exists(
            Game.objects.filter(of_player, Q(started_at__gte=since) | Q(finished_at__gte=since))
        )
        | Exists(Decision.objects.filter(game__player=OuterRef("pk"), created_at__gte=since))
        | Exists(DrillAttempt.objects.filter(card__player=OuterRef("pk"), created_at__gte=since))
        | Exists(FiveAnswer.objects.filter(of_player, created_at__gte=since))
        | Exists(PositionList.objects.filter(of_player, used_at__gte=since))
    )
    if with_games:
        return idle
    return idle.exclude(Exists(Game.objects.filter(of_player, finished_at__isnull=False)))


def delete_idle_guests(*, days: int, with_games: bool = False) -> int:
    """Check each guest again, and delete the guest in a separate transaction. Return how many
    guests were deleted."""
    idle = query_idle_guests(days=days, with_games=with_games)
    deleted = 0
    for key in list(idle.values_list("pk", flat=True)):
        with transaction.atomic():
            locked = Player.objects.select_for_update(of=("self",)).filter(pk=key).first()
            player = idle.filter(pk=key).first() if locked else None
            if player is not None:  # the guest has not come back in the meantime
                delete_player(player=player)
                deleted += 1
    return deleted
