"""Every option of a position, ranked, and why one of them is worse than the best."""

from dataclasses import dataclass
from math import ceil
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.functional import cached_property

from game.coach.reasons import aims_of, why_best
from game.coach.review import PartView
from game.coach.winning_advice import ToWin, to_win
from game.core.words import phrases
from game.core.worth.severity import Severity, severity
from game.practice.explore_setup import Setup
from solver.advice import Advice, Advisor, Option, Part, Position

TOLD = 0.05  # points: smaller parts are told together
DIGITS = 2  # so many that the parts are seen to add up
FINEST = 7  # digits of a precision
BAR = 100  # half the width of a bar's picture


@dataclass(frozen=True, slots=True)
class OptionRow:
    """One option. ``key`` names it in an address: the dice held, ``none``, or a box."""

    key: str
    label: str
    dice: tuple[int, ...]
    expected: float
    regret: float
    severity: Severity
    bonus: str
    deviation: float | None
    compare: str  # address; empty for the best, and where nothing can be compared

    @property
    def best(self) -> bool:
        return self.severity.id == "best"


@dataclass(frozen=True, slots=True)
class Bar:
    """A part of a difference, with its picture: from ``start`` and so wide."""

    part: PartView
    start: int
    width: int


@dataclass(frozen=True)
class Comparison:
    """What the best option brings more than the picked one, box by box."""

    picked: OptionRow
    best: OptionRow
    reason: str
    bars: list[Bar]
    others: str  # what the untold parts bring together; empty when all are told
    total: str


@dataclass(frozen=True)
class Explored:
    setup: Setup
    rows: list[OptionRow]
    reason: str
    comparison: Comparison | None
    unknown: bool  # whether an option was picked that there is not
    win: ToWin | None  # where points are needed
    precision: str  # of the values, where the table has rounded them

    @property
    def best(self) -> OptionRow:
        return self.rows[0]


def explored(coach: Advisor, setup: Setup, picked: str) -> Explored:
    return _Explorer(coach, setup).answer(picked)


def _within(precision: float) -> str:
    """Rounded up to its last digit."""
    finest: float = 10.0**-FINEST
    return phrases.points(ceil(precision / finest) * finest, FINEST) if precision else ""


def key_of(option: Option) -> str:
    return option.category or "".join(map(str, option.dice)) or "none"


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
        rows = [self._row(option) for option in self.advice.options]
        needed = self.setup.needed
        at = next((n for n, row in enumerate(rows) if row.key == picked), None)
        return Explored(
            setup=self.setup,
            rows=rows,
            reason=why_best(self.coach, self.position, self.advice),
            comparison=self._comparison(rows, at) if at is not None else None,
            unknown=bool(picked) and at is None,
            win=to_win(self.coach, self.position, needed) if needed else None,
            precision=_within(self.coach.values.precision),
        )

    def _row(self, option: Option) -> OptionRow:
        outlook = option.outlook
        return OptionRow(
            key=key_of(option),
            label=phrases.option(self.rules, option),
            dice=option.dice if option.action == "hold" else (),
            expected=option.value,
            regret=option.regret,
            severity=severity(option.regret),
            bonus=phrases.percent(outlook.bonus_chance) if outlook else "",
            deviation=outlook.deviation if outlook else None,
            compare="" if option.best or not self.coach.explain else self._address(option),
        )

    def _address(self, option: Option) -> str:
        picked = urlencode({"compare": key_of(option)})
        return f"{reverse('explore')}?{self.setup.query}&{picked}"

    def _comparison(self, rows: list[OptionRow], at: int) -> Comparison | None:
        best, picked = self.advice.best, self.advice.options[at]
        parts = None if picked.best else self.coach.why(self.position, best, picked)
        if parts is None:
            return None
        told = sorted((p for p in parts if abs(p.points) >= TOLD), key=lambda p: -abs(p.points))
        # The last line takes what rounding leaves, so that the printed parts add up.
        total = round(picked.regret, DIGITS)
        untold = round(total - sum(round(part.points, DIGITS) for part in told), DIGITS)
        return Comparison(
            picked=rows[at],
            best=rows[0],
            reason=aims_of(self.coach, self.position, picked) if picked.action == "hold" else "",
            bars=self._bars(told),
            others=phrases.signed(untold, DIGITS) if untold else "",
            total=phrases.signed(total, DIGITS),
        )

    def _bars(self, parts: list[Part]) -> list[Bar]:
        longest = max((abs(part.points) for part in parts), default=1.0)
        return [self._bar(part, BAR / longest) for part in parts]

    def _bar(self, part: Part, scale: float) -> Bar:
        shown = phrases.signed(part.points, DIGITS)
        view = PartView(phrases.box(self.rules, part.box), part.points, shown)
        width = max(1, round(abs(part.points) * scale))
        return Bar(view, 0 if part.points > 0 else -width, width)
