"""A ruleset as data for the browser's kernel: the arrays of ``dp``, in one list of whole numbers.

The length of each section comes before it. ``prepare`` in ``kernel.c`` reads them in this order.
"""

from collections.abc import Iterable
from functools import cache
from itertools import chain
from typing import Any

from solver.dp import arrays
from solver.dp.slots import build_slots
from solver.dp.space import TILE, Space
from solver.rules.dice import count_orderings
from solver.rules.rulesets import Joker, Ruleset

Numbers = list[int]
NO_JOKERS = Joker("", "free", 0)


@cache
def collect_facts(rules: Ruleset) -> dict[str, Any]:
    """Return the facts about a ruleset that the browser's kernel and its caller need, for JSON."""
    Space(rules)  # raises an error if the ruleset cannot be solved
    slots, cup = build_slots(rules), rules.cup
    joker = rules.joker or NO_JOKERS
    # Each roll's number and then its slots, starting with the rolls that have few slots.
    rolls: list[tuple[int, ...]] = []
    flat, at = (slots.rolls // TILE).tolist(), 0
    for number, end in enumerate(slots.ends.tolist()):
        while at < end:
            rolls.append(tuple(flat[at : at + number + 1]))
            at += number + 1
    entries = zip((slots.slot // TILE).tolist(), slots.points.astype(int).tolist(), strict=True)
    sections: tuple[Numbers, ...] = (
        [
            len(rules.categories),
            rules.throws,
            rules.bonus_threshold,
            rules.bonus_points,
            len(cup.holds),
            cup.first_roll,
            slots.number,
            slots.joker_box,
            joker.chip,
            int(joker.policy == "forced"),
        ],
        [rules.dice * category.face for category in rules.categories],
        list(chain(*arrays.list_larger_holds(rules.dice))),
        _flatten_lines(edges for group in arrays.group_holds(rules.dice) for edges in group),
        [count_orderings(roll) for roll in cup.rolls],
        slots.start.tolist(),
        list(chain(*entries)),
        _flatten_lines(rolls),
        [cup.hold_index[dice] for dice in cup.alike],
        [rules.find_upper_box(dice[0]) for dice in cup.alike],
        [category.score(dice) for category in rules.categories for dice in cup.alike],
        [
            category.score(dice) if category.joker_points is None else category.joker_points
            for category in rules.categories
            for dice in cup.alike
        ],
    )
    return {
        "ruleset": rules.id,
        "hash": rules.hash,
        "throws": rules.throws,
        "threshold": rules.bonus_threshold,
        "joker": rules.index[rules.joker.box] if rules.joker else -1,
        "boxes": [category.id for category in rules.categories],
        "holds": ["".join(map(str, hold)) for hold in rules.cup.holds],
        "words": [word for part in sections for word in (len(part), *part)],
    }


def _flatten_lines(lines: Iterable[tuple[int, ...]]) -> Numbers:
    """Join all lines to one flat list. Write the length of each line, minus 1, before the line."""
    return [word for line in lines for word in (len(line) - 1, *line)]
