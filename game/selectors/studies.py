"""Who takes part in a study of how people play, and what follows for them.

Everybody asks here; whoever runs studies answers, and says so when the program starts.
"""

from game.models import Participant, Player, Trial
from game.selectors.prepared import Prepared

RUNNING = Prepared(
    lambda: Trial.objects.filter(opened_at__isnull=False, closed_at__isnull=True), values=0
)


def trials_running() -> list[Trial]:
    return list(RUNNING.models())


class Studies:
    """A site that runs none."""

    def include(self, player: Player) -> bool:
        """Whether a study waits for games of this player, who must not be coached meanwhile."""
        return False

    def participant(self, code: str) -> Participant | None:
        """Whom a browser's cookie names."""
        return None

    def played_by(self, participant: Participant) -> str:
        """The rules of the game that is under way for a participant, or comes next."""
        return participant.trial.ruleset

    def open_drill(self, player: Player) -> bool:
        """Whether the drill is part of what this player does before the next game."""
        return False


_run = Studies()


def studies() -> Studies:
    return _run


def run_studies(by: Studies) -> None:
    global _run
    _run = by
