"""The rules of every ruleset in words, made from its data."""

from collections.abc import Iterator
from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from game.core.words import labels
from game.core.words.examples import FIRST, HELD, LAST, count_dice_for_bonus
from solver.rules import Category, Joker, Ruleset


@dataclass(frozen=True, slots=True)
class TurnStep:
    name: str
    text: str
    dice: tuple[tuple[int, bool], ...]


def format_headline(rules: Ruleset) -> str:
    return ngettext(
        "%(boxes)s boxes, %(throws)s roll each",
        "%(boxes)s boxes, %(throws)s rolls each",
        rules.throws,
    ) % {"boxes": len(rules.categories), "throws": rules.throws}


def list_steps(rules: Ruleset) -> list[TurnStep]:
    first, last = FIRST[: rules.dice], LAST[: rules.dice]
    every = _("Roll all %(dice)s dice.") % {"dice": labels.count(rules.dice)}
    steps = [TurnStep(_("Roll"), every, tuple((face, False) for face in first))]
    if rules.throws > 1:
        steps.append(
            TurnStep(_("Hold"), _describe_rerolls(rules), tuple((f, f == HELD) for f in first))
        )
    once = _("You use each box once. If your dice fit no open box, you must score 0 in one.")
    return [*steps, TurnStep(_("Fill a box"), once, tuple((face, face == HELD) for face in last))]


def _describe_rerolls(rules: Ruleset) -> str:
    if rules.stock:
        return _("Hold the dice that you want. Roll the others again while you have rolls left.")
    return ngettext(
        "Hold the dice that you want. You can roll the others again once.",
        "Hold the dice that you want. You can roll the others again up to %(more)s times.",
        rules.throws - 1,
    ) % {"more": rules.throws - 1}


def list_notes(rules: Ruleset) -> list[str]:
    return [_describe_counting(rules), *_describe_saved_rolls(rules), *_list_joker_notes(rules)]


def _describe_saved_rolls(rules: Ruleset) -> Iterator[str]:
    if rules.stock:
        yield _(
            "You save the rolls that you do not use. In each turn you have %(throws)s new "
            "rolls and all saved rolls. You use the new rolls first, then as many saved rolls "
            "as you want. Rolls left after the last turn are worth nothing."
        ) % {"throws": labels.count(rules.throws)}


def _describe_counting(rules: Ruleset) -> str:
    if any(_counts_its_own_dice(category) for category in rules.categories):
        return _(
            "Only the dice of a combination count. If several combinations fit, the highest counts."
        )
    return _(
        "Each upper box scores the sum of the dice that show its number. In the lower boxes, a "
        "combination scores fixed points or the sum of all dice."
    )


def _counts_its_own_dice(category: Category) -> bool:
    """Return whether the box scores only the dice of its combination, such as a pair."""
    partial = category.pattern in {"of_a_kind", "two_pairs"}
    return partial and category.points is None and not category.counts_every_die


def explain_bonus(rules: Ruleset) -> str:
    text = _(
        "If you score %(goal)s points in the six upper boxes (%(count)s of each number), you get "
        "a bonus of %(points)s."
    )
    faces, each = sum(rules.categories[n].face for n in rules.upper), count_dice_for_bonus(rules)
    if (
        each < 2 or rules.bonus_threshold != each * faces
    ):  # the threshold is not a number of dice per face
        text = _("If you score %(goal)s points in the upper boxes, you get a bonus of %(points)s.")
        return text % {"goal": rules.bonus_threshold, "points": rules.bonus_points}
    facts = {"goal": rules.bonus_threshold, "points": rules.bonus_points}
    return text % {**facts, "count": labels.count(each)}


def _list_joker_notes(rules: Ruleset) -> Iterator[str]:
    joker = rules.joker
    if joker is None:
        # Other rulesets have the same boxes with jokers.
        if any(category.joker_points is not None for category in rules.categories):
            yield _(
                "In these rules, five equal dice are not a joker, and you get no bonus for "
                "rolling them again. Every box scores them like any other dice."
            )
        return
    facts = {
        "name": labels.CATEGORIES[joker.box],
        "boxes": _list_joker_points(rules),
    }
    yield (_describe_free_rule() if joker.policy == "free" else _describe_forced_rule()) % facts


def explain_chips(joker: Joker) -> str:
    return _(
        "Once you have scored points in %(name)s, each further five of a kind earns %(points)s "
        "extra points, in any box. If you put 0 in %(name)s, you get no such bonus."
    ) % {"name": labels.CATEGORIES[joker.box], "points": joker.chip}


def _describe_free_rule() -> str:
    return _(
        "Jokers: if you roll five equal dice when %(name)s is filled, you can score them in any "
        "open box. Once the upper box of their number is filled, the dice score %(boxes)s, and "
        "their sum in any other lower box."
    )


def _describe_forced_rule() -> str:
    return _(
        "Jokers: if you roll five equal dice when %(name)s is filled, you must score them in the "
        "upper box of their number if this box is open. If it is filled, choose any open lower "
        "box: the dice score %(boxes)s, and their sum in any other lower box. If no lower box is "
        "open, you must put 0 in an upper box."
    )


def _list_joker_points(rules: Ruleset) -> str:
    return ", ".join(
        _("%(points)s in %(name)s")
        % {"points": category.joker_points, "name": labels.find_category_name(category)}
        for category in rules.categories
        if category.joker_points is not None
    )
