"""Pages for researchers: the list of trials, a trial's ten screens, its results, links and team."""

import csv
import io
from collections.abc import Callable
from datetime import timedelta
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
from game.trials.models import Participant, Trial, TrialEvent, TrialStaff
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
    choose_language,
    create_draft,
    make_previews,
    plan_save,
    save_road,
)
from game.trials.staff import (
    colleagues_only,
    log_superuser,
    make_context,
    owners_only,
    run_or_warn,
    runners_only,
)

LINKS_A_PAGE = 60


class DeleteTrialForm(forms.Form):
    """A form that asks for the short name, because deleting a trial deletes all its games."""

    slug = forms.CharField(label="Type the short name of the trial to delete it")


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


@require_safe
@never_cache
def trial(request: HttpRequest, slug: str) -> HttpResponse:
    shown = get_object_or_404(Trial, slug=slug)
    context = {**make_context(shown), "lines": Road(shown).lines, "log": log_lines(shown)}
    return render(request, "trials/road.html", context | {"delete": DeleteTrialForm()})


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@log_superuser
def screen(request: HttpRequest, slug: str, step: str) -> HttpResponse:
    trial = get_object_or_404(Trial, slug=slug)
    if step not in SCREENS:
        raise Http404
    road, shown, status = Road(trial), SCREENS[step], 200
    secrets = request.rights.run  # type: ignore[attr-defined]
    form = road.make_form(shown, request.POST or None, secrets=secrets)
    shut = not request.rights.own or (step == "plan" and road.planned)  # type: ignore[attr-defined]
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
    names = list(SCREENS)
    following = names[names.index(step) + 1 :][:1]
    context = {
        **make_context(trial),
        "screen": shown,
        "form": form,
        "number": names.index(step) + 1,
        "line": next(line for line in road.lines if line.screen is shown),
        "next": SCREENS[following[0]] if following else None,
        "shut": shut,
        "previews": make_previews(trial, step),
        "language": choose_language(trial),
    }
    if more := _MORE.get(step):
        context |= more(request, road)
    return render(request, f"trials/{_TEMPLATES.get(step, 'screen')}.html", context, status=status)


def _build_plan(_request: HttpRequest, road: Road) -> dict[str, Any]:
    plan = road.draft
    context: dict[str, Any] = {"found": plan, "begun": has_trial_begun(road.trial)}
    if plan is not None:
        context |= describe_plan(plan)
        context["changes"] = list_changes(plan) if plan.is_locked else []
    return context


def _open(request: HttpRequest, road: Road) -> dict[str, Any]:
    trial = road.trial
    awaited = [
        ruleset for ruleset in map(request_one_table, list_rulesets(trial)) if not ruleset.there
    ]
    left = [line for line in road.lines[:5] if line.missing]
    context = _build_plan(request, road) | {"awaited": awaited, "left": left}
    return context | (link_facts(request, road.link) if road.link else {})


def _close(_request: HttpRequest, road: Road) -> dict[str, Any]:
    closed = road.trial.closed_at
    return {
        "playing": [row for row in monitor(road.trial).drawn() if row.under_way is not None],
        "label_deadline": closed and closed + timedelta(days=LABEL_DAYS),
        "deadline": find_deadline(road.trial),
    }


_MORE: dict[str, Callable[[HttpRequest, Road], dict[str, Any]]] = {
    "plan": _build_plan,
    "open": _open,
    "close": _close,
}
_TEMPLATES = {"open": "open", "close": "close", "plan": "plan", "publish": "publish"}


@require_safe
@never_cache
def through(request: HttpRequest, slug: str) -> HttpResponse:
    trial = get_object_or_404(Trial, slug=slug)
    context = {
        **make_context(trial),
        "previews": make_previews(trial),
        "language": choose_language(trial),
    }
    return render(request, "trials/through.html", context)


@require_safe
@never_cache
def trial_monitor(request: HttpRequest, slug: str) -> HttpResponse:
    trial = get_object_or_404(Trial, slug=slug)
    context = {**make_context(trial), "monitor": monitor(trial), "entries": list_entries(trial)}
    return render(request, "trials/monitor.html", context | describe_allocation(trial))


@require_POST
@owners_only
def lock(request: HttpRequest, slug: str) -> HttpResponse:
    road = Road(get_object_or_404(Trial, slug=slug))

    def lock_draft() -> None:
        if road.draft is None:
            plan_save(road.trial, road.values)
        lock_preregistration(trial=road.trial)

    if run_or_warn(request, lock_draft):
        messages.success(request, "The plan is locked.")
    return redirect("trial_screen", slug, "open")


@require_POST
@runners_only
def turn(request: HttpRequest, slug: str, to: str) -> HttpResponse:
    """Open or close the trial or its open link, depending on the value of ``to`` in the form."""
    trial = get_object_or_404(Trial, slug=slug)
    asks_first = to == "close" and trial.is_open and not request.POST.get("sure")
    if asks_first and any(row.under_way for row in monitor(trial).rows):
        return redirect("trial_screen", slug, "close")
    if to in {"admit", "pause"}:
        run_or_warn(request, store_recruitment, trial=trial, open=to == "admit")
    elif to in {"open", "close"}:
        run_or_warn(request, open_trial if to == "open" else close_trial, trial=trial)
    else:
        raise Http404
    return redirect("trial_screen", slug, "close" if to == "close" else "open")


