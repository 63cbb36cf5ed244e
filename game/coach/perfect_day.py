"""What perfect play makes of a day's dice. Told only when the day is over, and played once."""

from datetime import date

from game.fair import blocks, days
from game.judgement.tables import asked
from solver.advice import Advisor
from solver.arena.match import from_block, play_out
from solver.players.advised import Advised
from solver.rules import RULESETS, Ruleset

MOST = 5_000  # days remembered: a number each
_known: dict[tuple[date, str], int] = {}


def perfect_score(day: date, rules: Ruleset) -> int | None:
    """None while the day runs, or while there is no table to play by."""
    if not days.closed(day):
        return None
    key = (day, rules.id)
    if key not in _known:
        score = asked(rules, lambda coach: _played(coach, day))
        if score is None:
            return None
        if len(_known) >= MOST:
            _known.clear()
        _known[key] = score
    return _known[key]


def _played(coach: Advisor, day: date) -> int:
    rules = RULESETS[coach.rules.id]
    block = blocks.block(blocks.seed_of_day(day, rules.id), rules)
    return play_out(Advised(coach), rules, from_block(block)).end.total
