"""What staff says about the open link."""

import re
from typing import TYPE_CHECKING, Any

from django import forms
from django.core.validators import URLValidator
from django.utils.translation import gettext_lazy as _

from game.models import Recruitment
from game.trials.joining.arriving import SIGNATURE
from game.trials.joining.panels import FREE, PANELS

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
    panel = forms.ChoiceField(
        label=_("Where people are found"),
        choices=[("", FREE.title), *((name, one.title) for name, one in PANELS.items())],
        required=False,
        help_text=_("It sets the labels and their form; all its labels have to be there."),
    )
    entry = forms.ChoiceField(
        label=_("To go on in another browser"),
        choices=Recruitment.Entry.choices,
        widget=forms.RadioSelect,
        required=False,
        help_text=_("A label is known to others. In the same browser nothing is asked."),
    )

    class Meta:
        model = Recruitment
        fields = [
            "open",
            "quota",
            "panel",
            "labels",
            "letters",
            "length",
            "entry",
            "minutes",
            "complete",
            "no_consent",
            "screened_out",
            "timed_out",
        ]
        help_texts = {"complete": OUTCOMES_HELP}

    def clean_labels(self) -> str:
        names = self.cleaned_data["labels"].split()
        usable = all(LABEL.fullmatch(name) and name != SIGNATURE for name in names)
        if not usable or len(set(names)) < len(names):
            raise forms.ValidationError(
                _("Different names of letters, digits, dots, hyphens and underscores.")
            )
        return " ".join(names)

    def clean_entry(self) -> str:
        """As it was, where the request says nothing of it."""
        return self.cleaned_data["entry"] or str(self.instance.entry)

    def clean(self) -> dict[str, Any]:
        data = super().clean() or self.cleaned_data
        if panel := PANELS.get(data.get("panel", "")):
            data["labels"] = " ".join(panel.names)
            data["letters"], data["length"] = panel.letters, panel.length
        if data.get("entry") == Recruitment.Entry.SIGNED and not data.get("labels", "-"):
            self.add_error("entry", _("Without labels there is nothing to sign."))
        return data

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
