"""Time and memory: what the study says that its programs took, and what ours take.

Ours are measured by ``python -m solver bench study --write``, which keeps them beside its data.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from math import floor, log10
from pathlib import Path
from types import MappingProxyType
from typing import Literal

from solver.players import PLAYERS
from solver.players.base import gettext_noop
from solver.study.histograms import KEYS
from solver.study.published import reported

DATA = Path(__file__).with_name("data") / "effort.json"
GAMES = 100_000
PERFECT, *OTHERS = KEYS
DIGITS = 3  # that count
NO_BREAK = "\N{NO-BREAK SPACE}"
SIGNS = {"over": gettext_noop("over %(amount)s"), "about": gettext_noop("about %(amount)s")}
# From so much on: so large a unit, and its symbol.
UNITS: Mapping[str, tuple[tuple[float, float, str], ...]] = {
    "seconds": ((3600, 3600, "h"), (0.01, 1, "s"), (0, 1e-3, "ms")),
    "bytes": ((1e9, 1e9, "GB"), (0, 1e6, "MB")),
    "times": ((0, 1, ""),),
}


@dataclass(frozen=True, slots=True)
class Effort:
    """What was measured, on which machine. ``building`` and ``perfect`` are of one new process that
    makes the table and plays as many perfect games as the study; ``first`` is the latter where
    nothing is compiled yet. ``games`` are the seconds of as many games, by player."""

    date: str
    cores: int
    processor: str
    building: float
    perfect: float
    first: float
    memory: int
    table: int
    games: dict[str, float]


def measured() -> Effort:
    return Effort(**json.loads(DATA.read_text(encoding="utf-8")))


@dataclass(frozen=True, slots=True)
class Amount:
    """``sign`` is what the study says with a figure: more than that, or about that; ``place`` is
    the section that has it, none where it only follows from others."""

    value: float
    of: Literal["seconds", "bytes", "times"]
    sign: Literal["", "over", "about"] = ""
    place: str = ""

    def written(
        self, number: Callable[[float, int], str], translated: Callable[[str], str] = str
    ) -> str:
        """``number`` writes one with so many decimals."""
        units = UNITS[self.of]
        size, symbol = next((size, name) for least, size, name in units if self.value >= least)
        scaled = self.value / size
        decimals = max(0, DIGITS - 1 - floor(log10(scaled)))
        while decimals and round(scaled, decimals) == round(scaled, decimals - 1):
            decimals -= 1
        amount = NO_BREAK.join(filter(None, (number(scaled, decimals), symbol)))
        return translated(SIGNS[self.sign]) % {"amount": amount} if self.sign else amount


@dataclass(frozen=True, slots=True)
class Spent:
    """A figure of the study beside ours; ``what`` may be about a player."""

    what: str
    theirs: Amount
    ours: float
    player: str = ""

    @property
    def own(self) -> Amount:
        return Amount(self.ours, self.theirs.of)


FIGURES: Mapping[str, tuple[str, Callable[[Effort], float]]] = MappingProxyType(
    {
        "building": (
            gettext_noop("Making the graph; here the table of values"),
            lambda ours: ours.building,
        ),
        "perfect": (
            gettext_noop("Making it, and 100,000 games of the optimal program"),
            lambda ours: ours.perfect,
        ),
        "game": (
            gettext_noop("One of these games"),
            lambda ours: ours.games[PERFECT] / GAMES,
        ),
        "memory": (gettext_noop("Memory for that, at its most"), lambda ours: ours.memory),
        "stored": (
            gettext_noop("The graph's states, stored; here the table"),
            lambda ours: ours.table,
        ),
        "ratio": (
            gettext_noop("How many times the slowest other program's time"),
            lambda ours: ours.perfect / max(ours.games[player] for player in OTHERS),
        ),
    }
)


def spent(ours: Effort) -> Iterator[Spent]:
    theirs = {key: Amount(**fact) for key, fact in reported()["effort"].items()}
    playing = theirs["perfect"].value - theirs["building"].value
    theirs["game"] = Amount(playing / GAMES, "seconds")
    for key, (what, figure) in FIGURES.items():
        yield Spent(what, theirs[key], figure(ours))
    test = reported()["performance_test"]
    for player in OTHERS:
        fact = test[KEYS[player]]
        took = Amount(fact["seconds"], "seconds", place=fact["place"])
        yield Spent(gettext_noop("100,000 games: %(player)s"), took, ours.games[player], player)


def rows(ours: Effort) -> Iterator[tuple[str, str, str]]:
    """In English: what, the study's figure, ours."""
    for one in spent(ours):
        what = one.what % {"player": PLAYERS[one.player].title} if one.player else one.what
        place = f" ({one.theirs.place})" if one.theirs.place else ""
        yield f"{what}{place}", one.theirs.written(english), one.own.written(english)


def english(value: float, decimals: int) -> str:
    return f"{value:,.{decimals}f}"
