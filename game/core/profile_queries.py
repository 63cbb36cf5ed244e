"""Queries for the player's page, the statistics and the week; the database calculates the sums."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache, partial
from typing import Any

from django.db.models import (
    Case,
    CharField,
    Count,
    F,
    FloatField,
    Max,
    Min,
    Q,
    QuerySet,
    RowRange,
    Sum,
    Value,
    When,
    Window,
)
from django.db.models.expressions import CombinedExpression
from django.db.models.functions import Cast, RowNumber

from game.core.counting import OWN, UNAIDED, filter_counted, filter_server_dice
from game.core.fair import days
from game.core.game_queries import replay_games
from game.core.kind import find_kind
from game.core.words.equation import LEDGER
from game.core.worth.leak_tree import FEWEST
from game.core.worth.severity import GRADES, SEVERITIES, Grade, count_decisions
from game.core.worth.skill import SHIPPED, Moments, Skill, calculate_prior, estimate_skill
from game.models import Decision, Game, Player
from solver.dp.arrays import Floats
from solver.rules import Ruleset

SITE = 50  # players; from this number on, the site's daily games determine the skill prior
MOST = 1000  # the most players whose games determine the skill prior
SHOWN = 200  # games in the chart
HABITS = 100  # latest games in which the program looks for habits
MISTAKE = next(severity.at_least for severity in SEVERITIES if severity.id == "mistake")
WORST = 5
MIDDLE = GRADES[len(GRADES) // 2]
REMEMBERED = 5000  # games for which the grade of their player is cached
LATEST = 100  # games that are replayed for the statistics of boxes
TREND = 300  # scores in the chart of the trend
WEEK, MONTH = timedelta(days=7), timedelta(days=30)

_grades: dict[str, Grade] = {}


@dataclass(frozen=True, slots=True)
class Habit:
    """The points lost in one kind of decision, or in the turns that ended in the box ``id``."""

    id: str
    decisions: int
    points: float


def _sort_habits(habits: Iterable[Habit]) -> list[Habit]:
    return sorted(habits, key=lambda habit: (-habit.points, habit.id))


@dataclass(frozen=True, slots=True)
class RatedGame:
    """A game, and the skill estimate after this game. ``own`` is False if the coach helped."""

    number: int
    pk: str
    finished_at: datetime
    score: int
    luck: float
    regret: float
    rating: float
    own: bool
    skill: Skill


def query_judged_games(player: Player, rules: Ruleset, value_start: float) -> QuerySet[Game]:
    """Return the player's judged games: games that count, and games with help. ``weight`` is the
    share of decisions made without help, and ``lost`` is what these cost."""
    return _find_judged_games(rules, value_start).filter(player=player)


def _find_judged_games(rules: Ruleset, value_start: float) -> QuerySet[Game]:
    """Return all players' judged games, with the columns of ``query_judged_games``."""
    games = Game.objects.filter(filter_server_dice(), ruleset=rules.id, free_decisions__gt=0)
    share = 1.0 - Cast("hinted", FloatField()) / F("free_decisions")
    # If every decision was judged, score = V(start) + luck - regret.
    balanced = games.alias(started=F("final_score") - F("luck") + F("regret"))
    annotated = balanced.filter(
        started__range=(value_start - LEDGER, value_start + LEDGER)
    ).annotate(
        rating=F("regret") / Value(float(count_decisions(rules))),
        weight=Case(When(OWN, then=share), default=Value(0.0)),
        lost=Case(When(OWN, then=F("regret") - F("hinted_regret")), default=Value(0.0)),
    )
    square = CombinedExpression(F("lost"), "*", F("lost")) / F("weight")
    return annotated.annotate(square=Case(When(OWN, then=square), default=Value(0.0)))


SUMS = {"weights": Sum("weight"), "points": Sum("lost"), "squares": Sum("square")}


def _read_moments(row: Mapping[str, Any]) -> Moments:
    """Return the weight of the games, and the mean and mean square of the points lost per game."""
    weights = row["weights"] or 0.0
    if not weights:
        return Moments(0, 0.0, 0.0)
    return Moments(weights, row["points"] / weights, row["squares"] / weights)


