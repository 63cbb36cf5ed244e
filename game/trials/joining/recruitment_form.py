"""The staff's form for the open link, with a field for each way out."""

import re
from copy import copy
from typing import TYPE_CHECKING, Any

from django import forms
from django.core.validators import URLValidator

from game.models import Recruitment
from game.trials.design.ways_out import WAYS_OUT
from game.trials.joining.arriving import FREE, PANELS, SIGNATURE
from game.trials.joining.recruiting import NAME_IN_ADDRESS, contradictions

if TYPE_CHECKING:
    RecruitmentModelForm = forms.ModelForm[Recruitment]
else:
    RecruitmentModelForm = forms.ModelForm

LONGEST_WAY_OUT = 500
LABEL = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,39}")
web_address = URLValidator(schemes=["https", "http"])


def check_way_out(ending: str) -> None:
    """Check the address of a way out, with external IDs filled in."""
    if "://" in ending:
        web_address(NAME_IN_ADDRESS.sub("x", ending))


class RecruitmentForm(RecruitmentModelForm):
    panel = forms.ChoiceField(
        label="Where people are found",
        choices=[("", FREE.title), *((name, panel.title) for name, panel in PANELS.items())],
        required=False,
        help_text="It sets the labels and their form; all its labels have to be there.",
    )
    entry = forms.ChoiceField(
        label="To go on in another browser",
        choices=Recruitment.Entry.choices,
        widget=forms.RadioSelect,
        required=False,
        help_text="A label is known to others. In the same browser nothing is asked.",
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
            "expected",
            "entry",
            "minutes",
            "checks",
        ]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name, way in WAYS_OUT.items():
            self.fields[name] = forms.CharField(
                label=way.title,
                help_text=way.when,
                required=False,
                max_length=LONGEST_WAY_OUT,
                initial=self.instance.ways_out.get(name, ""),
                validators=[check_way_out],
            )

    def clean_labels(self) -> str:
        names = self.cleaned_data["labels"].split()
        usable = all(LABEL.fullmatch(name) and name != SIGNATURE for name in names)
        if not usable or len(set(names)) < len(names):
            raise forms.ValidationError(
                "Different names of letters, digits, dots, hyphens and underscores."
            )
        return " ".join(names)

    def clean_entry(self) -> str:
        """Return the entry; keep the old one if the request has none."""
        return self.cleaned_data["entry"] or str(self.instance.entry)

    def clean(self) -> dict[str, Any]:
        data = super().clean() or self.cleaned_data
        if panel := PANELS.get(data.get("panel", "")):
            data["labels"] = " ".join(panel.names)
            data["letters"], data["length"] = panel.letters, panel.length
        if not self.errors:
            meant = copy(self.instance)
            for name, value in self.settings.items():
                setattr(meant, name, value)
            for field, text in contradictions(meant):
                self.add_error(field, text)
        return data

    @property
    def plain(self) -> list[forms.BoundField]:
        return [self[name] for name in self.Meta.fields]

    @property
    def ways_out(self) -> list[forms.BoundField]:
        return [self[name] for name in WAYS_OUT]

    @property
    def settings(self) -> dict[str, Any]:
        data = self.cleaned_data
        endings = {name: data[name] for name in WAYS_OUT if data[name]}
        return {name: data[name] for name in self.Meta.fields} | {"ways_out": endings}


class DeleteLabelsForm(forms.Form):
    confirm = forms.BooleanField(
        label="Delete every label; who was who cannot be found out any more"
    )
