"""The two charts of a profile, and what they are in words."""

from collections.abc import Sequence
from itertools import pairwise
from math import ceil

from django.utils.translation import gettext as _

from game.core.profile_queries import ROLLING, RatedGame
from game.core.words import phrases
from game.core.words.equation import MeanEquation
from game.core.words.times import LONG, day_text
from game.core.worth.severity import GRADES
from game.core.worth.skill import Skill
from solver.charts import ASIDE, OWN, REFERENCE, Axis, Chart, Layer, Line, Points, Rule
from solver.charts.chart import Y_TICKS
from solver.charts.frame import round_step, ticks

# Narrow enough for the words to stay readable on a phone.
WIDTH, HEIGHT = 400.0, 260.0
LEGEND = 40.0  # more height, for three entries
MARGIN = 0.16  # of the chart's width, for the names of the grades
ROOM = 0.09  # of the chart's height, for the name of a grade
BELOW = 0.06  # of the points lost, under nothing lost
LEAST = 0.1  # points lost, that the axis shows where hardly any were
FEWEST = 5  # own games that a rolling rating needs


def rating_chart(games: Sequence[RatedGame]) -> str:
    """Every game, and the mean of the latest with its interval; empty while there are few."""
    if sum(game.own for game in games) < FEWEST:
        return ""
    rolling = [game for game in games if game.own and game.rolling.count >= FEWEST]
    spans = [span for game in rolling if (span := game.rolling.interval)]
    mean = Line(
        [float(game.number) for game in rolling],
        [span.mean for span in spans],
        label=_("mean of %(games)s games, 95 %% sure") % {"games": ROLLING},
        band=([span.high for span in spans], [max(0.0, span.low) for span in spans]),
        series=OWN,
    )
    last = games[-1].number
    layers: list[Layer] = [*_grade_rules(games), mean, _dots(games, own=True)]
    if not all(game.own for game in games):
        layers.append(_dots(games, own=False))
    return Chart(
        _("Points lost per decision, game by game"),
        layers,
        x=Axis(label=_("game"), whole=True, high=last + (last - games[0].number) * MARGIN),
        y=_lost_axis(max(game.rating for game in games), *(span.high for span in spans)),
        description=_("The mean of the last games is %(mean)s points lost a decision.")
        % {"mean": phrases.points(spans[-1].mean if spans else 0.0, 2)},
        width=WIDTH,
        height=HEIGHT + LEGEND,
        show_title=False,
    ).for_page()


def _lost_axis(*lost: float) -> Axis:
    """From under nothing, so that a perfect game does not lie on the axis, to a labelled tick."""
    high = max(*lost, LEAST)
    low = -BELOW * high
    while ticks(low, high, Y_TICKS)[-1] < high * (1 - 1e-9):
        step = round_step(low, high, Y_TICKS)
        high = step * ceil(high / step - 1e-9)
    return Axis(label=_("points lost a decision"), low=low, high=high)


def _dots(games: Sequence[RatedGame], *, own: bool) -> Points:
    shown = [game for game in games if game.own == own]
    return Points(
        [float(game.number) for game in shown],
        [game.rating for game in shown],
        label=_("a game") if own else _("with the coach's help"),
        titles=[_dot(game) for game in shown],
        series=OWN if own else ASIDE,
    )


def _dot(game: RatedGame) -> str:
    facts = {"day": day_text(game.finished_at, LONG), "lost": phrases.points(game.rating, 2)}
    return _("%(day)s: %(lost)s points lost a decision") % facts


def _grade_rules(games: Sequence[RatedGame]) -> list[Rule]:
    """A line under every grade that these games have, where there is room for its name."""
    ratings = [game.rating for game in games]
    room, top = ROOM * max(ratings), max(ratings)
    rules = []
    for better, named in reversed(list(pairwise(GRADES))):
        if min(ratings) < better.below < top:
            rules.append(Rule(y=better.below, label=str(named.name)))
            top = better.below - room
    return rules


def equation_of(skill: Skill) -> MeanEquation:
    """perfect play − mistakes = the skill estimate, on average."""
    return MeanEquation(skill.value_start, skill.scores.mean, skill.regrets.mean)


def estimates_chart(skill: Skill) -> str:
    """The two intervals side by side; empty while there is none."""
    if skill.raw is None or skill.skill is None:
        return ""
    names = (_("Skill estimate"), _("Mean score"))
    spans = ((skill.skill, OWN), (skill.raw, ASIDE))
    layers: list[Layer] = [
        Line([at, at], [span.low, span.high], series=series, bands=names)
        for at, (span, series) in enumerate(spans)
    ]
    layers += [
        Points([at], [span.mean], series=series, bands=names)
        for at, (span, series) in enumerate(spans)
    ]
    layers.append(Rule(y=skill.value_start, label=_("perfect play"), series=REFERENCE))
    return Chart(
        _("Two estimates of your average score, with their 95 % ranges"),
        layers,
        y=Axis(label=_("points")),
        description=_("Skill estimate %(skill)s, mean score %(mean)s.")
        % {"skill": equation_of(skill).skill_words, "mean": phrases.points(skill.scores.mean)},
        width=WIDTH,
        height=HEIGHT,
        show_title=False,
    ).for_page()
