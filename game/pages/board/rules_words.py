"""The rules of every ruleset in words, made from its data."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from game.core.words import labels
from game.core.words.labels import cache_by_language
from solver.rules import Category, Ruleset
from solver.rules.dice import Dice


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
        text = ngettext(
            "Hold the dice that you want. You can roll the others again once.",
            "Hold the dice that you want. You can roll the others again up to %(more)s times.",
            rules.throws - 1,
        ) % {"more": rules.throws - 1}
        if rules.stock:
            text = _(
                "Hold the dice that you want. Roll the others again while you have rolls left."
            )
        steps.append(TurnStep(_("Hold"), text, tuple((face, face == HELD) for face in first)))
    once = _("You use each box once. If your dice fit no open box, you must score 0 in one.")
    return [*steps, TurnStep(_("Fill a box"), once, tuple((face, face == HELD) for face in last))]


def list_notes(rules: Ruleset) -> list[str]:
    """Return sentences on how the boxes score, on saved rolls, and on jokers."""
    joker, fixed = rules.joker, [c for c in rules.categories if c.joker_points is not None]
    notes = [
        _(
            "Each upper box scores the sum of the dice that show its number. In the lower boxes, a "
            "combination scores fixed points or the sum of all dice."
        )
    ]
    if any(
        category.pattern in {"of_a_kind", "two_pairs"}
        and category.points is None
        and not category.counts_every_die
        for category in rules.categories
    ):
        notes = [
            _(
                "Only the dice of a combination count. If several combinations fit, the highest "
                "counts."
            )
        ]
    if rules.stock:
        text = _(
            "You save the rolls that you do not use. In each turn you have %(throws)s new "
            "rolls and all saved rolls. You use the new rolls first, then as many saved rolls "
            "as you want. Rolls left after the last turn are worth nothing."
        )
        notes.append(text % {"throws": labels.count(rules.throws)})
    if joker is not None:
        text = _(
            "Jokers: if you roll five equal dice when %(name)s is filled, you must score them in "
            "the upper box of their number if this box is open. If it is filled, choose any open "
            "lower box: the dice score %(boxes)s, and their sum in any other lower box. If no "
            "lower box is open, you must put 0 in an upper box."
        )
        if joker.policy == "free":
            text = _(
                "Jokers: if you roll five equal dice when %(name)s is filled, you can score them "
                "in any open box. Once the upper box of their number is filled, the dice score "
                "%(boxes)s, and their sum in any other lower box."
            )
        boxes = ", ".join(
            _("%(points)s in %(name)s")
            % {"points": category.joker_points, "name": labels.find_category_name(category)}
            for category in fixed
        )
        notes.append(text % {"name": labels.CATEGORIES[joker.box], "boxes": boxes})
    elif fixed:  # other rulesets have the same boxes with jokers
        text = _(
            "In these rules, five equal dice are not a joker, and you get no bonus for "
            "rolling them again. Every box scores them like any other dice."
        )
        notes.append(text)
    return notes


def find_example(category: Category, rules: Ruleset) -> Dice:
    """Return an example roll for a box. The roll must not show a better combination; for a pair,
    the other faces all differ. Of the possible rolls, choose the one with the most different faces,
    then the one that fits the fewest lower boxes, then the one with the highest score. For an upper
    box, show as many dice of the face as the bonus needs."""
    needed = count_dice_for_bonus(rules) if category.face else 0
    ranks = {}
    for roll in rules.cup.rolls:
        counted = len(category.find_counted(roll))
        if counted == needed if category.face else counted:
            fits = sum(bool(box.find_counted(roll)) for box in rules.categories if not box.face)
            ranks[roll] = (len(set(roll)), -fits, category.score(roll), sum(roll))
    return max(ranks, key=ranks.__getitem__)


def count_dice_for_bonus(rules: Ruleset) -> int:
    """Return how many dice the player needs in every upper box to secure the bonus. Return the
    number of dice in a roll if the bonus needs more."""
    faces = sum(rules.categories[number].face for number in rules.upper)
    return min(rules.dice, max(1, -(-rules.bonus_threshold // faces)))


def _sort_for_display(dice: Sequence[int]) -> list[int]:
    """Return the dice for display: the most frequent face first, or a straight in order."""
    if len(set(dice)) == len(dice):
        return sorted(dice)
    return sorted(dice, key=lambda face: (-dice.count(face), -face))


# An example turn: its first roll, its last roll, and the held face.
FIRST, LAST, HELD = (3, 5, 1, 5, 2, 4), (5, 5, 2, 5, 5, 6), 5


@dataclass(frozen=True, slots=True)
class BoxRule:
    name: str
    description: str
    points: int
    dice: tuple[tuple[int, bool], ...] = ()  # the dice of the example, each with whether it counts


@cache_by_language
def list_box_rules(rules: Ruleset) -> tuple[list[BoxRule], list[BoxRule]]:
    """Return the rules of the upper boxes and the bonus, and of the lower boxes and the chips."""
    upper = [_make_box_rule(category, rules) for category in rules.categories if category.face]
    lower = [_make_box_rule(category, rules) for category in rules.categories if not category.face]
    if rules.bonus_points:
        goal, each = rules.bonus_threshold, count_dice_for_bonus(rules)
        facts: dict[str, object] = {"goal": goal, "points": rules.bonus_points}
        text = _("If you score %(goal)s points in the upper boxes, you get a bonus of %(points)s.")
        if each > 1 and goal == each * sum(rules.categories[n].face for n in rules.upper):
            facts["count"] = labels.count(each)
            text = _(
                "If you score %(goal)s points in the six upper boxes (%(count)s of each number), "
                "you get a bonus of %(points)s."
            )
        upper.append(BoxRule(_("Bonus"), text % facts, rules.bonus_points))
    if rules.joker:
        text = _(
            "Once you have scored points in %(name)s, each further five of a kind earns %(points)s "
            "extra points, in any box. If you put 0 in %(name)s, you get no such bonus."
        )
        facts = {"name": labels.CATEGORIES[rules.joker.box], "points": rules.joker.chip}
        name = labels.name_chip_bonus(rules.joker)
        lower.append(BoxRule(name, text % facts, rules.joker.chip))
    return upper, lower


def _make_box_rule(category: Category, rules: Ruleset) -> BoxRule:
    name, rule = labels.find_category_name(category), labels.explain_category(category)
    roll = find_example(category, rules)
    counted, others = category.find_counted(roll), list(roll)
    for face in counted:
        others.remove(face)
    dice = (
        *((face, True) for face in _sort_for_display(counted)),
        *((face, False) for face in _sort_for_display(others)),
    )
    return BoxRule(name, rule, category.score(roll), dice)
