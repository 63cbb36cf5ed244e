"""When a position is asked again: the SM-2 schedule, with points lost as the quality of recall.

SM-2 (Wozniak 1990, the schedule that SuperMemo 2 and Anki made known) wants a quality from 0 to 5
for every answer. Here it follows from what the choice costs, by the names of ``severity``:

    best, or under 0.05 points    5
    small slip, under 0.5         4
    inaccuracy, under 2           3
    mistake, under 5              1
    blunder, 5 and more           0

From 3 on the answer is a pass: the position comes back after 1 day, then after 6, then after the
last interval times its ease. The ease begins at 2.5, moves by 0.1 - (5 - q)(0.08 + (5 - q) 0.02)
with every pass, and never falls below 1.3. Below 3 it is a lapse: the ease stays, the count begins
anew, and the position comes back after ten minutes. Intervals end at a year, and every one is
shortened by eight hours: what was known yesterday evening is due this morning.

Whoever practises ahead of time learns little from a pass, so that one leaves the schedule alone.
"""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from game.judgement.severity import SEVERITIES, severity

FIRST_EASE = 2.5
LEAST_EASE = 1.3
FIRST_INTERVALS = (1, 6)
LONGEST = 365
AGAIN = timedelta(minutes=10)
EARLIER = timedelta(hours=8)
LEARNT = 21  # days: from this interval on a position counts as learnt

QUALITY = {"best": 5, "good": 5, "small": 4, "inaccuracy": 3, "mistake": 1, "blunder": 0}
PASS = 3
NO_CREDIT = next(one.at_least for one in SEVERITIES if one.id == "blunder")


@dataclass(frozen=True, slots=True)
class Schedule:
    due: datetime
    interval: int = 0  # days
    ease: float = FIRST_EASE
    streak: int = 0
    lapses: int = 0


def quality(regret: float) -> int:
    return QUALITY[severity(regret).id]


def credit(regret: float) -> float:
    """All of it for the best, none for a blunder, and in proportion to the points in between."""
    return max(0.0, 1.0 - regret / NO_CREDIT)


def answered(before: Schedule, regret: float, now: datetime) -> Schedule:
    """The schedule after an answer that costs so many points."""
    known = quality(regret)
    if known < PASS:
        return replace(before, due=now + AGAIN, interval=0, streak=0, lapses=before.lapses + 1)
    if now < before.due:
        return before
    ease = max(LEAST_EASE, before.ease + 0.1 - (5 - known) * (0.08 + (5 - known) * 0.02))
    days = _interval(before, ease)
    due = now + timedelta(days=days) - EARLIER
    return replace(before, due=due, interval=days, ease=ease, streak=before.streak + 1)


def _interval(before: Schedule, ease: float) -> int:
    if before.streak < len(FIRST_INTERVALS):
        return FIRST_INTERVALS[before.streak]
    return min(LONGEST, round(before.interval * ease))
