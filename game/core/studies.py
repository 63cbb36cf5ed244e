"""The interface to studies of how people play: who takes part, what that changes, and which staff
run it.

All packages use it; the app that runs studies registers its implementation at the start.
"""

from dataclasses import dataclass

from django.contrib.auth.models import User

from game.core.prepared import Prepared
from game.models import Participant, Player, Trial, TrialStaff

RUNNING = Prepared(
    lambda: Trial.objects.filter(opened_at__isnull=False, closed_at__isnull=True), values=0
)


def list_running_trials() -> list[Trial]:
    return list(RUNNING.fetch_models())


class Studies:
    """The default implementation, for a site without studies."""

    def include(self, player: Player) -> bool:
        """Return whether a study includes this player, who must not be coached during it."""
        return False

    def participant(self, code: str) -> Participant | None:
        return None

    def find_ruleset_of(self, participant: Participant) -> str:
        return participant.trial.ruleset

    def open_drill(self, player: Player) -> bool:
        return False


_run = Studies()


def get_studies() -> Studies:
    return _run


def run_studies(running: Studies) -> None:
    global _run
    _run = running


Role = TrialStaff.Role
ORDER = [Role.VIEW, Role.RUN, Role.OWN]  # each role includes the rights of the roles before it


@dataclass(frozen=True, slots=True)
class Rights:
    """The rights of staff with the role ``given`` ("": no role); superusers have all rights."""

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


def find_rights(user: User, slug: str) -> Rights:
    """Return the rights of a member of staff in a trial; none if the trial does not exist."""
    given = TrialStaff.objects.filter(trial__slug=slug, user=user.pk).values_list("role", flat=True)
    return Rights(given.first() or "", user.is_superuser)


def list_owners(slug: str) -> list[str]:
    """Return the user names of the trial's owners, first owner first."""
    owners = TrialStaff.objects.filter(trial__slug=slug, role=Role.OWN).select_related("user")
    return [owner.user.get_username() for owner in owners]
