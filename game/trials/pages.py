"""Trials as their researchers see them: the list, the settings, the monitor, the links."""

import csv
import io
from collections.abc import Callable
from typing import cast

from django.contrib import messages
from django.contrib.auth.models import User
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from game.coach.waiting import waiting
from game.core.refusals import NotUnderstood, Refused
from game.models import Participant, Trial
from game.trials.design.consent import parts_missing, standard_consent
from game.trials.design.design_form import DesignForm, both_valid, design_initial
from game.trials.design.designing import plan_of
from game.trials.design.forms import DeleteTrialForm, TrialForm, WithdrawForm
from game.trials.design.masking import stopping_out_of_reach
from game.trials.design.presets import PRESETS
from game.trials.design.reading import rulesets_of
from game.trials.design.writing import (
    personal,
    trial_close,
    trial_configure,
    trial_create,
    trial_delete,
    trial_open,
)
from game.trials.joining.links import invitations
from game.trials.joining.withdrawing import participant_withdraw
from game.trials.joining.writing import (
    participant_link_issue,
    participant_link_revoke,
    participant_release,
)
from game.trials.monitor.reading import monitor
from game.trials.reading import trials_for
from game.trials.results.preregistration import entry_lines, log_lines
from game.trials.staff import about, noted, owners_only, runners_only

LINKS_A_PAGE = 60


@require_safe
@never_cache
def index(request: HttpRequest) -> HttpResponse:
    listed = trials_for(cast(User, request.user))
    return render(request, "trials/index.html", {"trials": listed})


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def new(request: HttpRequest) -> HttpResponse:
    """Show the form of a new trial, with the settings of a preset if one is named."""
    preset = PRESETS.get(request.GET.get("preset", ""))
    usual = {"consent": standard_consent(Trial().rules)}
    form = TrialForm(request.POST or None, initial=usual | dict(preset.settings if preset else {}))
    design = DesignForm(request.POST or None)
    if request.method != "POST" or not both_valid(form, design):
        context = {"form": form, "design": design, "preset": preset, "presets": PRESETS.values()}
        return render(request, "trials/new.html", context)
    settings = {**form.cleaned_data, **design.cleaned_data}
    trial = trial_create(created_by=cast(User, request.user), **settings)
    messages.success(request, "The trial is made. Open it when its participants may begin.")
    return redirect("trial", trial.slug)


@require_safe
@never_cache
def trial(request: HttpRequest, slug: str) -> HttpResponse:
    found = get_object_or_404(Trial, slug=slug)
    seen = monitor(found)
    context = {**about(found), "monitor": seen, "plan": plan_of(found), "log": log_lines(found)}
    context |= {"entries": entry_lines(found), "out_of_reach": stopping_out_of_reach(found)}
    context["awaited"] = [one for one in map(waiting, rulesets_of(found)) if not one.there]
    return render(request, "trials/trial.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@noted
def edit(request: HttpRequest, slug: str) -> HttpResponse:
    found = get_object_or_404(Trial, slug=slug)
    consent = found.consents.latest("version")
    # The form validates into its instance, which must not be the trial that the page still shows.
    shown = get_object_or_404(Trial, slug=slug)
    form = TrialForm(request.POST or None, instance=shown, initial={"consent": consent.text})
    design = DesignForm(request.POST or None, initial=design_initial(found))
    context = {**about(found), "form": form, "design": design}
    context |= {"consent": consent, "delete": DeleteTrialForm()}
    context |= {"parts_missing": parts_missing(consent.text)}
    if request.method != "POST" or not both_valid(form, design):
        return render(request, "trials/edit.html", context)
    try:
        changed = trial_configure(trial=found, **form.cleaned_data, **design.cleaned_data)
    except Refused as refusal:
        form.add_error(None, refusal.message)
        return render(request, "trials/edit.html", context, status=refusal.status)
    messages.success(request, "The trial is changed.")
    return redirect("trial", changed.slug)


def _done(request: HttpRequest, deed: Callable[..., object], **what: object) -> bool:
    """Run an action; return whether it worked, and show a refusal on the next page."""
    try:
        deed(**what)
    except Refused as refusal:
        messages.warning(request, refusal.message)
        return False
    return True


@require_POST
@runners_only
def turn(request: HttpRequest, slug: str, to: str) -> HttpResponse:
    """Open or close the trial."""
    found = get_object_or_404(Trial, slug=slug)
    turned = {"open": trial_open, "close": trial_close}.get(to)
    if turned is None:
        raise Http404
    if to == "close" and found.is_open and not request.POST.get("sure"):
        playing = [row for row in monitor(found).drawn() if row.under_way is not None]
        if playing:
            return render(request, "trials/close.html", {**about(found), "playing": playing})
    if _done(request, turned, trial=found) and to == "open":
        _warn_of_text(request, found)
    return redirect("trial", slug)


def _warn_of_text(request: HttpRequest, trial: Trial) -> None:
    """Warn about what the consent text does not mention."""
    missing = parts_missing(trial.consents.latest("version").text)
    if missing:
        told = ", ".join(str(part.heading) for part in missing)
        messages.info(request, f"Open, but the text to agree to lacks: {told}.")


@require_POST
@owners_only
def delete(request: HttpRequest, slug: str) -> HttpResponse:
    found = get_object_or_404(Trial, slug=slug)
    if request.POST.get("slug", "").strip() != slug:
        messages.warning(request, "That is not the short name of this trial: it is kept.")
    elif _done(request, trial_delete, trial=found):
        text = "The trial and everything that was played in it are deleted."
        messages.success(request, text)
        return redirect("trials")
    return redirect("trial_edit", slug)


@require_POST
@runners_only
def release(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    found = get_object_or_404(Participant, trial__slug=slug, number=number)
    _done(request, participant_release, participant=found)
    return redirect("trial", slug)


@require_POST
@runners_only
def withdraw(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Withdraw a participant who asked the researcher to. This cannot be undone."""
    found = get_object_or_404(Participant, trial__slug=slug, number=number)
    if WithdrawForm(request.POST).is_valid():
        _done(request, participant_withdraw, participant=found)
    else:
        messages.warning(request, NotUnderstood().message)
    return redirect("trial", slug)


@require_POST
@runners_only
def link_turn(request: HttpRequest, slug: str, number: int, to: str) -> HttpResponse:
    found = get_object_or_404(Participant, trial__slug=slug, number=number)
    turned = {
        "revoke": participant_link_revoke,
        "issue": participant_link_issue,
    }.get(to)
    if turned is None:
        raise Http404
    if _done(request, turned, participant=found):
        messages.success(request, f"The link of {found.label} is changed.")
    return redirect("trial_links", slug)


@require_safe
@never_cache
def links(request: HttpRequest, slug: str) -> HttpResponse:
    found = get_object_or_404(Trial, slug=slug)
    page = Paginator(personal(found).order_by("number"), LINKS_A_PAGE).get_page(
        request.GET.get("page")
    )
    site = request.build_absolute_uri("/")
    context = {**about(found), "page": page, "invitations": invitations(page.object_list, site)}
    return render(request, "trials/links.html", context)


@require_safe
@never_cache
def links_file(request: HttpRequest, slug: str) -> HttpResponse:
    """Send the links as a file for a mail merge."""
    found = get_object_or_404(Trial, slug=slug)
    site = request.build_absolute_uri("/")
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["participant", "link"])
    everyone = invitations(personal(found).order_by("number"), site)
    writer.writerows((one.label, one.address) for one in everyone)
    response = HttpResponse(text.getvalue(), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="yatzy-{slug}-links.csv"'
    return response
