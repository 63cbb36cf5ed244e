"""The rights of a trial's staff, by role, and the people who may open each page of trials."""

from functools import partial
from types import SimpleNamespace
from typing import cast

from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse

from game.pages.requests.audiences import RUNNING, Audience, add_pages, staff, whose_it_is
from game.trials.models import Trial, TrialStaff

Role = TrialStaff.Role
ORDER = [Role.VIEW, Role.RUN, Role.OWN]  # each role has all rights of the roles before it
SAFE = {"GET", "HEAD"}


def check_role(role: str, request: HttpRequest, owning: str = "") -> HttpResponse | None:
    """Check the user's role in the trial. ``owning`` is the role that may change the trial, if it
    is another. Name the owners in the error. Ignore a trial that does not exist: the page answers
    404."""
    if owning and request.method not in SAFE:
        role = owning
    if refused := staff(request):
        return refused
    user = cast(User, request.user)
    slug = request.resolver_match.kwargs["slug"] if request.resolver_match else ""
    team = TrialStaff.objects.filter(trial__slug=slug)
    given = team.filter(user=user.pk).values_list("role", flat=True).first()
    held = ORDER[: ORDER.index(Role(given)) + 1] if given else []
    rights = ORDER if user.is_superuser else held
    if role not in rights and Trial.objects.filter(slug=slug).exists():
        names = ", ".join(team.filter(role=Role.OWN).values_list("user__username", flat=True))
        if not names:
            why = "This trial has no owner. A superuser can invite you."
        elif held:
            why = f"Your role in this trial does not allow this. Ask its owners: {names}."
        else:
            why = f"You have no role in this trial. Its owners can invite you: {names}."
        raise PermissionDenied(why)
    allowed = SimpleNamespace(run=Role.RUN in rights, own=Role.OWN in rights)
    request.rights = allowed  # type: ignore[attr-defined]
    request.beyond_role = role not in held  # type: ignore[attr-defined]
    return None


viewers = partial(check_role, Role.VIEW, owning=Role.OWN)
colleagues = partial(check_role, Role.VIEW)
runners = partial(check_role, Role.RUN)
owners = partial(check_role, Role.OWN)
ROWS: dict[Audience, str] = {
    whose_it_is: "take_part take_part_withdraw take_part_link join join_decline",
    staff: "trials trial_new",
    viewers: """
        trial trial_screen trial_monitor trial_results trial_staff trial_zip
        trial_file
    """,
    runners: "trial_links trial_links_file trial_through",
    owners: "trial_questions trial_labels_file trial_public_zip",
}


def add_trial_pages() -> None:
    add_pages(ROWS, within=ROWS[whose_it_is])
    RUNNING.update((viewers, runners, owners))
