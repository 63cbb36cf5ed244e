"""What the profile reads. The database adds up; every function is one query."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import (
    Avg,
    Case,
    Count,
    F,
    FloatField,
    Q,
    QuerySet,
    RowRange,
    Value,
    When,
    Window,
)
from django.db.models.expressions import CombinedExpression
from django.db.models.functions import Cast, RowNumber

from game.judgement.leaks import FEWEST
from game.judgement.severity import GRADES, SEVERITIES, Grade, decisions_of
from game.judgement.skill import Moments, Skill
from game.kind import kind_of, modes
from game.models import Coach, Decision, Game, Player
from game.selectors.games import counted
from game.selectors.losses import Habit, judged, losses_by_box, losses_by_kind
from solver.rules import Ruleset

# The decisions were the player's own: the coach said nothing before any of them.
OWN = Q(coach__in=[Coach.OFF, Coach.AFTER], hints=0)
ROLLING = 20  # games that the rating over time is averaged over
SHOWN = 200  # games in the chart
HABITS = 100  # games that habits are looked for in
MISTAKE = next(one.at_least for one in SEVERITIES if one.id == "mistake")
WORST = 5
MIDDLE = GRADES[len(GRADES) // 2]
REMEMBERED = 5000  # games

_grades: dict[str, Grade] = {}


@dataclass(frozen=True, slots=True)
class RatedGame:
    """``rolling`` is of the player's own games among the latest, up to this one."""

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
    """Finished games that count, and of which every decision was judged."""
    found = Game.objects.filter(counted(), player=player, ruleset=rules.id, free_decisions__gt=0)
    rating = F("regret") / Value(float(decisions_of(rules)))
    return judged(found, value_start).annotate(rating=rating)


def rated() -> Q:
    """Of the player's own games those on dice that others play too and nobody can have known."""
    return OWN & Q(mode__in=modes(lambda kind: kind.rated), unranked=False)


def profile_skill(games: QuerySet[Game], value_start: float) -> tuple[int, Skill]:
    """The number of judged games, and what the player's own among them say."""
    score = Cast("final_score", FloatField())
    of: dict[str, F | Cast] = {"score": score, "regret": F("regret"), "rating": F("rating")}
    facts = games.aggregate(
        judged=Count("pk"),
        own=Count("pk", filter=OWN),
        rated=Count("pk", filter=rated()),
        rated_mean=Avg("regret", filter=rated()),
        rated_square=Avg(_squared(F("regret")), filter=rated()),
        **{f"{name}_mean": Avg(value, filter=OWN) for name, value in of.items()},
        **{f"{name}_square": Avg(_squared(value), filter=OWN) for name, value in of.items()},
    )
    scores, regrets, ratings = (_moments(facts, facts["own"], f"{name}_") for name in of)
    on_shared_dice = _moments(facts, facts["rated"], "rated_")
    return facts["judged"], Skill(value_start, scores, regrets, ratings, on_shared_dice)


def grade_before(game: Game, value_start: float) -> Grade:
    """The grade that its player had when it began, which no later game changes.

    The middle one where too few games say so, and in a game whose player is told nothing.
    """
    known = _grades.get(game.pk) or _graded_before(game, value_start)
    if len(_grades) >= REMEMBERED:
        _grades.clear()
    _grades[game.pk] = known
    return known


def _graded_before(game: Game, value_start: float) -> Grade:
    kind = kind_of(game)
    if not (kind.teaches and kind.personal):
        return MIDDLE
    games = judged_games(game.player, game.rules, value_start)
    _judged, skill = profile_skill(games.filter(finished_at__lt=game.started_at), value_start)
    return skill.grade if skill.ratings.count >= FEWEST else MIDDLE


def profile_games(games: QuerySet[Game]) -> list[RatedGame]:
    """The latest games, the oldest first, each with the rating over the games up to it."""
    order = [F("finished_at").asc(), F("pk").asc()]
    latest = RowRange(start=1 - ROLLING, end=0)
    own = Case(When(OWN, then=F("rating")), output_field=FloatField())
    found = games.annotate(
        number=Window(RowNumber(), order_by=order),
        mean=Window(Avg(own), order_by=order, frame=latest),
        square=Window(Avg(_squared(own)), order_by=order, frame=latest),
        count=Window(Count(own), order_by=order, frame=latest),
        own=Case(When(OWN, then=Value(1)), default=Value(0)),
    )
    columns = ("number", "pk", "finished_at", "final_score", "luck", "regret", "rating", "own")
    rows = found.order_by("-finished_at", "-pk").values(*columns, "mean", "square", "count")
    return [_rated_game(row) for row in rows[:SHOWN]][::-1]


def profile_ends(games: QuerySet[Game]) -> tuple[Game, Game] | None:
    """The luckiest game and the unluckiest."""
    ends = (games.order_by(order, "pk").values("pk")[:1] for order in ("-luck", "luck"))
    lucky, unlucky = (Q(pk__in=end) for end in ends)
    found = list(Game.objects.filter(lucky | unlucky).order_by("-luck"))
    return (found[0], found[-1]) if found else None


def profile_kinds(games: QuerySet[Game], rules: Ruleset) -> list[Habit]:
    return losses_by_kind(_decisions(games), rules)


def profile_boxes(games: QuerySet[Game], rules: Ruleset) -> list[Habit]:
    return losses_by_box(_decisions(games), rules)


def profile_worst(games: QuerySet[Game]) -> list[Decision]:
    """The most expensive decisions of the latest games."""
    found = _decisions(games).filter(regret__gte=MISTAKE)
    return list(found.select_related("game").order_by("-regret", "pk")[:WORST])


def latest_own(games: QuerySet[Game]) -> QuerySet[Game]:
    """Those that habits are looked for in: played without help, the latest first."""
    return games.filter(OWN).order_by("-finished_at", "-pk")[:HABITS]


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
