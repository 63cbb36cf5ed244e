"""The page "Explore": the value of every option in a position that the player sets up."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from urllib.parse import urlencode

from django.http import HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.functional import cached_property
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from game.coach.reasons import describe_aims, explain_best
from game.coach.review import PartView
from game.coach.waiting import find_missing_reasons
from game.coach.winning_advice import ToWin, advise_to_win
from game.core.access import OwnGame, is_at_position
from game.core.words import phrases
from game.core.worth.severity import Severity, find_severity
from game.core.worth.tables import require_advisor
from game.models import Player, PositionList
from game.models.drill import LONGEST_LIST_NAME
from game.pages.requests.visitors import PlayRequest
from game.pages.rulesets import FIELD, list_rules_links, rules_asked
from game.practice.explore_setup import Setup, read_setup
from game.practice.lists import PositionLine
from solver.advice import Advice, Advisor, Option, Position
from solver.rules import PLAYED

TOLD = 0.05  # points; the page shows the sum of smaller parts in one line
DIGITS = 2  # decimals of the printed parts
FINEST = 7  # most decimals of a printed precision
BAR = 100  # largest width of a bar, in units of the drawing


@dataclass(frozen=True, slots=True)
class OptionRow:
    """An option. ``key`` identifies it in an address: the held dice, ``none``, or a box."""

    key: str
    label: str
    dice: tuple[int, ...]
    expected: float
    regret: float
    severity: Severity
    bonus: str
    deviation: float | None
    compare: str  # address; empty for the best option, or if reasons need a missing table

    @property
    def best(self) -> bool:
        return self.severity.id == "best"


@dataclass(frozen=True, slots=True)
class PartBar:
    """A bar for a box: the part of the difference between two options that comes from this box."""

    part: PartView
    start: int
    width: int


@dataclass(frozen=True)
class Comparison:
    picked: OptionRow
    best: OptionRow
    reason: str
    bars: list[PartBar]
    others: str  # the sum of the parts that have no bar; empty if it is 0
    total: str


@dataclass(frozen=True)
class Explored:
    setup: Setup
    rows: list[OptionRow]
    reason: str
    comparison: Comparison | None
    unknown: bool  # True if the picked option does not exist
    win: ToWin | None  # None if the player needs no points to win
    precision: str  # the precision of rounded values; empty if values are exact

    @property
    def best(self) -> OptionRow:
        return self.rows[0]


class _Explorer:
    def __init__(self, coach: Advisor, setup: Setup) -> None:
        self.coach = coach
        self.setup = setup
        self.rules = coach.rules

    @cached_property
    def position(self) -> Position:
        return self.setup.position

    @cached_property
    def advice(self) -> Advice:
        return self.coach.advise(self.position, outlook=True)

    def answer(self, picked: str) -> Explored:
        rows = [self._make_row(option) for option in self.advice.options]
        needed = self.setup.needed
        at = next((n for n, row in enumerate(rows) if row.key == picked), None)
        precision = self.coach.values.precision
        finest: float = 10.0**-FINEST
        return Explored(
            setup=self.setup,
            rows=rows,
            reason=explain_best(self.coach, self.position, self.advice),
            comparison=self._make_comparison(rows, at) if at is not None else None,
            unknown=bool(picked) and at is None,
            win=advise_to_win(self.coach, self.position, needed) if needed else None,
            precision=phrases.format_points(ceil(precision / finest) * finest, FINEST)
            if precision
            else "",
        )

    def _make_row(self, option: Option) -> OptionRow:
        outlook, key = option.outlook, (option.category or "".join(map(str, option.dice)) or "none")
        compare = f"{make_setup_url(self.setup)}&{urlencode({'compare': key})}"
        return OptionRow(
            key=key,
            label=phrases.describe_option(self.rules, option),
            dice=option.dice if option.action == "hold" else (),
            expected=option.value,
            regret=option.regret,
            severity=find_severity(option.regret),
            bonus=phrases.format_percent(outlook.bonus_chance) if outlook else "",
            deviation=outlook.deviation if outlook else None,
            compare="" if option.best or not self.coach.explain else compare,
        )

    def _make_comparison(self, rows: list[OptionRow], at: int) -> Comparison | None:
        best, picked = self.advice.best, self.advice.options[at]
        parts = None if picked.best else self.coach.why(self.position, best, picked)
        if parts is None:
            return None
        parts_shown = sorted(
            (p for p in parts if abs(p.points) >= TOLD), key=lambda p: -abs(p.points)
        )
        # The last line includes the rounding error, so that the printed parts add up.
        total = round(picked.regret, DIGITS)
        untold = round(total - sum(round(part.points, DIGITS) for part in parts_shown), DIGITS)
        longest = max((abs(part.points) for part in parts_shown), default=1.0)
        bars = []
        for part in parts_shown:
            name = phrases.name_box(self.rules, part.box)
            view = PartView(name, part.points, phrases.format_signed(part.points, DIGITS))
            width = max(1, round(abs(part.points) * (BAR / longest)))
            bars.append(PartBar(view, 0 if part.points > 0 else -width, width))
        return Comparison(
            picked=rows[at],
            best=rows[0],
            reason=describe_aims(self.coach, self.position, picked)
            if picked.action == "hold"
            else "",
            bars=bars,
            others=phrases.format_signed(untold, DIGITS) if untold else "",
            total=phrases.format_signed(total, DIGITS),
        )


COOKIE = "explored"
MOST = 10
BETWEEN = "|"
CHANGING = "~"  # first letter of a stored address that the form's next change replaces


@dataclass(frozen=True, slots=True)
class Earlier:
    queries: Sequence[str]  # the addresses, the latest first

    @classmethod
    def from_request(cls, request: PlayRequest) -> "Earlier":
        kept = request.COOKIES.get(COOKIE, "").split(BETWEEN)
        return cls([query for query in kept if query])

    def remember(self, request: PlayRequest, response: HttpResponse, shown: str) -> None:
        known = list(self.queries)
        if request.htmx and known and known[0].startswith(CHANGING):
            known = known[1:]
        others = [
            query for query in (query.removeprefix(CHANGING) for query in known) if query != shown
        ]
        first = f"{CHANGING}{shown}" if request.htmx else shown
        response.set_cookie(
            COOKIE,
            BETWEEN.join([first, *others][:MOST]),
            path=reverse("explore"),
            secure=request.is_secure(),
            httponly=True,
            samesite="Lax",
        )


@never_cache
@require_safe
def explore(request: PlayRequest) -> HttpResponse:
    # An address without a ruleset means the default ruleset, so that all people see the same page.
    usual = request.GET and FIELD not in request.GET
    rules = Player().rules if usual else rules_asked(request)
    coach = require_advisor(rules)
    setup = read_setup(rules, request.GET)
    if setup.by_form and not setup.problems and not request.htmx:
        return redirect(make_setup_url(setup))
    earlier = Earlier.from_request(request)
    problems, player = dict(setup.problems), request.visitor.player
    contested = not problems and is_at_position(player, [setup.position])
    answer = None
    if not problems and not contested:
        answer = _Explorer(coach, setup).answer(request.GET.get("compare", ""))
    if answer and answer.unknown:
        problems["compare"] = _("This position has no such option to compare.")
    lines = []
    for query in earlier.queries:
        fields = QueryDict(query.removeprefix(CHANGING))
        line_rules = PLAYED.get(fields.get(FIELD, ""))
        line_setup = read_setup(line_rules, fields) if line_rules else None
        if line_setup and not line_setup.problems and line_setup.query != setup.query:
            needed = line_setup.needed or 0
            lines.append(PositionLine(line_setup.position, needed, query=line_setup.query))
    lists = PositionList.objects.filter(player=player) if player else PositionList.objects.none()
    context = {
        "setup": setup,
        "found": answer,
        "problems": problems,
        "own": str(OwnGame()) if contested else "",
        "choices": list_rules_links(setup.rules),
        "waiting": find_missing_reasons(coach),
        "earlier": lines,
        "kept_in": lists.values_list("name", flat=True).first() or "",
        "longest": LONGEST_LIST_NAME,
    }
    template = "practice/_explored.html" if request.htmx else "practice/explore.html"
    response = render(request, template, context, status=422 if problems else 200)
    if request.htmx and not problems and setup.by_form:
        response["HX-Replace-Url"] = make_setup_url(setup)
    if response.status_code == 200 and request.GET.keys() - {FIELD, "compare"}:
        earlier.remember(request, response, setup.query)
    return response


def make_setup_url(setup: Setup) -> str:
    """Return the short address of the position. All people see the same page there."""
    return f"{reverse('explore')}?{setup.query}"
