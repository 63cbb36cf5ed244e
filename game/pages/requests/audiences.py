"""The audience of each page, one row per page; the middleware checks it before the view runs.

``whose_it_is`` leaves the check to the view of a game, duel or trial. Addresses without a row only
receive forms, and their views check permissions.
"""

from collections.abc import Callable
from typing import cast

from django.contrib.auth.models import User
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
    check_trial,
    hides_advice_from,
)
from game.models import TrialStaff
from game.pages.requests.visitors import PlayRequest, find_trial_player

# A check that returns None to admit, redirects to the sign-in page, or raises a refusal.
Audience = Callable[[PlayRequest], HttpResponse | None]


def everybody(request: PlayRequest) -> None:
    pass


def whose_it_is(request: PlayRequest) -> None:
    """Check nothing: the view checks who may see its game, duel or trial."""


def outsiders(request: PlayRequest) -> None:
    check_not_in_trial(request.visitor.player)


def learners(request: PlayRequest) -> None:
    """Refuse participants, and everyone while a trial closes the coach."""
    check_not_blinded(request.visitor.player)


def may_solve(request: PlayRequest) -> bool:
    """Return whether this browser may load the solver, which reveals the best moves."""
    return not (request.visitor.frame or hides_advice_from(request.visitor.player))


def drillers(request: PlayRequest) -> None:
    """Admit learners, and participants between games if their arm has the drill."""
    check_drill(request.visitor.player)


def settlers(request: PlayRequest) -> None:
    """Refuse participants before consent: the settings could be those of another user."""
    if request.visitor.frame and find_trial_player(request.visitor.participant) is None:
        raise Blinded


def members(request: PlayRequest) -> HttpResponse | None:
    """Send guests to the sign-in page."""
    return None if request.user.is_authenticated else redirect("login")


def staff(request: HttpRequest) -> HttpResponse | None:
    """Send guests to the sign-in page, and refuse users who are not staff. Staff pages are in
    English: the rest of the request uses English, whatever the user's language."""
    if not request.user.is_authenticated:
        return redirect_to_login(request.get_full_path())
    if not request.user.is_staff:
        raise PermissionDenied(_("The staff of this site run its trials: ask them for access."))
    translation.activate("en")
    return None


SAFE = {"GET", "HEAD"}


def viewers(request: HttpRequest) -> HttpResponse | None:
    """Let every role read a trial's page, but only the trial's owners change it."""
    opened = request.method in SAFE
    return _check_role(request, TrialStaff.Role.VIEW if opened else TrialStaff.Role.OWN)


def colleagues(request: HttpRequest) -> HttpResponse | None:
    return _check_role(request, TrialStaff.Role.VIEW)


def runners(request: HttpRequest) -> HttpResponse | None:
    return _check_role(request, TrialStaff.Role.RUN)


def owners(request: HttpRequest) -> HttpResponse | None:
    return _check_role(request, TrialStaff.Role.OWN)


def _check_role(request: HttpRequest, role: str) -> HttpResponse | None:
    """Check the user's role in the trial; the refusal names the owners to other staff."""
    if refused := staff(request):
        return refused
    slug = request.resolver_match.kwargs["slug"] if request.resolver_match else ""
    rights = check_trial(cast(User, request.user), slug, role)
    request.rights = rights  # type: ignore[attr-defined]
    request.beyond_role = not rights.has(role)  # type: ignore[attr-defined]
    return None


ROWS: dict[Audience, str] = {
    everybody: """
        play you daily day_result export rules fair report dice_test tables
        history statistics profile week leaks
        manifest service_worker offline offline_stored healthz livez readyz
        privacy robots security
        api_rulesets api_openapi signup login account_recover
    """,
    whose_it_is: """
        game game_verify game_coach game_chance watch
        review review_steps review_shared review_shared_steps review_picture learn learn_shared
        duels duel duel_below_list reminders party account_delete
        take_part take_part_withdraw take_part_link join join_decline
    """,
    settlers: "settings",
    outsiders: """
        leaders nickname day_picture beat beat_picture party_new offline_games archive
    """,
    learners: """
        explore five drill_history lists position_list api
        lab lab_chart lab_tournament lab_learners lab_player lab_file same_value same_value_file
        study study_file study_readings workbench lab_sources solve_here solve_here_facts
        learn_hub lab_answers playbook lessons offline_table offline_facts
    """,
    drillers: "drill drill_answer drill_again",
    members: "account account_password account_code",
    staff: "trials trial_new trial_plan",
    viewers: """
        trial trial_screen trial_monitor trial_results trial_quality trial_staff trial_zip
        trial_file
    """,
    runners: "trial_links trial_links_file trial_through",
    owners: "trial_questions trial_labels_file trial_public_zip",
}
PAGES = {page: audience for audience, pages in ROWS.items() for page in pages.split()}

# The pages of a participant's browser: the trial, its games and what they need.
_THEIRS = """
    take_part take_part_withdraw take_part_link join join_decline
    game game_verify game_coach game_chance review drill drill_answer drill_again
    rules fair report settings account_delete tables
    manifest service_worker offline offline_stored healthz livez readyz
        privacy robots security
"""
WITHIN = set(_THEIRS.split())
RUNNING = (staff, viewers, runners, owners)  # staff pages, which no trial closes


def is_closed_within(page: str) -> bool:
    """Return whether a trial closes this page, and its socket, in the browsers of participants."""
    return page in PAGES and page not in WITHIN and PAGES[page] not in RUNNING


def refuse_within(request: PlayRequest) -> HttpResponse | None:
    """Refuse participants all pages outside their trial; redirect the first page to the trial's
    page. Staff pages stay open."""
    page = request.resolver_match.view_name if request.resolver_match else ""
    if not is_closed_within(page) or not request.visitor.frame:
        return None
    if page == "play":
        return redirect("take_part")
    raise Blinded
