"""The form of a preregistration, with a field for each rule of exclusion."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from django import forms

from game.models import Preregistration, Trial
from game.models.trial import MOST_PLACES
from game.trials.analysis.lots import EITHER
from game.trials.results.data import usual_estimand
from game.trials.results.exclusions import EXCLUSIONS, ExclusionRule
from game.trials.results.preregistration import DIRECTIONS
from game.trials.results.words import OUTCOMES

if TYPE_CHECKING:
    PreregistrationModelForm = forms.ModelForm[Preregistration]
else:
    PreregistrationModelForm = forms.ModelForm

PREFIX = "exclude_"
NUMBER = "N"  # the place of the number in a rule's words
SMALLEST = 6.0  # points per game


class PreregistrationForm(PreregistrationModelForm):
    outcome = forms.ChoiceField(
        label="Outcome", choices=list(OUTCOMES.items()), widget=forms.RadioSelect
    )
    smallest = forms.FloatField(
        label="Smallest difference that matters",
        min_value=0.001,
        help_text="In points of the outcome. Arms are equivalent if they surely differ by less.",
    )
    direction = forms.ChoiceField(label="Direction", choices=list(DIRECTIONS.items()))

    class Meta:
        model = Preregistration
        fields = ["hypotheses", "stopping", "stopping_people", "stopping_date"]
        labels = {
            "hypotheses": "Hypotheses",
            "stopping": "The trial stops",
            "stopping_people": "Number of people",
            "stopping_date": "The day",
        }
        widgets = {
            "hypotheses": forms.Textarea(attrs={"rows": 6}),
            "stopping": forms.RadioSelect,
            "stopping_date": forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
        }

    def __init__(self, *args: Any, trial: Trial | None = None, **kwargs: Any) -> None:
        """Make the form; it asks about a difference only if the ``trial`` compares arms."""
        super().__init__(*args, **kwargs)
        self.fields["stopping"].choices = Preregistration.Stopping.choices  # type: ignore[attr-defined]
        self.fields["stopping_people"].widget.attrs |= {"min": 1, "max": MOST_PLACES}
        if trial is None or usual_estimand(trial) is None:
            del self.fields["smallest"], self.fields["direction"]
        for rule in EXCLUSIONS.values():
            self.fields[PREFIX + rule.name] = _field_of(rule)
        self.order_fields(["hypotheses", "outcome", "smallest", "direction"])
        draft = self.instance
        self.initial.update(smallest=SMALLEST, direction=EITHER)
        if draft.pk:
            self.initial.update(outcome=draft.outcome, **draft.estimand)
            self.initial.update({PREFIX + name: value for name, value in draft.exclusions.items()})

    def clean(self) -> dict[str, Any]:
        data = super().clean() or self.cleaned_data
        self._check_stopping(data)
        return data

    def _check_stopping(self, data: dict[str, Any]) -> None:
        """Drop the fields of other stopping rules."""
        needed = {"people": "stopping_people", "date": "stopping_date"}
        for rule, name in needed.items():
            if data.get("stopping") != rule:
                data[name] = None
            elif not data.get(name) and name not in self.errors:
                self.add_error(name, "This rule needs it.")

    @property
    def planned(self) -> dict[str, Any]:
        data = self.cleaned_data
        plain = {name: data[name] for name in (*self.Meta.fields, "outcome")}
        rules: Mapping[str, Any] = {name: data[PREFIX + name] for name in EXCLUSIONS}
        estimand = {name: data[name] for name in ("smallest", "direction") if name in data}
        chosen = {name: number for name, number in rules.items() if number}
        return plain | {"exclusions": chosen, "estimand": estimand}


def _field_of(rule: ExclusionRule) -> forms.Field:
    if not rule.takes_number:
        return forms.BooleanField(label=f"Leave out: {rule.told(0)}", required=False)
    return forms.IntegerField(
        label=f"Leave out: {rule.told(NUMBER)}",
        help_text="N; empty leaves nobody out.",
        min_value=1,
        max_value=rule.most,
        required=False,
    )
