"""The profile: skill, luck, habits and records, with its charts."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import ceil

from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from game.core.profile_queries import (
    HABITS,
    ROLLING,
    Habit,
    RatedGame,
    judged_games,
    profile_boxes,
    profile_ends,
    profile_games,
    profile_kinds,
    profile_skill,
    profile_worst,
)
from game.core.words import phrases, record_words
from game.core.words.equation import Equation, MeanEquation
from game.core.words.times import LONG, day_text
from game.core.worth.level import level
from game.core.worth.severity import GRADES, Grade, Severity, grade, severity
from game.core.worth.skill import Skill
from game.models import Decision, Game, Player
from solver.charts import ASIDE, OWN, REFERENCE, Axis, Chart, Layer, Line, Points, Rule
from solver.charts.chart import Y_TICKS
from solver.charts.frame import round_step, ticks
from solver.rules import Ruleset

LISTED = 20  # games in the table
KINDS: dict[str, Promise] = {
    "first_hold": gettext_lazy("Choosing what to hold after the first roll"),
    "second_hold": gettext_lazy("Choosing what to hold after the second roll"),
    "none": gettext_lazy("Rerolling all dice"),
    "all": gettext_lazy("Holding all dice and rolling none"),
    "early": gettext_lazy("Scoring before the last roll"),
    "box": gettext_lazy("Choosing the box after the last roll"),
}
# Where throws are saved, of a turn's own throws.
SAVED_KINDS: dict[str, Promise] = {
    "second_hold": gettext_lazy("Choosing what to hold after a later roll"),
    "early": gettext_lazy("Scoring with own rolls left, which are saved"),
    "box": gettext_lazy("Scoring when the turn's own rolls are used"),
}


@dataclass(frozen=True, slots=True)
class Portrait:
    rules: Ruleset
    judged: int
    skill: Skill
    games: Sequence[RatedGame]  # the latest, the oldest first
    lucky: Game | None
    unlucky: Game | None
    kinds: Sequence["HabitLine"]
    boxes: Sequence["HabitLine"]
    worst: Sequence["WorstLine"]

    @property
    def helped(self) -> int:
        return self.judged - self.skill.games

    @property
    def habit_games(self) -> int:
        return min(self.skill.games, HABITS)

    @property
    def level(self) -> str:
        """Points lost a game; empty where no game says so."""
        loss = level(self.skill.rated, self.rules)
        return record_words.level(loss.lost, loss.half, loss.games) if loss else ""

    @property
    def rating(self) -> str:
        interval = self.skill.ratings.interval
        facts = {"lost": phrases.lost(self.skill.ratings.mean, 2)}
        if interval is None:
            return phrases.unbroken(_("%(lost)s points lost per decision") % facts)
        facts["half"] = phrases.points(interval.half, 2)
        return phrases.unbroken(_("%(lost)s ± %(half)s points lost per decision") % facts)

    @property
    def grade(self) -> str:
        if self.skill.grades is None:
            return str(self.skill.grade.name)
        best, worst = self.skill.grades
        return _("%(best)s to %(worst)s") % {"best": best.name, "worst": worst.name}

    @property
    def ladder(self) -> list["Rung"]:
        """All grades, the best first, with those that the rating may be of."""
        best, worst = self.skill.grades or (self.skill.grade, self.skill.grade)
        mine = range(GRADES.index(best), GRADES.index(worst) + 1)
        least = (0.0, *(grade.below for grade in GRADES))
        return [
            Rung(grade, least[place], place in mine, place == len(GRADES) - 1)
            for place, grade in enumerate(GRADES)
        ]

    @property
    def lucky_text(self) -> str:
        return _luck(self.lucky)

    @property
    def unlucky_text(self) -> str:
        return _luck(self.unlucky)

    @property
    def all_unlucky(self) -> bool:
        """True if even the luckiest game was unlucky."""
        return _luck_of(self.lucky) < 0

    @property
    def all_lucky(self) -> bool:
        return _luck_of(self.unlucky) > 0

    @property
    def rating_chart(self) -> str:
        return rating_chart(self.games)

    @property
    def estimates_chart(self) -> str:
        return estimates_chart(self.skill)

    @property
    def listed(self) -> list["GameLine"]:
        return [GameLine(self.rules, game) for game in self.games[: -LISTED - 1 : -1]]

    @property
    def mean(self) -> MeanEquation:
        """perfect play − mistakes = the skill estimate; beside it stands the mean score."""
        return equation_of(self.skill)


@dataclass(frozen=True, slots=True)
class Rung:
    grade: Grade
    at_least: float
    mine: bool
    last: bool


@dataclass(frozen=True, slots=True)
class GameLine:
    rules: Ruleset
    game: RatedGame

    @property
    def grade(self) -> Grade:
        return grade(self.game.regret, self.rules)

    @property
    def equation(self) -> Equation:
        return Equation.of_game(self.game.score, self.game.luck, self.game.regret)


@dataclass(frozen=True, slots=True)
class HabitLine:
    name: str
    decisions: int
    a_game: float
    a_decision: float


@dataclass(frozen=True, slots=True)
class WorstLine:
    decision: Decision

    @property
    def turn(self) -> int:
        return self.decision.turn + 1

    @property
    def severity(self) -> Severity:
        return severity(self.decision.regret or 0.0)

    @property
    def cost(self) -> str:
        return phrases.cost(self.decision.regret or 0.0)

    @property
    def url(self) -> str:
        """A review numbers the decisions but for the first throw of every turn."""
        step = self.decision.seq - self.decision.turn
        return f"{reverse('review', args=[self.decision.game_id])}?step={step}#step"


def portrait(player: Player, rules: Ruleset, value_start: float) -> Portrait:
    games = judged_games(player, rules, value_start)
    judged, skill = profile_skill(games, value_start)
    lucky, unlucky = profile_ends(games) or (None, None)
    games_shown = min(skill.games, HABITS)
    return Portrait(
        rules=rules,
        judged=judged,
        skill=skill,
        games=profile_games(games),
        lucky=lucky,
        unlucky=unlucky,
        kinds=[_line(kind_name(h.id, rules), h, games_shown) for h in profile_kinds(games, rules)],
        boxes=[
            _line(phrases.box(rules, h.id), h, games_shown) for h in profile_boxes(games, rules)
        ],
        worst=[WorstLine(decision) for decision in profile_worst(games)],
    )


def kind_name(kind: str, rules: Ruleset) -> str:
    return str((KINDS | SAVED_KINDS if rules.stock else KINDS)[kind])


def _luck(game: Game | None) -> str:
    return phrases.luck(_luck_of(game)) if game else ""


def _luck_of(game: Game | None) -> float:
    """Return the luck as the game's equation prints it."""
    if game is None or game.final_score is None:
        return 0.0
    return Equation.of_game(game.final_score, game.luck or 0.0, game.regret or 0.0).printed_luck


