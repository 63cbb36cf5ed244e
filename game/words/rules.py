"""How a ruleset is played, told as a person would tell it, and for every ruleset from its data."""

from collections.abc import Iterator

from django.utils.translation import gettext as _

from game.words import labels
from solver.rules import Category, Ruleset


def paragraphs(rules: Ruleset) -> list[str]:
    return [_turns(rules), " ".join([_boxes(), _counting(rules)]), _bonus(rules), *_jokers(rules)]


def _turns(rules: Ruleset) -> str:
    return _(
        "A game has %(turns)s turns. In each you throw %(dice)s dice up to %(throws)s times,"
        " holding the ones you like in between, and then fill one box of the card with them."
    ) % {
        "turns": len(rules.categories),
        "dice": labels.count(rules.dice),
        "throws": rules.throws,
    }


def _boxes() -> str:
    return _(
        "You may stop after any throw. Every box is filled once, and a box that the dice do not"
        " fit is filled with nothing."
    )


def _counting(rules: Ruleset) -> str:
    if any(_counts_its_own_dice(category) for category in rules.categories):
        return _(
            "Only the dice that form a combination count, and where there is a choice the highest"
            " are taken."
        )
    return _(
        "The upper boxes count the dice of their number. Below, a combination brings fixed points,"
        " or else all dice count."
    )


def _counts_its_own_dice(category: Category) -> bool:
    """A combination of fewer than all dice that is worth what it shows."""
    partial = category.pattern in {"of_a_kind", "two_pairs"}
    return partial and category.points is None and not category.counts_every_die


def _bonus(rules: Ruleset) -> str:
    return _(
        "Reach %(goal)s points in the six upper boxes, which is three of each, and you get a bonus"
        " of %(points)s."
    ) % {"goal": rules.bonus_threshold, "points": rules.bonus_points}


def _jokers(rules: Ruleset) -> Iterator[str]:
    joker = rules.joker
    if joker is None:
        yield from _no_jokers(rules)
        return
    facts = {
        "name": labels.CATEGORIES[joker.box],
        "points": joker.chip,
        "bonus": labels.chips(joker),
        "boxes": _fixed(rules),
    }
    yield _chips_rule() % facts
    yield (_free_rule() if joker.policy == "free" else _forced_rule()) % facts


def _no_jokers(rules: Ruleset) -> Iterator[str]:
    """Worth a word where the same boxes are played with jokers elsewhere."""
    if any(category.joker_points is not None for category in rules.categories):
        yield _(
            "Five equal dice are no joker here and bring no bonus after the first time: every box"
            " gives them what it would give any dice."
        )


def _chips_rule() -> str:
    return _(
        "%(bonus)s: once you have points in %(name)s, every further one that you score brings"
        " %(points)s extra, whichever box you put it in. If %(name)s was filled with nothing,"
        " there is no such bonus."
    )


def _free_rule() -> str:
    return _(
        "Jokers: five equal dice that come when %(name)s is filled may be put in any open box."
        " Once the upper box of their number is filled, they count in every lower box as what it"
        " asks for: %(boxes)s, and their sum in the others."
    )


def _forced_rule() -> str:
    return _(
        "Jokers: five equal dice that come when %(name)s is filled go in the upper box of their"
        " number while it is open. If it is filled, choose any open lower box, and they count"
        " there as what it asks for: %(boxes)s, and their sum in the others. If no lower box is"
        " open either, you must put a 0 in one of the upper boxes."
    )


def _fixed(rules: Ruleset) -> str:
    """What a joker brings where it would not fit by itself."""
    return ", ".join(
        _("%(points)s in %(name)s")
        % {"points": category.joker_points, "name": labels.category_name(category)}
        for category in rules.categories
        if category.joker_points is not None
    )
