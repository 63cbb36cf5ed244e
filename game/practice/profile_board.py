"""The page "You": skill, luck, habits and records, with charts."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import ceil

from django.db.models import Avg, Count, Q
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from game.core.counting import UNAIDED
from game.core.profile_queries import (
    HABITS,
    Habit,
    RatedGame,
    list_box_habits,
    list_kind_habits,
    list_rated_games,
    list_worst_decisions,
    query_judged_games,
)
from game.core.words import phrases
from game.core.words.equation import Equation, MeanEquation
from game.core.words.times import LONG, format_day
from game.core.worth.severity import (
    FLAWLESS,
    GRADES,
    Grade,
    Severity,
    count_decisions,
    find_grade,
    find_severity,
)
from game.core.worth.skill import Skill
from game.models import Decision, Game, Player
from solver.charts import ASIDE, OWN, Axis, Chart, Layer, Line, Points, Rule
from solver.charts.chart import Y_TICKS
from solver.charts.frame import choose_step, list_ticks
from solver.rules import Ruleset

LISTED = 20  # games in the table
KINDS: dict[str, Promise] = {
    "first_hold": gettext_lazy("Choosing what to hold after the first roll"),
    "second_hold": gettext_lazy("Choosing what to hold after the second roll"),
    "none": gettext_lazy("Rerolling all dice"),
    "all": gettext_lazy("Holding all dice instead of rolling"),
    "early": gettext_lazy("Scoring before the last roll"),
    "box": gettext_lazy("Choosing the box after the last roll"),
}
# The names under rules with saved rolls: a turn can use rolls that earlier turns saved.
SAVED_KINDS: dict[str, Promise] = {
    "second_hold": gettext_lazy("Choosing what to hold after a later roll"),
    "early": gettext_lazy("Scoring early and saving the turn's remaining rolls"),
    "box": gettext_lazy("Scoring after all of the turn's new rolls"),
}


@dataclass(frozen=True, slots=True)
class Portrait:
    rules: Ruleset
    judged: int
    own_games: int  # games without help
    mean_score: float | None  # the mean over the games without help
    skill: Skill | None
    games: Sequence[RatedGame]  # the latest games, in the order of play
    lucky: Game | None
    unlucky: Game | None
    kinds: Sequence["HabitLine"]
    boxes: Sequence["HabitLine"]
    worst: Sequence["WorstLine"]

    @property
    def helped(self) -> int:
        return self.judged - self.own_games

    @property
    def habit_games(self) -> int:
        return min(self.own_games, HABITS)

    @property
    def grade(self) -> str:
        best, worst = self.skill.grades if self.skill else (FLAWLESS, FLAWLESS)
        if best == worst:
            return str(best.name)
        return _("%(best)s to %(worst)s") % {"best": best.name, "worst": worst.name}

    @property
    def ladder(self) -> list["Rung"]:
        """All grades, the best first. Grades in the range of the skill estimate are marked."""
        best, worst = self.skill.grades if self.skill else (FLAWLESS, FLAWLESS)
        mine = range(GRADES.index(best), GRADES.index(worst) + 1)
        least = (0.0, *(grade.below for grade in GRADES))
        return [
            Rung(grade, least[place], place in mine, place == len(GRADES) - 1)
            for place, grade in enumerate(GRADES)
        ]

    @property
    def lucky_text(self) -> str:
        return _format_luck(self.lucky)

    @property
    def unlucky_text(self) -> str:
        return _format_luck(self.unlucky)

    @property
    def all_unlucky(self) -> bool:
        """True if even the player's luckiest game had bad luck."""
        return _calculate_luck(self.lucky) < 0

    @property
    def all_lucky(self) -> bool:
        return _calculate_luck(self.unlucky) > 0

    @property
    def rating_chart(self) -> str:
        return draw_rating_chart(self.games)

    @property
    def listed(self) -> list["GameLine"]:
        return [GameLine(self.rules, game) for game in self.games[: -LISTED - 1 : -1]]

    @property
    def mean(self) -> MeanEquation | None:
        """The terms of the equation: perfect play − mistakes = skill estimate."""
        skill, score = self.skill, self.mean_score or 0.0
        return MeanEquation(skill.value_start, score, skill.lost) if skill else None


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
        return find_grade(self.game.regret, self.rules)

    @property
    def equation(self) -> Equation:
        return Equation.from_game(self.game.score, self.game.luck, self.game.regret)


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
        return find_severity(self.decision.regret or 0.0)

    @property
    def cost(self) -> str:
        return phrases.format_cost(self.decision.regret or 0.0)

    @property
    def url(self) -> str:
        """The decision's address in the review, which does not count first rolls as decisions."""
        step = self.decision.seq - self.decision.turn
        return f"{reverse('review', args=[self.decision.game_id])}?step={step}#step"


