"""Pages for researchers: the list of trials, a trial's ten screens, its results, links and team."""

import csv
from collections.abc import Callable
from datetime import timedelta
from functools import wraps
from typing import Any, cast

from django import forms
from django.contrib import messages
from django.contrib.auth.models import User
from django.core.paginator import Paginator
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from game.coach.waiting import request_one_table
from game.core.refusals import NotUnderstood, Refused
from game.trials.design.masking import find_stopping_rule, unblind_trial
from game.trials.design.people import log_event
from game.trials.design.reading import list_rulesets
from game.trials.design.writing import (
    PRESETS,
    close_trial,
    delete_trial,
    describe_allocation,
    has_trial_begun,
    lock_trial,
    open_trial,
    query_personal_places,
)
from game.trials.joining.links import make_invitations
from game.trials.joining.open_link_pages import link_facts
from game.trials.joining.pages import WithdrawForm
from game.trials.joining.recruiting import store_recruitment
from game.trials.joining.withdrawing import LABEL_DAYS, find_deadline, withdraw_participant
from game.trials.joining.writing import issue_link, revoke_link, unbind_participant
from game.trials.models import Trial, TrialEvent, TrialStaff
from game.trials.monitor import monitor
from game.trials.reading import list_trials
from game.trials.results.flow import build_flow
from game.trials.results.preregistration import (
    describe_plan,
    describe_stopping,
    list_changes,
    list_entries,
    lock_preregistration,
    log_lines,
)
from game.trials.results.results import calculate_results
from game.trials.road.screens import (
    SCREENS,
    Road,
    create_draft,
    make_previews,
    plan_save,
    save_road,
)
from game.trials.staff import (
    View,
    colleagues_only,
    log_superuser,
    make_context,
    owners_only,
    runners_only,
)

LINKS_A_PAGE = 60


class DeleteTrialForm(forms.Form):
    """A form that asks for the short name, because deleting a trial deletes all its games."""

    slug = forms.CharField(label="Type the short name of the trial to delete it")


Context = dict[str, Any]


def page(name: str) -> Callable[[Callable[[HttpRequest, Trial], Context]], View]:
    """Decorate a function that returns what the template ``name`` shows of a trial."""

    def decorate(collect: Callable[[HttpRequest, Trial], Context]) -> View:
        @require_safe
        @never_cache
        def view(request: HttpRequest, slug: str) -> HttpResponse:
            trial = get_object_or_404(Trial, slug=slug)
            context = make_context(trial) | collect(request, trial)
            return render(request, f"trials/{name}.html", context)

        return view

    return decorate


def button(
    restrict: Callable[[View], View], *back: str
) -> Callable[[Callable[..., HttpResponse | None]], View]:
    """Decorate what a button does. Then, or with a warning if it is refused, show the page
    ``back`` of the trial, unless the button leads to another page."""

    def decorate(act: Callable[..., HttpResponse | None]) -> View:
        @require_POST
        @restrict
        @wraps(act)
        def view(request: HttpRequest, slug: str, **which: Any) -> HttpResponse:
            response = None
            try:
                response = act(request, get_object_or_404(Trial, slug=slug), **which)
            except Refused as refusal:
                messages.warning(request, refusal.message)
            name, *step = back
            return response or redirect(name, slug, *step)

        return view

    return decorate


