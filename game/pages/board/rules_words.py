"""How a ruleset is played, told as a person would tell it, and for every ruleset from its data."""

from collections.abc import Iterator
from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from game.core.words import labels
from game.core.words.examples import FIRST, HELD, LAST, asked_of_each
from solver.rules import Category, Joker, Ruleset


@dataclass(frozen=True, slots=True)
class TurnStep:
    """What one does in a turn, with dice that show it; each says whether it is held."""

    name: str
    text: str
    dice: tuple[tuple[int, bool], ...]


def headline(rules: Ruleset) -> str:
    return ngettext(
        "%(boxes)s boxes, %(throws)s throw each",
        "%(boxes)s boxes, %(throws)s throws each",
        rules.throws,
    ) % {"boxes": len(rules.categories), "throws": rules.throws}


def steps(rules: Ruleset) -> list[TurnStep]:
    first, last = FIRST[: rules.dice], LAST[: rules.dice]
    every = _("All %(dice)s dice.") % {"dice": labels.count(rules.dice)}
    found = [TurnStep(_("Throw"), every, tuple((face, False) for face in first))]
    if rules.throws > 1:
        found.append(TurnStep(_("Hold"), _again(rules), tuple((f, f == HELD) for f in first)))
    once = _("Each box is filled once. If the dice fit none that is open, one gets 0.")
    return [*found, TurnStep(_("Fill a box"), once, tuple((face, face == HELD) for face in last))]


def _again(rules: Ruleset) -> str:
    if rules.stock:
        return _("The dice you like, and throw the others again, as long as you have throws.")
    return ngettext(
        "The dice you like, and throw the others again: once, if you want.",
        "The dice you like, and throw the others again: up to %(more)s times.",
        rules.throws - 1,
    ) % {"more": rules.throws - 1}


def notes(rules: Ruleset) -> list[str]:
    """What the table of the boxes leaves open."""
    return [_counting(rules), *_saved(rules), *_jokers(rules)]


def _saved(rules: Ruleset) -> Iterator[str]:
    if rules.stock:
        yield _(
            "Throws that a turn leaves are saved. Each turn has its own %(throws)s and all that"
            " are saved, as many as you want to spend: its own go first. What is left after the"
            " last turn is worth nothing."
        ) % {"throws": labels.count(rules.throws)}


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


def bonus(rules: Ruleset) -> str:
    text = _(
        "Reach %(goal)s points in the six upper boxes, which is %(count)s of each, and you get a"
        " bonus of %(points)s."
    )
    faces, each = sum(rules.categories[n].face for n in rules.upper), asked_of_each(rules)
    if each < 2 or rules.bonus_threshold != each * faces:  # no number of each comes to it
        text = _("Reach %(goal)s points in the upper boxes, and you get a bonus of %(points)s.")
        return text % {"goal": rules.bonus_threshold, "points": rules.bonus_points}
    facts = {"goal": rules.bonus_threshold, "points": rules.bonus_points}
    return text % {**facts, "count": labels.count(each)}


def _jokers(rules: Ruleset) -> Iterator[str]:
    joker = rules.joker
    if joker is None:
        yield from _no_jokers(rules)
        return
    facts = {
        "name": labels.CATEGORIES[joker.box],
        "boxes": _fixed(rules),
    }
    yield (_free_rule() if joker.policy == "free" else _forced_rule()) % facts


def _no_jokers(rules: Ruleset) -> Iterator[str]:
    """Worth a word where the same boxes are played with jokers elsewhere."""
    if any(category.joker_points is not None for category in rules.categories):
        yield _(
            "Five equal dice are no joker here and bring no bonus after the first time: every box"
            " gives them what it would give any dice."
        )


def chips(joker: Joker) -> str:
    return _(
        "Once you have points in %(name)s, every further one that you score brings"
        " %(points)s extra, whichever box you put it in. If %(name)s was filled with nothing,"
        " there is no such bonus."
    ) % {"name": labels.CATEGORIES[joker.box], "points": joker.chip}


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
