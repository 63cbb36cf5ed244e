"""What the study page says in words: slips of the study, and what its people's mean means."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from django.utils.formats import number_format
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as lazy

from game.lab.labels import PLAYERS
from game.lab.pages import percent
from game.words import phrases
from solver.study.disagreements import Disagreement, disagreements
from solver.study.people import HIGH, SMALL_LOSS, People

TABLE, SECTION = lazy("Table %(number)s"), lazy("Section %(number)s")
SECTIONS, APPENDIX = lazy("Sections %(number)s"), lazy("Appendix %(number)s")
UNBROKEN = "\N{NO-BREAK SPACE}"
DIGITS = {"percent": 0, "true": 1}  # decimals of facts that are no whole numbers; else two


@dataclass(frozen=True, slots=True)
class Words:
    place: Promise
    number: str
    says: Promise
    but: Promise


DISAGREEMENTS: Mapping[str, Words] = MappingProxyType(
    {
        "dice": Words(
            TABLE,
            "4.5",
            lazy("%(throws)s throws of five dice, %(stated)s in all."),
            lazy("The counts add up to %(counted)s, and the percentages to %(percent)s %%."),
        ),
        "dice-mean": Words(
            SECTION,
            "4.2.1",
            lazy("The mean of the real dice is %(stated)s."),
            lazy(
                "%(pips)s pips on %(counted)s dice are %(mean)s; only over %(wrong)s dice they "
                "are %(stated)s."
            ),
        ),
        "people": Words(
            APPENDIX,
            "B",
            lazy("%(stated)s games of people; section 5.5 speaks of %(discussed)s."),
            lazy("The counts add up to %(counted)s, and the percentages are shares of that."),
        ),
        "games": Words(
            APPENDIX,
            "A",
            lazy("%(stated)s games. Strategy: %(player)s."),
            lazy("The counts add up to %(counted)s."),
        ),
        "range": Words(
            SECTION,
            "5.3.1",
            lazy("One strategy has the least range of all, %(range)s points: %(player)s."),
            lazy("Another has a range of %(least)s points: %(other)s."),
        ),
        "optimum": Words(
            SECTIONS,
            "4.1.1, 4.2.2",
            lazy("The optimal program averages %(program)s points, and people %(people)s."),
            lazy("Perfect play averages %(perfect)s, and nobody can do better in the long run."),
        ),
        "yatzy-throw": Words(
            SECTION,
            "5.3.1",
            lazy("The chance of Yatzy in one throw is 1 in %(stated)s."),
            lazy("That is the chance of one given face; of any face it is 1 in %(true)s."),
        ),
        "yatzy-turn": Words(
            SECTION,
            "5.3.1",
            lazy("The chance of Yatzy in three throws is 1 in %(stated)s."),
            lazy("A player who goes for nothing else gets it once in %(true)s turns."),
        ),
        "same-dice": Words(
            TABLE,
            "4.11",
            lazy(
                "On the same dice, two strategies end round %(round)s of game %(game)s with "
                "%(ones)s and with %(others)s."
            ),
            lazy("No dice give both: what each held and threw does not fit the same ones."),
        ),
        "bonus": Words(
            TABLE,
            "2.1",
            lazy("The bonus is for more than %(points)s points."),
            lazy("The text below it gives the bonus for %(points)s or more, which is the rule."),
        ),
    }
)


@dataclass(frozen=True, slots=True)
class Slip:
    """Where the study disagrees with itself, as its page shows it."""

    where: str
    says: str
    but: str


def slips() -> Iterator[Slip]:
    for found in disagreements():
        told = DISAGREEMENTS[found.kind]
        facts = {key: written(key, fact) for key, fact in found.facts.items()}
        where = str(told.place) % {"number": _place(told, found)}
        yield Slip(where, str(told.says) % facts, str(told.but) % facts)


def _place(told: Words, found: Disagreement) -> str:
    return str(found.facts.get("table", told.number))


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


def meaning(of: People) -> list[str]:
    """What the mean of the study's people allows one to say."""
    return [_distance(of), _limits(of), _shape(of), _unknown()]


def _distance(of: People) -> str:
    return _(
        "Over %(games)s games the people averaged %(mean)s points. Perfect play averages "
        "%(perfect)s, and the mean of so many games usually lies within %(error)s points of that, "
        "its standard error. Theirs lies %(above)s standard errors above: perfect play itself "
        "would do so well with a chance of %(chance)s."
    ) % {
        "games": of.published.stated,
        "mean": phrases.points(of.published.mean, 2),
        "perfect": phrases.points(of.perfect.mean, 2),
        "error": phrases.points(of.error),
        "above": phrases.points(of.above.statistic),
        "chance": percent(of.chance),
    }


def _limits(of: People) -> str:
    return _(
        "Nobody can beat perfect play in the long run, so skill cannot be all of it: luck, a "
        "selection of games or slips of the pen must be part of it. The less perfect the players, "
        "the larger that part: for people whose mistakes cost %(loss)s points a game, the mean "
        "lies %(above)s standard errors above what they can expect."
    ) % {
        "loss": whole(round(SMALL_LOSS)),
        "above": phrases.points(of.above_players_who_lose(SMALL_LOSS).statistic),
    }


def _shape(of: People) -> str:
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
