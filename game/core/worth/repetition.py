"""When a position is asked again: FSRS, with points lost as how well it was remembered.

FSRS (Ye, Su and Cao 2022; the package ``fsrs``) keeps for every position how long it is remembered
and how hard it is, and asks again when the chance to know it has fallen to nine in ten. It wants a
rating of every answer, which here follows from what the choice costs, by the names of ``severity``:

    best, or under 0.5 points     good
    inaccuracy, under 2           hard
    mistake or blunder            again

"Easy" is never said: that a choice was right does not tell how easy it was. After "again" the
position comes back after ten minutes, and after anything else in whole days, at most a year, each
shortened by eight hours: what was known yesterday evening is due this morning.

The schedule is a pure function of the answers, which are stored: a better rule or better weights
need no change of the database, and answers given ahead of time count for what they are worth.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from fsrs import Card, Rating, Scheduler

from game.core.worth.severity import SEVERITIES, severity

RECALL = 0.9  # the chance to know a position at which it is asked again
LONGEST = 365  # days
AGAIN = timedelta(minutes=10)
EARLIER = timedelta(hours=8)
LEARNT = 21  # days: a position that is not asked again before counts as learnt

RATINGS = {
    "best": Rating.Good,
    "good": Rating.Good,
    "small": Rating.Good,
    "inaccuracy": Rating.Hard,
    "mistake": Rating.Again,
    "blunder": Rating.Again,
}
NO_CREDIT = next(severity.at_least for severity in SEVERITIES if severity.id == "blunder")
SCHEDULER = Scheduler(
    desired_retention=RECALL,
    learning_steps=(),
    relearning_steps=(),
    maximum_interval=LONGEST,
    enable_fuzzing=False,
)


@dataclass(frozen=True, slots=True)
class Answered:
    regret: float
    at: datetime


@dataclass(frozen=True, slots=True)
class Schedule:
    due: datetime
    interval: int = 0  # days; 0 until it was known once, and after a mistake
    streak: int = 0  # how often in a row it was known
    lapses: int = 0


def rating(regret: float) -> Rating:
    return RATINGS[severity(regret).id]


def credit(regret: float) -> float:
    """All of it for the best, none for a blunder, and in proportion to the points in between."""
    return max(0.0, 1.0 - regret / NO_CREDIT)


def scheduled(answers: Iterable[Answered], begun: datetime) -> Schedule:
    """After these answers, the oldest first; without any it is due from the beginning."""
    card, schedule, last = Card(card_id=0), Schedule(begun), None
    at = begun.astimezone(UTC)
    for answer in answers:
        at += _elapsed(answer.at - last) if last else timedelta(0)
        card, _log = SCHEDULER.review_card(card, rating(answer.regret), at)
        schedule, last = _after(schedule, answer, (card.due - at).days), answer.at
    return schedule


def _elapsed(time: timedelta) -> timedelta:
    """Round a time to whole days as FSRS counts it: an evening and the next morning are a day
    apart."""
    return time + EARLIER if time >= timedelta(days=1) - EARLIER else time


def _after(before: Schedule, answer: Answered, days: int) -> Schedule:
    if rating(answer.regret) == Rating.Again:
        return Schedule(answer.at + AGAIN, lapses=before.lapses + 1)
    due = answer.at + timedelta(days=days) - EARLIER
    return Schedule(due, days, before.streak + 1, before.lapses)
