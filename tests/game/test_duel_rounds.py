"""Whose turn it is, who may see what, and clocks, against a plain retelling of random duels."""

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from game.duels.duel_rounds import Course, DuelRounds, rank_seats

BEGAN = datetime(2026, 1, 1, tzinfo=UTC)
TURNS = 4
SECOND = timedelta(seconds=1)

tables = st.lists(st.booleans(), min_size=1, max_size=5).map(lambda more: [False, *more])
deeds = st.lists(
    st.tuples(st.integers(0, 5), st.sampled_from(["hold"] * 5 + ["play"] * 5 + ["leave"])),
    max_size=80,
)


@dataclass
class Retold:
    bots: list[bool]
    lockstep: bool = False
    courses: list[Course] = field(default_factory=list)
    now: datetime = BEGAN
    waited: list[timedelta] = field(default_factory=list)  # how long each was to play, by seconds

    def __post_init__(self) -> None:
        self.courses = [Course(bot=bot) for bot in self.bots]
        self.waited = [timedelta() for _ in self.bots]

    @property
    def rounds(self) -> DuelRounds:
        return DuelRounds(self.courses, BEGAN, TURNS, timedelta(minutes=5), self.lockstep)

    def do(self, seat: int, deed: str) -> None:
        for place in range(len(self.bots)):
            if self.rounds.may_play(place):
                self.waited[place] += SECOND
        self.now += SECOND
        course = self.courses[seat]
        if deed == "leave" and not self.rounds.over and course.left_at is None:
            self.courses[seat] = replace(course, left_at=self.now)
        elif deed == "play" and self.rounds.may_play(seat):
            held = (*course.held, ())[: course.turns + 1]
            self.courses[seat] = replace(course, finished=(*course.finished, self.now), held=held)
        elif deed == "hold" and self.rounds.may_play(seat) and len(course.holds(course.turns)) < 3:
            now = (*course.holds(course.turns), self.now)
            self.courses[seat] = replace(course, held=(*course.held[: course.turns], now))


def retold(bots: list[bool], done: list[tuple[int, str]], lockstep: bool) -> Retold:
    table = Retold(bots, lockstep)
    for seat, deed in done:
        if not (deed == "leave" and bots[seat % len(bots)]):
            table.do(seat % len(bots), deed)
    return table


at_own_pace = st.builds(retold, tables, deeds, st.just(False))
in_lockstep = st.builds(retold, tables, deeds, st.just(True))
any_duel = at_own_pace | in_lockstep


@given(at_own_pace)
def test_nobody_sees_a_turn_that_anybody_who_could_look_on_has_still_to_play(table: Retold) -> None:
    """A person sees as far as they have played, a watcher no further than any person has."""
    rounds = table.rounds
    if rounds.over:
        assert rounds.seen(None) == TURNS
        return
    slowest = min(person.turns for person in rounds.people)
    assert rounds.seen(None) == slowest
    for seat, course in enumerate(rounds.courses):
        assert rounds.seen(seat) == (course.turns if course.left_at is None else slowest)


@given(any_duel)
def test_a_clock_runs_while_its_person_can_decide_and_until_nothing_remains(table: Retold) -> None:
    rounds = table.rounds
    for seat, bot in enumerate(table.bots):
        remaining, deadline = rounds.find_time_left(seat, table.now), rounds.find_deadline(seat)
        assert (remaining is None) == bot
        assert (deadline is not None) == (rounds.may_play(seat) and not bot)
        if not bot and rounds.courses[seat].left_at is None and not rounds.over:
            assert remaining == timedelta(minutes=5) - table.waited[seat]
        if deadline is not None:
            assert rounds.find_time_left(seat, deadline) == timedelta()
    found = [d for d in map(rounds.find_deadline, range(len(table.bots))) if d]
    due = rounds.find_next_deadline()
    assert (due[0] if due else None) == min(found, default=None)


def test_a_throw_falls_when_the_last_fixes_and_the_clocks_run_from_then() -> None:
    at = [BEGAN + n * SECOND for n in range(100)]
    first = Course(held=((at[1], at[10]),))
    bank = timedelta(minutes=5)
    rounds = DuelRounds([first, Course(held=((at[2],),))], BEGAN, TURNS, bank, lockstep=True)
    assert (rounds.may_play(0), rounds.list_awaited_seats(0), rounds.find_roll_limit(0)) == (
        False,
        [1],
        (0, 1),
    )
    assert rounds.find_time_left(0, at[50]) == bank - 10 * SECOND
    assert rounds.find_time_left(1, at[50]) == bank - 50 * SECOND
    assert rounds.find_next_deadline() == (BEGAN + bank, 1)
    both = DuelRounds([first, Course(held=((at[2], at[60]),))], BEGAN, TURNS, bank, lockstep=True)
    assert (both.may_play(0), both.find_roll_limit(0)) == (True, (0, 2))
    assert both.find_time_left(0, at[70]) == bank - 20 * SECOND
    assert both.find_time_left(1, at[70]) == bank - 70 * SECOND
    gone = DuelRounds(
        [first, Course(held=((at[2],),), left_at=at[40]), Course(held=((at[3], at[5]),))],
        BEGAN,
        TURNS,
        bank,
        lockstep=True,
    )
    assert gone.find_time_left(0, at[70]) == bank - 40 * SECOND


def test_a_clock_that_is_put_back_gives_nobody_more_than_there_was() -> None:
    early = BEGAN - timedelta(hours=26)
    bank = timedelta(minutes=5)
    assert DuelRounds([Course(), Course()], BEGAN, TURNS, bank).find_time_left(0, early) == bank
    played = [Course((early,)), Course((BEGAN + SECOND,))]
    rounds = DuelRounds(played, BEGAN, TURNS, bank)
    assert rounds.sum_used_time(0) == timedelta()
    assert rounds.find_time_left(0, early) == bank
    assert rounds.find_time_left(1, early) == bank - SECOND


def without_the_late(table: Retold) -> None:
    while (due := table.rounds.find_next_deadline()) and due[0] <= table.now:
        moment, seat = due
        table.courses[seat] = replace(table.courses[seat], left_at=moment)


@given(tables, st.lists(st.tuples(st.integers(0, 5), st.sampled_from([0, 0, -26, 26]))))
def test_wherever_the_clock_is_put_somebody_stays_and_no_clock_shows_more_or_less_than_there_is(
    bots: list[bool], done: list[tuple[int, int]]
) -> None:
    bank, table = timedelta(minutes=5), Retold(bots)
    for seat, hours in done[:60]:
        table.now += timedelta(hours=hours)
        without_the_late(table)
        assert table.rounds.staying
        for place in (place for place, bot in enumerate(bots) if not bot):
            remaining = table.rounds.find_time_left(place, table.now)
            assert remaining is not None
            assert timedelta() <= remaining <= bank
            assert remaining or not table.rounds.may_play(place)
        table.do(seat % len(bots), "play")


@pytest.mark.parametrize(
    ("scores", "left", "expected"),
    [
        ([200, 210], [False, False], [2, 1]),
        ([200, 200, 190], [False] * 3, [1, 1, 3]),
        ([300, 100, 90], [True, False, False], [None, 1, 2]),
    ],
)
def test_places(scores: list[int], left: list[bool], expected: list[int | None]) -> None:
    assert rank_seats(scores, left) == expected
