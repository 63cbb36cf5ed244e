"""What a page of the history asks for."""

from collections.abc import Collection
from datetime import date
from typing import Any

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from game.models import Game, Player
from game.selectors.history import Wanted
from game.words import labels
from solver.rules import Ruleset

MOST_POINTS = 9999  # more than any card holds
LAST_DAY = date(9998, 12, 31)  # after which there is no next one


class WholeNumber(forms.IntegerField):
    """Typed as text: of a field of numbers a browser takes away what is none."""

    def __init__(self, *, label: Any) -> None:
        typed = forms.TextInput({"inputmode": "numeric"})
        super().__init__(
            label=label, required=False, min_value=0, max_value=MOST_POINTS, widget=typed
        )


class HistoryForm(forms.Form):
    """Every field may be left empty. What is wrong in one is said there, and the others count."""

    mode = forms.ChoiceField(
        label=gettext_lazy("Kind of game"),
        required=False,
        error_messages={"invalid_choice": gettext_lazy("You have no games of this kind.")},
    )
    opponent = forms.ChoiceField(
        label=gettext_lazy("Played with"),
        required=False,
        error_messages={"invalid_choice": gettext_lazy("You have no duels with this player.")},
    )
    since = forms.DateField(
        label=gettext_lazy("From"),
        required=False,
        widget=forms.DateInput({"type": "date"}, format="%Y-%m-%d"),
    )
    until = forms.DateField(
        label=gettext_lazy("Until"),
        required=False,
        widget=forms.DateInput({"type": "date"}, format="%Y-%m-%d"),
    )
    least = WholeNumber(label=gettext_lazy("Points, at least"))
    most = WholeNumber(label=gettext_lazy("Points, at most"))

    def __init__(
        self, asked: QueryDict, modes: Collection[str], rivals: Collection[Player]
    ) -> None:
        super().__init__(asked)
        everything = ("", _("All"))
        names = dict(Game.Mode.choices)
        self._choose("mode", [everything, *((mode, str(names[mode])) for mode in modes)])
        self._choose("opponent", [everything, *((one.code, labels.player(one)) for one in rivals)])

    def _choose(self, name: str, choices: list[tuple[str, str]]) -> None:
        field = self.fields[name]
        assert isinstance(field, forms.ChoiceField)  # noqa: S101
        field.choices = choices

    def clean_until(self) -> date | None:
        until: date | None = self.cleaned_data["until"]
        return min(until, LAST_DAY) if until else None

    def clean(self) -> dict[str, Any]:
        """Of what contradicts itself the first half counts, and the second is refused."""
        told = super().clean() or {}
        for low, high, text in (
            ("since", "until", _("The last day is before the first.")),
            ("least", "most", _("The most points are fewer than the least.")),
        ):
            first, last = told.get(low), told.get(high)
            if first is not None and last is not None and first > last:
                self.add_error(high, text)
        return told

    def wanted(self, rules: Ruleset | None) -> Wanted:
        self.is_valid()
        return Wanted(rules=rules, **self.cleaned_data)

    @property
    def asked(self) -> dict[str, str]:
        """As it was sent, right or wrong, without what is empty."""
        sent = {name: str(self.data.get(name, "")).strip() for name in self.fields}
        return {name: value for name, value in sent.items() if value}
