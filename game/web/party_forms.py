"""Who sits round a table."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from game.models import WISHES, Game
from game.models.party import LONGEST_NAME, MOST_AT_A_TABLE
from game.services import TableGuest
from game.words import labels
from solver.rules import Ruleset


class PartyForm(forms.Form):
    """A line for each place; those without a name are nobody's."""

    ruleset = forms.ChoiceField(
        label=gettext_lazy("Rules"), choices=labels.ruleset_choices, widget=forms.HiddenInput
    )

    def __init__(
        self, rules: Ruleset, data: Mapping[str, Any] | None = None, *, coached: bool = True
    ) -> None:
        """Where nobody can have a coach, nobody is asked."""
        super().__init__(data, initial={"ruleset": rules.id})
        for place in range(MOST_AT_A_TABLE):
            self.fields[f"name_{place}"] = forms.CharField(
                label=gettext_lazy("Name"), max_length=LONGEST_NAME, required=False
            )
            if coached:
                self.fields[f"coach_{place}"] = _coach()

    @property
    def lines(self) -> list[list[forms.BoundField]]:
        """The fields of each place."""
        return [
            [self[name] for name in (f"name_{place}", f"coach_{place}") if name in self.fields]
            for place in range(MOST_AT_A_TABLE)
        ]

    @property
    def guests(self) -> list[TableGuest]:
        """In their order."""
        said = self.cleaned_data
        found = ((said.get(f"name_{n}"), said.get(f"coach_{n}")) for n in range(MOST_AT_A_TABLE))
        return [TableGuest(name, coach or Game.Coach.OFF.value) for name, coach in found if name]

    def clean(self) -> dict[str, Any]:
        names = [guest.name for guest in self.guests]
        if not names:
            raise forms.ValidationError(_("Please type the name of one person at least."))
        if twice := next((name for name in names if names.count(name) > 1), None):
            told = _("Two people are called %(name)s: please tell them apart.")
            raise forms.ValidationError(told % {"name": twice})
        return self.cleaned_data


def _coach() -> forms.ChoiceField:
    return forms.ChoiceField(
        label=gettext_lazy("Coach"),
        choices=WISHES,
        initial=Game.Coach.OFF.value,
        required=False,
    )
