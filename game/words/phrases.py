"""Numbers and options as a person reads them."""

from collections.abc import Iterable

from django.utils.formats import number_format
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from game.words import labels
from game.words.remembered import remembered
from solver.advice import BONUS, CHIPS, Option
from solver.dp.space import TIE
from solver.rules import Action, Hold, Ruleset, State

# A hold of all dice is no throw at all: it only makes sense when a box is filled with them.
DIGITS = 1
NEXT_TO_NOTHING = 0.05
CERTAIN = 1e-6  # the tables have single precision


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
    """Never 0 or 100 of what is neither impossible nor certain."""
    if CERTAIN < chance < 0.005:
        return unbroken(_("under 1 %%") % {})
    if 0.995 < chance < 1 - CERTAIN:
        return unbroken(_("over 99 %%") % {})
    return share(str(round(100 * chance)))


def share(written: str) -> str:
    """So many per cent, as this language writes it; number and sign stay on one line."""
    return unbroken(_("%(percent)s %%") % {"percent": written})


def unbroken(text: str) -> str:
    return text.replace(" %", "\u00a0%")


def cost(regret: float) -> str:
    if regret < NEXT_TO_NOTHING:
        return _cost(0.0 if regret < TIE else NEXT_TO_NOTHING)
    return _cost(round(regret, DIGITS))


@remembered
def _cost(shown: float) -> str:
    if not shown:
        return _("best")
    if shown == NEXT_TO_NOTHING:
        return _("costs next to nothing")
    return _("costs %(points)s points") % {"points": points(shown)}


def praise(grade: str | Promise) -> str:
    """For a decision that most of this grade get wrong."""
    return _("Well seen: most players of the grade %(grade)s miss this.") % {"grade": grade}


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
    return held(chosen.dice, rules)


def deed(state: State, action: Action) -> str:
    """What was done with the dice of this state."""
    if isinstance(action, Hold):
        return held(action.kept(state.dice), state.rules)
    return scored(state.rules, action.category, state.offers[state.rules.index[action.category]])


def held(kept: tuple[int, ...], rules: Ruleset) -> str:
    if not kept:
        return _("Throw all %(count)s again") % {"count": labels.count(rules.dice)}
    if len(kept) == rules.dice:
        return _("Hold all %(count)s") % {"count": labels.count(rules.dice)}
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
