"""The forms of the trial pages. Only the design screens have other forms (``game.trials.road``)."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from django import forms
from django.db import models
from django.utils.translation import gettext_lazy as _

from game.trials.models import NoAnswer, Participant

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise


class AgreeForm(forms.Form):
    version = forms.IntegerField(min_value=1)
    agree = forms.BooleanField()


class WithdrawForm(forms.Form):
    confirm = forms.BooleanField(
        label=_("Delete all my games and answers. They cannot be restored.")
    )


def make_choice_field(
    label: "StrOrPromise", choices: type[models.TextChoices]
) -> forms.ChoiceField:
    """Return an optional field with two more options: no answer, and “I would rather not say”."""
    silent = [("", "–"), *choices.choices, NoAnswer.choices[0]]
    return forms.ChoiceField(label=label, choices=silent, required=False)


class AnswersForm(forms.Form):
    experience = make_choice_field(
        _("How well do you know Yatzy or Yahtzee?"), Participant.Experience
    )
    last_played = make_choice_field(
        _("When did you last play Yatzy or Yahtzee?"), Participant.LastPlayed
    )
    strategy = make_choice_field(
        _("Have you studied how to play the game well?"), Participant.Strategy
    )

    def __init__(self, names: Sequence[str], data: Any = None) -> None:
        super().__init__(data)
        for name in set(self.fields).difference(names):
            del self.fields[name]


class UnmaskForm(forms.Form):
    reason = forms.CharField(
        label="Why you unblind the trial now",
        max_length=500,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="The results, the report and the files show this reason.",
    )
    confirm = forms.BooleanField(label="Show the outcomes by arm. You cannot undo this.")


class DeleteTrialForm(forms.Form):
    """A form that asks for the short name, because deleting a trial deletes all its games."""

    slug = forms.CharField(label="Type the short name of the trial to delete it")
