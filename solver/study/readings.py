"""The readings that the study's words allow, each with its exact figures."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from solver.arena.results import exact
from solver.dp.sweep import Progress
from solver.players import PlayerEntry
from solver.rules import YATZY, Ruleset
from solver.study.histograms import distance, published


@dataclass(frozen=True, slots=True)
class Reading:
    """``distance`` is to the published histogram; None where there is none."""

    player: str
    name: str
    says: str
    mean: float
    median: int
    deviation: float
    bonus_probability: float
    distance: float | None


def readings(
    player: PlayerEntry, rules: Ruleset = YATZY, *, progress: Progress | None = None
) -> Iterator[Reading]:
    """All of them, the default first; a player without any is its own."""
    names = list(player.readings) or [""]
    for number, name in enumerate(names, start=1):
        yield reading(replace(player, reading=name), rules)
        if progress:
            progress(number, len(names))


def reading(player: PlayerEntry, rules: Ruleset) -> Reading:
    of = exact(player, rules).distribution
    theirs = published(player.id) if rules == YATZY else None
    name = player.reading or next(iter(player.readings), player.id)
    return Reading(
        player.name,
        name,
        player.readings.get(name, player.summary),
        of.mean,
        of.median,
        of.deviation,
        of.bonus_probability,
        distance(of.in_tens(), theirs.shares) if theirs else None,
    )
