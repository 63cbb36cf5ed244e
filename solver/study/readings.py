"""Readings: interpretations of a strategy that the study's text allows, each with exact figures.

``list_readings`` calculates the few readings of a registered player. ``read_candidates`` reads all
912 readings of the study's four programs from a file. They combine three choices: every option that
a strategy's text leaves open, whether the bonus needs more than 63 points (Table 2.1) or 63 points
(the text below the table), and whether held dice stay held for the turn. The order in which dice
take their prepared numbers does not matter, because no number is used twice.
"""

import csv
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from solver.arena.results import find_result
from solver.dp.sweep import Progress
from solver.players import PLAYERS, PlayerEntry
from solver.players.base import gettext_noop
from solver.players.rules import Choices, TextChoice, TextOption
from solver.rules import YATZY, Ruleset
from solver.study.published import KEYS, RULES, find_published, list_printed_turns, measure_distance
from solver.study.turns import find_filled_boxes, list_choices

FILE = Path(__file__).resolve().parent / "data" / "readings.csv"
HOLD_BY_RULE = (
    "dice-based",
    "forced-scoring",
)  # only these strategies have readings in which held dice must stay held
PERFECT = Choices(
    TextOption(0, "perfect", gettext_noop("perfect play")),
    (
        TextChoice(
            gettext_noop("play that aims for the bonus"),
            (TextOption(1, "no-bonus", gettext_noop("play that ignores the bonus")),),
        ),
    ),
)
BONUS = TextChoice(
    gettext_noop("the bonus starts at 63 points"),
    (TextOption(64, "above-63", gettext_noop("the bonus starts above 63 points")),),
)
DICE = TextChoice(
    gettext_noop("a held die may be rolled again"),
    (TextOption(1, "stay", gettext_noop("a held die stays")),),
)


@dataclass(frozen=True, slots=True)
class Reading:
    player: str
    name: str
    says: str  # the reading in words
    mean: float
    median: int
    deviation: float
    bonus_probability: float
    distance: float | None


def list_readings(
    player: PlayerEntry, rules: Ruleset = YATZY, *, progress: Progress | None = None
) -> Iterator[Reading]:
    """Yield each reading of a player, the default first; the player itself if it has none."""
    names = list(player.readings) or [""]
    theirs = find_published(player.id) if rules == YATZY else None
    for number, name in enumerate(names, start=1):
        reading = replace(player, reading=name)
        scores = find_result(reading, rules).distribution
        title = name or player.id
        yield Reading(
            reading.name,
            title,
            player.readings.get(title, player.summary),
            scores.mean,
            scores.median,
            scores.deviation,
            scores.bonus_probability,
            measure_distance(scores.group_in_tens(), theirs.shares) if theirs else None,
        )
        if progress:
            progress(number, len(names))


@dataclass(frozen=True, slots=True)
class Candidate:
    """A reading in the file. ``holds`` and ``boxes`` count printed decisions that it repeats."""

    player: str
    reading: str
    bonus_from: int
    dice_stay: bool
    mean: float
    median: int
    distance: float
    chi_squared: float
    holds: int
    boxes: int

    @property
    def options(self) -> tuple[TextOption, ...]:
        """The options of this reading, as texts to translate."""
        taken = find_choices(self.player).readings[self.reading]
        bonus = BONUS.options if self.bonus_from != RULES.bonus_threshold else ()
        return (*taken, *bonus, *(DICE.options if self.dice_stay else ()))


def find_choices(player_id: str) -> Choices:
    return PLAYERS[player_id].choices or PERFECT


@cache
def read_candidates() -> tuple[Candidate, ...]:
    """Return the readings of each strategy. Sort them by distance from the study's histogram."""
    with FILE.open(newline="") as file:
        return tuple(
            Candidate(
                row["player"],
                row["reading"],
                int(row["bonus_from"]),
                row["dice_stay"] == "True",
                float(row["mean"]),
                int(row["median"]),
                float(row["distance"]),
                float(row["chi_squared"]),
                int(row["holds"]),
                int(row["boxes"]),
            )
            for row in csv.DictReader(file)
        )


@cache
def count_printed_decisions(player_id: str) -> tuple[int, int]:
    """Count the printed holds and boxes of a strategy in turns with known filled boxes."""
    key = KEYS[player_id]
    lefts = [
        left
        for turn in list_printed_turns()
        if key in turn and find_filled_boxes(turn, key) is not None
        for _, left, _ in list_choices(turn, key)
    ]
    return len(lefts) - lefts.count(0), lefts.count(0)
