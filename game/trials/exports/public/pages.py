"""The page from which a trial's data go to everybody."""

from typing import cast

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from game.models import Trial
from game.trials.exports.public.forms import PublicationForm
from game.trials.exports.public.papers import publication_of
from game.trials.exports.public.releasing import answers_release, free_answers, publication_set
from game.trials.staff import about, noted, owners_only

LINES_A_PAGE = 50


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@noted
def publish(request: HttpRequest, slug: str) -> HttpResponse:
    found = get_object_or_404(Trial, slug=slug)
    form = PublicationForm(request.POST or None, instance=publication_of(found))
    if request.method == "POST" and form.is_valid():
        publication_set(trial=found, **form.cleaned_data)
        messages.success(request, "The files for everybody say so from now on.")
        return redirect("trial_publish", slug)
    lines = Paginator(free_answers(found), LINES_A_PAGE).get_page(request.GET.get("page"))
    return render(request, "trials/publish.html", {**about(found), "form": form, "page": lines})


@require_POST
@owners_only
def release(request: HttpRequest, slug: str) -> HttpResponse:
    found = get_object_or_404(Trial, slug=slug)
    shown, released = (_numbers(request, name) for name in ("shown", "released"))
    answers_release(trial=found, shown=shown, released=released)
    messages.success(request, "What you ticked is in the files for everybody.")
    return redirect("trial_publish", slug)


def _numbers(request: HttpRequest, name: str) -> list[int]:
    return [int(one) for one in cast(list[str], request.POST.getlist(name)) if one.isdecimal()]
