"""The schedule of drill positions: the algorithm FSRS, with points lost as its measure of memory.

FSRS (Ye, Su and Cao 2022; the package ``fsrs``) estimates for every position how difficult it is
and how long the player remembers it. It repeats a position when the chance that the player knows it
has fallen to nine in ten. FSRS needs a rating of every answer, which follows from the answer's
severity:

    best, or under 0.5 points     good
    inaccuracy, under 2           hard
    mistake or blunder            again

The rating "easy" is not used: a right choice does not show how easy it was. After "again" the
position returns after ten minutes, otherwise after whole days, at most a year. Intervals are eight
hours shorter, so that a position known yesterday evening is due this morning.

The schedule is calculated only from the stored answers. A better rule or better weights need no
change of the database, and also apply to early answers.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from fsrs import Card, Rating, Scheduler

from game.core.worth.severity import SEVERITIES, find_severity

RECALL = 0.9  # probability of recall at which a position is due
LONGEST = 365  # days; the longest interval
AGAIN = timedelta(minutes=10)
EARLIER = timedelta(hours=8)
LEARNT = 21  # days; a position with at least this interval counts as learnt

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
    interval: int = 0  # days; 0 before the first right answer and after a mistake
    streak: int = 0  # the number of right answers in a row
    lapses: int = 0


def find_rating(regret: float) -> Rating:
    return RATINGS[find_severity(regret).id]


def calculate_credit(regret: float) -> float:
    """Return 1 for the best move, 0 for a blunder, and a share in proportion for other moves."""
    return max(0.0, 1.0 - regret / NO_CREDIT)


def schedule_position(answers: Iterable[Answered], begun: datetime) -> Schedule:
    """Return the schedule after ``answers``, oldest first. Without answers, it is due at once."""
    card, schedule, last = Card(card_id=0), Schedule(begun), None
    at = begun.astimezone(UTC)
    for answer in answers:
        passed, rating = answer.at - last if last else timedelta(0), find_rating(answer.regret)
        # FSRS counts whole days: from an evening to the next morning is one day.
        at += passed + EARLIER if passed >= timedelta(days=1) - EARLIER else passed
        card, _log = SCHEDULER.review_card(card, rating, at)
        if rating == Rating.Again:
            schedule = Schedule(answer.at + AGAIN, lapses=schedule.lapses + 1)
        else:
            days = (card.due - at).days
            due = answer.at + timedelta(days=days) - EARLIER
            schedule = Schedule(due, days, schedule.streak + 1, schedule.lapses)
        last = answer.at
    return schedule
