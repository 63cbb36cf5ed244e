"""What a week of games says: the figures of the profile, of the games that were finished in it."""

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

from django.db.models import Max, Min, Q, QuerySet

from game.judgement.skill import Skill
from game.models import Game, Player
from game.selectors.losses import Habit
from game.selectors.profile import judged_games, profile_boxes, profile_kinds, profile_skill
from solver.rules import Ruleset

WEEK = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class Best:
    """Of judged games: the most points, and the fewest that decisions lost; None of no games."""

    score: int | None
    lost: float | None


@dataclass(frozen=True, slots=True)
class WeekFigures:
    judged: int  # games, with and without help
    skill: Skill
    before: Skill  # of the week before
    kinds: list[Habit]
    boxes: list[Habit]
    best: Best
    earlier: Best  # of all games before this week


def week_figures(player: Player, rules: Ruleset, value_start: float, monday: date) -> WeekFigures:
    games = judged_games(player, rules, value_start)
    week, before = _within(games, monday), _within(games, monday - WEEK)
    judged, skill = profile_skill(week, value_start)
    _judged, skill_before = profile_skill(before, value_start)
    best, earlier = _bests(games, monday)
    return WeekFigures(
        judged,
        skill,
        skill_before,
        profile_kinds(week, rules),
        profile_boxes(week, rules),
        best,
        earlier,
    )


def _begins(monday: date) -> datetime:
    return datetime.combine(monday, time(), UTC)


def _within(games: QuerySet[Game], monday: date) -> QuerySet[Game]:
    begins = _begins(monday)
    return games.filter(finished_at__gte=begins, finished_at__lt=begins + WEEK)


def _bests(games: QuerySet[Game], monday: date) -> tuple[Best, Best]:
    begins = _begins(monday)
    week = Q(finished_at__gte=begins, finished_at__lt=begins + WEEK)
    earlier = Q(finished_at__lt=begins)
    found = games.aggregate(
        score=Max("final_score", filter=week),
        lost=Min("regret", filter=week),
        score_earlier=Max("final_score", filter=earlier),
        lost_earlier=Min("regret", filter=earlier),
    )
    return (
        Best(found["score"], found["lost"]),
        Best(found["score_earlier"], found["lost_earlier"]),
    )
