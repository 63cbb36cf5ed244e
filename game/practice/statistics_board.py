"""A player's scores and boxes, compared with perfect play."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from game.coach import score_charts as charts
from game.core.game_queries import list_scores
from game.core.profile_queries import Boxes
from game.core.words import labels, phrases
from game.core.words.equation import TENTHS, round_to_sum, round_to_tenths
from game.models import Player
from solver.advice import Advisor
from solver.charts import ASIDE, OWN, REFERENCE, Axis, Chart, Line, Points
from solver.rules import Ruleset

ROLLING = 10  # games in the moving average
FEWEST = 5  # the least number of games for a trend


@dataclass(frozen=True, slots=True)
class BoxRow:
    """A box with the averages of the player and of perfect play: exact, and rounded to tenths that
    add up to the rounded total."""

    name: str
    mine: float
    perfect: float | None
    printed_mine: int
    printed_perfect: int | None

    @property
    def mine_words(self) -> str:
        return phrases.format_points(self.printed_mine / TENTHS)

    @property
    def perfect_words(self) -> str:
        known = self.printed_perfect
        return "" if known is None else phrases.format_points(known / TENTHS)

    @property
    def difference(self) -> str:
        if self.printed_perfect is None:
            return ""
        return phrases.format_signed((self.printed_mine - self.printed_perfect) / TENTHS)


def list_box_rows(coach: Advisor, boxes: Boxes) -> list[BoxRow]:
    """Return a row per box, and for bonus and chips. Perfect play needs the table of reasons."""
    names = [labels.find_category_name(category) for category in coach.rules.categories]
    names.append(_("Bonus"))
    if coach.rules.joker:
        names.append(labels.name_chip_bonus(coach.rules.joker))
    mine = [*boxes.points.values(), boxes.bonus, boxes.chips][: len(names)]
    printed = round_to_sum(mine, boxes.total)
    if coach.boxes_start is None:
        nothing = [None] * len(names)
        return [BoxRow(*row) for row in zip(names, mine, nothing, printed, nothing, strict=True)]
    expected: list[float] = coach.boxes_start.tolist()
    # The chips get what the other boxes leave of the total.
    theirs = [*expected, coach.value_start - sum(expected)][: len(names)]
    rounded = round_to_sum(theirs, coach.value_start)
    return [BoxRow(*row) for row in zip(names, mine, theirs, printed, rounded, strict=True)]


def make_total_row(coach: Advisor, boxes: Boxes) -> BoxRow:
    both = boxes.total, coach.value_start
    return BoxRow(_("Total"), *both, *map(round_to_tenths, both))


def smooth_scores(scores: Sequence[int]) -> list[float]:
    """Return the moving averages of the scores. The first average is after FEWEST games."""
    parts = [scores[max(0, end - ROLLING) : end] for end in range(FEWEST, len(scores) + 1)]
    return [sum(part) / len(part) for part in parts]


def draw_trend_chart(scores: Sequence[int], perfect: float) -> str:
    """Return the chart of all scores and of their moving average; "" for few games."""
    if len(scores) < FEWEST:
        return ""
    means = smooth_scores(scores)
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
            # Name the line in the legend: a label would cover the latest games.
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
        description=_("The mean of your latest games is %(mean)s points.")
        % {"mean": phrases.format_points(means[-1])},
        height=280.0,
        show_title=False,
    ).draw_for_page()


def draw_scores_chart(player: Player, rules: Ruleset) -> str:
    """Return the chart of the scores of the player and of perfect play; "" if one is missing."""
    scores, perfect = list_scores(player, rules), charts.read_perfect_scores(rules)
    title = _("Your scores and the scores of perfect play, in groups of ten points")
    return charts.draw_own_games(title, scores, perfect) if scores and perfect else ""
