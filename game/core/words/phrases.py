"""Numbers and options, formatted for the reader's language.

All points are formatted here; templates use the filters of ``game.pages.board.numbers``. No number
is printed as −0.0 or +0.0, the minus sign is U+2212, and a number and its unit stay on one line.
"""

import re
from collections.abc import Iterable

from django.utils.formats import number_format
from django.utils.translation import gettext as _

from game.core.words import labels
from game.core.words.labels import cache_by_language
from game.core.words.speech import LIMITS, say
from solver.advice import BONUS, CHIPS, Option, is_mistake
from solver.rules import Action, Hold, Ruleset, State

# digits after the decimal point
DIGITS = 1
CERTAIN = 1e-6  # smaller differences are rounding errors, because the tables have single precision
MINUS, NO_BREAK = "−", "\u00a0"
# The space between a number and its unit. Digits at the end of a name are no number.
UNIT = re.compile(r"(?<![^\W_])(\d(?:[\d.,]*\d)?) (?=[^\W\d_]|%)")


def format_points(amount: float, digits: int = DIGITS) -> str:
    """Format points for the reader, such as 3.4; never as -0.0."""
    return _format_number(round(amount, digits) + 0.0, digits)


@cache_by_language
def _format_number(rounded: float, digits: int) -> str:
    return number_format(rounded, digits, use_l10n=True).replace("-", MINUS)


def format_signed(amount: float, digits: int = DIGITS) -> str:
    """Format points with a plus or minus sign. A number that is rounded to 0 has no sign."""
    written = format_points(amount, digits)
    return f"+{written}" if round(amount, digits) > 0 else written


def format_loss(amount: float, digits: int = DIGITS) -> str:
    """Format a cost. A mistake is never printed as 0: it gets one more digit and is rounded up."""
    if not is_mistake(amount) or round(amount, digits):
        return format_points(max(amount, 0.0), digits)
    return format_points(max(amount, 0.1 ** (digits + 1)), digits + 1)


def format_deduction(amount: float, digits: int = DIGITS) -> str:
    return (MINUS if is_mistake(amount) else "") + format_loss(amount, digits)


def format_percent(chance: float) -> str:
    """Format a percentage. 0 % always means impossible, and 100 % always means certain."""
    if CERTAIN < chance <= 0.005:
        return keep_on_one_line(say("under_1"))
    if 0.995 <= chance < 1 - CERTAIN:
        return keep_on_one_line(say("over_99"))
    return add_percent_sign(str(round(100 * chance)))


def add_percent_sign(written: str) -> str:
    """Add a per cent sign in the reader's style, without a line break before it."""
    return keep_on_one_line(say("percent", percent=written))


def format_accuracy(credit: float) -> str:
    return format_percent(credit if credit == 1.0 else min(credit, 1 - 2 * CERTAIN))


def keep_on_one_line(text: str) -> str:
    """Prevent a line break between a number and its unit."""
    return UNIT.sub(rf"\1{NO_BREAK}", text)


def format_cost(regret: float) -> str:
    if regret < LIMITS["noticeable"]:
        return say("next_to_nothing" if is_mistake(regret) else "best")
    return keep_on_one_line(say("costs", points=format_points(regret)))


def format_short_cost(regret: float) -> str:
    return format_deduction(regret) if is_mistake(regret) else say("best")


def describe_luck(amount: float) -> str:
    if abs(amount) < LIMITS["noticeable"]:
        return say("no_luck")
    return keep_on_one_line(
        say("good_luck" if amount > 0 else "bad_luck", points=format_points(abs(amount)))
    )


def format_dice(faces: Iterable[int]) -> str:
    return " ".join(map(str, faces))


def describe_option(rules: Ruleset, chosen: Option) -> str:
    if chosen.action == "score":
        return describe_score(rules, chosen.category, chosen.points)
    return describe_hold(chosen.dice, rules)


def describe_move(state: State, action: Action) -> str:
    if isinstance(action, Hold):
        return describe_hold(action.kept(state.dice), state.rules)
    points = state.offers[state.rules.index[action.category]]
    return describe_score(state.rules, action.category, points)


def describe_hold(kept: tuple[int, ...], rules: Ruleset) -> str:
    if kept and len(kept) < rules.dice:
        return say("hold", dice=format_dice(kept))
    return say("hold_all" if kept else "reroll_all", count=labels.count(rules.dice))


def describe_score(rules: Ruleset, category: str, won: int) -> str:
    name = name_box(rules, category)
    return keep_on_one_line(say("scored" if won else "crossed_out", won, points=won, name=name))


def name_box(rules: Ruleset, category: str) -> str:
    if category == BONUS:
        return _("Bonus")
    if category == CHIPS and rules.joker:
        return labels.name_chip_bonus(rules.joker)
    return labels.find_category_name(rules.categories[rules.index[category]])


def format_skill(estimate: float, low: float, high: float) -> str:
    """Return a skill estimate with its range, such as 201.3 (195.0–207.1)."""
    middle, low_end, high_end = map(format_points, (estimate, low, high))
    return f"{middle} ({low_end}–{high_end})"
