"""Numbers and options in a reader's notation.

All numbers of points are formatted here, in templates through the filters of
``game.pages.board.numbers``: no number is printed as −0.0 or +0.0, the minus sign is U+2212, and a
number stays on one line with its unit.
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
CERTAIN = 1e-6  # smaller differences are rounding, because the tables have single precision
MINUS, NO_BREAK = "−", "\u00a0"
# The space between a number and its unit; digits at the end of a name do not count.
UNIT = re.compile(r"(?<![^\W_])(\d(?:[\d.,]*\d)?) (?=[^\W\d_]|%)")


def points(amount: float, digits: int = DIGITS) -> str:
    """Format points such as 3.4 in the reader's notation; never as -0.0."""
    return _number(round(amount, digits) + 0.0, digits)


@cache_by_language
def _number(rounded: float, digits: int) -> str:
    return number_format(rounded, digits, use_l10n=True).replace("-", MINUS)


def signed(amount: float, digits: int = DIGITS) -> str:
    """Format points with their sign; a number that rounds to 0 has none."""
    written = points(amount, digits)
    return f"+{written}" if round(amount, digits) > 0 else written


def lost(amount: float, digits: int = DIGITS) -> str:
    """Format a cost. A mistake is never printed as 0: it gets one more digit and is rounded up."""
    if not is_mistake(amount) or round(amount, digits):
        return points(max(amount, 0.0), digits)
    return points(max(amount, 0.1 ** (digits + 1)), digits + 1)


def taken_off(amount: float, digits: int = DIGITS) -> str:
    """Format a cost with a minus sign."""
    return f"{MINUS}{lost(amount, digits)}" if is_mistake(amount) else points(0.0, digits)


def percent(chance: float) -> str:
    """Format a percentage; only the impossible is 0 % and only the certain is 100 %."""
    if CERTAIN < chance <= 0.005:
        return unbroken(say("under_1"))
    if 0.995 <= chance < 1 - CERTAIN:
        return unbroken(say("over_99"))
    return share(str(round(100 * chance)))


def share(written: str) -> str:
    """Add the reader's per cent sign to a formatted number, without a line break between them."""
    return unbroken(say("percent", percent=written))


def accuracy(credit: float) -> str:
    """Format the accuracy of a game; only a game without a mistake has 100 %."""
    return percent(credit if credit == 1.0 else min(credit, 1 - 2 * CERTAIN))


def unbroken(text: str) -> str:
    """Keep a number and its unit on one line."""
    return UNIT.sub(rf"\1{NO_BREAK}", text)


def cost(regret: float) -> str:
    return costs([regret])[0]


def costs(regrets: Iterable[float]) -> tuple[str, ...]:
    """Format the costs of all holds of a roll; equal costs are formatted only once."""
    least = LIMITS["noticeable"]
    shown = [
        round(regret, DIGITS) if regret >= least else least if is_mistake(regret) else 0.0
        for regret in regrets
    ]
    words = {amount: _format_cost(amount) for amount in set(shown)}
    return tuple([words[amount] for amount in shown])


@cache_by_language
def _format_cost(shown: float) -> str:
    if not shown:
        return say("best")
    if shown == LIMITS["noticeable"]:
        return say("next_to_nothing")
    return unbroken(say("costs", points=points(shown)))


def price(regret: float) -> str:
    return prices([regret])[0]


def prices(regrets: Iterable[float]) -> tuple[str, ...]:
    """Format costs as short numbers with a minus sign, for places without room for a sentence."""
    shown = [
        round(regret, DIGITS)
        if regret >= LIMITS["noticeable"]
        else max(round(regret, DIGITS + 1), 0.01)
        if is_mistake(regret)
        else 0.0
        for regret in regrets
    ]
    words = {amount: _format_price(amount) for amount in set(shown)}
    return tuple([words[amount] for amount in shown])


@cache_by_language
def _format_price(shown: float) -> str:
    return taken_off(shown) if shown else say("best")


def luck(amount: float) -> str:
    if abs(amount) < LIMITS["noticeable"]:
        return say("no_luck")
    return unbroken(say("good_luck" if amount > 0 else "bad_luck", points=points(abs(amount))))


def dice(faces: Iterable[int]) -> str:
    return " ".join(map(str, faces))


def option(rules: Ruleset, chosen: Option) -> str:
    if chosen.action == "score":
        return scored(rules, chosen.category, chosen.points)
    return held(chosen.dice, rules)


def deed(state: State, action: Action) -> str:
    """Describe a hold, or a box with its points, for the dice of this state."""
    if isinstance(action, Hold):
        return held(action.kept(state.dice), state.rules)
    return scored(state.rules, action.category, state.offers[state.rules.index[action.category]])


def held(kept: tuple[int, ...], rules: Ruleset) -> str:
    if not kept:
        return say("reroll_all", count=labels.count(rules.dice))
    if len(kept) == rules.dice:
        return say("hold_all", count=labels.count(rules.dice))
    return say("hold", dice=dice(kept))


def scored(rules: Ruleset, category: str, won: int) -> str:
    name = box(rules, category)
    return unbroken(
        say("scored", won, points=won, name=name) if won else say("crossed_out", name=name)
    )


def box(rules: Ruleset, category: str) -> str:
    if category == BONUS:
        return _("Bonus")
    if category == CHIPS and rules.joker:
        return labels.chips(rules.joker)
    return labels.category_name(rules.categories[rules.index[category]])
