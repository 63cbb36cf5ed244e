"""The texts for participants: written for each arm, and shown as participants will see them."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import get_language
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from game.core.refusals import Refused
from game.models import Game, Participant, Trial
from game.trials.design.reading import NextGame
from game.trials.design.texts import (
    END,
    IN_GAME,
    INSTRUCTIONS,
    LONGEST,
    TextPlace,
    text_of,
    text_places,
    texts_set,
)
from game.trials.design.writing import plain
from game.trials.joining.progress import ParticipantProgress
from game.trials.staff import about, noted

LABELS: dict[str, str] = {
    INSTRUCTIONS: "Before every game of the training",
    IN_GAME: "Beside the card, in these games",
    END: "When all games are played",
}


class TextsForm(forms.Form):
    """A field for each text of each arm; an empty field means the standard text."""

    def __init__(self, trial: Trial, data: Any = None) -> None:
        super().__init__(data)
        self.places = list(text_places(trial))
        for number, place in enumerate(self.places):
            self.fields[f"text_{number}"] = _entry(trial, place)

    @property
    def texts(self) -> dict[str, dict[str, str]]:
        texts: dict[str, dict[str, str]] = {}
        for number, (arm, moment) in enumerate(self.places):
            texts.setdefault(arm, {})[moment] = plain(self.cleaned_data[f"text_{number}"])
        return texts


def _entry(trial: Trial, place: TextPlace) -> forms.CharField:
    label = LABELS[place.moment]
    return forms.CharField(
        label=f"{place.arm}: {label}" if place.arm else label,
        required=False,
        max_length=LONGEST,
        initial=trial.texts.get(place.arm, {}).get(place.moment, ""),
        disabled=trial.opened_at is not None,
        widget=forms.Textarea(attrs={"rows": 3}),
    )


@dataclass(frozen=True, slots=True)
class TextPreview:
    """A text where it will appear: on the page of a made-up participant, or next to a card."""

    label: str
    moment: str
    progress: ParticipantProgress
    in_game: str


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@noted
def trial_texts(request: HttpRequest, slug: str) -> HttpResponse:
    trial = get_object_or_404(Trial, slug=slug)
    form = TextsForm(trial, request.POST if request.method == "POST" else None)
    if form.is_valid():
        if "save" in request.POST:
            return _saved(request, trial, form)
        trial.texts = form.texts
    context = about(trial) | {
        "form": form,
        "locked": trial.opened_at is not None,
        "previews": list(_previews(trial, form)),
        "language": trial.language or get_language(),
    }
    return render(request, "trials/texts.html", context, status=400 if form.errors else 200)


def _saved(request: HttpRequest, trial: Trial, form: TextsForm) -> HttpResponse:
    try:
        texts_set(trial=trial, texts=form.texts)
    except Refused as refusal:
        messages.warning(request, refusal.message)
    else:
        messages.success(request, "What participants are told is stored.")
    return redirect("trial_texts", trial.slug)


def _previews(trial: Trial, form: TextsForm) -> Iterator[TextPreview]:
    """Yield previews of the texts, drawn by the participants' own templates."""
    arms = {arm.name: arm for arm in trial.arms.all()}
    consent = trial.consents.latest("version")
    for number, (name, moment) in enumerate(form.places):
        arm = arms.get(name)
        somebody = Participant(trial=trial, number=1, arm=arm, consent=consent)
        phase = Game.Phase.TRAINING.value if trial.designed else ""
        following = NextGame(1, phase, arm, None)
        progress = ParticipantProgress(
            somebody, consent, 0, None, following, None, trial.games_planned, ""
        )
        label = str(form.fields[f"text_{number}"].label)
        yield TextPreview(label, moment, progress, text_of(trial, arm, IN_GAME))
