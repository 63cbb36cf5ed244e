"""The visitor of a request: an account, a guest with a signed cookie, or a new visitor."""

from collections.abc import Mapping
from typing import Any

from django.contrib import messages
from django.contrib.auth.models import AnonymousUser, User
from django.core import signing
from django.http import HttpRequest, HttpResponse
from django.utils.functional import cached_property
from django.utils.translation import gettext as _
from django_htmx.middleware import HtmxDetails

from game.core.accounts import get_or_create_player, guest_of_code
from game.core.coach_lock import BrowserMark, parse_mark
from game.core.duel_awaited_queries import list_awaiting_duels
from game.core.studies import RunningStudy, get_studies
from game.models import Player
from game.pages.requests import known

COOKIE = "player"
SALT = "game.player"
MAX_AGE = 365 * 24 * 60 * 60
PARTICIPANT_COOKIE = "participant"
WELCOMED = "welcomed"
MARK_COOKIE = "browser"


def read_player_cookie(value: str) -> Player | None:
    """Return the guest whom a cookie names; None if it has expired or names an account."""
    try:
        code = signing.TimestampSigner(salt=SALT).unsign(value, max_age=MAX_AGE)
    except signing.SignatureExpired:
        return None
    return guest_of_code(code)


def make_player_cookie(player: Player) -> str:
    return signing.TimestampSigner(salt=SALT).sign(player.code)


def identify_player(user: User | AnonymousUser, cookies: Mapping[str, str]) -> Player | None:
    """Return the player of a request or a socket. Raise BadSignature if a guest's cookie is forged.
    In a participant's browser, return the participant's player, even if another user signed in."""
    studies = get_studies()
    participant = studies.find_participant(cookies.get(PARTICIPANT_COOKIE, ""))
    if player := studies.find_player(participant):
        return player
    if isinstance(user, User):
        return get_or_create_player(user=user)
    cookie = cookies.get(COOKIE, "")
    return read_player_cookie(cookie) if cookie else None


class Visitor:
    """The visitor of a request. The attributes are read from the database when they are first used,
    so a page that needs no player makes no query."""

    def __init__(self, request: HttpRequest) -> None:
        self.request = request
        self.cookie = request.COOKIES.get(COOKIE, "")
        self._send: str | None = None  # the cookie to set; "" deletes the cookie
        self._send_participant: str | None = None
        self._send_mark: str | None = None
        self._send_known: str | None = None

    @cached_property
    def player(self) -> Player | None:
        if player := get_studies().find_player(self.participant):
            return player
        if self.request.user.is_authenticated:
            return get_or_create_player(user=self.request.user)
        return self.guest

    @cached_property
    def participant(self) -> Any:
        cookie = self.request.COOKIES.get(PARTICIPANT_COOKIE, "")
        participant = get_studies().find_participant(cookie) if cookie else None
        if cookie and participant is None:
            self._send_participant = ""
        return participant

    @property
    def frame(self) -> RunningStudy | None:
        """The trial to whose pages this browser is restricted, or None. The restriction ends when
        the trial closes, or when the participant leaves or is excluded."""
        return get_studies().find_frame(self.participant)

    @cached_property
    def way(self) -> str:
        """The way in which a participant joined here: ``link``, ``code``, or ``signed`` (in)."""
        return get_studies().find_way(self.request.COOKIES.get(PARTICIPANT_COOKIE, ""))

    @property
    def newcomer(self) -> bool:
        """True for visitors who have not finished or declined the guide of the first turn."""
        return WELCOMED not in self.request.COOKIES

    @cached_property
    def mark(self) -> BrowserMark:
        """The browser's mark: the trials that a person joined or whose consent text it showed."""
        return parse_mark(self.request.COOKIES.get(MARK_COOKIE, ""))

    @cached_property
    def guest(self) -> Player | None:
        """The guest whom the cookie names, even right after this guest has signed in."""
        try:
            guest = read_player_cookie(self.cookie) if self.cookie else None
        except signing.BadSignature:
            guest = None
            text = _("Your cookie is not from this site, so you are a new guest now.")
            messages.warning(self.request, text)
        if self.cookie and guest is None:
            self._send = ""
        return guest

    @cached_property
    def awaited(self) -> list[str]:
        return list_awaiting_duels(self.player)

    def become(self, player: Player) -> None:
        self.player = player
        if self.participant is not None and self.participant.player_id == player.pk:
            return
        self._send = "" if player.user_id else make_player_cookie(player)

    def remember_browser(self, user: User) -> None:
        """Remember this browser: wrong passwords typed elsewhere do not lock it out."""
        before = self.request.COOKIES.get(known.COOKIE, "")
        self._send_known = known.make_known_cookie(user.get_username(), before)

    def leave(self) -> None:
        self.player = None
        self._send = ""

    def remember_consent_read(self, trial: int) -> None:
        """Close the coach in this browser, because it showed the consent text of a trial."""
        self._remember(self.mark.with_read_trial(trial))

    def forget_consent_read(self, trial: int) -> None:
        """Forget that this browser showed a consent text, unless a person has agreed here."""
        self._remember(self.mark.without_read_trial(trial))

    def _remember(self, mark: BrowserMark) -> None:
        if mark != self.mark:
            self.mark = mark
            self._send_mark = mark.signed if mark.trials or mark.read else ""

    def take_part(self, participant: Any, way: str = "") -> None:
        stays = self.participant == participant
        self.way = way or (self.way if stays else "")
        self.participant = participant
        self.__dict__.pop("player", None)
        self._send_participant = get_studies().make_cookie(participant, self.way)
        trial, agreed = participant.trial_id, participant.consent_id is not None
        self._remember(self.mark.with_trial(trial) if agreed else self.mark.with_read_trial(trial))

    def take_part_no_more(self) -> None:
        """Give this browser back to the player who used it before the participant."""
        self.participant = None
        self.__dict__.pop("player", None)
        self._send_participant = ""

    def set_cookies(self, response: HttpResponse) -> None:
        """Write all changed cookies into the response."""
        self._write_cookie(response, COOKIE, self._send)
        here = self.participant if self._send_participant else None
        taking_part = here is not None and here.consent_id is not None
        self._write_cookie(response, PARTICIPANT_COOKIE, self._send_participant, kept=taking_part)
        joined = bool(self._send_mark and self.mark.trials)
        self._write_cookie(response, MARK_COOKIE, self._send_mark, kept=joined)
        self._write_cookie(response, known.COOKIE, self._send_known)

    def _write_cookie(
        self, response: HttpResponse, name: str, value: str | None, *, kept: bool = True
    ) -> None:
        """Set the cookie. Delete it if the value is empty; do nothing if the value is None. The
        cookie lasts a year if ``kept``, else until the browser closes."""
        if value:
            response.set_cookie(
                name,
                value,
                max_age=MAX_AGE if kept else None,
                secure=self.request.is_secure(),
                httponly=True,
                samesite="Lax",
            )
        elif value == "" and name in self.request.COOKIES:
            response.delete_cookie(name, samesite="Lax")


class PlayRequest(HttpRequest):
    htmx: HtmxDetails
    visitor: Visitor
