"""The words at the end of a duel, for each player and for watchers."""

import re
from datetime import UTC, datetime, timedelta

import pytest

from game.duels.duel_words import SeatEnd, describe_end, format_clock, format_time_left
from game.models import DuelSeat

GAVE_UP, TIME = DuelSeat.Exit.GAVE_UP, DuelSeat.Exit.TIME


def said(seats: list[SeatEnd], me: int | None) -> str:
    told = describe_end(seats, me)
    assert not re.search(r"\d [a-z]", told)
    return told.replace("\u00a0", " ")


def ending(name: str, points: int, luck: float, regret: float, left: str = "") -> SeatEnd:
    return SeatEnd(name, points, left, luck, regret)


@pytest.mark.parametrize(
    ("mine", "other", "told"),
    [
        (
            (230, 0.0, 20.0),
            (240, 21.0, 31.0),
            "You played better but lost: the winner had 21.0 more points of luck.",
        ),
        (
            (240, 10.0, 20.0),
            (230, 10.0, 30.0),
            "You won by 10 points, and played 10.0 points better.",
        ),
        (
            (230, 10.0, 30.0),
            (240, 10.0, 20.0),
            "Bea won by 10 points, and played 10.0 points better.",
        ),
        (
            (240, 30.0, 40.0),
            (230, 0.0, 20.0),
            "You won, though Bea played better: you had 30.0 more points of luck.",
        ),
        ((231, 1.0, 20.0), (230, 0.0, 20.0), "You won by 1 point."),
        ((230, 0.0, 20.0), (231, 1.0, 20.0), "Bea won by 1 point."),
        ((230, 5.0, 20.0), (230, 5.0, 20.0), "A draw."),
        (
            (230, 0.0, 10.0),
            (230, 8.0, 18.0),
            "A draw, though you played better: you had 8.0 fewer points of luck.",
        ),
        (
            (230, 8.0, 18.0),
            (230, 0.0, 10.0),
            "A draw, though Bea played better: you had 8.0 more points of luck.",
        ),
    ],
)
def test_what_decided_it_between_two(
    mine: tuple[int, float, float], other: tuple[int, float, float], told: str
) -> None:
    seats = [ending("Anna", *mine), ending("Bea", *other)]
    assert said(seats, 0) == told


@pytest.mark.parametrize(
    ("exits", "me", "told"),
    [
        (("", GAVE_UP), 0, "You won: Bea gave up."),
        (("", TIME), 0, "You won: Bea ran out of time."),
        (("", GAVE_UP), 1, "You gave up: Anna won."),
        (("", TIME), 1, "Your time ran out: Anna won."),
        (("", GAVE_UP), None, "Anna won: Bea gave up."),
        (("", TIME), None, "Anna won: Bea ran out of time."),
    ],
)
def test_who_left_has_lost_whatever_the_points(
    exits: tuple[str, str], me: int | None, told: str
) -> None:
    seats = [ending("Anna", 10, 0.0, 1.0, exits[0]), ending("Bea", 90, 0.0, 0.0, exits[1])]
    assert said(seats, me) == told


def test_who_watched_is_told_who_won_and_who_played_better() -> None:
    anna, bea = ending("Anna", 240, 30.0, 40.0), ending("Bea", 230, 0.0, 20.0)
    told = "Anna won with 30.0 more points of luck, though Bea played better."
    assert said([bea, anna], None) == told
    assert said([ending("Cleo", 250, 10.0, 5.0), bea], None) == "Cleo won by 20 points."
    assert said([anna, ending("Dora", 240, 0.0, 0.0)], None) == "A draw at 240 points."


def test_of_three_one_is_compared_with_the_winner_and_the_winner_with_the_second() -> None:
    seats = [
        ending("Anna", 200, 0.0, 5.0),
        ending("Bea", 210, 5.0, 50.0),
        ending("Cleo", 220, 30.0, 60.0),
    ]
    assert said(seats, 0) == "You played better but lost: the winner had 30.0 more points of luck."
    assert said(seats, 2) == "You won, though Bea played better: you had 25.0 more points of luck."


def test_a_clock_in_words() -> None:
    assert [format_clock(0), format_clock(1), format_clock(10)] == [
        "without a clock",
        "1\u00a0minute per player",
        "10\u00a0minutes per player",
    ]


@pytest.mark.parametrize(
    ("left", "told"),
    [
        (timedelta(days=3), "3 days"),
        (timedelta(days=3, seconds=-1), "3 days"),
        (timedelta(days=3, minutes=-2), "2 days"),
        (timedelta(days=1, hours=14), "1 day"),
        (timedelta(hours=1), "1 hour"),
        (timedelta(minutes=59), "1 hour"),
        (timedelta(minutes=58, seconds=59), "59 minutes"),
        (timedelta(seconds=1), "1 minute"),
    ],
)
def test_the_time_left_is_cut_off_but_not_in_its_first_minute(left: timedelta, told: str) -> None:
    now = datetime(2026, 3, 14, 12, tzinfo=UTC)
    assert format_time_left(now + left, now).replace("\u00a0", " ") == f"{told} left"
