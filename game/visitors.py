"""Who sends a request: the owner of an account, a guest named by a signed cookie, or nobody yet."""

from functools import cached_property

from django.contrib import messages
from django.contrib.auth.models import AnonymousUser, User
from django.core import signing
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django_htmx.middleware import HtmxDetails

from game.models import Player
from game.services import player_of_user

COOKIE = "player"
SALT = "game.player"
MAX_AGE = 365 * 24 * 60 * 60


def player_of_cookie(value: str) -> Player | None:
    """The guest that a cookie names. An account needs its password, not a cookie."""
    try:
        code = signing.TimestampSigner(salt=SALT).unsign(value, max_age=MAX_AGE)
    except signing.SignatureExpired:
        return None
    return Player.objects.filter(code=code, user=None).first()


def cookie_of_player(player: Player) -> str:
    return signing.TimestampSigner(salt=SALT).sign(player.code)


def player_of(user: User | AnonymousUser, cookie: str) -> Player | None:
    """The player of a request or a socket; raises BadSignature where the cookie is forged."""
    if isinstance(user, User):
        return player_of_user(user=user)
    return player_of_cookie(cookie) if cookie else None


class Visitor:
    """Lazy: a page that does not ask who is there reads no database."""

    def __init__(self, request: HttpRequest) -> None:
        self.request = request
        self.cookie = request.COOKIES.get(COOKIE, "")
        self._send: str | None = None  # the cookie to set; "" deletes it

    @cached_property
    def player(self) -> Player | None:
        if self.request.user.is_authenticated:
            return player_of(self.request.user, "")
        return self.guest

    @cached_property
    def guest(self) -> Player | None:
        """The guest of the cookie, also for somebody who has just signed in."""
        try:
            guest = player_of_cookie(self.cookie) if self.cookie else None
        except signing.BadSignature:
            guest = None
            self._warn()
        if self.cookie and guest is None:
            self._send = ""
        return guest

    def become(self, player: Player) -> None:
        self.player = player
        self._send = "" if player.user_id else cookie_of_player(player)

    def leave(self) -> None:
        self.player = None
        self._send = ""

    def settle(self, response: HttpResponse) -> None:
        """Write into the response what the cookie has become."""
        if self._send:
            response.set_cookie(
                COOKIE,
                self._send,
                max_age=MAX_AGE,
                secure=self.request.is_secure(),
                httponly=True,
                samesite="Lax",
            )
        elif self._send == "" and self.cookie:
            response.delete_cookie(COOKIE, samesite="Lax")

    def _warn(self) -> None:
        text = _("The cookie that names you was not made here, so you are a new guest now.")
        messages.warning(self.request, text)


class PlayRequest(HttpRequest):
    """What the middleware adds."""

    htmx: HtmxDetails
    visitor: Visitor
