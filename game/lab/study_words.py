"""What the study page says in words: slips of the study, and what its people's mean means."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import hypot
from typing import Any

from django.utils.formats import number_format
from django.utils.translation import gettext as _

from game.lab.labels import PLAYERS
from game.words import phrases
from solver.exact.any_die import DieValue
from solver.study.disagreements import DIGITS, Disagreement, disagreements
from solver.study.people import HIGH, SMALL_LOSS, StudyPeople
from solver.study.published import real_dice


@dataclass(frozen=True, slots=True)
class Slip:
    """Where the study disagrees with itself, as its page shows it."""

    where: str
    says: str
    but: str


def slips(of: Iterable[Disagreement] | None = None) -> Iterator[Slip]:
    """Of the study, or of others; their modules have the words, and mark them for translators."""
    for found in disagreements() if of is None else of:
        told, facts = found.words, {key: written(key, one) for key, one in found.facts.items()}
        where = _(told.place) % {"number": found.number}
        yield Slip(where, _(told.says) % facts, _(told.but) % facts)


def written(key: str, fact: Any) -> str:
    """A fact in the reader's notation."""
    if isinstance(fact, str):
        return str(PLAYERS[fact].name) if fact in PLAYERS else fact
    if isinstance(fact, int):
        return whole(fact)
    return phrases.points(fact, DIGITS.get(key, 2))


def whole(number: int) -> str:
    """With thousands apart."""
    return number_format(number, use_l10n=True, force_grouping=True)


def meaning(of: StudyPeople, own: DieValue) -> list[str]:
    """What the mean of the study's people allows one to say; ``own`` is perfect play with the
    dice that they threw."""
    return [_distance(of), *_own_dice(of, own), _limits(of), _shape(of), _unknown()]


def _own_dice(of: StudyPeople, own: DieValue) -> list[str]:
    """With fair dice, and with the study's own: what is left to be explained."""
    theirs, dice = of.published, real_dice()
    left = (theirs.mean - own.value) / of.error
    both = (theirs.mean - own.value) / hypot(of.error, own.error)
    facts = {
        "dice": whole(dice.dice),
        "shown": phrases.points(dice.mean, 2),
        "value": phrases.points(own.value, 2),
        "low": phrases.points(own.low),
        "high": phrases.points(own.high),
        "left": phrases.points(left, 2),
        "both": phrases.points(both, 2),
    }
    return [
        _(
            "That is with fair dice. The study's own %(dice)s dice showed %(shown)s on average, "
            "where fair ones show 3.5. If all its dice fall so, perfect play by somebody who knows "
            "it averages %(value)s, or anything from %(low)s to %(high)s, since so few dice were "
            "counted."
        )
        % facts,
        _(
            "That leaves %(left)s standard errors of the 300 games, and %(both)s where what is not "
            "known of the dice counts too: such dice alone would explain most of the lead. Whether "
            "they were so uneven, their own test does not say."
        )
        % facts,
    ]


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
        "p": phrases.points(of.above.p, 3),
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
