"""Where the study's own numbers disagree, worked out from its data."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from solver.players.values import par
from solver.rules import YATZY
from solver.rules.dice import DICE, FACES
from solver.study.histograms import HUMANS, KEYS, published_of
from solver.study.published import reported
from solver.study.same_dice import conflicts

PERFECT_MEAN = 248.44
YATZY_POINTS = 50
ONE_IN = 29  # what the study takes for the chance of Yatzy in a turn
DISCUSSED_GAMES = 200  # of people, in its discussion

# Kind: where, what the study says there, and what speaks against it.
WORDS: Mapping[str, tuple[str, str, str]] = MappingProxyType(
    {
        "dice": (
            "Table 4.5",
            "%(throws)s throws of 5 dice, %(stated)s in all",
            "its counts add up to %(counted)s, and its percentages to %(percent).0f %%",
        ),
        "dice-mean": (
            "Section 4.2.1",
            "the mean of the real dice is %(stated).2f",
            "%(pips)s pips on %(counted)s dice are %(mean).2f; only over %(wrong)s they are "
            "%(stated).2f",
        ),
        "people": (
            "Appendix B",
            "%(stated)s games of people; section 5.5 speaks of %(discussed)s",
            "the counts add up to %(counted)s, and the percentages are shares of that",
        ),
        "games": (
            "Appendix A",
            "%(stated)s games of %(player)s",
            "the counts add up to %(counted)s",
        ),
        "range": (
            "Section 5.3.1",
            "%(player)s has the least range of all, %(range)s points",
            "%(other)s has %(least)s",
        ),
        "optimum": (
            "Sections 4.1.1 and 4.2.2",
            "the optimal algorithm averages %(program)s points, and people %(people).2f",
            "perfect play averages %(perfect).2f, and nobody can do better in the long run",
        ),
        "yatzy-throw": (
            "Section 5.3.1",
            "the chance of Yatzy in one throw is 1 in %(stated)s",
            "that is the chance of one given face; of any face it is 1 in %(true)s",
        ),
        "yatzy-turn": (
            "Section 5.3.1",
            "the chance of Yatzy in three throws is 1 in %(stated)s",
            "a player who goes for nothing else gets it once in %(true).1f turns",
        ),
        "same-dice": (
            "Table %(table)s",
            "%(one)s ends game %(game)s, round %(round)s with %(ones)s, %(other)s with %(others)s",
            "no dice give both: what each of them held and threw does not fit the same ones",
        ),
        "bonus": (
            "Table 2.1",
            "the bonus is for more than %(points)s points",
            "the text below the table gives it for %(points)s or more, which is the rule",
        ),
    }
)


@dataclass(frozen=True)
class Disagreement:
    """The facts are for whoever words it in another language."""

    kind: str
    facts: Mapping[str, Any]

    @property
    def where(self) -> str:
        return self._told(0)

    @property
    def says(self) -> str:
        return self._told(1)

    @property
    def but(self) -> str:
        return self._told(2)

    def _told(self, part: int) -> str:
        return WORDS[self.kind][part] % {key: _written(fact) for key, fact in self.facts.items()}


def _written(fact: Any) -> Any:
    """Dice with blanks between them, and thousands apart; texts round the other numbers."""
    if isinstance(fact, tuple):
        return " ".join(map(str, fact))
    return f"{fact:,}" if isinstance(fact, int) else fact


def disagreements() -> Iterator[Disagreement]:
    yield from _dice()
    yield from _games()
    yield _ranges()
    yield _optimum()
    yield from _yatzy()
    yield from _same_dice()
    yield Disagreement("bonus", {"points": YATZY.bonus_threshold})


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
    one_face = FACES**DICE
    yield Disagreement("yatzy-throw", {"stated": one_face, "true": one_face // FACES})
    turns = YATZY_POINTS / float(par(YATZY)[YATZY.index["yatzy"]])
    yield Disagreement("yatzy-turn", {"stated": ONE_IN, "true": turns})


def _same_dice() -> Iterator[Disagreement]:
    for turn in reported()["same_value_test"]["rounds"]:
        for one, other in conflicts(turn):
            facts = {key: turn[key] for key in ("table", "game", "round")}
            players = {"one": _named(one), "other": _named(other)}
            ends = {"ones": _end(turn[one]), "others": _end(turn[other])}
            yield Disagreement("same-dice", facts | players | ends)


def _named(key: str) -> str:
    return key.replace("_", "-")


def _end(printed: Any) -> tuple[int, ...]:
    return tuple(sorted(printed["result"]))