def find_player_skills(
    players: Iterable[Player], rules: Ruleset, value_start: float, until: datetime | None = None
) -> dict[int, Skill]:
    """Map the primary key of each player who has games to the player's skill estimate."""
    keys = [player.pk for player in players]
    games = _find_judged_games(rules, value_start).filter(OWN, player__in=keys)
    if until is not None:
        games = games.filter(finished_at__lte=until)
    rows = games.order_by().values("player").annotate(games=Count("pk"), **SUMS)
    prior = find_site_prior(rules, value_start, days.today())
    return {
        row["player"]: estimate_skill(_read_moments(row), row["games"], rules, value_start, prior)
        for row in rows
    }


def find_player_skill(
    player: Player, rules: Ruleset, value_start: float, until: datetime | None = None
) -> Skill | None:
    return find_player_skills([player], rules, value_start, until).get(player.pk)


@lru_cache(maxsize=64)
def find_site_prior(rules: Ruleset, value_start: float, day: date) -> Floats:
    """Return today's prior of the skill estimate, from the daily games of the month before. If
    fewer than ``SITE`` people played them, return the prior that comes with the program."""
    month = (day - MONTH, day - timedelta(days=1))
    games = _find_judged_games(rules, value_start).filter(OWN, mode="daily", day__range=month)
    rows = games.order_by("player").values("player").annotate(**SUMS)[:MOST]
    return calculate_prior(map(_read_moments, rows), rules) if len(rows) >= SITE else SHIPPED


def measure_losses(games: QuerySet[Game]) -> Moments:
    return _read_moments(games.aggregate(**SUMS))


def grade_before(game: Game, value_start: float) -> Grade:
    """Return the player's grade when this game began; later games do not change it. Return the
    middle grade if there were too few games, or if the game shows no values."""
    grade, kind = _grades.get(game.pk), find_kind(game)
    if grade is None:
        grade = MIDDLE
        if kind.personal and not kind.measured:
            before = game.started_at - timedelta.resolution
            skill = find_player_skill(game.player, game.rules, value_start, until=before)
            grade = skill.grade if skill and skill.games >= FEWEST else MIDDLE
    if len(_grades) >= REMEMBERED:
        _grades.clear()
    _grades[game.pk] = grade
    return grade


def list_rated_games(games: QuerySet[Game], rules: Ruleset, value_start: float) -> list[RatedGame]:
    """Return the latest ``SHOWN`` games in the order of play, each with the skill after it."""
    order = [F("finished_at").asc(), F("pk").asc()]
    until = partial(Window, order_by=order, frame=RowRange(end=0))
    numbered = games.annotate(
        number=Window(RowNumber(), order_by=order),
        score=F("final_score"),
        own=Case(When(UNAIDED, then=Value(1)), default=Value(0)),
        estimated=until(Sum(Case(When(OWN, then=1), default=0))),
        **{name: until(total) for name, total in SUMS.items()},
    )
    columns = ("number", "pk", "finished_at", "score", "luck", "regret", "rating", "own")
    rows = numbered.order_by("-finished_at", "-pk").values(*columns, "estimated", *SUMS)[:SHOWN]
    prior = find_site_prior(rules, value_start, days.today())
    return [
        RatedGame(
            **{name: row[name] for name in columns},
            skill=estimate_skill(_read_moments(row), row["estimated"], rules, value_start, prior),
        )
        for row in reversed(rows)
    ]


def list_kind_habits(games: QuerySet[Game], rules: Ruleset) -> list[Habit]:
    """Return the points lost per kind of decision in the latest games, the most first."""
    kind = Case(
        When(~Q(category="") & Q(roll__lt=rules.throws), then=Value("early")),
        When(~Q(category=""), then=Value("box")),
        When(hold=0, then=Value("none")),
        When(hold=rules.cup.every_slot, then=Value("all")),
        When(roll=1, then=Value("first_hold")),
        default=Value("second_hold"),
        output_field=CharField(),
    )
    rows = _query_decisions(games).annotate(kind=kind).values("kind")
    sums = rows.annotate(decisions=Count("pk"), points=Sum("regret"))
    return _sort_habits(Habit(row["kind"], row["decisions"], row["points"]) for row in sums)


def list_box_habits(games: QuerySet[Game], rules: Ruleset) -> list[Habit]:
    turns = _query_decisions(games).order_by().values("game", "turn")  # each turn fills one box
    turns = turns.annotate(box=Max("category"), made=Count("pk"), points=Sum("regret"))
    boxes = [category.id for category in rules.categories]
    sums = {f"made_{box}": Sum("made", filter=Q(box=box)) for box in boxes}
    sums |= {f"points_{box}": Sum("points", filter=Q(box=box)) for box in boxes}
    totals = turns.aggregate(**sums)
    ended = [box for box in boxes if totals[f"made_{box}"]]
    return _sort_habits(Habit(box, totals[f"made_{box}"], totals[f"points_{box}"]) for box in ended)


