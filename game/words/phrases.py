"""Numbers and options as a person reads them."""

from collections.abc import Iterable

from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from game.words import labels
from solver.advice import BONUS, CHIPS, Option
from solver.dp.space import TIE
from solver.rules import Action, Hold, Ruleset, State

# A hold of all five is no throw at all: it only makes sense when a box is filled with them.
DIGITS = 1
WORTH_NAMING = 0.05  # the chance from which on a hold is said to go for a box


def points(amount: float, digits: int = DIGITS) -> str:
    """3.4, in the reader's notation; never -0.0."""
    rounded = round(amount, digits) + 0.0
    return number_format(rounded, digits, use_l10n=True)


def signed(amount: float, digits: int = DIGITS) -> str:
    rounded = round(amount, digits)
    if not rounded:
        return points(0.0, digits)
    return f"{'+' if rounded > 0 else '−'}{points(abs(rounded), digits)}"


def percent(chance: float) -> str:
    if 0 < chance < 0.005:
        return unbroken(_("under 1 %%") % {})
    return share(str(round(100 * chance)))


def share(written: str) -> str:
    """So many per cent, as this language writes it; number and sign stay on one line."""
    return unbroken(_("%(percent)s %%") % {"percent": written})


def unbroken(text: str) -> str:
    return text.replace(" %", "\u00a0%")


def cost(regret: float) -> str:
    if regret < TIE:
        return _("best")
    if regret < 0.05:
        return _("costs next to nothing")
    return _("costs %(points)s points") % {"points": points(regret)}


def luck(amount: float) -> str:
    if abs(amount) < 0.05:
        return _("neither lucky nor unlucky")
    if amount > 0:
        return _("%(points)s points lucky") % {"points": points(amount)}
    return _("%(points)s points unlucky") % {"points": points(-amount)}


def dice(faces: Iterable[int]) -> str:
    return " ".join(map(str, faces))


def option(rules: Ruleset, chosen: Option) -> str:
    if chosen.action == "score":
        return scored(rules, chosen.category, chosen.points)
    return held(chosen.dice)


def deed(state: State, action: Action) -> str:
    """What was done with the dice of this state."""
    if isinstance(action, Hold):
        return held(action.kept(state.dice))
    return scored(state.rules, action.category, state.offers[state.rules.index[action.category]])


def held(kept: tuple[int, ...]) -> str:
    if not kept:
        return _("Throw all five again")
    if len(kept) == 5:
        return _("Keep all five")
    return _("Hold %(dice)s") % {"dice": dice(kept)}


def scored(rules: Ruleset, category: str, won: int) -> str:
    return ngettext("%(points)s point in %(name)s", "%(points)s points in %(name)s", won) % {
        "points": won,
        "name": box(rules, category),
    }


def box(rules: Ruleset, category: str) -> str:
    if category == BONUS:
        return _("Bonus")
    if category == CHIPS and rules.joker:
        return labels.chips(rules.joker)
    return labels.category_name(rules.categories[rules.index[category]])


def reason(
    rules: Ruleset, best: Option, aims: tuple[tuple[str, float], ...], bonus_open: bool
) -> str:
    """One sentence: what the best option goes for, how likely that is, and what of the bonus."""
    bonus = best.outlook.bonus_chance if best.outlook else None
    if best.action == "score":
        text = _("Nothing that is still open would make more of these dice.")
    elif not aims:
        text = _("These dice fit no open box: a new throw is the best chance.")
    else:
        text = _("Goes for %(aims)s.") % {"aims": _aims(rules, aims)}
    if bonus is None or not bonus_open:
        return text
    chance = _("The chance of the bonus is then %(chance)s.") % {"chance": percent(bonus)}
    return f"{text} {chance}"


def _aims(rules: Ruleset, aims: tuple[tuple[str, float], ...]) -> str:
    named = [
        _("%(name)s (%(chance)s)") % {"name": box(rules, name), "chance": percent(chance)}
        for name, chance in aims[:3]
        if chance >= WORTH_NAMING or name == aims[0][0]
    ]
    if len(named) == 1:
        return named[0]
    return _("%(first)s or %(last)s") % {"first": ", ".join(named[:-1]), "last": named[-1]}
