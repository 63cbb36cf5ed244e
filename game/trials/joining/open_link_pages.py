"""The pages behind a trial's open link, where people read the consent text and agree.

The server stores only daily counts about people who do not agree.

A script on the page reports when a person sees the page. Programs that preview links run no
scripts. A browser that loads the page in advance reports only when it shows the page. Each browser
counts once per session.
"""

import csv
import io
from collections.abc import Mapping
from contextlib import suppress

from django import forms
from django.contrib import messages
from django.db.models import F
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_POST, require_safe

from game.core.refusals import Refused
from game.core.words import labels
from game.core.words.cells import disarm_formulas
from game.pages.requests.limits import (
    TooMuch,
    check_failures,
    check_link,
    check_new_player,
    count_failure,
)
from game.pages.requests.visitors import PlayRequest
from game.trials.design.people import (
    UNDER_WAY,
    UNDER_WAY_TITLE,
    WAYS_OUT,
    add_outcomes,
    count_outcomes,
    count_places_left,
    find_participant_by_label,
    find_recruitment,
    log_event,
    query_recruited,
)
from game.trials.files.export_table import format_time
from game.trials.joining.links import is_return_code
from game.trials.joining.pages import (
    AgreeForm,
    NoWayIn,
    check_nobody_else,
    check_way_in,
    log_presence,
    set_trial_language,
)
from game.trials.joining.recruiting import (
    FREE,
    PANELS,
    Address,
    BadAddress,
    CodeNeeded,
    NoPlaceLeft,
    SentAway,
    check_may_come,
    delete_labels,
    make_outcome,
    read_address,
    recruit_again,
    recruit_agree,
)
from game.trials.models import (
    ArrivalCount,
    Participant,
    Recruitment,
    Trial,
    TrialEvent,
    normalise_label,
)
from game.trials.staff import owners_only

COOKIE = "arrived"
MOST = 30  # the maximum number of arrivals in a browser's cookie


def increment_arrivals(*, trial: Trial, kind: str) -> None:
    count, _made = ArrivalCount.objects.get_or_create(
        trial=trial, kind=kind, day=timezone.localdate()
    )
    ArrivalCount.objects.filter(pk=count.pk).update(people=F("people") + 1)


def count_once(request: HttpRequest, response: HttpResponse, trial: Trial, kind: str) -> None:
    """Count an arrival of this kind. A cookie prevents a second count in a browser session."""
    mark = f"{trial.pk}.{kind}"
    counted = request.COOKIES.get(COOKIE, "").split("-")
    if mark in counted:
        return
    increment_arrivals(trial=trial, kind=kind)
    value = "-".join([*filter(None, counted), mark][-MOST:])
    response.set_cookie(COOKIE, value, secure=request.is_secure(), httponly=True, samesite="Lax")


@never_cache
@require_safe
def join(request: PlayRequest, token: str) -> HttpResponse:
    """Show the consent text, or let a known participant continue. Store nothing else."""
    recruitment = _get_recruitment(token)
    address = _read_address(request, recruitment)
    if known := _find_known(request, recruitment, address):
        if request.visitor.participant != known:
            return _ask_for_code(request, recruitment, address)
        return _let_in(request, known, address, "label")
    try:
        check_may_come(recruitment, address.person)
    except SentAway as refusal:
        return _turn_away(request, recruitment, address, refusal)
    request.visitor.remember_consent_read(recruitment.trial_id)
    return set_trial_language(_show_consent(request, recruitment, address), recruitment.trial)


@never_cache
@require_POST
def join_agree(request: PlayRequest, token: str) -> HttpResponse:
    recruitment = _get_recruitment(token)
    address = _read_address(request, recruitment)
    known, form = _find_known(request, recruitment, address), AgreeForm(request.POST)
    try:
        if not form.is_valid():
            raise Refused(_("Please confirm that you agree. If you do not agree, leave this page."))
        check_new_player(request)
        admitted = known if request.visitor.participant == known else None
        if admitted is not None:
            check_way_in(request, admitted)
        participant = recruit_agree(
            recruitment=recruitment,
            version=form.cleaned_data["version"],
            parameters=address.labels,
            admitted=admitted,
        )
    except CodeNeeded:
        return _ask_for_code(request, recruitment, address)
    except SentAway as refusal:
        return _turn_away(request, recruitment, address, refusal)
    except Refused as refusal:
        return _show_consent(request, recruitment, address, refusal)
    request.visitor.take_part(participant, "label")
    log_presence(request, participant)
    response = redirect("take_part")
    if known is None:  # this also counts browsers that run no scripts
        count_once(request, response, recruitment.trial, ArrivalCount.Kind.OPENED)
    return response


