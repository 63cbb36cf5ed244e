"""The pages behind a trial's open link, where people read the consent text and agree.

The server stores only daily counts about people who do not agree.

A script on the page reports when a person sees the page. Programs that preview links run no
scripts. A browser that loads the page in advance reports only when it shows the page. Each browser
counts once per session.
"""

import csv
import io
from collections.abc import Callable
from contextlib import suppress
from functools import wraps
from typing import Any

from django import forms
from django.contrib import messages
from django.db.models import F
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.functional import cached_property
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
from game.trials.joining.links import BadLink, is_return_code
from game.trials.joining.pages import (
    check_nobody_else,
    check_way_in,
    enter_trial,
    let_in,
    read_agreement,
    set_trial_language,
)
from game.trials.joining.recruiting import (
    FREE,
    PANELS,
    Address,
    CodeNeeded,
    HasDeclined,
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


class Visit:
    """A request for a page of an open link."""

    def __init__(self, request: PlayRequest, token: str) -> None:
        recruitment = Recruitment.objects.select_related("trial").filter(token=token).first()
        if recruitment is None:
            raise BadLink
        self.request, self.recruitment, self.trial = request, recruitment, recruitment.trial

    @cached_property
    def address(self) -> Address:
        return read_address(self.recruitment, self.request.GET)

    @cached_property
    def known(self) -> Participant | None:
        """The participant with this external ID or, if the link asks for no IDs, this browser."""
        visiting = self.request.visitor.participant
        if self.recruitment.names:
            known = find_participant_by_label(self.trial, self.address.person)
        else:
            mine = visiting and visiting.trial_id == self.trial.pk and visiting.recruited
            known = visiting if mine else None
        check_nobody_else(self.request, known)
        return known

    def let_in(self, known: Participant, way: str) -> HttpResponse:
        response = let_in(self.request, known, way)
        recruit_again(participant=known, labels=self.address.labels)
        return response

    def show_consent(self, refusal: Refused | None = None) -> HttpResponse:
        context = {
            "game_name": labels.find_ruleset_name(self.trial.rules),
            "consent": self.trial.consents.latest("version"),
            "agree": self._make_link("join_agree"),
            "decline": self._make_link("join_decline"),
            "token": self.recruitment.token,
            "arrived": ArrivalCount.Kind.OPENED.value,
        }
        return self._render("trials/join.html", context, refusal)

    def ask_for_code(self, refusal: Refused | None = None) -> HttpResponse:
        self.request.visitor.remember_consent_read(self.trial.pk)
        context = {"enter": self._make_link("join_code")}
        return set_trial_language(
            self._render("trials/join_code.html", context, refusal), self.trial
        )

    def send_away(self, refusal: SentAway) -> HttpResponse:
        context = {
            "outcome": make_outcome(self.recruitment, refusal.way, self.address.labels),
            "token": self.recruitment.token,
            "arrived": refusal.arrived,
        }
        return self._render("trials/sent_away.html", context, refusal)

    def _make_link(self, name: str) -> str:
        return reverse(name, args=[self.recruitment.token]) + self.address.query

    def _render(
        self, template: str, context: dict[str, Any], refusal: Refused | None
    ) -> HttpResponse:
        context |= {"trial": self.trial, "message": refusal.message if refusal else ""}
        status = refusal.status if refusal else 200
        with translation.override(self.trial.language or translation.get_language()):
            return render(self.request, template, context, status=status)


def visit_link(view: Callable[[Visit], HttpResponse]) -> Callable[..., HttpResponse]:
    @wraps(view)
    def checked(request: PlayRequest, token: str) -> HttpResponse:
        visit = Visit(request, token)
        try:
            return view(visit)
        except CodeNeeded:
            return visit.ask_for_code()
        except SentAway as refusal:
            return visit.send_away(refusal)
        except Refused as refusal:
            return visit.show_consent(refusal)

    return never_cache(checked)


@require_safe
@visit_link
def join(visit: Visit) -> HttpResponse:
    """Show the consent text, or let a known participant continue. Store nothing else."""
    if known := visit.known:
        here = visit.request.visitor.participant == known
        return visit.let_in(known, "label") if here else visit.ask_for_code()
    check_may_come(visit.recruitment, visit.address.person)
    visit.request.visitor.remember_consent_read(visit.trial.pk)
    return set_trial_language(visit.show_consent(), visit.trial)


@require_POST
@visit_link
def join_agree(visit: Visit) -> HttpResponse:
    request, known = visit.request, visit.known
    admitted = known if request.visitor.participant == known else None
    version = read_agreement(request)
    check_new_player(request)
    if admitted is not None:
        check_way_in(request, admitted)
    participant = recruit_agree(
        recruitment=visit.recruitment,
        version=version,
        parameters=visit.address.labels,
        admitted=admitted,
    )
    enter_trial(request, participant, "label")
    response = redirect("take_part")
    if known is None:  # this also counts browsers that run no scripts
        count_once(request, response, visit.trial, ArrivalCount.Kind.OPENED)
    return response


@require_POST
@visit_link
def join_arrived(visit: Visit) -> HttpResponse:
    """Count a person who sees the page. A script on the page sends this request."""
    request, what = visit.request, visit.request.POST.get("what", "")
    response = HttpResponse(status=204)
    if what in ArrivalCount.Kind.values and visit.trial.is_open:
        with suppress(TooMuch):
            check_link(request)
            count_once(request, response, visit.trial, what)
    return response


@sensitive_post_parameters()
@require_POST
@visit_link
def join_code(visit: Visit) -> HttpResponse:
    request, known, code = visit.request, visit.known, visit.request.POST.get("code", "")
    place = f"{visit.recruitment.pk} {normalise_label(visit.address.person)}"
    try:
        check_failures(request, "code", place)
        if known is None or not is_return_code(known, code):
            count_failure(request, "code", place)
            if known is not None:
                log_event(known.trial, TrialEvent.Kind.CODE_REFUSED, known)
            raise Refused(_("That is not the code of this participant. Please check it."))
    except Refused as refusal:
        return visit.ask_for_code(refusal)
    return visit.let_in(known, "code")


@require_safe
@visit_link
def join_decline(visit: Visit) -> HttpResponse:
    """Show that the person declined. Store nothing about the person, here or in the browser."""
    visit.request.visitor.forget_consent_read(visit.trial.pk)
    raise HasDeclined


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
