"""What a plan asks for, on the page and of the command."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from game.models import Trial
from game.models.trial import MOST_GAMES, MOST_PLACES
from game.words.labels import ruleset_choices

PEOPLE, GAMES = 60, 5
OWN = ("minutes", "between", "within", "change")
OUTCOME_NAMES = {
    "cost": _("What decisions cost (the skill estimate)"),
    "score": _("The score"),
}


def _points(label: Any, help_text: Any = "") -> forms.FloatField:
    return forms.FloatField(
        label=label, help_text=help_text, min_value=0.01, max_value=1000, required=False
    )


class PlanForm(forms.Form):
    people = forms.IntegerField(label=_("People"), min_value=2, max_value=MOST_PLACES)
    games = forms.IntegerField(label=_("Games of each"), min_value=1, max_value=MOST_GAMES)
    outcome = forms.ChoiceField(label=_("Measured by"), choices=list(OUTCOME_NAMES.items()))
    shared_dice = forms.BooleanField(
        label=_("the same dice for everyone, game by game"), required=False
    )
    ruleset = forms.ChoiceField(label=_("Rules"), choices=ruleset_choices)
    effect = _points(
        _("Difference to be found, in points a game"),
        _("Leave it empty to see the smallest one that would be."),
    )
    minutes = _points(_("Minutes a game"), _("Leave it empty for what is known here."))
    between = _points(_("How far people differ"), _("Own figures, as standard deviations."))
    within = _points(_("How far games of one person differ"))
    change = _points(_("How differently people change"))

    @property
    def questions(self) -> list[forms.BoundField]:
        return [field for field in self if field.name not in OWN]

    @property
    def own_figures(self) -> list[forms.BoundField]:
        return [field for field in self if field.name in OWN]


def plan_form(data: Any) -> PlanForm:
    """What is not said is as usual."""
    usual = {"people": PEOPLE, "games": GAMES, "outcome": "cost", "ruleset": Trial().ruleset}
    told = {name: data.get(name) for name in PlanForm.base_fields if data.get(name)}
    return PlanForm(usual | told)
