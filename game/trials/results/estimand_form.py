"""The choices of an estimand, as fields of the form of a preregistration."""

from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import Any

from django import forms

from game.models import Trial
from game.trials.design.reading import design_of
from game.trials.results.words_estimand import CHOICES, LABELS, beside
from solver.statistics.arm_figures import AFTER, BEFORE, FOLLOW_UP, TRAINING
from solver.statistics.estimand import CHOSEN, Estimand

PREFIX = "estimand_"
BETWEEN = "|"  # the two arms of a chosen pair; no name of an arm has it in it
FAULTS: Mapping[str, str] = {
    "needs_lot": "Only the lot can tell the largest difference of every lot.",
    "above_nought": "It must be above 0.",
    "not_played": "This trial has no such games.",
    "within": "Whoever plays every arm is compared with themselves, in the training alone.",
    "several_orders": "With more than two arms within people there is the t alone.",
    "two_arms": "These are not two arms of this trial.",
}


def estimand_fields(trial: Trial) -> Iterator[tuple[str, forms.Field]]:
    pairs = [(BETWEEN.join(pair), beside(*pair)) for pair in _pairs(trial)]
    for name, label in LABELS.items():
        if name == "smallest":
            text = "In points of the outcome; empty: no two arms are ever called equivalent."
            field: forms.Field = forms.FloatField(label=label, required=False, help_text=text)
        else:
            choices = [*CHOICES[name].items(), *(pairs if name == "pairs" else [])]
            field = forms.ChoiceField(label=label, choices=choices, required=False)
        yield PREFIX + name, field


def _pairs(trial: Trial) -> list[tuple[str, str]]:
    """Of two arms the one is beside the first anyhow."""
    every = [
        (later.name, earlier.name) for earlier, later in combinations(design_of(trial).arms, 2)
    ]
    return every if len(every) > 1 else []


def initial(of: Estimand) -> dict[str, Any]:
    told = {PREFIX + name: getattr(of, name) for name in LABELS}
    if of.pairs == CHOSEN and of.chosen:
        told[PREFIX + "pairs"] = BETWEEN.join(of.chosen)
    return told


def estimand_from(data: Mapping[str, Any], usual: Estimand) -> Estimand:
    """What was not sent is as usual."""
    sent = {
        name: data[PREFIX + name] for name in LABELS if data.get(PREFIX + name) not in ("", None)
    }
    if BETWEEN in sent.get("pairs", ""):
        sent |= {"pairs": CHOSEN, "chosen": sent["pairs"].split(BETWEEN)}
    return Estimand.from_facts(usual.facts() | sent | {"measure": data["outcome"]})


def estimand_faults(of: Estimand, trial: Trial) -> Iterator[tuple[str, str]]:
    """The field, and what is wrong with it."""
    arms = [arm.name for arm in design_of(trial).arms]
    games = {
        BEFORE: trial.games_before,
        TRAINING: trial.games_each,
        AFTER: trial.games_after,
        FOLLOW_UP: trial.games_follow_up,
    }
    phases = [phase for phase, count in games.items() if count]
    for name, why in of.faults(arms=arms, phases=phases, within=trial.within):
        yield PREFIX + ("pairs" if name == "chosen" else name), FAULTS[why]
