"""One's own rules: put together, told what they take, worked out in the background, then played.

The form is an address; what it would take is told on the page, and only a button makes it.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from django.contrib import messages
from django.http import Http404, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from game import services
from game.board import choices
from game.coach.blinding import check_not_blinded
from game.coach.waiting import Waiting, waiting
from game.judgement.tables import advisor
from game.lab.own_rules_forms import OwnRulesForm
from game.models import Player
from game.selectors.own_rules import own_rules_of
from game.services import NotUnderstood, Refused
from game.web.limits import check_upload
from game.web.visitors import PlayRequest
from game.words import labels, phrases, rules
from solver.dp.cost import Cost, cost_of
from solver.making import parts_of, there
from solver.rules import Ruleset
from solver.rules.own import DICE

USUAL = 5
MEGABYTE = 1_000_000


@dataclass(frozen=True, slots=True)
class OwnLine:
    """A ruleset of the reader's own, as the list has it."""

    rules: Ruleset

    @property
    def name(self) -> str:
        return labels.ruleset_name(self.rules)

    @property
    def about(self) -> str:
        dice = _("%(dice)s dice") % {"dice": self.rules.dice}
        return f"{dice}, {rules.headline(self.rules)}."

    @property
    def worth(self) -> str:
        """What perfect play brings; nothing while that is not known."""
        coach = advisor(self.rules)
        return phrases.points(coach.value_start, 2) if coach else ""

    @property
    def waiting(self) -> Waiting | None:
        """For the first part that is missing."""
        found = there(self.rules)
        missing = [part for part in parts_of(self.rules) if not found[part]]
        return waiting(self.rules, missing[0]) if missing else None

    @property
    def play_url(self) -> str:
        return choices.card_url(self.rules)

    @property
    def rules_url(self) -> str:
        return choices.rules_url(self.rules)

    @property
    def explore_url(self) -> str:
        return f"{reverse('explore')}?rules={self.rules.id}"


@dataclass(frozen=True, slots=True)
class CostTold:
    cost: Cost

    @property
    def figures(self) -> Iterator[tuple[str, str]]:
        yield _("Positions"), _whole(self.cost.positions)
        yield _("Seconds of one processor, about"), _whole(self.cost.seconds)
        yield _("Memory while it is worked out, MB, about"), _whole(self.cost.memory / MEGABYTE)
        yield _("Room on the server, MB"), _whole(max(self.cost.bytes / MEGABYTE, 1))


def _whole(number: float) -> str:
    return number_format(round(number), force_grouping=True)


@never_cache
@require_safe
def own_rules(request: PlayRequest) -> HttpResponse:
    form = _asked(request.GET)
    player = _member(request)
    own = [OwnLine(one.rules) for one in own_rules_of(player)] if player else []
    context = {
        "form": form,
        "own": own,
        "cups": [(dice, f"?dice={dice}#make", dice == form.cup) for dice in DICE],
        "may": player is not None,
    }
    if form.is_bound and form.is_valid():
        context |= _told(player, form.rules) | {"asked": request.GET.urlencode()}
    status = 400 if form.errors else 200
    return render(request, "lab/own_rules.html", context, status=status)


def _told(player: Player | None, found: Ruleset) -> dict[str, object]:
    refused = services.own_rules_refused(player, found)
    return {"cost": CostTold(cost_of(found)), "refused": refused}


@never_cache
@require_POST
def make_rules(request: PlayRequest) -> HttpResponse:
    player = _may(request)
    form = _asked(QueryDict(request.POST.get("asked", "")))
    try:
        check_upload(request)
        if not form.is_valid():
            raise NotUnderstood
        made = services.own_rules_make(player=player, rules=form.rules)
    except Refused as refusal:
        messages.warning(request, refusal.message)
    else:
        messages.success(
            request,
            _("“%(name)s” is there: it can be played at once, and the coach follows.")
            % {"name": made},
        )
    return redirect("own_rules")


@never_cache
@require_POST
def remove_rules(request: PlayRequest, ruleset: str) -> HttpResponse:
    services.own_rules_remove(player=_may(request), ruleset_id=ruleset)
    return redirect("own_rules")


def _may(request: PlayRequest) -> Player:
    check_not_blinded(request.visitor.player)
    player = _member(request)
    if player is None:
        raise Http404
    return player


def _member(request: PlayRequest) -> Player | None:
    """Rules are kept with an account: of a guest nobody knows whether they come back."""
    return request.visitor.player if request.user.is_authenticated else None


def _asked(asked: QueryDict) -> OwnRulesForm:
    dice = asked.get("dice", "")
    cup = int(dice) if dice in map(str, DICE) else USUAL
    return OwnRulesForm(cup, asked if "name" in asked else None)
