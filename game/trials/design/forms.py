"""Forms of the trials' pages."""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from django import forms
from django.conf import settings
from django.db import models

from game.core.words.labels import ruleset_choices
from game.models import NoAnswer, Participant, Trial

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

    TrialModelForm = forms.ModelForm[Trial]
else:
    TrialModelForm = forms.ModelForm

RESERVED = {"new"}


class AgreeForm(forms.Form):
    version = forms.IntegerField(min_value=1)
    agree = forms.BooleanField()


class WithdrawForm(forms.Form):
    confirm = forms.BooleanField(
        label=(
            "Delete everything that I have played and answered; after a day it cannot be brought"
            " back"
        )
    )


def question(label: "StrOrPromise", choices: type[models.TextChoices]) -> forms.ChoiceField:
    """Every question may be left unanswered, and not to say is an answer to choose."""
    silent = [("", "–"), *choices.choices, NoAnswer.choices[0]]
    return forms.ChoiceField(label=label, choices=silent, required=False)


class AnswersForm(forms.Form):
    experience = question("How well do you know Yatzy or Yahtzee?", Participant.Experience)
    last_played = question("When did you last play it?", Participant.LastPlayed)
    strategy = question("Have you studied how to play it well?", Participant.Strategy)

    def __init__(self, asked: Sequence[str], data: Any = None) -> None:
        super().__init__(data)
        for name in set(self.fields).difference(asked):
            del self.fields[name]


class TrialForm(TrialModelForm):
    consent = forms.CharField(
        label="Text that participants agree to",
        widget=forms.Textarea(attrs={"rows": 10}),
        help_text=(
            "What you study, who you are, what is stored (every move and its time, no name and"
            " no address), and that anybody may withdraw at any time, with everything deleted."
        ),
    )
    ruleset = forms.ChoiceField(label="Rules", choices=ruleset_choices, required=False)
    language = forms.ChoiceField(
        label="Language",
        required=False,
        choices=[("", "As the browser asks"), *settings.LANGUAGES],
    )

    class Meta:
        model = Trial
        fields = [
            "title",
            "slug",
            "places",
            "games_each",
            "ruleset",
            "dice",
            "dice_places",
            "shared_dice",
            "round_table",
            "language",
            "questionnaire",
            "resume",
            "idle_minutes",
            "coach_closed",
            "expected_end",
        ]
        help_texts = {
            "questionnaire": (
                "Before the games how well it is known and when it was last played, after them"
                " whether it was studied. Every answer may be left out."
            )
        }
        widgets = {
            "dice": forms.RadioSelect,
            "dice_places": forms.RadioSelect,
            "resume": forms.RadioSelect,
            "expected_end": forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
        }

    field_order = ["title", "slug", "consent", "places", "games_each", "ruleset"]

    def clean_slug(self) -> str:
        slug: str = self.cleaned_data["slug"]
        if slug in RESERVED or not re.fullmatch(r"[a-z0-9][a-z0-9-]*", slug):
            raise forms.ValidationError(
                "Small letters, digits and hyphens only, and not the word “new”."
            )
        return slug

    def clean_ruleset(self) -> str:
        """Return the ruleset; keep the old one if the request has none."""
        return self.cleaned_data["ruleset"] or str(self.instance.ruleset)

    def clean(self) -> dict[str, Any]:
        data = super().clean() or self.cleaned_data
        if data.get("dice") == Trial.Dice.REAL and data.get("shared_dice"):
            self.add_error("shared_dice", "Real dice cannot be the same for everyone.")
        if data.get("dice") != Trial.Dice.REAL:
            data["dice_places"] = ""
        return data


class UnmaskForm(forms.Form):
    reason = forms.CharField(
        label="Why it is unmasked now",
        max_length=500,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="It is printed with the results, in the report and in the files.",
    )
    confirm = forms.BooleanField(label="Show the outcomes by arm; it cannot be taken back")


class DeleteTrialForm(forms.Form):
    """Deleting takes every game with it, so the short name has to be typed."""

    slug = forms.CharField(label="Type the short name of the trial to delete it")
