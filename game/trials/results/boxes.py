"""Mean points per box: everybody's beside those of all, and what perfect play expects."""

from collections.abc import Sequence
from dataclasses import dataclass

from game.judgement.tables import advisor
from game.trials.results.charts import short_name
from game.trials.results.reading_boxes import TrialBoxes, everybody
from game.words import labels
from game.words.phrases import points
from solver.rules import Ruleset


@dataclass(frozen=True, slots=True)
class BoxMeans:
    name: str
    games: str
    points: tuple[str, ...]
    own: bool = False


@dataclass(frozen=True)
class BoxTable:
    """A row a participant, a column a box; ``rest`` games are not in it, for there are many."""

    heads: tuple[tuple[str, str], ...]  # short, and in full
    lines: tuple[BoxMeans, ...]
    rest: int

    def labelled(self) -> list[tuple[BoxMeans, list[tuple[str, str]]]]:
        """Each line, its points beside short names: on a phone a column has no head."""
        shorts = [short for short, _name in self.heads]
        return [(line, list(zip(shorts, line.points, strict=True))) for line in self.lines]


def box_table(rules: Ruleset, of: TrialBoxes) -> BoxTable | None:
    if not of.people:
        return None
    heads = [(short_name(one), str(labels.category_name(one))) for one in rules.categories]
    lines = [BoxMeans("this trial", str(of.games), _told(everybody(of)), own=True)]
    lines += [BoxMeans(one.participant, str(one.games), _told(one.points)) for one in of.people]
    bonus = ("Bonus", "Bonus")
    return BoxTable((*heads, bonus), (*_perfect(rules), *lines), of.of - of.games)


def _perfect(rules: Ruleset) -> list[BoxMeans]:
    """Only where the table of reasons is there."""
    coach = advisor(rules)
    expected = coach.boxes_start if coach else None
    if expected is None:
        return []
    return [BoxMeans("perfect play", "", _told(expected.tolist()))]


def _told(values: Sequence[float]) -> tuple[str, ...]:
    return tuple(points(value) for value in values)
