"""Who waits for whom in a duel, for how long, and what can be done about it."""

from datetime import datetime

from game.models import DuelSeat
from game.selectors.duels.tables import DuelStanding
from game.words import duels as words
from game.words import labels


def seat_name(seat: DuelSeat) -> str:
    return labels.player(seat.player) if seat.player else labels.nobody()


def seat_state(shown: DuelStanding, place: int) -> str:
    course, rounds = shown.sittings[place].course, shown.rounds
    if course.left_at is not None:
        return "left"
    if shown.may_play(place):
        return "plays"
    if shown.finished or course.turns > rounds.round:
        return "played"
    return "waits" if course.bot or shown.closed else "fixed"


def waits(shown: DuelStanding, me: int) -> str:
    """Why nothing can be done now; nothing where something can."""
    rounds = shown.rounds
    if shown.closed or shown.may_play(me):
        return ""
    names = [seat_name(shown.sittings[place].seat) for place in rounds.waited_for(me)]
    played = rounds.courses[me].turns > rounds.round
    return words.waiting(names) if played else words.fixed(names)


def time_left(shown: DuelStanding, place: int, now: datetime) -> str:
    """Where there is another person who may go on without this one."""
    until = None if shown.closed else shown.rounds.patient_until(place)
    if until is None or shown.sittings[place].bot or len(shown.rounds.people) < 2:
        return ""
    return words.time_left(until, now)


def may_call_off(shown: DuelStanding, place: int | None) -> bool:
    return place is not None and shown.plays_on(place) and not shown.rounds.courses[place].turns


def claim(shown: DuelStanding, me: int | None, now: datetime) -> tuple[str, str] | None:
    """For whoever is not waited for as well: what is said, and the button of it."""
    overdue = shown.rounds.overdue(now)
    if not overdue or me is None or me in overdue or not shown.plays_on(me):
        return None
    names = [seat_name(shown.sittings[place].seat) for place in overdue]
    return words.claim(names, wins=len(shown.rounds.staying) - len(overdue) == 1)


def called_off(shown: DuelStanding, me: int | None) -> str:
    found = enumerate(shown.sittings)
    place = next((n for n, one in found if one.seat.exit == DuelSeat.Exit.OFF), None)
    name = labels.nobody() if place is None else seat_name(shown.sittings[place].seat)
    return words.called_off(name, mine=place is not None and place == me)
