"""The people who may see each page, one row per page. The middleware checks them before the view.

``whose_it_is`` leaves the check to the view of a game, duel or trial. Addresses without a row only
receive forms, and their views check permissions.
"""

from collections.abc import Callable, Mapping

from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import translation
from django.utils.translation import gettext as _

from game.core.access import (
    Blinded,
    check_drill,
    check_not_blinded,
    check_not_in_trial,
    hides_advice_from,
)
from game.core.studies import get_studies
from game.pages.requests.visitors import PlayRequest

# A check returns None to admit the visitor, or a redirect to the sign-in page, or raises a refusal.
Audience = Callable[[PlayRequest], HttpResponse | None]


def everybody(request: PlayRequest) -> None:
    pass


def whose_it_is(request: PlayRequest) -> None:
    """Check nothing, because the view itself checks who may see its game, duel or trial."""


def outsiders(request: PlayRequest) -> None:
    check_not_in_trial(request.visitor.player)


def learners(request: PlayRequest) -> None:
    """Block the page for participants, and for everyone while a trial keeps the coach closed."""
    check_not_blinded(request.visitor.player)


def may_solve(request: PlayRequest) -> bool:
    """Return whether this browser may load the solver, which can reveal the best moves."""
    return not (request.visitor.frame or hides_advice_from(request.visitor.player))


def drillers(request: PlayRequest) -> None:
    """Admit everyone who may practise, and between games participants whose arm has the drill."""
    check_drill(request.visitor.player)


def settings_users(request: PlayRequest) -> None:
    """Refuse people who have not consented to their trial: the settings may be another user's."""
    here = request.visitor
    if here.frame and get_studies().find_player(here.participant) is None:
        raise Blinded


def members(request: PlayRequest) -> HttpResponse | None:
    """Send guests to the sign-in page."""
    return None if request.user.is_authenticated else redirect("login")


def staff(request: HttpRequest) -> HttpResponse | None:
    """Send guests to the sign-in page, and refuse users who are not staff. Staff pages are in
    English, so use English for the rest of the request."""
    if not request.user.is_authenticated:
        return redirect_to_login(request.get_full_path())
    if not request.user.is_staff:
        raise PermissionDenied(_("Only this site's staff can open this page."))
    translation.activate("en")
    return None


PAGES: dict[str, Audience] = {}
WITHIN: set[str] = set()  # the pages that stay open in a participant's browser
RUNNING: set[Audience] = {staff}  # the audiences of staff pages, which no trial closes


def add_pages(rows: Mapping[Audience, str], within: str = "") -> None:
    PAGES.update({page: audience for audience, pages in rows.items() for page in pages.split()})
    WITHIN.update(within.split())


ROWS: dict[Audience, str] = {
    everybody: """
        play you daily day_result export rules fair report tables
        history statistics profile week leaks
        manifest service_worker offline offline_stored healthz livez readyz
        privacy robots security
        api_rulesets api_openapi signup login account_recover
    """,
    whose_it_is: """
        game game_verify game_coach game_chance watch
        review review_steps review_shared review_shared_steps review_picture learn learn_shared
        duels duel duel_below_list reminders party account_delete
    """,
    settings_users: "settings",
    outsiders: """
        leaders nickname day_picture beat beat_picture party_new offline_games archive
    """,
    learners: """
        explore five drill_history lists position_list api
        learn_hub lessons offline_table offline_facts
    """,
    drillers: "drill drill_answer drill_again",
    members: "account account_password account_code",
}
# These pages stay open: the trial's games and what they need. Trials add their own pages.
WHILE_PLAYING = """
    game game_verify game_coach game_chance review drill drill_answer drill_again
    rules fair report settings account_delete tables
    manifest service_worker offline offline_stored healthz livez readyz
        privacy robots security
"""
add_pages(ROWS, WHILE_PLAYING)


def is_closed_within(page: str) -> bool:
    """Return whether a trial closes this page, and its socket, in participants' browsers."""
    return page in PAGES and page not in WITHIN and PAGES[page] not in RUNNING
