"""How sure a trial would be, for those who think about one."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from game.trials.planning.forms import plan_form
from game.trials.planning.page import plan_page


@require_safe
@never_cache
def plan(request: HttpRequest) -> HttpResponse:
    form = plan_form(request.GET)
    page = plan_page(**form.cleaned_data) if form.is_valid() else None
    return render(request, "trials/plan.html", {"form": form, "page": page})
