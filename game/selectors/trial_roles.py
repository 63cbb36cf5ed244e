"""What somebody of the staff may do in a trial."""

from dataclasses import dataclass

from django.contrib.auth.models import User

from game.models import TrialStaff

Role = TrialStaff.Role
ORDER = [Role.VIEW, Role.RUN, Role.OWN]  # each may do what those before it may


@dataclass(frozen=True, slots=True)
class Rights:
    """``given``: the role that was given, or nothing. A superuser may do all without any."""

    given: str = ""
    superuser: bool = False

    def may(self, wanted: str) -> bool:
        return self.superuser or self.has(wanted)

    def has(self, wanted: str) -> bool:
        """By a role that was given."""
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


def rights_of(user: User, slug: str) -> Rights:
    """Of somebody of the staff, in the trial of that name, if there is one."""
    given = TrialStaff.objects.filter(trial__slug=slug, user=user.pk).values_list("role", flat=True)
    return Rights(given.first() or "", user.is_superuser)


def owners_of(slug: str) -> list[str]:
    """By name, the first one first."""
    found = TrialStaff.objects.filter(trial__slug=slug, role=Role.OWN).select_related("user")
    return [one.user.get_username() for one in found]
