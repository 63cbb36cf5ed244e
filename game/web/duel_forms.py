"""What a challenge asks for."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from game.models.duel import MOST_SEATS
from game.services.duels import MINUTES
from game.words import duels as words
from game.words import labels
from solver.players import PLAYERS
from solver.rules import RULESETS, Ruleset

OPEN, LINK = "open", "link"


class DuelForm(forms.Form):
    """Of one ruleset, since not every program plays every one."""

    ruleset = forms.CharField(widget=forms.HiddenInput)
    bots = forms.MultipleChoiceField(
        label=_("Programs"), required=False, widget=forms.CheckboxSelectMultiple
    )
    people = forms.TypedChoiceField(label=_("People, you among them"), coerce=int)
    minutes = forms.TypedChoiceField(label=_("Clock of each person"), coerce=int)
    listed = forms.ChoiceField(
        label=_("Who may join"),
        required=False,
        choices=[(LINK, _("Whoever has the link")), (OPEN, _("Anybody: it stands in the list"))],
        widget=forms.RadioSelect,
    )

    def __init__(
        self, rules: Ruleset, data: Mapping[str, Any] | None = None, opponent: str = "optimal"
    ) -> None:
        first = {"ruleset": rules.id, "bots": [opponent], "people": 1, "minutes": 0}
        super().__init__(data, initial={**first, "listed": LINK})
        self._choose("bots", [(p.id, labels.bot(p.id)) for p in PLAYERS.values() if p.plays(rules)])
        self._choose("people", [(n, _people(n)) for n in range(1, MOST_SEATS + 1)])
        self._choose("minutes", [(minutes, words.clock(minutes)) for minutes in MINUTES])

    def _choose(self, name: str, choices: list[tuple[Any, str]]) -> None:
        field = self.fields[name]
        assert isinstance(field, forms.ChoiceField)  # noqa: S101
        field.choices = choices

    @property
    def setting(self) -> dict[str, Any]:
        return {**self.cleaned_data, "listed": self.cleaned_data["listed"] == OPEN}


def asked_rules(data: Mapping[str, Any], usual: Ruleset) -> Ruleset:
    """Also of a form that cannot be followed."""
    return RULESETS.get(str(data.get("ruleset", "")), usual)


def _people(count: int) -> str:
    if count == 1:
        return str(_("You alone"))
    text = ngettext("You and %(count)s other", "You and %(count)s others", count - 1)
    return text % {"count": count - 1}
