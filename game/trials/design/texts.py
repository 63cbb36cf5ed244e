"""Texts that a researcher writes for the participants of an arm.

A text that is empty is the usual one. Without arms, and at the end of a trial in which everybody
plays every arm, a text belongs to no arm: its name is empty then.
"""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from django.db import transaction

from game.core.refusals import Refused
from game.models import Arm, Participant, Trial, TrialEvent
from game.trials.design.people import note
from game.trials.design.phases import TRAINING

# Before a game of the training, beside its card, and when all games are played.
INSTRUCTIONS, IN_GAME, END = MOMENTS = ("instructions", "in_game", "end")
LONGEST = 2_000
Texts = Mapping[str, Mapping[str, str]]  # by the name of the arm, and the moment


class TextPlace(NamedTuple):
    arm: str
    moment: str


def text_places(trial: Trial) -> Iterator[TextPlace]:
    """Yield the places at which a trial can show a text, in the order of its page."""
    arms = [arm.name for arm in trial.arms.order_by("position")]
    apart = MOMENTS[:2] if trial.within else MOMENTS
    for arm in arms:
        yield from (TextPlace(arm, moment) for moment in apart)
    if trial.within or not arms:
        yield from (TextPlace("", moment) for moment in ([END] if arms else MOMENTS))


def text_of(trial: Trial, arm: Arm | None, moment: str) -> str:
    texts: Texts = trial.texts
    return texts.get(arm.name if arm else "", {}).get(moment, "")


def end_text(participant: Participant) -> str:
    trial = participant.trial
    return text_of(trial, None if trial.within else participant.arm, END)


def told_now(trial: Trial, arm: Arm | None, phase: str, moment: str) -> str:
    """In a game of this phase, or before it: an arm is told of its training there alone."""
    return text_of(trial, arm, moment) if phase in ("", TRAINING) else ""


def texts_set(*, trial: Trial, texts: Texts) -> Trial:
    """Until the trial is opened: from then on all that come are told the same."""
    with transaction.atomic():
        trial = Trial.objects.select_for_update().get(pk=trial.pk)
        changes = dict(_changes(trial, texts))
        if changes and trial.opened_at is not None:
            raise Refused("This trial has been opened: what it tells stays as it is.")
        if changes:
            trial.texts = _kept(trial, texts)
            trial.save(update_fields=["texts"])
            note(trial, TrialEvent.Kind.SETTINGS, None, **changes)
        return trial


def _changes(trial: Trial, texts: Texts) -> Iterator[tuple[str, dict[str, str]]]:
    for arm, moment in text_places(trial):
        was = trial.texts.get(arm, {}).get(moment, "")
        now = texts.get(arm, {}).get(moment, "")
        if was != now:
            yield f"{arm}: {moment}" if arm else moment, {"from": was, "to": now}


def _kept(trial: Trial, texts: Texts) -> dict[str, dict[str, str]]:
    kept: dict[str, dict[str, str]] = {}
    for arm, moment in text_places(trial):
        if text := texts.get(arm, {}).get(moment, ""):
            kept.setdefault(arm, {})[moment] = text
    return kept
