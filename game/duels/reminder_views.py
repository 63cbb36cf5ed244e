"""A device that wishes to hear of it when it is somebody's turn, and what it is then told."""

from collections.abc import Callable

from django.http import HttpResponse, JsonResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from game.core.blinding import check_not_in_trial
from game.core.refusals import NotUnderstood, Refused
from game.duels.reminders import reminder_keep, reminder_stop
from game.models import Player
from game.pages.requests.visitors import PlayRequest


@never_cache
@require_POST
def keep(request: PlayRequest) -> HttpResponse:
    site = request.build_absolute_uri(reverse("play"))
    return _changed(
        request,
        lambda player, endpoint: reminder_keep(player=player, endpoint=endpoint, site=site),
    )


@never_cache
@require_POST
def stop(request: PlayRequest) -> HttpResponse:
    return _changed(
        request,
        lambda player, endpoint: reminder_stop(player=player, endpoint=endpoint),
    )


def _changed(request: PlayRequest, change: Callable[[Player, str], object]) -> HttpResponse:
    """A script asks: it is answered in words that it can show."""
    try:
        player, endpoint = request.visitor.player, request.POST.get("endpoint", "")
        if player is None or not endpoint:
            raise NotUnderstood
        check_not_in_trial(player)
        change(player, endpoint)
    except Refused as refusal:
        return HttpResponse(refusal.message, status=refusal.status, content_type="text/plain")
    return HttpResponse(status=204)


@never_cache
@require_safe
def waiting(request: PlayRequest) -> HttpResponse:
    """Asked by a device that was woken, for whoever is signed in on it."""
    awaited = request.visitor.awaited
    told = _("Nobody waits for you any more.")
    if awaited:
        told = ngettext(
            "Others wait for you in %(duels)s duel.",
            "Others wait for you in %(duels)s duels.",
            len(awaited),
        ) % {"duels": len(awaited)}
    alone = len(awaited) == 1
    address = reverse("duel", args=awaited) if alone else reverse("duels")
    title = _("It is your turn") if awaited else _("Yatzy")
    return JsonResponse({"title": title, "body": told, "address": address})
