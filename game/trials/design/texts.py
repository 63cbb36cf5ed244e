"""Texts that a researcher writes for participants, by arm and moment.

If a text is empty, participants read the standard text. Two texts belong to no arm, so their arm
name is empty: the text at the end, and the text before the training of a trial without arms.
"""

from collections.abc import Mapping

from django.db import transaction

from game.core.refusals import Refused
from game.trials.design.people import log_event
from game.trials.design.phases import TRAINING
from game.trials.models import Arm, Participant, Trial, TrialEvent

# The moments at which participants read a text: before a training game, or after the last game.
INSTRUCTIONS, END = ("instructions", "end")
LONGEST = 2_000
Texts = Mapping[str, Mapping[str, str]]  # texts by arm name and moment


def list_text_places(trial: Trial) -> list[tuple[str, str]]:
    arms = list(trial.arms.order_by("position").values_list("name", flat=True))
    return [*((arm, INSTRUCTIONS) for arm in arms or [""]), ("", END)]


def find_text(trial: Trial, arm: Arm | None, moment: str) -> str:
    texts: Texts = trial.texts
    return texts.get(arm.name if arm else "", {}).get(moment, "")


def find_end_text(participant: Participant) -> str:
    """Return the text for the trial's end; older trials may have a text per arm."""
    trial = participant.trial
    arm = None if trial.within else participant.arm
    return find_text(trial, arm, END) or find_text(trial, None, END)


def find_instructions(trial: Trial, arm: Arm | None, phase: str) -> str:
    """Return the text before a training game, or before any game of a trial without phases."""
    return find_text(trial, arm, INSTRUCTIONS) if phase in ("", TRAINING) else ""


def store_texts(*, trial: Trial, texts: Texts) -> Trial:
    """Store the texts. Refuse this once the trial has opened: all must read the same text."""
    with transaction.atomic():
        trial = Trial.objects.select_for_update().get(pk=trial.pk)
        kept: dict[str, dict[str, str]] = {}
        changes = {}
        for arm, moment in list_text_places(trial):
            was = trial.texts.get(arm, {}).get(moment, "")
            now = texts.get(arm, {}).get(moment, "")
            if now:
                kept.setdefault(arm, {})[moment] = now
            if was != now:
                changes[f"{arm}: {moment}" if arm else moment] = {"from": was, "to": now}
        if changes and trial.opened_at is not None:
            raise Refused("This trial has been opened, so its texts can no longer change.")
        if changes:
            trial.texts = kept
            trial.save(update_fields=["texts"])
            log_event(trial, TrialEvent.Kind.SETTINGS, None, **changes)
        return trial
