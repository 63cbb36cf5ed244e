"""What the study page says in words: slips of the study, and what its people's mean means."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.utils.formats import number_format
from django.utils.translation import gettext as _

from game.lab.dice_words import p_value
from game.lab.labels import PLAYERS
from game.words import phrases
from solver.study.disagreements import DIGITS, disagreements
from solver.study.people import HIGH, SMALL_LOSS, StudyPeople

UNBROKEN = "\N{NO-BREAK SPACE}"


@dataclass(frozen=True, slots=True)
class Slip:
    """Where the study disagrees with itself, as its page shows it."""

    where: str
    says: str
    but: str


def slips() -> Iterator[Slip]:
    """The words are those of the study's own module, which marks them for translators."""
    for found in disagreements():
        told, facts = found.words, {key: written(key, one) for key, one in found.facts.items()}
        where = _(told.place) % {"number": found.number}
        yield Slip(where, _(told.says) % facts, _(told.but) % facts)


def written(key: str, fact: Any) -> str:
    """A fact in the reader's notation."""
    if isinstance(fact, tuple):
        return UNBROKEN.join(map(str, fact))
    if isinstance(fact, str):
        return str(PLAYERS[fact].name) if fact in PLAYERS else fact
    if isinstance(fact, int):
        return whole(fact)
    return phrases.points(fact, DIGITS.get(key, 2))


def whole(number: int) -> str:
    """With thousands apart."""
    return number_format(number, use_l10n=True, force_grouping=True)


def meaning(of: StudyPeople) -> list[str]:
    """What the mean of the study's people allows one to say."""
    return [_distance(of), _limits(of), _shape(of), _unknown()]


def _distance(of: StudyPeople) -> str:
    return _(
        "Over %(games)s games the people averaged %(mean)s points. Perfect play averages "
        "%(perfect)s, and the mean of so many games usually lies within %(error)s points of that, "
        "its standard error. Theirs lies %(above)s standard errors above; perfect play itself "
        "lies so far off, above or below, with p = %(p)s."
    ) % {
        "games": of.published.stated,
        "mean": phrases.points(of.published.mean, 2),
        "perfect": phrases.points(of.perfect.mean, 2),
        "error": phrases.points(of.error),
        "above": phrases.points(of.above.statistic),
        "p": p_value(of.above.p),
    }


def _limits(of: StudyPeople) -> str:
    return _(
        "Nobody can beat perfect play in the long run, so skill cannot be all of it: luck, a "
        "selection of games or slips of the pen must be part of it. The less perfect the players, "
        "the larger that part: for people whose mistakes cost %(loss)s points a game, the mean "
        "lies %(above)s standard errors above what they can expect."
    ) % {
        "loss": whole(round(SMALL_LOSS)),
        "above": phrases.points(of.above_players_who_lose(SMALL_LOSS).statistic),
    }


def _shape(of: StudyPeople) -> str:
    return _(
        "The scores do not look like those of perfect play either: %(games)s of them are "
        "%(high)s or more, where perfect play has %(expected)s in as many games."
    ) % {
        "games": of.high,
        "high": HIGH,
        "expected": phrases.points(of.high_of_perfect),
    }


def _unknown() -> str:
    return _(
        "Scores alone cannot tell which of these it was. Where every decision is kept, luck and "
        "skill can be told apart."
    )
