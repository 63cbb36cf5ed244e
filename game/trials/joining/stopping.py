"""Whether a trial can still come to where it was to stop, as its preregistration was locked."""

from django.utils import timezone
from django.utils.translation import gettext as _

from game.models import Preregistration, Trial
from game.trials.joining.reading import everybody_of, places_left, recruitment_of
from game.trials.joining.ways_out import WAYS_OUT

Stopping = Preregistration.Stopping


def stopping_out_of_reach(trial: Trial) -> str:
    """Why it cannot, in a sentence; empty where it can, and where nothing was locked."""
    found = Preregistration.objects.filter(trial=trial, locked_at__isnull=False).first()
    if found is None or trial.closed_at is not None:
        return ""
    if found.stopping == Stopping.DATE:
        return _day_passed(found)
    needed, most = found.stopping_people or 0, _most(trial)
    if found.stopping != Stopping.PEOPLE or most >= needed:
        return ""
    text = _(
        "By the preregistration this trial stops when %(people)s people have played all their"
        " games. With the places there are now, only %(most)s can."
    )
    return text % {"people": needed, "most": most}


def _day_passed(found: Preregistration) -> str:
    if found.stopping_date is None or timezone.localdate() <= found.stopping_date:
        return ""
    return _("By the preregistration this trial was to stop on a day that is over.")


def _most(trial: Trial) -> int:
    """Who is done or may be, and the places that somebody can still take."""
    states = [(one, way) for one, way in everybody_of(trial) if one.consent_id is not None]
    staying = sum(not way or WAYS_OUT[way].place == "kept" for _one, way in states)
    personal = sum(not one.recruited for one, _way in states)
    link = recruitment_of(trial)
    by_link = places_left(link) if link and (link.open or not trial.is_open) else 0
    return staying + trial.places - personal + by_link
