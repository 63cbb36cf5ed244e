"""Previews of a trial's pages as its participants will see them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils import translation
from django.utils.translation import get_language

from game.trials.design.people import find_recruitment
from game.trials.design.reading import ANSWERS, NextGame
from game.trials.joining.answering import preview_pages
from game.trials.joining.pages import AnswersForm
from game.trials.joining.progress import ParticipantProgress
from game.trials.joining.recruiting import list_ways_out
from game.trials.models import Consent, Participant, Trial, TrialGame
from game.trials.questions.reading import load_questionnaire

SHOWN: Mapping[str, tuple[str, ...]] = {
    "question": ("consent",),
    "people": ("consent", "questions"),
    "games": ("play",),
    "consent": ("consent", "done"),
}


@dataclass(frozen=True, slots=True)
class Preview:
    """A preview of a participant's page, rendered with ``template`` and ``context``."""

    label: str
    template: str
    context: dict[str, Any]


def choose_language(trial: Trial) -> str:
    return trial.language or get_language() or "en"


def make_previews(trial: Trial, screen: str = "") -> list[Preview]:
    """Return previews of the pages that a screen changes. Without a screen, return all previews."""
    kinds = SHOWN.get(screen, ()) if screen else ("consent", "questions", "play", "done", "out")
    previews = []
    with translation.override(choose_language(trial)):
        if "consent" in kinds:
            context: dict[str, Any] = {"consent": trial.consents.latest("version")}
            previews.append(Preview("The first page", "trials/_agree.html", context))
        if "questions" in kinds and trial.questionnaire:
            context = {"form": AnswersForm(ANSWERS[:2])}
            previews.append(Preview("Before the games", "_form.html", context))
        if "questions" in kinds and (questionnaire := load_questionnaire(trial)):
            previews += (
                Preview(page.when, "trials/_asked.html", {"asked": page, "action": ""})
                for page in preview_pages(questionnaire)
            )
        if "play" in kinds:
            phase = TrialGame.Phase.TRAINING.value if trial.designed else ""
            consent = trial.consents.latest("version")
            for arm in trial.arms.order_by("position") or [None]:
                progress = _make_progress(trial, consent, NextGame(1, phase, arm, None))
                label = f"Before a training game: {arm.name}" if arm else "Before a game"
                context = {"progress": progress, "preview": True}
                previews.append(Preview(label, "trials/_next.html", context))
        if "done" in kinds:
            progress = _make_progress(trial, trial.consents.latest("version"), None)
            previews.append(Preview("After all games", "trials/_done.html", {"progress": progress}))
        if "out" in kinds and (link := find_recruitment(trial)):
            context = {"passages": list_ways_out(link)}
            previews.append(Preview("The ways out", "trials/_ways_out.html", context))
    return previews


def _make_progress(
    trial: Trial, consent: Consent, following: NextGame | None
) -> ParticipantProgress:
    arm = following.arm if following else None
    someone = Participant(trial=trial, number=1, arm=arm, consent=consent)
    games = trial.games_planned
    return ParticipantProgress(someone, consent, 0, None, following, None, games, "")