def _line(name: str, habit: Habit, games: int) -> HabitLine:
    each = habit.points / habit.decisions if habit.decisions else 0.0
    return HabitLine(name, habit.decisions, habit.points / games if games else 0.0, each)


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
    layers: list[Layer] = [*_grade_rules(games), mean, _dots(games, unaided=True)]
    if not all(game.own for game in games):
        layers.append(_dots(games, unaided=False))
    return Chart(
        _("Points lost per decision, game by game"),
        layers,
        x=Axis(label=_("game"), whole=True, high=last + (last - games[0].number) * MARGIN),
        y=_lost_axis(max(game.rating for game in games), *(span.high for span in spans)),
        description=_("The mean of the last games is %(mean)s points lost per decision.")
        % {"mean": phrases.points(spans[-1].mean if spans else 0.0, 2)},
        width=WIDTH,
        height=HEIGHT + LEGEND,
        show_title=False,
    ).for_page()


def _lost_axis(*losses: float) -> Axis:
    """From under nothing, so that a perfect game does not lie on the axis, to a labelled tick."""
    high = max(*losses, LEAST)
    low = -BELOW * high
    while ticks(low, high, Y_TICKS)[-1] < high * (1 - 1e-9):
        step = round_step(low, high, Y_TICKS)
        high = step * ceil(high / step - 1e-9)
    return Axis(label=_("points lost per decision"), low=low, high=high)


def _dots(games: Sequence[RatedGame], *, unaided: bool) -> Points:
    shown = [game for game in games if game.own == unaided]
    return Points(
        [float(game.number) for game in shown],
        [game.rating for game in shown],
        label=_("a game") if unaided else _("with the coach's help"),
        titles=[_dot(game) for game in shown],
        series=OWN if unaided else ASIDE,
    )


def _dot(game: RatedGame) -> str:
    facts = {"day": day_text(game.finished_at, LONG), "lost": phrases.points(game.rating, 2)}
    return _("%(day)s: %(lost)s points lost per decision") % facts


def _grade_rules(games: Sequence[RatedGame]) -> list[Rule]:
    """Return a line under every grade that these games have, where there is room for its name."""
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
    """Return the two intervals side by side; empty while there is none."""
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
