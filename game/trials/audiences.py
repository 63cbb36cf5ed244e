"""The rights of a trial's staff, by role, and the people who may open each page of trials."""

from dataclasses import dataclass
from typing import cast

from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse

from game.pages.requests.audiences import RUNNING, Audience, add_pages, staff, whose_it_is
from game.trials.models import Trial, TrialStaff

Role = TrialStaff.Role
ORDER = [Role.VIEW, Role.RUN, Role.OWN]  # each role has all rights of the roles before it
SAFE = {"GET", "HEAD"}


@dataclass(frozen=True, slots=True)
class Rights:
    """The rights of a user; ``given`` is the role, "" for none. Superusers have all rights."""

    given: str = ""
    superuser: bool = False

    def may(self, wanted: str) -> bool:
        return self.superuser or self.has(wanted)

    def has(self, wanted: str) -> bool:
        return self.given in ORDER[ORDER.index(Role(wanted)) :]

    @property
    def view(self) -> bool:
        return self.may(Role.VIEW)

    @property
    def run(self) -> bool:
        return self.may(Role.RUN)

    @property
    def own(self) -> bool:
        return self.may(Role.OWN)


class NoRole(PermissionDenied):
    """The error if a user's role is not sufficient; the message names staff who can change it."""

    def __init__(self, rights: Rights, slug: str) -> None:
        owners = TrialStaff.objects.filter(trial__slug=slug, role=Role.OWN).select_related("user")
        names = ", ".join(owner.user.get_username() for owner in owners)
        if not names:
            why = "This trial has no owner. A superuser can invite you."
        elif rights.view:
            why = f"Your role in this trial does not allow this. Ask its owners: {names}."
        else:
            why = f"You have no role in this trial. Its owners can invite you: {names}."
        super().__init__(why)


def check_trial(user: User, slug: str, wanted: str) -> Rights:
    """Return a staff user's rights in a trial. Raise NoRole if the rights are not sufficient, but
    not if the trial does not exist, because the page then answers 404."""
    given = TrialStaff.objects.filter(trial__slug=slug, user=user.pk).values_list("role", flat=True)
    rights = Rights(given.first() or "", user.is_superuser)
    if not rights.may(wanted) and Trial.objects.filter(slug=slug).exists():
        raise NoRole(rights, slug)
    return rights


def viewers(request: HttpRequest) -> HttpResponse | None:
    """Let every role read the trial's page, but let only its owners change the trial."""
    opened = request.method in SAFE
    return _check_role(request, Role.VIEW if opened else Role.OWN)


def colleagues(request: HttpRequest) -> HttpResponse | None:
    return _check_role(request, Role.VIEW)


def runners(request: HttpRequest) -> HttpResponse | None:
    return _check_role(request, Role.RUN)


def owners(request: HttpRequest) -> HttpResponse | None:
    return _check_role(request, Role.OWN)


def _check_role(request: HttpRequest, role: str) -> HttpResponse | None:
    """Check the user's role in the trial. If it is not sufficient, name the owners in the error."""
    if refused := staff(request):
        return refused
    slug = request.resolver_match.kwargs["slug"] if request.resolver_match else ""
    rights = check_trial(cast(User, request.user), slug, role)
    request.rights = rights  # type: ignore[attr-defined]
    request.beyond_role = not rights.has(role)  # type: ignore[attr-defined]
    return None


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
