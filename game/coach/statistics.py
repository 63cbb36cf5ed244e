"""One's scores and boxes beside those of perfect play."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from game.selectors.statistics import Boxes
from game.words import labels, phrases
from solver.advice import Advisor
from solver.charts import ASIDE, OWN, REFERENCE, Axis, Chart, Line, Points

ROLLING = 10  # games that the trend averages
FEWEST = 5  # games that make a trend


@dataclass(frozen=True, slots=True)
class BoxRow:
    name: str
    mine: float
    perfect: float | None

    @property
    def difference(self) -> str:
        """Of the two as they are printed beside it."""
        if self.perfect is None:
            return ""
        mine, perfect = (round(points, phrases.DIGITS) for points in (self.mine, self.perfect))
        return phrases.signed(mine - perfect)


def box_rows(coach: Advisor, boxes: Boxes) -> list[BoxRow]:
    """What perfect play expects of each box comes with the table of reasons."""
    expected = coach.boxes_start
    theirs = [None] * (len(boxes.points) + 1) if expected is None else expected.tolist()
    names = [labels.category_name(category) for category in coach.rules.categories]
    mine = [*boxes.points.values(), boxes.bonus]
    return [BoxRow(*row) for row in zip([*names, _("Bonus")], mine, theirs, strict=True)]


def rolling(scores: Sequence[int]) -> list[float]:
    """The mean of the latest games, from the first game that has enough before it."""
    parts = [scores[max(0, end - ROLLING) : end] for end in range(FEWEST, len(scores) + 1)]
    return [sum(part) / len(part) for part in parts]


def trend_chart(scores: Sequence[int], perfect: float) -> str:
    """Every score and the mean of the latest; empty while there are few."""
    if len(scores) < FEWEST:
        return ""
    means = rolling(scores)
    games = [float(number) for number in range(1, len(scores) + 1)]
    title = _("Your scores, one after the other")
    return Chart(
        title,
        [
            Points(games, [float(score) for score in scores], label=_("a game"), series=ASIDE),
            Line(
                games[FEWEST - 1 :],
                means,
                label=_("mean of %(games)s games") % {"games": ROLLING},
                series=OWN,
            ),
            # Named in the legend: beside the line its name would lie over the latest games.
            Line(
                [games[0], games[-1]],
                [perfect, perfect],
                label=_("perfect play"),
                dashed=True,
                series=REFERENCE,
            ),
        ],
        x=Axis(label=_("game"), whole=True),
        y=Axis(label=_("points")),
        description=_("The mean of the last games is %(mean)s points.")
        % {"mean": phrases.points(means[-1])},
        height=280.0,
        show_title=False,
    ).for_page()