@require_POST
@owners_only
def delete(request: HttpRequest, slug: str) -> HttpResponse:
    trial = get_object_or_404(Trial, slug=slug)
    if request.POST.get("slug", "").strip() != slug:
        messages.warning(request, "This is not the trial's short name, so nothing was deleted.")
    elif run_or_warn(request, delete_trial, trial=trial):
        messages.success(request, "The trial is deleted, with all its games and answers.")
        return redirect("trials")
    return redirect("trial", slug)


@require_POST
@runners_only
def release(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    participant = get_object_or_404(Participant, trial__slug=slug, number=number)
    run_or_warn(request, unbind_participant, participant=participant)
    return redirect("trial_monitor", slug)


@require_POST
@runners_only
def withdraw(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Withdraw a participant at their request. Nobody can undo this."""
    participant = get_object_or_404(Participant, trial__slug=slug, number=number)
    if WithdrawForm(request.POST).is_valid():
        run_or_warn(request, withdraw_participant, participant=participant)
    else:
        messages.warning(request, NotUnderstood().message)
    return redirect("trial_monitor", slug)


@require_POST
@runners_only
def link_turn(request: HttpRequest, slug: str, number: int, to: str) -> HttpResponse:
    participant = get_object_or_404(Participant, trial__slug=slug, number=number)
    turned = {"revoke": revoke_link, "issue": issue_link}.get(to)
    if turned is None:
        raise Http404
    if run_or_warn(request, turned, participant=participant):
        messages.success(request, f"The link of {participant.label} was changed.")
    return redirect("trial_links", slug)


@require_safe
@never_cache
def links(request: HttpRequest, slug: str) -> HttpResponse:
    trial = get_object_or_404(Trial, slug=slug)
    page = Paginator(query_personal_places(trial).order_by("number"), LINKS_A_PAGE).get_page(
        request.GET.get("page")
    )
    site = request.build_absolute_uri("/")
    context = {
        **make_context(trial),
        "page": page,
        "invitations": make_invitations(page.object_list, site),
    }
    return render(request, "trials/links.html", context)


@require_safe
@never_cache
def links_file(request: HttpRequest, slug: str) -> HttpResponse:
    """Send the participants' personal links as a CSV file for a mail merge."""
    trial = get_object_or_404(Trial, slug=slug)
    site = request.build_absolute_uri("/")
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["participant", "link"])
    everyone = make_invitations(query_personal_places(trial).order_by("number"), site)
    writer.writerows((invitation.participant.label, invitation.address) for invitation in everyone)
    response = HttpResponse(text.getvalue(), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="yatzy-{slug}-links.csv"'
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
        log_event(trial, TrialEvent.Kind.ROLE_GIVEN, None, role=role)
        return given


def remove_role(*, trial: Trial, user: User) -> None:
    with transaction.atomic():
        lock_trial(trial.pk)  # a trial keeps an owner even if two owners leave at the same moment
        _check_owner_stays(trial, user)
        member = TrialStaff.objects.filter(trial=trial, user=user).first()
        if member is not None:
            member.delete()
            log_event(trial, TrialEvent.Kind.ROLE_TAKEN, None, role=member.role)


def _check_owner_stays(trial: Trial, user: User) -> None:
    owners = trial.team.filter(role=Role.OWN)
    if owners.filter(user=user).exists() and owners.count() == 1:
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
    context = {
        **make_context(trial),
        "form": form,
        "team": team,
        "owned": any(member.role == Role.OWN for member in team),
    }
    return render(request, "trials/roles.html", context)


@require_POST
@owners_only
def end(request: HttpRequest, slug: str, user_id: int) -> HttpResponse:
    trial = get_object_or_404(Trial, slug=slug)
    user = get_object_or_404(User, pk=user_id, trial_roles__trial=trial)
    run_or_warn(request, remove_role, trial=trial, user=user)
    return redirect("trial_staff", slug)


@require_POST
@colleagues_only
def leave(request: HttpRequest, slug: str) -> HttpResponse:
    trial = get_object_or_404(Trial, slug=slug)
    left = run_or_warn(request, remove_role, trial=trial, user=request.user)
    return redirect("trials") if left else redirect("trial_staff", slug)


class UnmaskForm(forms.Form):
    reason = forms.CharField(
        label="Why you unblind the trial now",
        max_length=500,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="The results, the report and the files show this reason.",
    )
    confirm = forms.BooleanField(label="Show the outcomes by arm. You cannot undo this.")


@require_safe
@never_cache
def results(request: HttpRequest, slug: str) -> HttpResponse:
    trial = get_object_or_404(Trial, slug=slug)
    now = timezone.now()
    context = make_context(trial)
    if trial.masked:
        rule = find_stopping_rule(trial)
        context |= {"stopping": describe_stopping(rule) if rule else "", "unmask": UnmaskForm()}
        context |= {"flow": build_flow(trial, now)}
    else:
        computed = calculate_results(trial, now)
        context |= {"results": computed, "flow": computed.flow}
    return render(request, "trials/results.html", context)


@require_POST
@owners_only
def unmask(request: HttpRequest, slug: str) -> HttpResponse:
    trial, form = get_object_or_404(Trial, slug=slug), UnmaskForm(request.POST)
    try:
        if not form.is_valid():
            raise NotUnderstood
        unblind_trial(trial=trial, reason=form.cleaned_data["reason"])
    except Refused as refusal:
        messages.warning(request, refusal.message)
    return redirect("trial_results", slug)
