"""Pseudonyms and relative times, which replace participants and dates in the public files.

A shuffle that depends on the server's key gives every participant a number. The number reveals
neither the order in which people came nor their places in the allocation list. The numbers of a
trial stay the same until someone joins or leaves the trial.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from django.utils.crypto import salted_hmac

from game.trials.files.export_queries import query_participants
from game.trials.models import Participant, Trial

DAY = 24 * 60 * 60
DAYS = (1, 2, 3, 7, 14, 30, 90, 180, 365)  # a later time is rounded down to one of these days


@dataclass(frozen=True)
class Pseudonyms:
    """The replacements for participants' numbers and dates. Both maps use the participant's true
    number: ``places`` has the number that replaces it, ``first`` the time of the first event."""

    places: Mapping[int, int]
    first: Mapping[int, datetime]

    def format_pseudonym(self, number: int) -> str:
        width = max(2, len(str(len(self.places))))
        return f"S{self.places[number]:0{width}}"

    @property
    def by_label(self) -> dict[str, str]:
        return {
            Participant(number=number).label: self.format_pseudonym(number)
            for number in self.places
        }

    def since(self, number: int, at: datetime | None) -> int | None:
        """Return the seconds since the person's first event. After a day, round down to DAYS."""
        if at is None:
            return None
        seconds = max(0, int((at - self.first[number]).total_seconds()))
        if seconds < DAY:
            return seconds
        return max(days for days in DAYS if days * DAY <= seconds) * DAY


def assign_pseudonyms(trial: Trial, at: datetime) -> Pseudonyms:
    """Return the pseudonyms. The first event of each participant is the first consent."""
    since = query_participants(trial, at).values_list("number", "player__created_at")
    first = dict(since)
    shuffled = sorted(first, key=lambda number: _hash_number(trial, number))
    return Pseudonyms({number: n for n, number in enumerate(shuffled, start=1)}, first)


def _hash_number(trial: Trial, number: int) -> str:
    value = f"{trial.seed}:{number}"
    return salted_hmac("game.trials.exports.public", value, algorithm="sha256").hexdigest()
