"""Previews of a trial's pages as its participants will see them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils import translation
from django.utils.translation import get_language

from game.trials.design.forms import AnswersForm
from game.trials.design.people import find_recruitment
from game.trials.design.reading import ANSWERS, NextGame
from game.trials.joining.answering import preview_pages
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
    makers = {"consent": _preview_consent, "questions": _preview_questions, "play": _preview_games}
    makers |= {"done": _preview_done, "out": _preview_ways_out}
    kinds = SHOWN.get(screen, ()) if screen else tuple(makers)
    with translation.override(choose_language(trial)):
        return [page for kind in kinds for page in makers[kind](trial)]


def _preview_consent(trial: Trial) -> Iterator[Preview]:
    consent = trial.consents.latest("version")
    yield Preview("The first page", "trials/_agree.html", {"consent": consent})


def _preview_questions(trial: Trial) -> Iterator[Preview]:
    if trial.questionnaire:
        yield Preview("Before the games", "_form.html", {"form": AnswersForm(ANSWERS[:2])})
    if own_questions := load_questionnaire(trial):
        for page in preview_pages(own_questions):
            yield Preview(page.when, "trials/_asked.html", {"asked": page, "action": ""})


def _preview_games(trial: Trial) -> Iterator[Preview]:
    phase = TrialGame.Phase.TRAINING.value if trial.designed else ""
    consent = trial.consents.latest("version")
    for arm in trial.arms.order_by("position") or [None]:
        progress = _make_progress(trial, consent, NextGame(1, phase, arm, None))
        label = f"Before a training game: {arm.name}" if arm else "Before a game"
        context = {"progress": progress, "preview": True}
        yield Preview(label, "trials/_next.html", context)


def _preview_done(trial: Trial) -> Iterator[Preview]:
    progress = _make_progress(trial, trial.consents.latest("version"), None)
    yield Preview("After all games", "trials/_done.html", {"progress": progress})


def _make_progress(
    trial: Trial, consent: Consent, following: NextGame | None
) -> ParticipantProgress:
    arm = following.arm if following else None
    someone = Participant(trial=trial, number=1, arm=arm, consent=consent)
    games = trial.games_planned
    return ParticipantProgress(someone, consent, 0, None, following, None, games, "")


def _preview_ways_out(trial: Trial) -> Iterator[Preview]:
    if link := find_recruitment(trial):
        yield Preview("The ways out", "trials/_ways_out.html", {"passages": list_ways_out(link)})
