"""A player's week: the games, the week before in comparison, the best habit and the worst box. Its
figures are calculated as on the profile, but only from this week's games."""

from dataclasses import dataclass
from datetime import date, timedelta

from django.utils.translation import gettext as _

from game.core.profile_queries import WeekFigures
from game.core.words import phrases
from game.core.worth.skill import Moments
from game.pages.daily.daily_queries import PlayerDays
from game.practice.profile_board import find_kind_name
from solver.advice import is_mistake
from solver.rules import Ruleset
from solver.statistics.inference import estimate_difference

FEWEST = 5  # a habit needs at least this number of decisions
CHOICES = ("first_hold", "second_hold", "box")  # kinds of decisions with a choice


@dataclass(frozen=True, slots=True)
class DayOfWeek:
    day: date
    played: bool
    repaired: bool
    five: bool


@dataclass(frozen=True, slots=True)
class WeekLine:
    name: str
    figure: str
    lost: bool = False  # True if the figure is points lost


@dataclass(frozen=True, slots=True)
class WeekBack:
    rules: Ruleset
    monday: date
    mine: PlayerDays
    figures: WeekFigures

    @property
    def sunday(self) -> date:
        return self.monday + timedelta(days=6)

    @property
    def days(self) -> list[DayOfWeek]:
        played, repaired, fives = self.mine.played, self.mine.daily.repaired, self.mine.fives
        return [
            DayOfWeek(day, day in played and played[day].in_time, day in repaired, day in fives)
            for day in (self.monday + timedelta(days=number) for number in range(7))
        ]

    @property
    def days_played(self) -> int:
        return sum(day.played for day in self.days)

    @property
    def fives(self) -> int:
        return sum(day.five for day in self.days)

    @property
    def lost(self) -> str:
        """The points lost per game; "" if the player has no game without help."""
        return _format_loss(self.figures.lost)

    @property
    def lost_before(self) -> str:
        return _format_loss(self.figures.before)

    @property
    def change(self) -> str:
        """The comparison with the previous week, or "" if one of both weeks has too few games."""
        now, other = self.figures.lost.interval, self.figures.before.interval
        between = estimate_difference(now, other) if now and other else None
        if between is None:
            return _("Play two games without help in each week to compare your weeks.")
        if 0.0 in between:
            return _("The difference between the two weeks may be chance.")
        facts = {
            "points": phrases.format_points(abs(between.mean)),
            "half": phrases.format_points(between.half),
        }
        if between.mean < 0:
            text = _("You lost %(points)s ± %(half)s fewer points per game than the week before.")
        else:
            text = _("You lost %(points)s ± %(half)s more points per game than the week before.")
        return phrases.keep_on_one_line(text % facts)

    @property
    def told(self) -> list[WeekLine]:
        """The lines about the best habit, the worst box and the records of the week."""
        lines, figures = list[WeekLine](), self.figures
        often = [kind for kind in figures.kinds if kind.id in CHOICES and kind.decisions >= FEWEST]
        if len(often) > 1:
            best = min(often, key=lambda habit: (habit.points / habit.decisions, habit.id))
            figure = _("%(points)s points per decision") % {
                "points": phrases.format_deduction(best.points / best.decisions, 2)
            }
            facts = {"count": len(often), "habit": find_kind_name(best.id, self.rules)}
            name = _("Your best kind of decision, of %(count)s kinds: %(habit)s") % facts
            lines.append(
                WeekLine(name, phrases.keep_on_one_line(figure), lost=is_mistake(best.points))
            )
        if figures.boxes and is_mistake(figures.boxes[0].points):
            worst = figures.boxes[0]
            name = _("Worst box: %(box)s") % {"box": phrases.name_box(self.rules, worst.id)}
            lines.append(WeekLine(name, phrases.format_deduction(worst.points), lost=True))
        week, earlier = figures.best, figures.earlier
        if week.score is not None:
            record = earlier.score is not None and week.score > earlier.score
            lines.append(
                WeekLine(_("Your best game so far") if record else _("Best game"), str(week.score))
            )
        if week.lost is not None:
            record = earlier.lost is not None and week.lost < earlier.lost
            name = _("Fewest points lost so far") if record else _("Fewest points lost")
            lines.append(
                WeekLine(name, phrases.format_deduction(week.lost), lost=is_mistake(week.lost))
            )
        return lines


def _format_loss(losses: Moments) -> str:
    if not losses.count:
        return ""
    text = _("%(points)s points lost per game") % {"points": phrases.format_loss(losses.mean)}
    return phrases.keep_on_one_line(text)
