"""What follows from when everybody filled their boxes. Pure: no database, and the time is given.

Everybody plays the same turn, on the same dice, and the next turn begins when all have played it.
People play at the same time and see nothing of each other's turn before they have played it
themselves; programs play when all people have. So nobody ever knows dice that are still to come.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from django.utils.functional import cached_property


class DuelOutcome(StrEnum):
    """What a duel came to for one of its seats; whoever ran out of time has lost."""

    WON = "won"
    LOST = "lost"
    TIED = "tied"
    GIVEN_UP = "given-up"


@dataclass(frozen=True, slots=True)
class Course:
    """How one seat has played so far: when each box was filled, and when it left, if it did."""

    finished: tuple[datetime, ...] = ()
    left_at: datetime | None = None
    bot: bool = False

    @property
    def turns(self) -> int:
        return len(self.finished)

    def finished_or_left(self, turn: int) -> datetime | None:
        """When the others no longer had to wait for this turn."""
        return self.finished[turn] if turn < self.turns else self.left_at


@dataclass(frozen=True)
class DuelRounds:
    """``bank`` is the time that each person has for the whole game; None without a clock."""

    courses: Sequence[Course]
    began: datetime
    turns: int
    bank: timedelta | None = None

    @cached_property
    def staying(self) -> list[Course]:
        return [course for course in self.courses if course.left_at is None]

    @cached_property
    def people(self) -> list[Course]:
        return [course for course in self.staying if not course.bot]

    @property
    def over(self) -> bool:
        """Played to the end, or nobody is left to play with, or no person."""
        alone = len(self.staying) < 2 or not self.people
        return alone or all(course.turns == self.turns for course in self.staying)

    @property
    def round(self) -> int:
        """The turn that is being played, from 0; the number of turns when all are."""
        return min((course.turns for course in self.staying), default=self.turns)

    def may_play(self, seat: int) -> bool:
        course = self.courses[seat]
        if self.over or course.left_at is not None or course.turns != self.round:
            return False
        return not course.bot or all(person.turns > self.round for person in self.people)

    def seen(self, viewer: int | None) -> int:
        """How many turns of the others this viewer may see; ``None`` is somebody who watches.

        What a person has played may be seen, and a watcher sees what every person has: whoever
        plays could look on as a watcher.
        """
        if self.over:
            return self.turns
        course = None if viewer is None else self.courses[viewer]
        if course is not None and course.left_at is None:
            return course.turns
        return min(person.turns for person in self.people)

    def opened(self, turn: int) -> datetime:
        """When the turn could be played by people: when all had played the one before."""
        if turn == 0:
            return self.began
        moments = [course.finished_or_left(turn - 1) for course in self.courses]
        return max((moment for moment in moments if moment is not None), default=self.began)

    def opened_to_bots(self, turn: int) -> datetime:
        """People go first."""
        people = [c.finished_or_left(turn) for c in self.courses if not c.bot]
        return max((moment for moment in people if moment is not None), default=self.opened(turn))

    def used(self, seat: int) -> timedelta:
        """In the turns that are played; never less than nothing, where a clock was put back."""
        spent = timedelta()
        for turn, moment in enumerate(self.courses[seat].finished):
            spent += max(timedelta(), moment - self.opened(turn))
        return spent

    def remaining(self, seat: int, now: datetime) -> timedelta | None:
        """On the clock of a person."""
        if self.bank is None or self.courses[seat].bot:
            return None
        running = now - self.opened(self.round) if self.may_play(seat) else timedelta()
        return self.bank - self.used(seat) - max(timedelta(), running)

    def deadline(self, seat: int) -> datetime | None:
        """When the time of a person who is to play runs out."""
        if self.bank is None or self.courses[seat].bot or not self.may_play(seat):
            return None
        return self.opened(self.round) + self.bank - self.used(seat)

    def next_deadline(self) -> tuple[datetime, int] | None:
        """The first one, and whose it is."""
        found = [(self.deadline(seat), seat) for seat in range(len(self.courses))]
        return min(((moment, seat) for moment, seat in found if moment), default=None)


def places(scores: Sequence[int], left: Sequence[bool]) -> list[int | None]:
    """Of each; equals share one, and whoever left has none."""
    staying = [score for score, gone in zip(scores, left, strict=True) if not gone]
    return [
        None if gone else 1 + sum(other > score for other in staying)
        for score, gone in zip(scores, left, strict=True)
    ]
