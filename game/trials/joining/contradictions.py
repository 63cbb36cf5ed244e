"""Settings of an open link that cannot all be meant: by which field, and why."""

import re
from collections.abc import Iterator

from game.models import Preregistration, Recruitment
from game.trials.design.people import places_taken
from game.trials.design.ways_out import is_address

NAME_IN_ADDRESS = re.compile(r"\{([^{}]*)\}")
Contradiction = tuple[str, str]


def contradictions(meant: Recruitment) -> Iterator[Contradiction]:
    """``meant`` need not be stored."""
    yield from _of_labels(meant)
    yield from _of_addresses(meant)
    yield from _of_quota(meant)


def _of_labels(meant: Recruitment) -> Iterator[Contradiction]:
    if meant.entry == Recruitment.Entry.SIGNED and not meant.names:
        yield "entry", "Without labels there is nothing to sign."
    if meant.trial.games_follow_up and not meant.names:
        yield (
            "labels",
            "This trial has a follow-up: without labels nobody is known who comes back to it.",
        )
    for name, values in meant.expectations.items():
        if name not in meant.names or "" in values:
            yield "expected", f"“{name}” has no value here, or is none of the labels."


def _of_addresses(meant: Recruitment) -> Iterator[Contradiction]:
    for way, told in meant.ways_out.items():
        for name in NAME_IN_ADDRESS.findall(told) if is_address(told) else ():
            if name not in meant.names:
                yield way, f"“{{{name}}}” would never be filled in: it is none of the labels."


def _of_quota(meant: Recruitment) -> Iterator[Contradiction]:
    taken = places_taken(meant.trial)
    if meant.quota < taken:
        text = "%(n)s person is in already." if taken == 1 else "%(n)s people are in already."
        yield "quota", text % {"n": taken}
    found = Preregistration.objects.filter(trial=meant.trial, locked_at__isnull=False).first()
    needed = (found.stopping_people or 0) if found else 0
    if meant.trial.places + meant.quota < needed:
        text = (
            "By the preregistration the trial stops when %(people)s people have played all their"
            " games. With these places and %(places)s personal links there cannot be so many."
        )
        yield "quota", text % {"people": needed, "places": meant.trial.places}
