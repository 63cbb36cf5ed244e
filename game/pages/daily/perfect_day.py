"""Perfect play on a day's dice: calculated once, shown only when the day is over."""

from dataclasses import dataclass
from datetime import date

from game.core.fair import blocks, days
from game.core.worth.tables import ask_advisor
from game.pages.daily.daily_queries import derive_day_seed
from solver.advice import Advisor
from solver.arena.match import make_block_roller, play_out
from solver.players.plain import Advised
from solver.rules import Ruleset

MOST = 5_000  # the most cached days, a few numbers each


@dataclass(frozen=True, slots=True)
class PerfectDay:
    """The card of perfect play; ``boxes`` are the points per box, in the order of the rules."""

    total: int
    boxes: tuple[int, ...]
    bonus: int
    chips: int


_known: dict[tuple[date, str], PerfectDay] = {}


def build_perfect_day(day: date, rules: Ruleset) -> PerfectDay | None:
    """Return the card of perfect play; None before the day ends or without tables."""
    if not days.is_closed(day):
        return None
    key = (day, rules.id)
    if key not in _known:
        card = ask_advisor(rules, lambda coach: _play_perfectly(coach, day))
        if card is None:
            return None
        if len(_known) >= MOST:
            _known.clear()
        _known[key] = card
    return _known[key]


def _play_perfectly(coach: Advisor, day: date) -> PerfectDay:
    rules = coach.rules
    block = blocks.block(derive_day_seed(day, rules.id), rules)
    end = play_out(Advised(coach), rules, make_block_roller(block)).end
    points = tuple(box.points if box else 0 for box in end.boxes)
    return PerfectDay(end.total, points, end.bonus, end.chips)