@never_cache
@require_POST
def join_arrived(request: PlayRequest, token: str) -> HttpResponse:
    """Count a person who sees the page. A script on the page sends this request."""
    recruitment, what = _get_recruitment(token), request.POST.get("what", "")
    response = HttpResponse(status=204)
    if what in ArrivalCount.Kind.values and recruitment.trial.is_open:
        with suppress(TooMuch):
            check_link(request)
            count_once(request, response, recruitment.trial, what)
    return response


@never_cache
@sensitive_post_parameters()
@require_POST
def join_code(request: PlayRequest, token: str) -> HttpResponse:
    recruitment = _get_recruitment(token)
    address = _read_address(request, recruitment)
    known = _find_known(request, recruitment, address)
    place = f"{recruitment.pk} {normalise_label(address.person)}"
    code = request.POST.get("code", "")
    try:
        check_failures(request, "code", place)
        if known is None or not is_return_code(known, code):
            count_failure(request, "code", place)
            if known is not None:
                log_event(known.trial, TrialEvent.Kind.CODE_REFUSED, known)
            raise Refused(_("That is not the code of this participant. Please check it."))
    except Refused as refusal:
        return _ask_for_code(request, recruitment, address, refusal)
    return _let_in(request, known, address, "code")


@never_cache
@require_safe
def join_decline(request: PlayRequest, token: str) -> HttpResponse:
    """Show that the person declined. Store nothing about the person, here or in the browser."""
    recruitment = _get_recruitment(token)
    request.visitor.forget_consent_read(recruitment.trial_id)
    message = _("You did not agree, so we store nothing about you. Thank you for coming!")
    declined = ArrivalCount.Kind.DECLINED
    return _send_away(
        request, recruitment, _read_address(request, recruitment), "no_consent", message, declined
    )


def _get_recruitment(token: str) -> Recruitment:
    recruitment = Recruitment.objects.select_related("trial").filter(token=token).first()
    if recruitment is None:
        text = _("This link is not one of ours. Please copy the whole link and try again.")
        raise NoWayIn(text)
    return recruitment


def _read_address(request: PlayRequest, recruitment: Recruitment) -> Address:
    try:
        return read_address(recruitment, request.GET)
    except BadAddress as refusal:
        raise NoWayIn(refusal.message) from None


def _find_known(
    request: PlayRequest, recruitment: Recruitment, address: Address
) -> Participant | None:
    """Find the participant by external ID or, if the link asks for no IDs, by browser."""
    visiting = request.visitor.participant
    if not recruitment.names:
        mine = visiting and visiting.trial_id == recruitment.trial_id and visiting.recruited
        known = visiting if mine else None
    else:
        known = find_participant_by_label(recruitment.trial, address.person)
    check_nobody_else(request, known)
    return known


def _let_in(request: PlayRequest, known: Participant, address: Address, way: str) -> HttpResponse:
    check_way_in(request, known)
    recruit_again(participant=known, labels=address.labels)
    request.visitor.take_part(known, way)
    return set_trial_language(redirect("take_part"), known.trial)


def _show_consent(
    request: PlayRequest, recruitment: Recruitment, address: Address, refusal: Refused | None = None
) -> HttpResponse:
    context = {
        "game_name": labels.find_ruleset_name(recruitment.trial.rules),
        "consent": recruitment.trial.consents.latest("version"),
        "agree": reverse("join_agree", args=[recruitment.token]) + address.query,
        "decline": reverse("join_decline", args=[recruitment.token]) + address.query,
        "token": recruitment.token,
        "arrived": ArrivalCount.Kind.OPENED.value,
    }
    return _render_page(request, recruitment, "trials/join.html", context, refusal)


