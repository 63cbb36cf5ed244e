"""What reads trials and those who take part."""

from django.db.models import Count, F, Q, QuerySet

from game.models import Consent, Participant, Player, Trial


def trials() -> QuerySet[Trial]:
    """With how many have agreed to take part, and how many games are finished."""
    taking_part = Q(participants__consent__isnull=False, participants__withdrawn_at__isnull=True)
    finished = Q(participants__games__finished_at__isnull=False)
    return Trial.objects.annotate(
        joined=Count("participants", filter=taking_part, distinct=True),
        finished=Count("participants__games", filter=finished, distinct=True),
    )


def participant_of_code(code: str) -> Participant | None:
    return (
        Participant.objects.select_related("trial", "player", "consent").filter(code=code).first()
    )


def participant_consent(participant: Participant) -> Consent:
    """The text that is asked about now."""
    return participant.trial.consents.latest("version")


def player_in_trial(player: Player) -> bool:
    """Whether a trial waits for games of this player, who must not be coached meanwhile."""
    waiting = Participant.objects.filter(
        player=player, trial__opened_at__isnull=False, trial__closed_at__isnull=True
    ).annotate(done=Count("games", filter=Q(games__finished_at__isnull=False)))
    return waiting.filter(done__lt=F("trial__games_each")).exists()
