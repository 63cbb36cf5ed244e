"""Where a trial was to stop, as its preregistration says, and whether it has come to that."""

from datetime import datetime

from django.db.models import Count, Q
from django.utils import timezone

from game.models import Preregistration, Trial
from game.selectors.export import STAYED
from game.trials.reading import PLANNED


def stopping_rule(trial: Trial) -> Preregistration | None:
    """Where one was locked."""
    return Preregistration.objects.filter(trial=trial, locked_at__isnull=False).first()


def stopped(of: Preregistration, until: datetime) -> bool:
    """Whether the trial had come by then to where it was to stop."""
    trial = of.trial
    if of.stopping == Preregistration.Stopping.DATE:
        return of.stopping_date is not None and timezone.localdate(until) >= of.stopping_date
    done = people_done(trial, until)
    if of.stopping == Preregistration.Stopping.PEOPLE:
        return done >= (of.stopping_people or 0)
    withdrawn = trial.participants.filter(withdrawn_at__lte=until).count()
    return _places_free(trial, until) == 0 and done + withdrawn >= trial.places


def people_done(trial: Trial, until: datetime) -> int:
    """How many have played all their games."""
    ended = Count("games", filter=Q(games__finished_at__lte=until))
    stayed = trial.participants.filter(STAYED).annotate(ended=ended)
    return stayed.filter(ended__gte=PLANNED).count()


def _places_free(trial: Trial, until: datetime) -> int:
    taken = Q(consented_at__lte=until) | Q(withdrawn_at__lte=until)
    return trial.places - trial.participants.filter(taken).count()
