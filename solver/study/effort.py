"""Time and memory of the study's programs, as reported, and of our programs. The command ``./yatzy
solver bench study --write`` measures ours and stores the results with the study's data.

In the study's graph of states, V1 has the cards before a turn: the filled boxes and the upper
total. Each roll leads to a set of cards with rolled dice, and each hold to a set of cards with held
dice. Three rolls therefore make V1 to V6. Filling a box leads from the last set back to V1.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from math import floor, log10
from pathlib import Path
from typing import Any, Literal

from solver.dp.packing import build_lines
from solver.dp.space import Space
from solver.players.base import gettext_noop
from solver.rules import Ruleset
from solver.study.html import NO_BREAK, Words
from solver.study.published import KEYS, read_reported

DATA = Path(__file__).with_name("data") / "effort.json"
GAMES = 100_000
PERFECT, *OTHERS = KEYS
DIGITS = 3  # number of significant digits
SIGNS = {"over": gettext_noop("over %(amount)s"), "about": gettext_noop("about %(amount)s")}
# For each kind of amount: the smallest amount for a unit, the unit's size, and its symbol.
UNITS: Mapping[str, tuple[tuple[float, float, str], ...]] = {
    "seconds": ((3600, 3600, "h"), (0.01, 1, "s"), (0, 1e-3, "ms")),
    "bytes": ((1e9, 1e9, "GB"), (0, 1e6, "MB")),
    "times": ((0, 1, ""),),
}


def read_measured() -> dict[str, Any]:
    measurement: dict[str, Any] = json.loads(DATA.read_text(encoding="utf-8"))
    return measurement


def format_amount(fact: Mapping[str, Any], words: Words) -> str:
    """Return an amount in a suitable unit, after the study's word "over" or "about" if any."""
    units = UNITS[fact["of"]]
    size, symbol = next((size, name) for least, size, name in units if fact["value"] >= least)
    scaled = fact["value"] / size
    decimals = max(0, DIGITS - 1 - floor(log10(scaled)))
    while decimals and round(scaled, decimals) == round(scaled, decimals - 1):
        decimals -= 1
    number = words.number(scaled, decimals) if decimals else words.format_whole(round(scaled))
    written = NO_BREAK.join(filter(None, (number, symbol)))
    sign = fact.get("sign")
    return words.gettext(SIGNS[sign]) % {"amount": written} if sign else written


def list_rows(ours: Mapping[str, Any], words: Words) -> Iterator[list[str]]:
    """Yield a table row per measurement: name, the study's figure, our figure."""
    _ = words.gettext
    theirs = read_reported()["effort"]
    playing = theirs["perfect"]["value"] - theirs["building"]["value"]
    game = {"value": playing / GAMES, "of": "seconds"}
    slowest = max(ours["games"][player] for player in OTHERS)
    lines = [
        (
            _("Building the study's graph, or our value table"),
            theirs["building"],
            ours["building"],
        ),
        (
            _("Building the graph or table, then 100,000 games of the optimal program"),
            theirs["perfect"],
            ours["perfect"],
        ),
        (_("One game played by the optimal program"), game, ours["games"][PERFECT] / GAMES),
        (_("Peak memory"), theirs["memory"], ours["memory"]),
        (
            _("Storing the study's graph, or our value table"),
            theirs["stored"],
            ours["table"],
        ),
        (
            _("Time compared with the slowest other program"),
            theirs["ratio"],
            ours["perfect"] / slowest,
        ),
    ]
    for player in OTHERS:
        stated = read_reported()["performance_test"][KEYS[player]]
        what = _("100,000 games: %(player)s") % {"player": words.player(player)}
        took = {"value": stated["seconds"], "of": "seconds", "place": stated["place"]}
        lines.append((what, took, ours["games"][player]))
    for what, fact, ours_took in lines:
        place = f" ({fact['place']})" if "place" in fact else ""
        mine = {"value": ours_took, "of": fact["of"]}
        yield [f"{what}{place}", format_amount(fact, words), format_amount(mine, words)]


@dataclass(frozen=True, slots=True)
class Vertices:
    """A set of states (vertices) of the study's graph, with three sizes. ``defined`` counts all
    boxes with all upper totals, even impossible ones, as the study does. ``reached`` counts the
    states that some game reaches. ``solved`` counts the states that the solver calculates, in whole
    groups of upper totals. It may be smaller, because one card represents all upper totals that
    have lost the bonus."""

    number: int
    kind: Literal["cards", "rolls", "holds"]
    defined: int
    reached: int
    solved: int

    @property
    def name(self) -> str:
        return f"V{self.number}"


@cache
def count_vertices(rules: Ruleset) -> tuple[Vertices, ...]:
    space, cup = Space(rules), rules.cup
    defined, reached = space.rows * space.columns, int(space.reachable.sum())
    full = int(space.reachable[space.full_rows].sum())
    lines = build_lines(rules)
    solved = sum(int(lines.find_widths(level).sum()) for (level,) in lines.list_levels()[1:])
    sets = [Vertices(1, "cards", defined, reached, solved)]
    for number in range(2, 2 * rules.throws + 1):
        held = number % 2
        each = len(cup.holds if held else cup.rolls)
        counts = (each * cards for cards in (defined, reached - full, solved))
        sets.append(Vertices(number, "holds" if held else "rolls", *counts))
    return tuple(sets)
