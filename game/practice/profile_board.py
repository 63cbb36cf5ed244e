"""What the profile page shows: the numbers of ``game.core.worth.skill`` in words."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from game.core.profile_queries import (
    HABITS,
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
from game.core.worth.level import level
from game.core.worth.severity import GRADES, Grade, Severity, grade, severity
from game.core.worth.skill import Skill
from game.models import Decision, Game, Player
from game.practice.profile_charts import equation_of, estimates_chart, rating_chart
from solver.rules import Ruleset

LISTED = 20  # games in the table
KINDS: dict[str, Promise] = {
    "first_hold": gettext_lazy("Choosing what to hold after the first throw"),
    "second_hold": gettext_lazy("Choosing what to hold after the second throw"),
    "none": gettext_lazy("Throwing all dice again"),
    "all": gettext_lazy("Holding all dice and throwing none"),
    "early": gettext_lazy("Scoring before the last throw"),
    "box": gettext_lazy("Choosing the box after the last throw"),
}
# Where throws are saved, of a turn's own throws.
SAVED_KINDS: dict[str, Promise] = {
    "second_hold": gettext_lazy("Choosing what to hold after a later throw"),
    "early": gettext_lazy("Scoring with own throws left, which are saved"),
    "box": gettext_lazy("Scoring when the turn's own throws are used"),
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
        """How many games the habits are those of."""
        return min(self.skill.games, HABITS)

    @property
    def level(self) -> str:
        """Points lost a game; empty where no game says so."""
        found = level(self.skill.rated, self.rules)
        return record_words.level(found.lost, found.half, found.games) if found else ""

    @property
    def rating(self) -> str:
        interval = self.skill.ratings.interval
        facts = {"lost": phrases.lost(self.skill.ratings.mean, 2)}
        if interval is None:
            return phrases.unbroken(_("%(lost)s points lost a decision") % facts)
        facts["half"] = phrases.points(interval.half, 2)
        return phrases.unbroken(_("%(lost)s points lost a decision, give or take %(half)s") % facts)

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
        least = (0.0, *(one.below for one in GRADES))
        return [
            Rung(one, least[place], place in mine, place == len(GRADES) - 1)
            for place, one in enumerate(GRADES)
        ]

    @property
    def lucky_text(self) -> str:
        return _luck(self.lucky)

    @property
    def unlucky_text(self) -> str:
        return _luck(self.unlucky)

    @property
    def all_unlucky(self) -> bool:
        """Even the luckiest game was."""
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
    """One decision, and where its review stands."""

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
    of = min(skill.games, HABITS)
    return Portrait(
        rules=rules,
        judged=judged,
        skill=skill,
        games=profile_games(games),
        lucky=lucky,
        unlucky=unlucky,
        kinds=[_line(kind_name(h.id, rules), h, of) for h in profile_kinds(games, rules)],
        boxes=[_line(phrases.box(rules, h.id), h, of) for h in profile_boxes(games, rules)],
        worst=[WorstLine(decision) for decision in profile_worst(games)],
    )


def kind_name(kind: str, rules: Ruleset) -> str:
    """Of the decisions of one kind."""
    return str((KINDS | SAVED_KINDS if rules.stock else KINDS)[kind])


def _luck(game: Game | None) -> str:
    return phrases.luck(_luck_of(game)) if game else ""


def _luck_of(game: Game | None) -> float:
    """As the equation of the game prints it."""
    if game is None or game.final_score is None:
        return 0.0
    return Equation.of_game(game.final_score, game.luck or 0.0, game.regret or 0.0).printed_luck


def _line(name: str, habit: Habit, games: int) -> HabitLine:
    each = habit.points / habit.decisions if habit.decisions else 0.0
    return HabitLine(name, habit.decisions, habit.points / games if games else 0.0, each)
