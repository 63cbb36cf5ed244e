"""What decisions cost, by kind and by box. The database adds up; each function is one query."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import Case, CharField, Count, F, Max, Q, QuerySet, Sum, Value, When

from game.models import Decision, Game
from game.words.equation import LEDGER
from solver.rules import Ruleset


@dataclass(frozen=True, slots=True)
class Habit:
    """``id`` names a kind of decision, or the box that the turn ended in."""

    id: str
    decisions: int
    points: float


def judged(games: QuerySet[Game], value_start: float) -> QuerySet[Game]:
    """Those whose every decision was judged: score = V(start) + luck - regret."""
    found = games.alias(started=F("final_score") - F("luck") + F("regret"))
    return found.filter(started__range=(value_start - LEDGER, value_start + LEDGER))


def losses_by_kind(decisions: QuerySet[Decision], rules: Ruleset) -> list[Habit]:
    """What was lost in each kind of decision, the most expensive first."""
    rows = decisions.annotate(kind=decision_kind(rules)).values("kind")
    found = rows.annotate(decisions=Count("pk"), points=Sum("regret"))
    return _ordered(Habit(row["kind"], row["decisions"], row["points"]) for row in found)


def losses_by_box(decisions: QuerySet[Decision], rules: Ruleset) -> list[Habit]:
    """What was lost in the turns that ended in each box, the most expensive first."""
    turns = decisions.order_by().values("game", "turn")  # the box is its only category
    turns = turns.annotate(box=Max("category"), made=Count("pk"), points=Sum("regret"))
    boxes = [category.id for category in rules.categories]
    sums = {f"made_{box}": Sum("made", filter=Q(box=box)) for box in boxes}
    sums |= {f"points_{box}": Sum("points", filter=Q(box=box)) for box in boxes}
    found = turns.aggregate(**sums)
    ended = [box for box in boxes if found[f"made_{box}"]]
    return _ordered(Habit(box, found[f"made_{box}"], found[f"points_{box}"]) for box in ended)


def decision_kind(rules: Ruleset) -> Case:
    """Every decision is of one kind: how it was made is stored, whatever the dice were."""
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
