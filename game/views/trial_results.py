"""What the games of a trial tell, for those who run it."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from game.lab.pages import command
from game.models import Trial
from game.trials.results import results_of
from game.views.staff import staff_only
from game.views.trials import about


@require_safe
@staff_only
def results(request: HttpRequest, slug: str) -> HttpResponse:
    trial = get_object_or_404(Trial, slug=slug)
    context = {**about(trial), "results": results_of(trial), "command": command(trial.rules)}
    return render(request, "trials/results.html", context)
