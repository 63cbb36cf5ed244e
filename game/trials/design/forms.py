"""Forms of the trials' pages, apart from the road."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from django import forms
from django.db import models

from game.models import NoAnswer, Participant

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise


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

    def __init__(self, names: Sequence[str], data: Any = None) -> None:
        super().__init__(data)
        for name in set(self.fields).difference(names):
            del self.fields[name]


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
