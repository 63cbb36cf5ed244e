"""Queries of the player's page, the statistics and the week; the database adds up."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from django.db.models import (
    Avg,
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

from game.core.counting import UNAIDED, counted, on_server_dice
from game.core.game_queries import games_played
from game.core.kind import kind_of, modes
from game.core.words.equation import LEDGER
from game.core.worth.leak_tree import FEWEST
from game.core.worth.severity import GRADES, SEVERITIES, Grade, decisions_of
from game.core.worth.skill import Moments, Skill
from game.models import Decision, Game, Player
from solver.rules import Ruleset

ROLLING = 20  # games over which the rating is averaged
SHOWN = 200  # games in the chart
HABITS = 100  # games in which habits are searched
MISTAKE = next(severity.at_least for severity in SEVERITIES if severity.id == "mistake")
WORST = 5
MIDDLE = GRADES[len(GRADES) // 2]
REMEMBERED = 5000  # games
LATEST = 100  # games that are replayed for the statistics of boxes
TREND = 300  # scores in the chart of the trend
WEEK = timedelta(days=7)

_grades: dict[str, Grade] = {}


@dataclass(frozen=True, slots=True)
class Habit:
    """Points lost by one kind of decision, or in turns that ended in one box; ``id`` names it."""

    id: str
    decisions: int
    points: float


def judged(games: QuerySet[Game], value_start: float) -> QuerySet[Game]:
    """Return the games whose decisions were all judged, so that score = V(start) + luck -
    regret."""
    balanced = games.alias(started=F("final_score") - F("luck") + F("regret"))
    return balanced.filter(started__range=(value_start - LEDGER, value_start + LEDGER))


def losses_by_kind(decisions: QuerySet[Decision], rules: Ruleset) -> list[Habit]:
    """Return the points lost per kind of decision, costliest first."""
    rows = decisions.annotate(kind=decision_kind(rules)).values("kind")
    sums = rows.annotate(decisions=Count("pk"), points=Sum("regret"))
    return _ordered(Habit(row["kind"], row["decisions"], row["points"]) for row in sums)


def losses_by_box(decisions: QuerySet[Decision], rules: Ruleset) -> list[Habit]:
    """Return the points lost in turns by the box in which they ended, costliest first."""
    turns = decisions.order_by().values("game", "turn")  # a decision has one box
    turns = turns.annotate(box=Max("category"), made=Count("pk"), points=Sum("regret"))
    boxes = [category.id for category in rules.categories]
    sums = {f"made_{box}": Sum("made", filter=Q(box=box)) for box in boxes}
    sums |= {f"points_{box}": Sum("points", filter=Q(box=box)) for box in boxes}
    totals = turns.aggregate(**sums)
    ended = [box for box in boxes if totals[f"made_{box}"]]
    return _ordered(Habit(box, totals[f"made_{box}"], totals[f"points_{box}"]) for box in ended)


def decision_kind(rules: Ruleset) -> Case:
    """Return the expression for a decision's kind, which follows from how it was made, not from
    the dice."""
    return Case(
        When(~Q(category="") & Q(roll__lt=rules.throws), then=Value("early")),
        When(~Q(category=""), then=Value("box")),
        When(hold=0, then=Value("none")),
        When(hold=rules.cup.every_slot, then=Value("all")),
        When(roll=1, then=Value("first_hold")),
        default=Value("second_hold"),
        output_field=CharField(),
    )


def _ordered(habits: Iterable[Habit]) -> list[Habit]:
    return sorted(habits, key=lambda habit: (-habit.points, habit.id))


@dataclass(frozen=True, slots=True)
class RatedGame:
    """A game with its rating. ``rolling`` is the average over the player's latest own games up
    to this one."""

    number: int
    pk: str
    finished_at: datetime
    score: int
    luck: float
    regret: float
    rating: float
    own: bool
    rolling: Moments


def judged_games(player: Player, rules: Ruleset, value_start: float) -> QuerySet[Game]:
    """Return the judged games that count, and those with help."""
    mine = {"player": player, "ruleset": rules.id, "free_decisions__gt": 0}
    finished = Game.objects.filter(on_server_dice(), **mine)
    rating = F("regret") / Value(float(decisions_of(rules)))
    return judged(finished, value_start).annotate(rating=rating)


def rated() -> Q:
    """Return the games that count, on shared dice that nobody could know."""
    return counted() & Q(mode__in=modes(lambda kind: kind.compared), unranked=False)


def profile_skill(games: QuerySet[Game], value_start: float) -> tuple[int, Skill]:
    """Return the number of judged games, and the skill in the player's own among them."""
    score = Cast("final_score", FloatField())
    columns: dict[str, F | Cast] = {"score": score, "regret": F("regret"), "rating": F("rating")}
    facts = games.aggregate(
        judged=Count("pk"),
        own=Count("pk", filter=UNAIDED),
        rated=Count("pk", filter=rated()),
        rated_mean=Avg("regret", filter=rated()),
        rated_square=Avg(_squared(F("regret")), filter=rated()),
        **{f"{name}_mean": Avg(value, filter=UNAIDED) for name, value in columns.items()},
        **{
            f"{name}_square": Avg(_squared(value), filter=UNAIDED)
            for name, value in columns.items()
        },
    )
    scores, regrets, ratings = (_moments(facts, facts["own"], f"{name}_") for name in columns)
    on_shared_dice = _moments(facts, facts["rated"], "rated_")
    return facts["judged"], Skill(value_start, scores, regrets, ratings, on_shared_dice)


