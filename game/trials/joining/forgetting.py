"""What trials hold that leads to people, and is needed no longer.

Released answers have nothing of their own: they go with the answer, and that with its place.
"""

from datetime import timedelta

from django.db.models import Model, QuerySet
from django.utils import timezone

from game.models import Arrival
from game.trials.joining.withdrawing import withdrawals_over


def traces_of_people(*, days: int) -> dict[str, QuerySet[Model]]:
    """Places that were given up and cannot be taken back any more; labels of trials that have been
    closed for so long, for whoever was to be paid by them has been."""
    since = timezone.now() - timedelta(days=days)
    return {
        "Withdrawals made final": withdrawals_over(),
        "Labels of closed trials forgotten": Arrival.objects.filter(trial__closed_at__lt=since),
    }
