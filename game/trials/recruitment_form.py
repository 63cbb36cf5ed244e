"""What staff says about the open link."""

import re
from typing import TYPE_CHECKING

from django import forms
from django.core.validators import URLValidator
from django.utils.translation import gettext_lazy as _

from game.models import Recruitment

if TYPE_CHECKING:
    RecruitmentModelForm = forms.ModelForm[Recruitment]
else:
    RecruitmentModelForm = forms.ModelForm

OUTCOMES_HELP = _(
    "A code that is shown, or an address (https://...) to go back to; {NAME} in it stands for the"
    " label of that name."
)
LABEL = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,39}")


class RecruitmentForm(RecruitmentModelForm):
    class Meta:
        model = Recruitment
        fields = [
            "open",
            "quota",
            "labels",
            "minutes",
            "complete",
            "no_consent",
            "screened_out",
            "timed_out",
        ]
        help_texts = {"complete": OUTCOMES_HELP}

    def clean_labels(self) -> str:
        names = self.cleaned_data["labels"].split()
        if not all(LABEL.fullmatch(name) for name in names) or len(set(names)) < len(names):
            raise forms.ValidationError(
                _("Different names of letters, digits, dots, hyphens and underscores.")
            )
        return " ".join(names)

    def clean_complete(self) -> str:
        return self._outcome("complete")

    def clean_no_consent(self) -> str:
        return self._outcome("no_consent")

    def clean_screened_out(self) -> str:
        return self._outcome("screened_out")

    def clean_timed_out(self) -> str:
        return self._outcome("timed_out")

    def _outcome(self, name: str) -> str:
        told: str = self.cleaned_data[name].strip()
        if "://" in told:
            URLValidator(schemes=["https", "http"])(re.sub(r"\{[^{}]*\}", "x", told))
        return told


class DeleteLabelsForm(forms.Form):
    confirm = forms.BooleanField(
        label=_("Delete every label; who was who cannot be found out any more")
    )
