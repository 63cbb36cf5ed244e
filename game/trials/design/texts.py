"""Texts that a researcher writes for the participants of an arm.

A text that is empty is the usual one. The end of a trial, and the words before a training without
arms, belong to no arm: its name is empty then.
"""

from collections.abc import Mapping

from django.db import transaction

from game.core.refusals import Refused
from game.models import Arm, Participant, Trial, TrialEvent
from game.trials.design.people import note
from game.trials.design.phases import TRAINING

# Before a game of the training, and when all games are played.
INSTRUCTIONS, END = ("instructions", "end")
LONGEST = 2_000
Texts = Mapping[str, Mapping[str, str]]  # by the name of the arm, and the moment


def text_places(trial: Trial) -> list[tuple[str, str]]:
    """Return the arms and moments at which a trial can show a text."""
    arms = list(trial.arms.order_by("position").values_list("name", flat=True))
    return [*((arm, INSTRUCTIONS) for arm in arms or [""]), ("", END)]


def text_of(trial: Trial, arm: Arm | None, moment: str) -> str:
    texts: Texts = trial.texts
    return texts.get(arm.name if arm else "", {}).get(moment, "")


def end_text(participant: Participant) -> str:
    """Return the text at the end; trials of earlier versions may have one per arm."""
    trial = participant.trial
    arm = None if trial.within else participant.arm
    return text_of(trial, arm, END) or text_of(trial, None, END)


def instructions(trial: Trial, arm: Arm | None, phase: str) -> str:
    """Return the text before a game of the training; empty before other games."""
    return text_of(trial, arm, INSTRUCTIONS) if phase in ("", TRAINING) else ""


def texts_set(*, trial: Trial, texts: Texts) -> Trial:
    """Store the texts; once the trial is opened they stay, so that everyone reads the same."""
    with transaction.atomic():
        trial = Trial.objects.select_for_update().get(pk=trial.pk)
        kept: dict[str, dict[str, str]] = {}
        changes = {}
        for arm, moment in text_places(trial):
            was = trial.texts.get(arm, {}).get(moment, "")
            now = texts.get(arm, {}).get(moment, "")
            if now:
                kept.setdefault(arm, {})[moment] = now
            if was != now:
                changes[f"{arm}: {moment}" if arm else moment] = {"from": was, "to": now}
        if changes and trial.opened_at is not None:
            raise Refused("This trial has been opened: what it tells stays as it is.")
        if changes:
            trial.texts = kept
            trial.save(update_fields=["texts"])
            note(trial, TrialEvent.Kind.SETTINGS, None, **changes)
        return trial
