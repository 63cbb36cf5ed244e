"""The rounds of a duel, calculated from the times of its decisions. No function here reads the
database or the clock.

All players play the same turn on the same dice; the next turn begins when all have finished this
one. People play at the same time, and see the others' turns after their own. Bots play after the
people. In lockstep, the server rolls only when every person has decided what to hold. Otherwise, a
fast player could reveal the dice to a slow player.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from django.utils.functional import cached_property


class DuelOutcome(StrEnum):
    WON = "won"
    LOST = "lost"
    TIED = "tied"
    GIVEN_UP = "given-up"


@dataclass(frozen=True, slots=True)
class Course:
    """A player's progress: when the player filled each box, and left. ``held`` has, for every turn,
    the times at which the player decided what to hold."""

    finished: tuple[datetime, ...] = ()
    left_at: datetime | None = None
    bot: bool = False
    held: tuple[tuple[datetime, ...], ...] = ()

    @property
    def turns(self) -> int:
        return len(self.finished)

    def holds(self, turn: int) -> tuple[datetime, ...]:
        return self.held[turn] if turn < len(self.held) else ()

    def list_decision_times(self, turn: int) -> tuple[datetime, ...]:
        """Return the times of a turn's decisions: first its holds, then its box."""
        return (*self.holds(turn), *self.finished[turn : turn + 1])

    def find_finish_or_exit(self, turn: int) -> datetime | None:
        return self.finished[turn] if turn < self.turns else self.left_at

    def find_hold_or_exit(self, turn: int, throw: int) -> datetime | None:
        """Return when the player decided the hold before this roll, ended the turn, or left."""
        holds = self.holds(turn)
        return holds[throw] if throw < len(holds) else self.find_finish_or_exit(turn)


