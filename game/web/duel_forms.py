"""What a challenge asks for."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from game.models.duel import MOST_ADDED, MOST_SEATS
from game.services.duels import DAYS, MINUTES, USUAL_DAYS
from game.words import duels as words
from game.words import opponents as characters
from solver.players import PLAYERS
from solver.rules import PLAYED, Ruleset

OPEN, LINK = "open", "link"
FRIEND, STRANGER = "friend", "stranger"  # the cards of people: who has the link, and anybody


class DuelForm(forms.Form):
    """Of one ruleset, since not every program plays every one.

    The card that is chosen is enough to begin; the other fields add to it.
    """

    ruleset = forms.CharField(widget=forms.HiddenInput)
    opponent = forms.ChoiceField(required=False)
    bots = forms.MultipleChoiceField(
        label=_("More programs"), required=False, widget=forms.CheckboxSelectMultiple
    )
    people = forms.TypedChoiceField(label=_("People, you among them"), coerce=int)
    minutes = forms.TypedChoiceField(label=_("Clock of each person"), coerce=int)
    days = forms.TypedChoiceField(
        label=_("Without a clock, each move has"),
        required=False,
        coerce=int,
    )
    own_pace = forms.BooleanField(
        label=_("Each at their own pace: friends only; who plays later could know the dice."),
        required=False,
    )
    added = forms.CharField(label=_("Your part of the dice"), required=False, max_length=MOST_ADDED)
    listed = forms.ChoiceField(
        label=_("Who may join"),
        required=False,
        choices=[(LINK, _("Whoever has the link")), (OPEN, _("Anybody: it stands in the list"))],
        widget=forms.RadioSelect,
    )

    def __init__(
        self, rules: Ruleset, data: Mapping[str, Any] | None = None, opponent: str = ""
    ) -> None:
        first = {"ruleset": rules.id, "opponent": opponent, "people": 1, "minutes": 0}
        super().__init__(data, initial={**first, "listed": LINK, "days": USUAL_DAYS})
        bots = [(p.id, _program(p.id)) for p in PLAYERS.values() if p.plays(rules)]
        self._choose("opponent", [*bots, (FRIEND, FRIEND), (STRANGER, STRANGER)])
        self._choose("bots", bots)
        self._choose("people", [(n, _people(n)) for n in range(1, MOST_SEATS + 1)])
        self._choose("minutes", [(minutes, words.clock(minutes)) for minutes in MINUTES])
        self._choose("days", [(days, words.days_long(days)) for days in DAYS])

    def _choose(self, name: str, choices: list[tuple[Any, str]]) -> None:
        field = self.fields[name]
        assert isinstance(field, forms.ChoiceField)  # noqa: S101
        field.choices = choices

    @property
    def setting(self) -> dict[str, Any]:
        told = dict(self.cleaned_data)
        chosen = told.pop("opponent")
        invites = chosen in {FRIEND, STRANGER}
        bots = told["bots"] if invites or not chosen else [chosen, *told["bots"]]
        lockstep = not told.pop("own_pace")
        return {
            **told,
            "lockstep": lockstep,
            "days": told["days"] or USUAL_DAYS,
            "bots": list(dict.fromkeys(bots)),
            "people": max(told["people"], 2) if invites else told["people"],
            "listed": told["listed"] == OPEN or chosen == STRANGER,
        }


def _program(player_id: str) -> str:
    name, strategy = characters.name_of(player_id), characters.strategy_of(player_id)
    return name if name == strategy else f"{name}: {strategy}"


def asked_rules(data: Mapping[str, Any], usual: Ruleset) -> Ruleset:
    """Also of a form that cannot be followed."""
    return PLAYED.get(str(data.get("ruleset", "")), usual)


def _people(count: int) -> str:
    if count == 1:
        return str(_("You alone"))
    text = ngettext("You and %(count)s other", "You and %(count)s others", count - 1)
    return text % {"count": count - 1}
