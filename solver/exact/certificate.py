"""A certificate: a whole number of units for every card, which ``docs/verify.py`` checks.

The number of a card is its turn worked out from those that follow, every throw rounded down. A turn
keeps the order of values, and adds what is added to all of them; so a card's number is below its
value by less than a unit for each throw that is left.
"""

import hashlib
import json
from dataclasses import asdict, dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from solver.dp.arrays import Ints
from solver.dp.space import Space
from solver.dp.sweep import Progress
from solver.exact.whole import LIMB, levels, units_of
from solver.rules import Ruleset

RULES = ("id", "title", "dice", "throws", "bonus_threshold", "bonus_points")
BOX = ("id", "pattern", "size", "points", "counts_every_die", "joker_points")


@dataclass(frozen=True)
class Certificate:
    """``low`` <= V(start) < ``high``."""

    content: bytes
    entries: int
    low: Fraction
    high: Fraction

    @property
    def seal(self) -> str:
        return hashlib.sha256(self.content).hexdigest()


def certificate(rules: Ruleset, progress: Progress | None = None) -> Certificate:
    units = units_of_cards(rules, progress)
    entries = units[told_apart(Space(rules))].astype("<u8")
    unsealed = header(rules) + entries.tobytes()
    content = unsealed + hashlib.sha256(unsealed).digest()
    least, scale = int(units[0, 0]), 1 << units_of(rules)
    throws = rules.throws * len(rules.categories)
    low, high = (Fraction(bound, scale) for bound in (least, least + throws))
    return Certificate(content, len(entries), low, high)


def header(rules: Ruleset) -> bytes:
    """The rules as far as whoever checks has to know them; a line."""
    told = {name: getattr(rules, name) for name in RULES}
    told["joker"] = rules.joker and asdict(rules.joker)
    told["categories"] = [{name: getattr(box, name) for name in BOX} for box in rules.categories]
    return json.dumps({"units": units_of(rules), "rules": told}).encode() + b"\n"


def told_apart(space: Space) -> npt.NDArray[np.bool_]:
    """[row, column]: one entry for all the totals of a card that have lost the bonus."""
    return space.reachable & (np.arange(space.columns) >= space.alike_until[:, None])


def units_of_cards(rules: Ruleset, progress: Progress | None = None) -> Ints:
    """[row, column], where cards are told apart."""
    space = Space(rules)
    units = np.zeros((space.rows, space.columns), np.int64)
    for level in levels(rules, rounded=True, progress=progress):
        rows = np.flatnonzero(level.index >= 0)
        low, high = np.moveaxis(level.values[level.index[rows]], -1, 0)
        units[rows] = high << LIMB | low
    return units