def grade_before(game: Game, value_start: float) -> Grade:
    """Return the player's grade when this game began; later games do not change it.

    The middle grade stands in for a grade from too few games, and in games that show no values.
    """
    known = _grades.get(game.pk) or _graded_before(game, value_start)
    if len(_grades) >= REMEMBERED:
        _grades.clear()
    _grades[game.pk] = known
    return known


def _graded_before(game: Game, value_start: float) -> Grade:
    kind = kind_of(game)
    if kind.measured or not kind.personal:
        return MIDDLE
    games = judged_games(game.player, game.rules, value_start)
    _judged, skill = profile_skill(games.filter(finished_at__lt=game.started_at), value_start)
    return skill.grade if skill.ratings.count >= FEWEST else MIDDLE


def profile_games(games: QuerySet[Game]) -> list[RatedGame]:
    """Return the latest games, the oldest first, each with the rating up to it."""
    order = [F("finished_at").asc(), F("pk").asc()]
    latest = RowRange(start=1 - ROLLING, end=0)
    own_rating = Case(When(UNAIDED, then=F("rating")), output_field=FloatField())
    numbered = games.annotate(
        number=Window(RowNumber(), order_by=order),
        mean=Window(Avg(own_rating), order_by=order, frame=latest),
        square=Window(Avg(_squared(own_rating)), order_by=order, frame=latest),
        count=Window(Count(own_rating), order_by=order, frame=latest),
        own=Case(When(UNAIDED, then=Value(1)), default=Value(0)),
    )
    columns = ("number", "pk", "finished_at", "final_score", "luck", "regret", "rating", "own")
    rows = numbered.order_by("-finished_at", "-pk").values(*columns, "mean", "square", "count")
    return [_rated_game(row) for row in rows[:SHOWN]][::-1]


def profile_ends(games: QuerySet[Game]) -> tuple[Game, Game] | None:
    """Return the luckiest and the unluckiest game."""
    ends = (games.order_by(order, "pk").values("pk")[:1] for order in ("-luck", "luck"))
    lucky, unlucky = (Q(pk__in=end) for end in ends)
    extremes = list(Game.objects.filter(lucky | unlucky).order_by("-luck"))
    return (extremes[0], extremes[-1]) if extremes else None


def profile_kinds(games: QuerySet[Game], rules: Ruleset) -> list[Habit]:
    return losses_by_kind(_decisions(games), rules)


def profile_boxes(games: QuerySet[Game], rules: Ruleset) -> list[Habit]:
    return losses_by_box(_decisions(games), rules)


def profile_worst(games: QuerySet[Game]) -> list[Decision]:
    """Return the costliest decisions of the latest games."""
    mistakes = _decisions(games).filter(regret__gte=MISTAKE)
    return list(mistakes.select_related("game").order_by("-regret", "pk")[:WORST])


def latest_own(games: QuerySet[Game]) -> QuerySet[Game]:
    """Return the latest unaided games, in which habits are searched."""
    return games.filter(UNAIDED).order_by("-finished_at", "-pk")[:HABITS]


def _decisions(games: QuerySet[Game]) -> QuerySet[Decision]:
    latest = latest_own(games).values("pk")
    return Decision.objects.filter(game__in=latest, regret__isnull=False)


def _squared(value: F | Case | Cast) -> CombinedExpression:
    return CombinedExpression(value, "*", value)


def _moments(row: Mapping[str, Any], count: int, prefix: str = "") -> Moments:
    return Moments(count, row[f"{prefix}mean"] or 0.0, row[f"{prefix}square"] or 0.0)


def _rated_game(row: Mapping[str, Any]) -> RatedGame:
    return RatedGame(
        number=row["number"],
        pk=row["pk"],
        finished_at=row["finished_at"],
        score=row["final_score"],
        luck=row["luck"],
        regret=row["regret"],
        rating=row["rating"],
        own=bool(row["own"]),
        rolling=_moments(row, row["count"]),
    )


@dataclass(frozen=True, slots=True)
class Boxes:
    """Averages over this many games; ``bonus`` is the upper bonus. Everything but the total adds
    up to it."""

    games: int
    points: Mapping[str, float]
    bonus: float
    chips: float
    total: float


def statistics_boxes(player: Player, rules: Ruleset) -> Boxes | None:
    games = Game.objects.filter(counted(), player=player, ruleset=rules.id)
    latest = list(games.order_by("-finished_at", "-pk")[:LATEST])
    ends = [played.state for played in games_played(latest)]
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


def statistics_scores(player: Player, rules: Ruleset) -> Sequence[int]:
    """Return the latest scores, oldest first."""
    games = Game.objects.filter(counted(), player=player, ruleset=rules.id)
    latest = games.order_by("-finished_at", "-pk").values_list("final_score", flat=True)[:TREND]
    return [score for score in latest if score is not None][::-1]


@dataclass(frozen=True, slots=True)
class Best:
    """The highest score, and the fewest points lost in judged games that count; None without
    games."""

    score: int | None
    lost: float | None


@dataclass(frozen=True, slots=True)
class WeekFigures:
    judged: int  # the number of games, with and without help
    skill: Skill
    before: Skill  # the figures of the week before
    kinds: list[Habit]
    boxes: list[Habit]
    best: Best
    earlier: Best  # the figures of all games before this week


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
    bests = games.filter(UNAIDED).aggregate(
        score=Max("final_score", filter=week),
        lost=Min("regret", filter=week),
        score_earlier=Max("final_score", filter=earlier),
        lost_earlier=Min("regret", filter=earlier),
    )
    return (
        Best(bests["score"], bests["lost"]),
        Best(bests["score_earlier"], bests["lost_earlier"]),
    )
