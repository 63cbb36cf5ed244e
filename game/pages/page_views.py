"""The pages about the rules and about fair dice, and the player's settings."""

from datetime import UTC, datetime, timedelta

from django.conf import settings as site
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import translation
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from game.core.accounts import store_settings
from game.core.coach_lock import is_closed_here
from game.core.studies import get_studies
from game.core.words import labels
from game.models import Player
from game.pages import rulesets
from game.pages.board import rules_words as words
from game.pages.requests.forms import NOT_IN_A_TRIAL, OF_THE_COACH, SettingsForm
from game.pages.requests.limits import TooMuch, check_visit
from game.pages.requests.visitors import PlayRequest
from game.pages.rulesets import find_named_rules

PLAIN = "text/plain; charset=utf-8"
EXPIRES = timedelta(days=90)
# Addresses that crawlers must not visit: personal links, and pages that take long to calculate.
NOT_FOR_CRAWLERS = (
    *("account", "admin", "api", "beat", "duel", "duels", "games", "join", "review", "table"),
    *("take-part", "trials", "watch"),
)


@require_safe
def rules(request: PlayRequest, ruleset: str = "") -> HttpResponse:
    participant = request.visitor.participant
    if not ruleset and request.visitor.frame and participant:  # show the rules of their trial
        ruleset = get_studies().find_ruleset_of(participant)
    ruleset_shown = find_named_rules(ruleset)
    context = {
        "rules": ruleset_shown,
        "game_name": labels.find_ruleset_name(ruleset_shown),
        "choices": rulesets.list_rules_choices(ruleset_shown, rulesets.make_rules_url),
        "card_url": rulesets.make_card_url(ruleset_shown),
        "headline": words.format_headline(ruleset_shown),
        "steps": words.list_steps(ruleset_shown),
        "columns": words.list_box_rules(ruleset_shown),
        "notes": words.list_notes(ruleset_shown),
    }
    return render(request, "pages/rules.html", context)


@require_safe
def fair(request: PlayRequest) -> HttpResponse:
    return render(request, "pages/fair.html")


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def settings(request: PlayRequest) -> HttpResponse:
    player = request.visitor.player
    # A form's validation changes its instance. The page must show the unchanged player.
    shown = Player.objects.get(pk=player.pk) if player else Player()
    hidden = NOT_IN_A_TRIAL if request.visitor.frame else OF_THE_COACH if is_closed_here() else ()
    form = SettingsForm(request.POST or None, instance=shown, without=hidden)
    if request.method != "POST" or not form.is_valid():
        status = 400 if request.method == "POST" else 200
        return render(request, "pages/settings.html", {"form": form}, status=status)
    try:
        check_visit(request, player)
    except TooMuch as refusal:
        form.add_error(None, refusal.message)
        return render(request, "pages/settings.html", {"form": form}, status=refusal.status)
    player = store_settings(player=player, **form.wishes)
    request.visitor.become(player)
    with translation.override(player.language or translation.get_language()):
        messages.success(request, _("Your settings are saved."))
    return set_language_cookie(redirect("settings"), player)


def set_language_cookie(response: HttpResponse, player: Player) -> HttpResponse:
    """Set the language cookie, or delete it if the player wants the browser's language."""
    name = site.LANGUAGE_COOKIE_NAME
    if player.language:
        age, https = 365 * 24 * 60 * 60, site.LANGUAGE_COOKIE_SECURE
        response.set_cookie(name, player.language, max_age=age, secure=https, samesite="Lax")
    else:
        response.delete_cookie(name, samesite="Lax")
    return response


@require_safe
def robots(request: HttpRequest) -> HttpResponse:
    """Return robots.txt: crawlers must skip personal pages, or the whole site (INDEXED=off)."""
    paths = [f"/{name}/" for name in NOT_FOR_CRAWLERS] if site.INDEXED else ["/"]
    lines = ["User-agent: *", *(f"Disallow: {path}" for path in paths), ""]
    return HttpResponse("\n".join(lines), content_type=PLAIN)


@require_safe
def security(request: HttpRequest) -> HttpResponse:
    """Return security.txt (RFC 9116): the contact for security faults; 404 without a contact."""
    if not site.SUPPORT:
        raise Http404
    expires = (datetime.now(UTC) + EXPIRES).strftime("%Y-%m-%dT00:00:00Z")
    lines = [f"Contact: {site.SUPPORT}", f"Expires: {expires}", "Preferred-Languages: en", ""]
    return HttpResponse("\n".join(lines), content_type=PLAIN)


@require_safe
def privacy(request: HttpRequest) -> HttpResponse:
    address = site.SUPPORT
    context = {
        "operator": site.OPERATOR,
        "address": address,
        "contact": address.removeprefix("mailto:"),
    }
    return render(request, "pages/privacy.html", context)
