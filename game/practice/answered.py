"""A player's earlier answers in the drill and in Five a Day: pages and figures."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import Case, CharField, Count, Q, QuerySet, Sum, Value, When
from django.db.models.functions import TruncWeek
from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.http import urlencode
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from game.core.accounts import find_player_key
from game.core.words import labels, phrases
from game.core.worth.drilled import DRILLED
from game.core.worth.severity import Severity, find_severity
from game.models import DrillAttempt, FiveAnswer, Player
from game.pages.requests.visitors import PlayRequest
from game.pages.rulesets import FIELD, list_rules_links, rules_asked
from game.practice import drill_pool
from game.practice.asking import make_again_url
from game.practice.drill_queries import list_latest_answers, list_session_answers, list_to_repeat
from game.practice.lists import AnsweredForm, PositionLine
from solver.advice import Position, build_state
from solver.dp.space import TIE
from solver.rules import Action, Ruleset

DRILL, WIN, FIVE_A_DAY = SOURCES = ("drill", "win", "five")
WEEKS = 12  # number of weeks in the table
RIGHT = Q(regret__lte=TIE)


@dataclass(frozen=True, slots=True)
class MadeAnswer:
    """A stored answer. ``key`` identifies it in the URL that shows the question again. ``position``
    is None if the position is no longer in the pool."""

    source: str
    key: str
    position: Position | None
    needed: int
    action: Action
    regret: float
    at: datetime

    @property
    def right(self) -> bool:
        return self.regret <= TIE


@dataclass(slots=True)
class AnswerFigures:
    answers: int = 0
    right: int = 0
    lost: float = 0.0  # points lost in all answers together

    @property
    def share(self) -> float:
        return self.right / self.answers if self.answers else 0.0

    @property
    def each(self) -> float:
        """The average number of points lost per answer."""
        return self.lost / self.answers if self.answers else 0.0


@dataclass(frozen=True, slots=True)
class AllAnswerFigures:
    total: AnswerFigures = field(default_factory=AnswerFigures)
    sources: dict[str, AnswerFigures] = field(default_factory=dict)
    # Keys are Mondays, the latest first.
    weeks: dict[date, AnswerFigures] = field(default_factory=dict)


def sum_answer_figures(player: Player | None, rules: Ruleset) -> AllAnswerFigures:
    """Sum the player's answers by week and by source (drill, drill to win, Five a Day)."""
    rows = list[dict[str, Any]]()
    for query in _list_queries(player, rules):
        weeks = query.order_by().annotate(week=TruncWeek("created_at")).values("week", "source")
        good = Count("pk", filter=RIGHT)
        rows += weeks.annotate(answers=Count("pk"), good=good, lost=Sum("regret"))
    figures = AllAnswerFigures()
    for row in sorted(rows, key=lambda row: row["week"].date(), reverse=True):
        by_source = figures.sources.setdefault(row["source"], AnswerFigures())
        by_week = figures.weeks.setdefault(row["week"].date(), AnswerFigures())
        for part in (figures.total, by_source, by_week):
            part.answers += row["answers"]
            part.right += row["good"]
            part.lost += row["lost"]
    return figures


def query_answers(
    player: Player | None, rules: Ruleset, source: str = "", *, right: bool | None = None
) -> QuerySet[Any, tuple[str, datetime, int]]:
    """Return a row (source, time, key) per answer for ``read_answers``, the latest answer first."""
    wanted = Q() if right is None else RIGHT if right else ~RIGHT
    rows = [
        query.filter(wanted, *([Q(source=source)] if source else []))
        .order_by()
        .values_list("source", "created_at", "pk")
        for query in _list_queries(player, rules)
    ]
    return rows[0].union(*rows[1:], all=True).order_by("-created_at", "source", "-pk")


