"""Studies of how people play: who takes part, what follows for them, and who of the staff runs one.

Everybody asks here; anyone who runs studies answers, and says so when the program starts.
"""

from dataclasses import dataclass

from django.contrib.auth.models import User

from game.core.prepared import Prepared
from game.models import Participant, Player, Trial, TrialStaff

RUNNING = Prepared(
    lambda: Trial.objects.filter(opened_at__isnull=False, closed_at__isnull=True), values=0
)


def trials_running() -> list[Trial]:
    return list(RUNNING.models())


class Studies:
    """A site that runs none."""

    def include(self, player: Player) -> bool:
        """Return whether a study includes this player, who must not be coached meanwhile."""
        return False

    def participant(self, code: str) -> Participant | None:
        """Return the participant that a browser's cookie names, or None."""
        return None

    def played_by(self, participant: Participant) -> str:
        """Return the rules of the game that is under way for a participant, or comes next."""
        return participant.trial.ruleset

    def open_drill(self, player: Player) -> bool:
        """Return whether this player may drill before the next game."""
        return False


_run = Studies()


def studies() -> Studies:
    return _run


def run_studies(running: Studies) -> None:
    global _run
    _run = running


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
    """Return the rights of a member of staff in a trial; none if there is no such trial."""
    given = TrialStaff.objects.filter(trial__slug=slug, user=user.pk).values_list("role", flat=True)
    return Rights(given.first() or "", user.is_superuser)


def owners_of(slug: str) -> list[str]:
    """Return the names of the owners, the first one first."""
    owners = TrialStaff.objects.filter(trial__slug=slug, role=Role.OWN).select_related("user")
    return [owner.user.get_username() for owner in owners]
