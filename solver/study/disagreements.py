"""Where the study's own numbers disagree, worked out from its data."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from solver.players import PLAYERS
from solver.players.base import gettext_noop
from solver.players.values import par
from solver.rules import YATZY
from solver.rules.dice import FACES
from solver.study.graph import graph
from solver.study.histograms import HUMANS, KEYS, published_of
from solver.study.published import printed_turns, reported
from solver.study.same_dice import BY_DIE, BY_THROW, unexplained

PERFECT_MEAN = 248.44
YATZY_POINTS = 50
ONE_IN = 29  # what the study takes for the chance of Yatzy in a turn
DISCUSSED_GAMES = 200  # of people, in its discussion

DIGITS = {"percent": 0, "true": 1}  # decimals of facts that are no whole numbers; else two


@dataclass(frozen=True, slots=True)
class Wording:
    """Where in the study, what it says there, and what speaks against it."""

    place: str
    number: str
    says: str
    but: str


TABLE, SECTION = gettext_noop("Table %(number)s"), gettext_noop("Section %(number)s")
SECTIONS, APPENDIX = gettext_noop("Sections %(number)s"), gettext_noop("Appendix %(number)s")
WORDS: Mapping[str, Wording] = MappingProxyType(
    {
        "graph": Wording(
            SECTION,
            "2.2.1",
            gettext_noop("The graph has %(stated)s states."),
            gettext_noop("Those are three of its six sets; all six have %(counted)s."),
        ),
        "holds": Wording(
            SECTION,
            "2.2.1",
            gettext_noop("One to five dice can be kept in %(stated)s ways."),
            gettext_noop("They can in %(counted)s; the other way is to keep none."),
        ),
        "dice": Wording(
            TABLE,
            "4.5",
            gettext_noop("%(throws)s throws of five dice, %(stated)s in all."),
            gettext_noop(
                "The counts add up to %(counted)s, and the percentages to %(percent)s %%."
            ),
        ),
        "dice-mean": Wording(
            SECTION,
            "4.2.1",
            gettext_noop("The mean of the real dice is %(stated)s."),
            gettext_noop(
                "%(pips)s pips on %(counted)s dice are %(mean)s; only over %(wrong)s dice they "
                "are %(stated)s."
            ),
        ),
        "people": Wording(
            APPENDIX,
            "B",
            gettext_noop("%(stated)s games of people; section 5.5 speaks of %(discussed)s."),
            gettext_noop(
                "The counts add up to %(counted)s, and the percentages are shares of that."
            ),
        ),
        "games": Wording(
            APPENDIX,
            "A",
            gettext_noop("%(stated)s games. Strategy: %(player)s."),
            gettext_noop("The counts add up to %(counted)s."),
        ),
        "range": Wording(
            SECTION,
            "5.3.1",
            gettext_noop("One strategy has the least range of all, %(range)s points: %(player)s."),
            gettext_noop("Another has a range of %(least)s points: %(other)s."),
        ),
        "optimum": Wording(
            SECTIONS,
            "4.1.1, 4.2.2",
            gettext_noop("The optimal program averages %(program)s points, and people %(people)s."),
            gettext_noop(
                "Perfect play averages %(perfect)s, and nobody can do better in the long run."
            ),
        ),
        "yatzy-throw": Wording(
            SECTION,
            "5.3.1",
            gettext_noop("The chance of Yatzy in one throw is 1 in %(stated)s."),
            gettext_noop("That is the chance of one given face; of any face it is 1 in %(true)s."),
        ),
        "yatzy-turn": Wording(
            SECTION,
            "5.3.1",
            gettext_noop("The chance of Yatzy in three throws is 1 in %(stated)s."),
            gettext_noop("A player who goes for nothing else gets it once in %(true)s turns."),
        ),
        "same-dice": Wording(
            SECTION,
            "3.1",
            gettext_noop("A die has three prepared numbers a turn, the same for all programs."),
            gettext_noop(
                "If it shows that of the throw, no dice give round %(throw_round)s of game "
                "%(throw_game)s; if it shows its next one, none give round %(die_round)s of game "
                "%(die_game)s. Not all printed turns follow from one rule and the same dice in "
                "their places."
            ),
        ),
        "bonus": Wording(
            TABLE,
            "2.1",
            gettext_noop("The bonus is for more than %(points)s points."),
            gettext_noop(
                "The text below it gives the bonus for %(points)s or more, which is the rule."
            ),
        ),
    }
)


@dataclass(frozen=True)
class Disagreement:
    """The facts are for whoever words it in another language."""

    kind: str
    facts: Mapping[str, Any]

    @property
    def words(self) -> Wording:
        return WORDS[self.kind]

    @property
    def number(self) -> str:
        """Of the table or section."""
        return str(self.facts.get("table", self.words.number))

    @property
    def where(self) -> str:
        return self.words.place % {"number": self.number}

    @property
    def says(self) -> str:
        return self._told(self.words.says)

    @property
    def but(self) -> str:
        return self._told(self.words.but)

    def _told(self, text: str) -> str:
        return text % {key: _written(key, fact) for key, fact in self.facts.items()}


def _written(key: str, fact: Any) -> str:
    """Thousands apart, players by their titles."""
    if isinstance(fact, str):
        return PLAYERS[fact].title if fact in PLAYERS else fact
    return f"{fact:,}" if isinstance(fact, int) else f"{fact:.{DIGITS.get(key, 2)}f}"


def disagreements() -> Iterator[Disagreement]:
    yield from _graph()
    yield from _dice()
    yield from _games()
    yield _ranges()
    yield _optimum()
    yield from _yatzy()
    yield _same_dice()
    yield Disagreement("bonus", {"points": YATZY.bonus_threshold})


def _graph() -> Iterator[Disagreement]:
    stated, all_sets = reported()["graph"], sum(one.defined for one in graph(YATZY))
    yield Disagreement("graph", {"stated": stated["states"], "counted": all_sets})
    counted = sum(bool(dice) for dice in YATZY.cup.holds)
    yield Disagreement("holds", {"stated": stated["holds"], "counted": counted})


def _dice() -> Iterator[Disagreement]:
    real = reported()["real_dice_test"]
    counts = {int(face): count for face, count in real["counts"].items()}
    counted, pips = sum(counts.values()), sum(face * count for face, count in counts.items())
    stated, mean = real["reported_total"], real["reported_mean"]
    percent = 100 * counted / stated
    facts = {"throws": real["throws"], "stated": stated, "counted": counted, "percent": percent}
    yield Disagreement("dice", facts)
    facts = {"stated": mean, "pips": pips, "counted": counted, "wrong": stated}
    yield Disagreement("dice-mean", facts | {"mean": pips / counted})


def _games() -> Iterator[Disagreement]:
    theirs = published_of(HUMANS)
    facts = {"stated": theirs.stated, "discussed": DISCUSSED_GAMES, "counted": theirs.games}
    yield Disagreement("people", facts)
    for name in KEYS:
        of = published_of(name)
        if of.games != of.stated:
            counted = {"stated": of.stated, "counted": of.games}
            yield Disagreement("games", {"player": name, **counted})


def _ranges() -> Disagreement:
    ranges = {name: published_of(name).range for name in KEYS}
    least = min(ranges, key=lambda name: ranges[name])
    facts = {"player": "dice-based", "range": ranges["dice-based"], "other": least}
    return Disagreement("range", facts | {"least": ranges[least]})


def _optimum() -> Disagreement:
    facts = {
        "program": published_of("optimal").mean,
        "people": published_of(HUMANS).mean,
        "perfect": PERFECT_MEAN,
    }
    return Disagreement("optimum", facts)


def _yatzy() -> Iterator[Disagreement]:
    one_face = FACES**YATZY.dice
    yield Disagreement("yatzy-throw", {"stated": one_face, "true": one_face // FACES})
    turns = YATZY_POINTS / float(par(YATZY)[YATZY.index["yatzy"]])
    yield Disagreement("yatzy-turn", {"stated": ONE_IN, "true": turns})


def _same_dice() -> Disagreement:
    turns, facts = printed_turns(), dict[str, int]()
    for name, (number,) in (("throw", unexplained(BY_THROW)), ("die", unexplained(BY_DIE))):
        facts |= {f"{name}_{key}": turns[number][key] for key in ("game", "round")}
    return Disagreement("same-dice", facts)
