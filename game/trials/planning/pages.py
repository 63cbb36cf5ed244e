"""How sure a trial would be, for those who think about one."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from game.trials.planning.background import awaited
from game.trials.planning.forms import plan_form, words_of
from game.trials.planning.page import planned
from game.trials.planning.simulation_page import SimulationPage


@require_safe
@never_cache
def plan(request: HttpRequest) -> HttpResponse:
    form = plan_form(request.GET)
    page = planned(form.cleaned_data) if form.is_valid() else None
    simulation = None
    if page and page.simulated:
        words = words_of(form.cleaned_data)
        found = awaited(page.simulated, words, form.cleaned_data["seconds"])
        simulation = SimulationPage(found, words)
    context = {"form": form, "page": page, "simulation": simulation}
    return render(request, "trials/plan.html", context)