def read_answers(rows: Iterable[tuple[str, datetime, int]]) -> list[MadeAnswer]:
    """Read the answers of these rows in the same order. Leave out answers that were deleted."""
    order = [(source, pk) for source, _at, pk in rows]
    fives = [pk for source, pk in order if source == FIVE_A_DAY]
    others = [pk for source, pk in order if source != FIVE_A_DAY]
    attempts = DrillAttempt.objects.filter(pk__in=others).select_related("card")
    answers = {
        (answer.source, int(answer.key.partition("-")[2])): answer
        for answer in map(read_drill_answer, attempts)
    }
    for answer in map(read_five_answer, FiveAnswer.objects.filter(pk__in=fives)):
        answers[answer.source, int(answer.key.partition("-")[2])] = answer
    return [answers[place] for place in order if place in answers]


def read_drill_answer(made: DrillAttempt) -> MadeAnswer:
    card = made.card
    source = WIN if card.needed else DRILL
    facts = (card.position, card.needed, made.action, made.regret, made.created_at)
    return MadeAnswer(source, f"drill-{made.pk}", *facts)


def read_five_answer(made: FiveAnswer) -> MadeAnswer:
    exercise = drill_pool.find_exercise(made.key)
    position = exercise.position if exercise else None
    facts = (position, 0, made.action, made.regret, made.created_at)
    return MadeAnswer(FIVE_A_DAY, f"five-{made.pk}", *facts)


def list_missed(player: Player | None, rules: Ruleset, *, to_win: bool) -> list[MadeAnswer]:
    """Return this session's wrong and slow answers, one per position, the costliest first."""
    keys = list_to_repeat(
        list_session_answers(list_latest_answers(player, rules, to_win=to_win), timezone.now())
    )
    attempts = DrillAttempt.objects.select_related("card").in_bulk(keys)
    return [read_drill_answer(attempts[key]) for key in keys]


def _list_queries(player: Player | None, rules: Ruleset) -> Iterator[QuerySet[Any]]:
    to_win = When(card__needed__gt=0, then=Value(WIN))
    source = Case(to_win, default=Value(DRILL), output_field=CharField())
    drills = DrillAttempt.objects.filter(
        card__player=find_player_key(player), card__ruleset=rules.id
    ).annotate(source=source)
    fives = FiveAnswer.objects.filter(player=find_player_key(player), ruleset=rules.id)
    yield drills
    yield fives.annotate(source=Value(FIVE_A_DAY, output_field=CharField()))


ANSWERS = 25  # answers per page


@dataclass(frozen=True, slots=True)
class AnsweredLine:
    made: MadeAnswer
    line: PositionLine | None
    deed: str
    severity: Severity
    again: str

    @property
    def source(self) -> str:
        return str(labels.SOURCES[self.made.source])


@never_cache
@require_safe
def drill_history(request: PlayRequest) -> HttpResponse:
    rules, player = rules_asked(request, DRILLED), request.visitor.player
    form = AnsweredForm(request.GET)
    rows = query_answers(player, rules, form.source_wanted, right=form.right_wanted)
    page: Page[Any] = Paginator(rows, ANSWERS).get_page(request.GET.get("page"))
    lines = []
    for made in read_answers(page.object_list):
        position, deed = made.position, ""
        if position is not None:
            deed = phrases.describe_move(build_state(position), made.action)
        lines.append(
            AnsweredLine(
                made=made,
                line=PositionLine(position, made.needed) if position else None,
                deed=deed,
                severity=find_severity(made.regret),
                again=make_again_url(made.key) if position else "",
            )
        )
    page.object_list = lines
    figures = sum_answer_figures(player, rules)
    context = {
        "page": page,
        "form": form,
        "rules": rules,
        "figures": figures,
        "sources": [
            (labels.SOURCES[source], figures.sources[source])
            for source in SOURCES
            if source in figures.sources
        ],
        "weeks": list(figures.weeks.items())[:WEEKS],
        "choices": list_rules_links(rules, among=DRILLED),
        "address": urlencode({FIELD: rules.id} | form.read_filters),
    }
    return render(request, "practice/answered.html", context)
