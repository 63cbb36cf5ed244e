"""What the page of the published study shows beside exact results, as far as those are stored."""

from collections.abc import Iterator
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from game.coach import scores
from game.lab import players as lab_players
from game.lab.labels import PLAYERS
from game.lab.players import LabPlayer, percent
from game.lab.study_words import whole
from game.words import phrases
from solver.exact.distribution import Distribution
from solver.statistics.fairness import DiceTest, mean_off
from solver.study.histograms import HUMANS, KEYS, Published, percentage, published_of
from solver.study.people import HIGH, StudyPeople, people
from solver.study.published import PLAYERS as PROGRAMS
from solver.study.published import RULES, reported

OPTIMAL = gettext_lazy("Optimal program")


@dataclass(frozen=True, slots=True)
class StudyScores:
    """The figures of a row, as a person reads them."""

    mean: str
    median: str
    most: int
    least: int

    @property
    def range(self) -> int:
        return self.most - self.least


@dataclass(frozen=True, slots=True)
class Strategy:
    """A strategy of the study; ``exact`` is None until somebody has worked it out."""

    told: LabPlayer
    published: StudyScores
    exact: StudyScores | None

    @property
    def name(self) -> Promise:
        return program(self.told.pk)


@dataclass(frozen=True, slots=True)
class FigureLine:
    """A row of figures of people, beside perfect play."""

    name: str
    published: str
    perfect: str = ""


@dataclass(frozen=True, slots=True)
class PeopleTen:
    low: int
    high: int
    count: int
    percent: str
    up_to_here: str
    perfect: str


@dataclass(frozen=True, slots=True)
class Face:
    face: int
    count: int
    printed: str
    share: str


@dataclass(frozen=True, slots=True)
class Virtual:
    """The virtual dice that the study tested; of their counts it says nothing."""

    dice: str
    mean: str
    off: str


def strategies() -> list[Strategy]:
    return [_strategy(lab_players.told(player_id, RULES)) for player_id in KEYS]


def _strategy(told: LabPlayer) -> Strategy:
    theirs = published_of(told.pk)
    exact = told.exact.distribution if told.exact else None
    return Strategy(told, _printed(theirs), _exact(exact, theirs.stated) if exact else None)


def _printed(of: Published) -> StudyScores:
    digits = 0 if float(of.mean).is_integer() else 2
    return StudyScores(
        phrases.points(of.mean, digits), phrases.points(of.median, 0), of.most, of.least
    )


def _exact(of: Distribution, games: int) -> StudyScores:
    most, least = of.typical_most(games), of.typical_least(games)
    return StudyScores(phrases.points(of.mean, 2), phrases.points(of.median, 0), most, least)


def known() -> dict[str, Distribution]:
    """The exact distributions of the study's strategies that are stored."""
    found = {player_id: lab_players.told(player_id, RULES).exact for player_id in KEYS}
    return {player_id: exact.distribution for player_id, exact in found.items() if exact}


def study_people() -> StudyPeople | None:
    perfect = scores.perfect(RULES)
    return people(perfect) if perfect else None


def people_lines(of: StudyPeople | None) -> Iterator[FigureLine]:
    theirs = published_of(HUMANS)
    ours = _exact(of.perfect, theirs.stated) if of else None
    printed = _printed(theirs)
    yield FigureLine(_("Games"), str(theirs.stated), str(theirs.stated) if of else "")
    yield FigureLine(_("Games in its table"), str(theirs.games))
    yield FigureLine(_("Mean"), printed.mean, ours.mean if ours else "")
    yield FigureLine(_("Median"), printed.median, ours.median if ours else "")
    yield FigureLine(_("Largest"), str(printed.most), str(ours.most) if ours else "")
    yield FigureLine(_("Least"), str(printed.least), str(ours.least) if ours else "")
    yield FigureLine(_("Range"), str(printed.range), str(ours.range) if ours else "")
    high = str(int(theirs.counts[HIGH // 10 :].sum()))
    name = _("Games of %(points)s or more") % {"points": HIGH}
    yield FigureLine(name, high, phrases.points(of.high_of_perfect) if of else "")


def people_tens(of: StudyPeople | None) -> Iterator[PeopleTen]:
    """Appendix B as it is printed."""
    ideal = of.perfect.in_tens() if of else ()
    for row in published_of(HUMANS).rows():
        perfect = percent(float(ideal[row.low // 10])) if len(ideal) > row.low // 10 else ""
        shares = _hundredths(row.percent), _hundredths(row.up_to_here)
        yield PeopleTen(row.low, row.low + 9, row.count, *shares, perfect)


def _hundredths(share: float) -> str:
    return phrases.share(phrases.points(share, 2))


def faces(test: DiceTest) -> Iterator[Face]:
    """Table 4.5, with the shares that it should have."""
    stated = dice_stated()
    for face, count in enumerate(test.counts, start=1):
        shares = (percentage(count, of) / 100 for of in (stated, test.dice))
        yield Face(face, count, *map(percent, shares))


def dice_stated() -> int:
    dice: int = reported()["real_dice_test"]["reported_total"]
    return dice


def virtual() -> Virtual:
    test = reported()["virtual_dice_test"]
    off = mean_off(test["mean"], test["rolls"])
    return Virtual(whole(test["rolls"]), phrases.points(test["mean"], 5), phrases.points(off))


def same_dice() -> list[tuple[int, list[int]]]:
    """Table 4.6: every game with its scores, in the order of ``programs``."""
    rows = reported()["same_value_test"]["totals"]
    return [(row["game"], [row[player] for player in PROGRAMS]) for row in rows]


def programs() -> list[Promise]:
    return [program(key.replace("_", "-")) for key in PROGRAMS]


def program(player_id: str) -> Promise:
    """What the study let play. Its optimal program was no perfect player."""
    return OPTIMAL if player_id == "optimal" else PLAYERS[player_id].name
