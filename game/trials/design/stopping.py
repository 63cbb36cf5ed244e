"""Whether a trial has come to where it was to stop, as was locked, and whether it still can."""

from datetime import datetime

from django.utils import timezone

from game.models import Preregistration, Trial
from game.trials.design.people import everybody_of, places_left, recruited, recruitment_of
from game.trials.design.ways_out import WAYS_OUT

Stopping = Preregistration.Stopping
UNFINISHED = ("first_sitting", "closed")  # who is out and had more to play


def stopping_rule(trial: Trial) -> Preregistration | None:
    """Where one was locked."""
    return Preregistration.objects.filter(trial=trial, locked_at__isnull=False).first()


def people_done(trial: Trial, until: datetime) -> int:
    """How many have played all their games."""
    return sum(way == "complete" for _one, way in everybody_of(trial, until))


def stopping_out_of_reach(trial: Trial) -> str:
    """Why it cannot, in a sentence; empty where it can, and where nothing was locked."""
    found = stopping_rule(trial)
    if found is None or trial.closed_at is not None:
        return ""
    if found.stopping == Stopping.DATE:
        return _day_passed(found)
    needed, most = found.stopping_people or 0, _most(trial, timezone.now())
    if found.stopping != Stopping.PEOPLE or most >= needed:
        return ""
    return (
        f"By the preregistration this trial stops when {needed} people have played all their"
        f" games. With the places there are now, only {most} can."
    )


def _day_passed(found: Preregistration) -> str:
    if found.stopping_date is None or timezone.localdate() <= found.stopping_date:
        return ""
    return "By the preregistration this trial was to stop on a day that is over."


def _most(trial: Trial, now: datetime) -> int:
    """Who is done or may be, and the places that somebody can still take."""
    ways = [way for _one, way in everybody_of(trial, now)]
    staying = sum(not way or WAYS_OUT[way].place == "kept" for way in ways)
    return staying + places_free(trial, now, soon=not trial.is_open)


def places_free(trial: Trial, now: datetime, *, soon: bool = False) -> int:
    """Of personal links and by the open one, which counts while it lets people in, or ``soon``."""
    taken = sum(not one.recruited for one, _way in everybody_of(trial, now))
    link = recruitment_of(trial)
    by_link = places_left(link) if link and (link.open or soon) else 0
    return trial.places - taken + by_link


def places_in_all(trial: Trial) -> int:
    """By personal links and by the open one, which counts where it lets people in, or has."""
    link = recruitment_of(trial)
    by_link = link.quota if link and (link.open or recruited(trial).exists()) else 0
    return trial.places + by_link


def rule_met(found: Preregistration, until: datetime) -> bool:
    """Whether the trial had come by then to where it was to stop."""
    if found.stopping == Stopping.DATE:
        return found.stopping_date is not None and timezone.localdate(until) >= found.stopping_date
    ways = [way for _one, way in everybody_of(found.trial, until)]
    if found.stopping == Stopping.PEOPLE:
        return ways.count("complete") >= (found.stopping_people or 0)
    waiting = [way for way in ways if not way or way in UNFINISHED]
    return not waiting and places_free(found.trial, until) == 0