@require_safe
@never_cache
def index(request: HttpRequest) -> HttpResponse:
    context = {"trials": list_trials(cast(User, request.user)), "presets": PRESETS.values()}
    return render(request, "trials/index.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def new(request: HttpRequest) -> HttpResponse:
    preset = PRESETS.get(request.POST.get("preset", ""))
    if preset is None:
        return redirect("trials")
    trial = create_draft(preset=preset, created_by=cast(User, request.user))
    return redirect("trial_screen", trial.slug, "question")


@page("road")
def trial(_request: HttpRequest, trial: Trial) -> Context:
    return {"lines": Road(trial).lines, "log": log_lines(trial), "delete": DeleteTrialForm()}


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@log_superuser
def screen(request: HttpRequest, slug: str, step: str) -> HttpResponse:
    trial = get_object_or_404(Trial, slug=slug)
    if step not in SCREENS:
        raise Http404
    road, status = Road(trial), 200
    line, *later = road.lines[list(SCREENS).index(step) :]
    rights = request.rights  # type: ignore[attr-defined]
    form = road.make_form(line.screen, request.POST or None, secrets=rights.run)
    locked = road.draft is not None and road.draft.is_locked
    shut = not rights.own or (step == "plan" and (locked or has_trial_begun(trial)))
    for field in form.fields.values() if shut else ():
        field.disabled = True
    if request.method == "POST" and form.is_valid():
        try:
            saved = save_road(road, form)
        except Refused as refusal:
            form.add_error(None, refusal.message)
            status = refusal.status
        else:
            messages.success(request, "Saved.")
            return redirect("trial_screen", saved.slug, step)
    context = {
        **make_context(trial),
        "form": form,
        "line": line,
        "next": later[0] if later else None,
        "shut": shut,
        **make_previews(trial, step),
    }
    template = step if step in _MORE else "screen"
    context |= _MORE[step](request, road) if step in _MORE else {}
    return render(request, f"trials/{template}.html", context, status=status)


def _build_plan(_request: HttpRequest, road: Road) -> Context:
    plan = road.draft
    context: Context = {"found": plan, "begun": has_trial_begun(road.trial)}
    if plan is not None:
        context |= describe_plan(plan)
        context["changes"] = list_changes(plan) if plan.is_locked else []
    return context


def _open(request: HttpRequest, road: Road) -> Context:
    tables = map(request_one_table, list_rulesets(road.trial))
    context = _build_plan(request, road) | {
        "awaited": [ruleset for ruleset in tables if not ruleset.there],
        "left": [line for line in road.lines[:5] if line.missing],
    }
    return context | (link_facts(request, road.link) if road.link else {})


def _close(_request: HttpRequest, road: Road) -> Context:
    closed = road.trial.closed_at
    return {
        "playing": [row for row in monitor(road.trial).drawn() if row.under_way is not None],
        "label_deadline": closed and closed + timedelta(days=LABEL_DAYS),
        "deadline": find_deadline(road.trial),
    }


# The screens that have a template, and what it shows besides the form.
_MORE: dict[str, Callable[[HttpRequest, Road], Context]] = {
    "plan": _build_plan,
    "open": _open,
    "close": _close,
}


@page("through")
def through(_request: HttpRequest, trial: Trial) -> Context:
    return make_previews(trial)


@page("monitor")
def trial_monitor(_request: HttpRequest, trial: Trial) -> Context:
    entries = list_entries(trial)
    return {"monitor": monitor(trial), "entries": entries} | describe_allocation(trial)


@button(owners_only, "trial_screen", "open")
def lock(request: HttpRequest, trial: Trial) -> None:
    road = Road(trial)
    if road.draft is None:
        plan_save(trial, road.values)
    lock_preregistration(trial=trial)
    messages.success(request, "The plan is locked.")


@button(runners_only, "trial_screen", "open")
def turn(_request: HttpRequest, trial: Trial, to: str) -> HttpResponse | None:
    """Open or close the trial or its open link, depending on the value of ``to`` in the form."""
    if to in {"admit", "pause"}:
        store_recruitment(trial=trial, open=to == "admit")
    elif to in {"open", "close"}:
        (open_trial if to == "open" else close_trial)(trial=trial)
    else:
        raise Http404
    return redirect("trial_screen", trial.slug, "close") if to == "close" else None


@button(owners_only, "trial")
def delete(request: HttpRequest, trial: Trial) -> HttpResponse:
    if request.POST.get("slug", "").strip() != trial.slug:
        raise Refused("This is not the trial's short name, so nothing was deleted.")
    delete_trial(trial=trial)
    messages.success(request, "The trial is deleted, with all its games and answers.")
    return redirect("trials")


@button(runners_only, "trial_monitor")
def release(_request: HttpRequest, trial: Trial, number: int) -> None:
    unbind_participant(participant=get_object_or_404(trial.participants, number=number))


@button(runners_only, "trial_monitor")
def withdraw(request: HttpRequest, trial: Trial, number: int) -> None:
    """Withdraw a participant at their request. Nobody can undo this."""
    participant = get_object_or_404(trial.participants, number=number)
    if not WithdrawForm(request.POST).is_valid():
        raise NotUnderstood
    withdraw_participant(participant=participant)


@button(runners_only, "trial_links")
def link_turn(request: HttpRequest, trial: Trial, number: int, to: str) -> None:
    participant = get_object_or_404(trial.participants, number=number)
    change = {"revoke": revoke_link, "issue": issue_link}.get(to)
    if change is None:
        raise Http404
    change(participant=participant)
    messages.success(request, f"The link of {participant.label} was changed.")


@page("links")
def links(request: HttpRequest, trial: Trial) -> Context:
    people = query_personal_places(trial).order_by("number")
    shown = Paginator(people, LINKS_A_PAGE).get_page(request.GET.get("page"))
    site = request.build_absolute_uri("/")
    return {"page": shown, "invitations": make_invitations(shown.object_list, site)}


@require_safe
@never_cache
def links_file(request: HttpRequest, slug: str) -> HttpResponse:
    """Send the participants' personal links as a CSV file for a mail merge."""
    people = query_personal_places(get_object_or_404(Trial, slug=slug)).order_by("number")
    response = HttpResponse(content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="yatzy-{slug}-links.csv"'
    writer = csv.writer(response, lineterminator="\n")
    writer.writerow(["participant", "link"])
    for invitation in make_invitations(people, request.build_absolute_uri("/")):
        writer.writerow([invitation.participant.label, invitation.address])
    return response


Role = TrialStaff.Role


def give_role(*, trial: Trial, username: str, role: str) -> TrialStaff:
    with transaction.atomic():
        lock_trial(trial.pk)  # a trial keeps an owner even if two owners leave at the same moment
        user = User.objects.filter(username=username, is_staff=True, is_active=True).first()
        if user is None:
            raise Refused("No staff member of this site has that username.")
        if role != Role.OWN:
            _check_owner_stays(trial, user)
        given, _new = TrialStaff.objects.update_or_create(
            trial=trial, user=user, defaults={"role": role}
        )
        log_event(trial, TrialEvent.Kind.ROLE_GIVEN, role=role)
        return given


def remove_role(*, trial: Trial, user: User) -> None:
    with transaction.atomic():
        lock_trial(trial.pk)  # a trial keeps an owner even if two owners leave at the same moment
        _check_owner_stays(trial, user)
        for member in trial.team.filter(user=user):
            member.delete()
            log_event(trial, TrialEvent.Kind.ROLE_TAKEN, role=member.role)


def _check_owner_stays(trial: Trial, user: User) -> None:
    if [owner.user_id for owner in trial.team.filter(role=Role.OWN)] == [user.pk]:
        raise Refused("A trial needs an owner: make another person an owner first.")


class RoleForm(forms.Form):
    username = forms.CharField(label="Username", max_length=150)
    role = forms.ChoiceField(
        label="Role", choices=TrialStaff.Role.choices, widget=forms.RadioSelect
    )


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@log_superuser
def roles(request: HttpRequest, slug: str) -> HttpResponse:
    trial = get_object_or_404(Trial, slug=slug)
    form = RoleForm(request.POST or None)
    if form.is_valid():
        try:
            give_role(trial=trial, **form.cleaned_data)
            return redirect("trial_staff", slug)
        except Refused as refusal:
            form.add_error(None, refusal.message)
    team = list(trial.team.select_related("user"))
    owned = any(member.role == Role.OWN for member in team)
    context = {**make_context(trial), "form": form, "team": team, "owned": owned}
    return render(request, "trials/roles.html", context)


@button(owners_only, "trial_staff")
def end(_request: HttpRequest, trial: Trial, user_id: int) -> None:
    remove_role(trial=trial, user=get_object_or_404(User, pk=user_id, trial_roles__trial=trial))


@button(colleagues_only, "trial_staff")
def leave(request: HttpRequest, trial: Trial) -> HttpResponse:
    remove_role(trial=trial, user=cast(User, request.user))
    return redirect("trials")


class UnmaskForm(forms.Form):
    reason = forms.CharField(
        label="Why you unblind the trial now",
        max_length=500,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="The results, the report and the files show this reason.",
    )
    confirm = forms.BooleanField(label="Show the outcomes by arm. You cannot undo this.")


@page("results")
def results(_request: HttpRequest, trial: Trial) -> Context:
    now = timezone.now()
    if trial.masked:
        rule = find_stopping_rule(trial)
        stopping = describe_stopping(rule) if rule else ""
        return {"stopping": stopping, "unmask": UnmaskForm(), "flow": build_flow(trial, now)}
    computed = calculate_results(trial, now)
    return {"results": computed, "flow": computed.flow}


@button(owners_only, "trial_results")
def unmask(request: HttpRequest, trial: Trial) -> None:
    form = UnmaskForm(request.POST)
    if not form.is_valid():
        raise NotUnderstood
    unblind_trial(trial=trial, reason=form.cleaned_data["reason"])