def list_worst_decisions(games: QuerySet[Game]) -> list[Decision]:
    mistakes = _query_decisions(games).filter(regret__gte=MISTAKE)
    return list(mistakes.select_related("game").order_by("-regret", "pk")[:WORST])


def find_latest_unaided(games: QuerySet[Game]) -> QuerySet[Game]:
    return games.filter(UNAIDED).order_by("-finished_at", "-pk")[:HABITS]


def _query_decisions(games: QuerySet[Game]) -> QuerySet[Decision]:
    latest = find_latest_unaided(games).values("pk")
    return Decision.objects.filter(game__in=latest, regret__isnull=False)


@dataclass(frozen=True, slots=True)
class Boxes:
    """Average points over ``games`` games. The ``points`` of the boxes, the upper ``bonus`` and the
    ``chips`` add up to ``total``."""

    games: int
    points: Mapping[str, float]
    bonus: float
    chips: float
    total: float


def average_box_points(player: Player, rules: Ruleset) -> Boxes | None:
    """Return the average points per box in the latest games, or None without games."""
    games = Game.objects.filter(filter_counted(), player=player, ruleset=rules.id)
    latest = list(games.order_by("-finished_at", "-pk")[:LATEST])
    ends = [played.state for played in replay_games(latest)]
    if not ends:
        return None
    sums = [
        sum(box.points if box else 0 for box in boxes)
        for boxes in zip(*(end.boxes for end in ends), strict=True)
    ]
    means = [total / len(ends) for total in sums]
    names = [category.id for category in rules.categories]
    return Boxes(
        len(ends),
        dict(zip(names, means, strict=True)),
        bonus=sum(end.bonus for end in ends) / len(ends),
        chips=sum(end.chips for end in ends) / len(ends),
        total=sum(end.total for end in ends) / len(ends),
    )


def list_latest_scores(player: Player, rules: Ruleset) -> Sequence[int]:
    games = Game.objects.filter(filter_counted(), player=player, ruleset=rules.id)
    latest = games.order_by("-finished_at", "-pk").values_list("final_score", flat=True)[:TREND]
    return [score for score in latest if score is not None][::-1]


@dataclass(frozen=True, slots=True)
class Best:
    """The highest score, and the fewest points lost, in games that count; None without games."""

    score: int | None
    lost: float | None


@dataclass(frozen=True, slots=True)
class WeekFigures:
    judged: int  # the number of judged games, with and without help
    lost: Moments  # points lost per game
    before: Moments  # points lost per game in the week before
    kinds: list[Habit]
    boxes: list[Habit]
    best: Best
    earlier: Best  # the figures of all games before this week


def measure_week(player: Player, rules: Ruleset, value_start: float, monday: date) -> WeekFigures:
    """Return the figures of the week that begins on ``monday``, and those to compare with."""
    games = query_judged_games(player, rules, value_start)
    week, before = _filter_week(games, monday), _filter_week(games, monday - WEEK)
    begins = datetime.combine(monday, time(), UTC)
    this_week = Q(finished_at__gte=begins, finished_at__lt=begins + WEEK)
    bests = games.filter(UNAIDED).aggregate(
        score=Max("final_score", filter=this_week),
        lost=Min("regret", filter=this_week),
        score_earlier=Max("final_score", filter=Q(finished_at__lt=begins)),
        lost_earlier=Min("regret", filter=Q(finished_at__lt=begins)),
    )
    sums = week.aggregate(judged=Count("pk"), **SUMS)
    return WeekFigures(
        sums["judged"],
        _read_moments(sums),
        measure_losses(before),
        list_kind_habits(week, rules),
        list_box_habits(week, rules),
        Best(bests["score"], bests["lost"]),
        Best(bests["score_earlier"], bests["lost_earlier"]),
    )


def _filter_week(games: QuerySet[Game], monday: date) -> QuerySet[Game]:
    begins = datetime.combine(monday, time(), UTC)
    return games.filter(finished_at__gte=begins, finished_at__lt=begins + WEEK)