def build_portrait(player: Player, rules: Ruleset, value_start: float) -> Portrait:
    """Return a player's skill, games, luck, habits and worst decisions."""
    games = query_judged_games(player, rules, value_start)
    facts = games.aggregate(
        judged=Count("pk"),
        own_games=Count("pk", filter=UNAIDED),
        mean_score=Avg("final_score", filter=UNAIDED),
    )
    rated = list_rated_games(games, rules, value_start)
    lucky, unlucky = (
        Q(pk__in=games.order_by(order, "pk").values("pk")[:1]) for order in ("-luck", "luck")
    )
    by_luck = list(Game.objects.filter(lucky | unlucky).order_by("-luck"))
    games_shown = min(facts["own_games"], HABITS)
    return Portrait(
        rules=rules,
        **facts,
        skill=rated[-1].skill if rated and rated[-1].skill.games else None,
        games=rated,
        lucky=by_luck[0] if by_luck else None,
        unlucky=by_luck[-1] if by_luck else None,
        kinds=[
            _make_line(find_kind_name(h.id, rules), h, games_shown)
            for h in list_kind_habits(games, rules)
        ],
        boxes=[
            _make_line(phrases.name_box(rules, h.id), h, games_shown)
            for h in list_box_habits(games, rules)
        ],
        worst=[WorstLine(decision) for decision in list_worst_decisions(games)],
    )


def find_kind_name(kind: str, rules: Ruleset) -> str:
    return str((KINDS | SAVED_KINDS if rules.stock else KINDS)[kind])


def _format_luck(game: Game | None) -> str:
    return phrases.describe_luck(_calculate_luck(game)) if game else ""


def _calculate_luck(game: Game | None) -> float:
    """Return a game's luck in points, rounded as in its equation; 0 if there is no game."""
    if game is None or game.final_score is None:
        return 0.0
    return Equation.from_game(game.final_score, game.luck or 0.0, game.regret or 0.0).printed_luck


def _make_line(name: str, habit: Habit, games: int) -> HabitLine:
    each = habit.points / habit.decisions if habit.decisions else 0.0
    return HabitLine(name, habit.decisions, habit.points / games if games else 0.0, each)


# Chart width in pixels, narrow enough for readable words on a phone.
WIDTH, HEIGHT = 400.0, 260.0
LEGEND = 40.0  # height of a legend with three entries, in pixels
MARGIN = 0.16  # share of the chart's width that is left for the names of the grades
ROOM = 0.09  # share of the chart's height that the name of a grade needs
BELOW = 0.06  # share of the axis below 0, so that games without a mistake stay visible
LEAST = 0.1  # points lost per decision; the axis reaches at least this value
FEWEST = 5  # a chart needs at least this number of games without help


def draw_rating_chart(games: Sequence[RatedGame]) -> str:
    """Return the chart of all games, with the skill estimate after each; "" for few games."""
    if sum(game.own for game in games) < FEWEST:
        return ""
    known = [game for game in games if game.skill.games >= FEWEST]
    each = count_decisions(known[0].skill.rules)
    rows = [(game.skill.lost, game.skill.most, game.skill.least) for game in known]
    losses, most, least = (
        [points / each for points in column] for column in zip(*rows, strict=True)
    )
    mean = Line(
        [float(game.number) for game in known],
        losses,
        label=_("skill estimate and its range"),
        band=(most, least),
        series=OWN,
    )
    last = games[-1].number
    ratings = [game.rating for game in games]
    room, top = ROOM * max(ratings), max(ratings)
    rules = []
    for better, named in reversed(list(pairwise(GRADES))):
        if min(ratings) < better.below < top:
            rules.append(Rule(y=better.below, label=str(named.name)))
            top = better.below - room
    layers: list[Layer] = [*rules, mean, _make_dots(games, unaided=True)]
    if not all(game.own for game in games):
        layers.append(_make_dots(games, unaided=False))
    # The axis begins below 0, and ends at a tick with a label.
    high = max(*ratings, *most, LEAST)
    low = -BELOW * high
    while list_ticks(low, high, Y_TICKS)[-1] < high * (1 - 1e-9):
        step = choose_step(low, high, Y_TICKS)
        high = step * ceil(high / step - 1e-9)
    return Chart(
        _("Points lost per decision, game by game"),
        layers,
        x=Axis(label=_("game"), whole=True, high=last + (last - games[0].number) * MARGIN),
        y=Axis(label=_("points lost per decision"), low=low, high=high),
        description=_("Skill estimate: %(lost)s points lost per decision.")
        % {"lost": phrases.format_points(losses[-1], 2)},
        width=WIDTH,
        height=HEIGHT + LEGEND,
        show_title=False,
    ).draw_for_page()


def _make_dots(games: Sequence[RatedGame], *, unaided: bool) -> Points:
    shown = [game for game in games if game.own == unaided]
    return Points(
        [float(game.number) for game in shown],
        [game.rating for game in shown],
        label=_("a game") if unaided else _("a game with the coach's help"),
        titles=[
            _("%(day)s: %(lost)s points lost per decision")
            % {
                "day": format_day(game.finished_at, LONG),
                "lost": phrases.format_points(game.rating, 2),
            }
            for game in shown
        ],
        series=OWN if unaided else ASIDE,
    )
