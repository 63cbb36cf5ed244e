"""Presets for new trials. A setting that a preset does not contain keeps its default value."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from game.trials.design.phases import ArmSettings
from game.trials.models import Trial
from solver.study.published import RULES, read_reported

PEOPLE = read_reported()["human_trials"]
SILENT, COACHED = ArmSettings("off"), ArmSettings("after", coach="after")


@dataclass(frozen=True, slots=True)
class Preset:
    """A preset: values for fields of ``Trial`` and facts for the consent text, both by name."""

    name: str
    words: str
    settings: Mapping[str, object]
    arms: tuple[ArmSettings, ...] = ()
    facts: Mapping[str, object] = field(default_factory=dict)


COACH = Preset(
    "coach",
    "Does a coach make people play better?",
    {"places": 60, "games_before": 3, "games_each": 6, "games_after": 3},
    arms=(SILENT, COACHED),
)
STUDY = Preset(
    "study",
    "Repeat the published study",
    {
        "title": "How people play Yatzy",
        "places": PEOPLE["players"],
        "games_each": PEOPLE["games"] // PEOPLE["players"],
        "ruleset": RULES.id,
        "dice": Trial.Dice.REAL.value,
        "shared_dice": False,
        "round_table": True,
    },
    facts={"pay": "nothing"},
)
EMPTY = Preset("empty", "Empty", {"places": 6, "games_each": 5})
PRESETS: Mapping[str, Preset] = {preset.name: preset for preset in (COACH, STUDY, EMPTY)}