def _ask_for_code(
    request: PlayRequest, recruitment: Recruitment, address: Address, refusal: Refused | None = None
) -> HttpResponse:
    request.visitor.remember_consent_read(recruitment.trial_id)
    context = {"enter": reverse("join_code", args=[recruitment.token]) + address.query}
    page = _render_page(request, recruitment, "trials/join_code.html", context, refusal)
    return set_trial_language(page, recruitment.trial)


def _render_page(
    request: PlayRequest,
    recruitment: Recruitment,
    template: str,
    context: Mapping[str, object],
    refusal: Refused | None,
) -> HttpResponse:
    message = refusal.message if refusal else ""
    context = {**context, "trial": recruitment.trial, "message": message}
    status = refusal.status if refusal else 200
    with translation.override(recruitment.trial.language or translation.get_language()):
        return render(request, template, context, status=status)


def _turn_away(
    request: PlayRequest, recruitment: Recruitment, address: Address, refusal: SentAway
) -> HttpResponse:
    counted = ArrivalCount.Kind.NO_PLACE if isinstance(refusal, NoPlaceLeft) else ""
    page = _send_away(request, recruitment, address, refusal.way, refusal.message, counted)
    page.status_code = refusal.status
    return page


def _send_away(
    request: PlayRequest,
    recruitment: Recruitment,
    address: Address,
    name: str,
    message: str,
    arrived: str,
) -> HttpResponse:
    ending = make_outcome(recruitment, name, address.labels)
    context = {"trial": recruitment.trial, "message": message, "outcome": ending}
    context |= {"token": recruitment.token, "arrived": arrived}
    return render(request, "trials/sent_away.html", context)


def link_facts(request: HttpRequest, now: Recruitment) -> dict[str, object]:
    address = request.build_absolute_uri(reverse("join", args=[now.token]))
    alike = (panel for panel in PANELS.values() if list(panel.names) == now.names)
    panel = PANELS.get(now.panel) or next(alike, FREE)
    counts = count_outcomes(now.trial, timezone.now())
    ended = [(way.title, counts[name]) for name, way in WAYS_OUT.items() if way.place != "none"]
    return {
        "link": now,
        "address": address + panel.query(now.names),
        "panel": panel,
        "places_left": count_places_left(now),
        "counts": [(UNDER_WAY_TITLE, counts[""]), *ended],
        "labels": now.trial.arrivals.count(),
        "delete": DeleteLabelsForm(),
    }


class DeleteLabelsForm(forms.Form):
    confirm = forms.BooleanField(
        label="Delete all external IDs. After that, you cannot match participants to people."
    )


@require_safe
@never_cache
def labels_file(request: HttpRequest, slug: str) -> HttpResponse:
    """Send the external IDs of the people to pay. Exports never contain external IDs."""
    trial = get_object_or_404(Trial, slug=slug)
    arrivals = {each.participant_id: each for each in trial.arrivals.select_related("participant")}
    people = add_outcomes(query_recruited(trial), trial, timezone.now())
    kept = [(arrivals[who.pk], outcome) for who, outcome in people if who.pk in arrivals]
    now = find_recruitment(trial)
    earlier = sorted({name for arrival, _outcome in kept for name in arrival.parameters})
    names = list(dict.fromkeys([*(now.names if now else []), *earlier]))
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["participant", *names, "arrived_at", "outcome"])
    for arrival, outcome in kept:
        for at, parameters in arrival.visits:
            cells = [disarm_formulas(parameters.get(name, "")) for name in names]
            ended = outcome or UNDER_WAY
            writer.writerow([arrival.participant.label, *cells, format_time(at), ended])
    response = HttpResponse(text.getvalue(), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="yatzy-{slug}-labels.csv"'
    return response


@require_POST
@owners_only
def labels_remove(request: HttpRequest, slug: str) -> HttpResponse:
    trial = get_object_or_404(Trial, slug=slug)
    if DeleteLabelsForm(request.POST).is_valid():
        count = delete_labels(trial=trial)
        text = "%(n)s external ID deleted." if count == 1 else "%(n)s external IDs deleted."
        messages.success(request, text % {"n": count})
    return redirect("trial_screen", slug, "open")
