"""Round one table: who sits there, and what they have made at the end."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.http import HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from game.core.blinding import closed_by
from game.core.refusals import NotYours, Refused
from game.core.words import labels
from game.duels.parties import NoSuchParty, TableGuest, party_begin
from game.duels.party_board import party_page
from game.models import WISHES, Game, Party
from game.models.party import LONGEST_NAME, MOST_AT_A_TABLE
from game.pages.requests.limits import check_start
from game.pages.requests.visitors import PlayRequest
from game.pages.ruleset_asked import rules_asked, rules_links, rules_named
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


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def party_new(request: PlayRequest) -> HttpResponse:
    if request.method != "POST":
        return _form(request, rules_asked(request))
    rules = rules_named(request.POST.get("ruleset", ""))
    form = _lines(rules, request.POST)
    if not form.is_valid():
        return _form(request, rules, form, status=400)
    player = request.visitor.player
    try:
        check_start(request, player)
        party = party_begin(player=player, rules=rules, guests=form.guests)
    except Refused as refusal:
        form.add_error(None, refusal.message)
        return _form(request, rules, form, status=refusal.status)
    request.visitor.become(party.host)
    return redirect("game", party.seats.values_list("game_id", flat=True)[0])


def _form(
    request: PlayRequest, rules: Ruleset, form: PartyForm | None = None, status: int = 200
) -> HttpResponse:
    context = {"form": form or _lines(rules), "choices": rules_links(rules)}
    return render(request, "duels/party_new.html", context, status=status)


def _lines(rules: Ruleset, data: QueryDict | None = None) -> PartyForm:
    return PartyForm(rules, data, coached=closed_by() is None)


@never_cache
@require_safe
def party(request: PlayRequest, party_id: str) -> HttpResponse:
    """Of the people who have the device."""
    found = Party.objects.select_related("host").filter(pk=party_id).first()
    if found is None:
        raise NoSuchParty
    if request.visitor.player is None or found.host_id != request.visitor.player.pk:
        raise NotYours
    return render(request, "duels/party_table.html", {"page": party_page(found)})
