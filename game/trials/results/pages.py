"""What the games of a trial tell, and how far they can be relied on, for those who run it."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from game.lab.players import command
from game.models import Trial
from game.trials.results.flow import flow_of
from game.trials.results.quality_page import quality_page
from game.trials.results.report import results_of
from game.trials.staff import about


@require_safe
@never_cache
def results(request: HttpRequest, slug: str) -> HttpResponse:
    trial = get_object_or_404(Trial, slug=slug)
    now = timezone.now()
    context = {**about(trial), "results": results_of(trial, now), "flow": flow_of(trial, now)}
    context |= {"command": command(trial.rules)}
    return render(request, "trials/results.html", context)


@require_safe
@never_cache
def quality(request: HttpRequest, slug: str) -> HttpResponse:
    trial = get_object_or_404(Trial, slug=slug)
    context = {**about(trial), "quality": quality_page(trial, timezone.now())}
    return render(request, "trials/quality.html", context)
