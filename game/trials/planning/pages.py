"""The page that plans a trial."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from game.trials.planning.forms import plan_form, words_of
from game.trials.planning.page import planned
from game.trials.planning.simulation import LEAST, AwaitedSimulation, awaited
from game.trials.planning.simulation_words import SimulationWords, not_precise


@dataclass(frozen=True, slots=True)
class SimulationPage:
    """``words``: the options by which the command goes on with it."""

    awaited: AwaitedSimulation
    words: Sequence[str]

    @property
    def sentences(self) -> list[str]:
        """The result in sentences; empty while there are very few trials."""
        found = self.awaited.so_far
        if not self.awaited.over and found.trials < LEAST:
            return []
        told = SimulationWords(found).sentences
        return told if found.precise or not self.awaited.over else [*told, not_precise()]

    @property
    def progress(self) -> str:
        return SimulationWords(self.awaited.so_far).progress

    @property
    def command(self) -> str:
        return " ".join(["./yatzy trial_plan", *self.words])


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