@dataclass(frozen=True)
class DuelRounds:
    courses: Sequence[Course]
    began: datetime
    turns: int
    bank: timedelta | None = None  # each person's time for the whole game
    lockstep: bool = False
    patience: timedelta | None = None  # time per move of a player without a clock

    @cached_property
    def staying(self) -> list[Course]:
        return [course for course in self.courses if course.left_at is None]

    @cached_property
    def people(self) -> list[Course]:
        return [course for course in self.staying if not course.bot]

    @property
    def over(self) -> bool:
        """True if all staying players have finished, or if one player or only bots are left."""
        alone = len(self.staying) < 2 or not self.people
        return alone or all(course.turns == self.turns for course in self.staying)

    @property
    def round(self) -> int:
        """The current turn, counted from 0; the number of turns if all players have finished."""
        return min((course.turns for course in self.staying), default=self.turns)

    def may_play(self, seat: int) -> bool:
        course = self.courses[seat]
        if self.over or course.left_at is not None or course.turns != self.round:
            return False
        if course.bot:
            return all(person.turns > self.round for person in self.people)
        return not self._find_awaited_holders(seat)

    def list_awaited_seats(self, seat: int) -> list[int]:
        """Return the seats of the players who must move before the player in this seat can play."""
        if self.courses[seat].turns > self.round:
            numbered = enumerate(self.courses)
            return [n for n, c in numbered if c.left_at is None and c.turns == self.round]
        return self._find_awaited_holders(seat)

    def _find_awaited_holders(self, seat: int) -> list[int]:
        """Return the seats whose players must decide a hold before this seat's next roll."""
        throw = len(self.courses[seat].holds(self.round)) - 1
        if not self.lockstep or throw < 1:
            return []
        return [
            number
            for number, course in enumerate(self.courses)
            if not course.bot and course.find_hold_or_exit(self.round, throw) is None
        ]

    def find_roll_limit(self, seat: int) -> tuple[int, int] | None:
        """Return the first (turn, roll) that the server may not roll yet for this player, or None.
        In lockstep, a roll waits until every other person has decided the hold before it. The first
        roll of a turn does not wait."""
        numbered = enumerate(self.courses)
        others = [c for n, c in numbered if n != seat and not c.bot and c.left_at is None]
        if not self.lockstep or not others:
            return None
        turn = min(course.turns for course in others)
        holds = [len(course.holds(turn)) for course in others if course.turns == turn]
        return turn, max(1, min(holds))

    def count_visible_turns(self, viewer: int | None) -> int:
        """Return how many turns of the other players a viewer may see. Players see the turns that
        they have finished. Watchers (``None``) see the turns that all people have finished, because
        a player may also watch."""
        if self.over:
            return self.turns
        course = None if viewer is None else self.courses[viewer]
        if course is not None and course.left_at is None:
            return course.turns
        return min(person.turns for person in self.people)

    def find_turn_start(self, turn: int) -> datetime:
        """Return when people could begin the turn: when all had finished the previous turn."""
        if turn == 0:
            return self.began
        moments = [course.find_finish_or_exit(turn - 1) for course in self.courses]
        return max((moment for moment in moments if moment is not None), default=self.began)

    def find_bot_turn_start(self, turn: int) -> datetime:
        """Return when bots could begin the turn: after all people have finished it."""
        people = [c.find_finish_or_exit(turn) for c in self.courses if not c.bot]
        return max(
            (moment for moment in people if moment is not None), default=self.find_turn_start(turn)
        )

    def find_earliest_time(self, seat: int, turn: int, number: int) -> datetime:
        """Return when the player could make decision ``number`` of the turn, at the earliest."""
        course = self.courses[seat]
        moments = [self.find_bot_turn_start(turn) if course.bot else self.find_turn_start(turn)]
        moments += course.list_decision_times(turn)[number - 1 : number] if number else ()
        if self.lockstep and number > 1 and not course.bot:
            fixed = [c.find_hold_or_exit(turn, number - 1) for c in self.courses if not c.bot]
            moments += [moment for moment in fixed if moment is not None]
        return max(moments)

    def _find_current_start(self, seat: int) -> datetime:
        return self.find_earliest_time(seat, self.round, len(self.courses[seat].holds(self.round)))

    def sum_used_time(self, seat: int) -> timedelta:
        """Return the total time of the player's decisions. It is never negative."""
        course, spent = self.courses[seat], timedelta()
        for turn in range(max(course.turns, len(course.held))):
            for number, moment in enumerate(course.list_decision_times(turn)):
                spent += max(timedelta(), moment - self.find_earliest_time(seat, turn, number))
        return spent

    def find_time_left(self, seat: int, now: datetime) -> timedelta | None:
        if self.bank is None or self.courses[seat].bot:
            return None
        running = now - self._find_current_start(seat) if self.may_play(seat) else timedelta()
        return self.bank - self.sum_used_time(seat) - max(timedelta(), running)

    def find_deadline(self, seat: int) -> datetime | None:
        """Return when the clock of a person who must move runs out; None for other players."""
        if self.bank is None or self.courses[seat].bot or not self.may_play(seat):
            return None
        return self._find_current_start(seat) + self.bank - self.sum_used_time(seat)

    def find_next_deadline(self) -> tuple[datetime, int] | None:
        """Return the next time at which a clock runs out, and the player's seat, or None."""
        deadlines = [(self.find_deadline(seat), seat) for seat in range(len(self.courses))]
        return min(((moment, seat) for moment, seat in deadlines if moment), default=None)

    def find_patience_end(self, seat: int) -> datetime | None:
        """Return when the others may continue without a player who must move and has no clock, or
        None. The player may be a bot, because a bot may have stopped."""
        clocked = self.bank is not None and not self.courses[seat].bot
        if self.patience is None or clocked or not self.may_play(seat):
            return None
        return self._find_current_start(seat) + self.patience

    def list_late_seats(self, now: datetime) -> list[int]:
        """Return the seats of late players. The other players may continue without them."""
        due = [(self.find_patience_end(seat), seat) for seat in range(len(self.courses))]
        return [seat for moment, seat in due if moment is not None and moment <= now]


def rank_seats(scores: Sequence[int], left: Sequence[bool]) -> list[int | None]:
    """Return the rank of each player. Equal scores share a rank. Players who left have None."""
    staying = [score for score, gone in zip(scores, left, strict=True) if not gone]
    return [
        None if gone else 1 + sum(other > score for other in staying)
        for score, gone in zip(scores, left, strict=True)
    ]
