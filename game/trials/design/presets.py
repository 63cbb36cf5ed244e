"""Trials that are made by name: what they set, and everything else is as usual."""

from collections.abc import Mapping
from dataclasses import dataclass

from game.models import Trial
from solver.study.published import RULES, reported

PEOPLE = reported()["human_trials"]


@dataclass(frozen=True, slots=True)
class Preset:
    """``settings`` by the names of a trial's own."""

    name: str
    words: str
    settings: Mapping[str, object]


STUDY = Preset(
    "study",
    "Repeat the published study: six people round one table, fifty games each, real dice",
    {
        "places": PEOPLE["players"],
        "games_each": PEOPLE["games"] // PEOPLE["players"],
        "ruleset": RULES.id,
        "dice": Trial.Dice.REAL.value,
        "shared_dice": False,
        "round_table": True,
    },
)
PRESETS: Mapping[str, Preset] = {preset.name: preset for preset in (STUDY,)}
