"""Deletes guests who have been inactive for a number of days, which a setting defines."""

from datetime import timedelta

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from game.core.accounts import delete_player
from game.core.kind import list_modes
from game.core.studies import get_studies
from game.models import Decision, DrillAttempt, DuelSeat, FiveAnswer, Game, Player, PositionList


def query_idle_guests(*, days: int, with_games: bool = False) -> QuerySet[Player]:
    """Return the guests who have done nothing for ``days`` days. Include guests with finished games
    only if ``with_games`` is true. Never include accounts, players of duels, or anyone who was ever
    in a trial."""
    since = timezone.now() - timedelta(days=days)
    of_player = Q(player=OuterRef("pk"))
    idle = Player.objects.filter(user=None, bot="", created_at__lt=since).exclude(
        Q(pk__in=get_studies().query_players())
        | Exists(Game.objects.filter(of_player, mode__in=list_modes(lambda kind: kind.measured)))
        | Exists(DuelSeat.objects.filter(of_player))
        | Exists(
            Game.objects.filter(of_player, Q(started_at__gte=since) | Q(finished_at__gte=since))
        )
        | Exists(Decision.objects.filter(game__player=OuterRef("pk"), created_at__gte=since))
        | Exists(DrillAttempt.objects.filter(card__player=OuterRef("pk"), created_at__gte=since))
        | Exists(FiveAnswer.objects.filter(of_player, created_at__gte=since))
        | Exists(PositionList.objects.filter(of_player, used_at__gte=since))
    )
    if with_games:
        return idle
    return idle.exclude(Exists(Game.objects.filter(of_player, finished_at__isnull=False)))


def delete_idle_guests(*, days: int, with_games: bool = False) -> int:
    """Check each guest again, and delete the guest in a separate transaction. Return how many
    guests were deleted."""
    idle = query_idle_guests(days=days, with_games=with_games)
    keys = list(idle.values_list("pk", flat=True))
    return sum(_forget_if_idle(idle, key) for key in keys)


def _forget_if_idle(idle: QuerySet[Player], key: int) -> bool:
    with transaction.atomic():
        locked = Player.objects.select_for_update(of=("self",)).filter(pk=key).first()
        player = idle.filter(pk=key).first() if locked else None
        if player is None:
            return False  # the guest has come back in the meantime
        delete_player(player=player)
        return True
