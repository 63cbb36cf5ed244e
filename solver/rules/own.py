"""Rulesets that people make: the boxes there are to choose from, and a ruleset as JSON."""

import json
import re
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from solver.rules.dice import FACES
from solver.rules.rulesets import (
    MOST_DICE,
    NO_LIMIT,
    SOLVED,
    UPPER,
    Category,
    Ruleset,
    UnknownRuleset,
)
from solver.rules.scoring import PATTERNS

DICE, THROWS = range(3, MOST_DICE + 1), range(2, 5)
MOST_POINTS = 200  # of a box, or of the bonus
MARK = "own-"  # how the name of each of them begins
NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,31}", re.ASCII)
# Beside the six upper ones, with the fewest and the most dice for which each is one to choose.
LOWER: tuple[tuple[Category, int, int], ...] = (
    (Category("pair", "of_a_kind", size=2), 3, MOST_DICE),
    (Category("two_pairs", "two_pairs"), 4, MOST_DICE),
    (Category("three_pairs", "three_pairs"), 6, MOST_DICE),
    (Category("three_of_a_kind", "of_a_kind", size=3), 4, MOST_DICE),
    (Category("four_of_a_kind", "of_a_kind", size=4), 5, MOST_DICE),
    (Category("five_of_a_kind", "of_a_kind", size=5), 6, MOST_DICE),
    (Category("three_in_a_row", "run_of", size=3, points=15), 3, 4),
    (Category("four_in_a_row", "run_of", size=4, points=20), 4, 5),
    (Category("small_straight", "straight_from", size=1, points=15), 5, MOST_DICE),
    (Category("large_straight", "straight_from", size=2, points=20), 5, MOST_DICE),
    (Category("full_straight", "run_of", size=FACES, points=21), 6, MOST_DICE),
    (Category("full_house", "full_house"), 5, MOST_DICE),
    (Category("villa", "villa"), 6, MOST_DICE),
    (Category("tower", "tower"), 6, MOST_DICE),
    (Category("chance", "any"), 3, MOST_DICE),
)


def offered(dice: int) -> tuple[Category, ...]:
    """The lower boxes to choose from; one for equal dice, as many as there are, is the last."""
    lower = tuple(box for box, fewest, most in LOWER if fewest <= dice <= most)
    return (*lower, Category("yatzy", "of_a_kind", size=dice, points=50))


def made(
    ruleset_id: str,
    title: str,
    lower: tuple[Category, ...],
    *,
    dice: int,
    throws: int,
    saved: bool,
    bonus: tuple[int, int],
) -> Ruleset:
    """``bonus``: from which upper total on, and how much; twice nothing where there is none."""
    threshold, points = bonus
    stock = NO_LIMIT if saved else 0
    boxes = (*UPPER, *lower)
    return Ruleset(
        ruleset_id, title, boxes, threshold, points, throws=throws, dice=dice, stock=stock
    )


def facts_of(rules: Ruleset) -> dict[str, Any]:
    """As JSON; ``ruleset_of`` reads it."""
    facts = asdict(rules)
    del facts["joker"]
    return facts | {"categories": [asdict(category) for category in rules.categories]}


def ruleset_of(facts: Mapping[str, Any]) -> Ruleset:
    boxes = tuple(Category(**box) for box in facts["categories"])
    return Ruleset(**{**facts, "categories": boxes})


def read_ruleset(path: Path) -> Ruleset:
    """Of a file; UnknownRuleset where it does not describe one, or gives it a name that is taken.

    Whether it can be solved is another question.
    """
    try:
        rules = ruleset_of(json.loads(path.read_text(encoding="utf-8")))
        known = {box.pattern for box in rules.categories} <= set(PATTERNS)
        if known and NAME.fullmatch(rules.id) and rules.id not in SOLVED:
            return rules
        told = "has boxes or a name that there cannot be"
    except OSError as error:
        told = f"cannot be read: {error.strerror}"
    except (ValueError, TypeError, KeyError) as error:
        told = f"does not describe a ruleset: {error}"
    raise UnknownRuleset(f"{path} {told}")
