"""Round one table: who sits there, and what they have made at the end."""

from django.http import HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from game import services
from game.board.parties import party_page
from game.coach.blinding import closed_by
from game.models import Party
from game.services import NoSuchParty, NotYours, Refused
from game.web.limits import check_start
from game.web.party_forms import PartyForm
from game.web.rulesets import rules_asked, rules_links, rules_named
from game.web.visitors import PlayRequest
from solver.rules import Ruleset


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
        party = services.party_begin(player=player, rules=rules, guests=form.guests)
    except Refused as refusal:
        form.add_error(None, refusal.message)
        return _form(request, rules, form, status=refusal.status)
    request.visitor.become(party.host)
    return redirect("game", party.seats.values_list("game_id", flat=True)[0])


def _form(
    request: PlayRequest, rules: Ruleset, form: PartyForm | None = None, status: int = 200
) -> HttpResponse:
    context = {"form": form or _lines(rules), "choices": rules_links(rules)}
    return render(request, "party/new.html", context, status=status)


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
    return render(request, "party/table.html", {"page": party_page(found)})
