"""Somebody is sent through a trial before people are."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST

from game.models import Trial
from game.trials.design.people import recruitment_of
from game.trials.rehearsal.sending import faults, passages
from game.trials.staff import about, runners_only


@require_POST
@runners_only
def ways_out(request: HttpRequest, slug: str) -> HttpResponse:
    found = get_object_or_404(Trial, slug=slug)
    if recruitment_of(found) is None:
        messages.warning(request, "Save the open link first.")
        return redirect("trial_recruitment", slug)
    walked, wrong = passages(found), faults(found)
    context = {**about(found), "passages": walked, "faults": wrong}
    context["complete"] = not wrong and not any(one.missing for one in walked)
    return render(request, "trials/ways_out.html", context)
