"""The page on which a trial's data are published."""

from typing import TYPE_CHECKING, cast

from django import forms
from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from game.models import Publication, Trial
from game.trials.exports.public.papers import publication_of
from game.trials.staff import about, noted, owners_only

if TYPE_CHECKING:
    PublicationModelForm = forms.ModelForm[Publication]
else:
    PublicationModelForm = forms.ModelForm

from collections.abc import Collection

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from game.models import Answer, Publication, ReleasedAnswer
from game.trials.exports.answers import items_of
from game.trials.exports.public.answers import free_text


def free_answers(trial: Trial) -> QuerySet[Answer]:
    """Return the free-text answers that can no longer change, sorted by question."""
    closed_keys = [key for key, item in items_of(trial).items() if not free_text(item)]
    free = Answer.objects.filter(participant__trial=trial, page_finished=True).exclude(value="")
    return free.exclude(key__in=closed_keys).select_related("released").order_by("key", "pk")


def answers_release(*, trial: Trial, shown: Collection[int], released: Collection[int]) -> None:
    with transaction.atomic():
        ReleasedAnswer.objects.filter(answer__participant__trial=trial, answer__in=shown).delete()
        chosen = free_answers(trial).filter(pk__in=shown).filter(pk__in=released)
        now = timezone.now()
        ReleasedAnswer.objects.bulk_create(
            [ReleasedAnswer(answer=answer, at=now) for answer in chosen]
        )


def publication_set(*, trial: Trial, creators: str, licence: str) -> None:
    settings = {"creators": creators, "licence": licence}
    Publication.objects.update_or_create(trial=trial, defaults=settings)


class PublicationForm(PublicationModelForm):
    class Meta:
        model = Publication
        fields = ["creators", "licence"]
        widgets = {"creators": forms.Textarea(attrs={"rows": 3}), "licence": forms.RadioSelect}


LINES_A_PAGE = 50


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@noted
def publish(request: HttpRequest, slug: str) -> HttpResponse:
    trial = get_object_or_404(Trial, slug=slug)
    form = PublicationForm(request.POST or None, instance=publication_of(trial))
    if request.method == "POST" and form.is_valid():
        publication_set(trial=trial, **form.cleaned_data)
        messages.success(request, "The files for everybody say so from now on.")
        return redirect("trial_publish", slug)
    lines = Paginator(free_answers(trial), LINES_A_PAGE).get_page(request.GET.get("page"))
    return render(request, "trials/publish.html", {**about(trial), "form": form, "page": lines})


@require_POST
@owners_only
def release(request: HttpRequest, slug: str) -> HttpResponse:
    trial = get_object_or_404(Trial, slug=slug)
    shown, released = (_numbers(request, name) for name in ("shown", "released"))
    answers_release(trial=trial, shown=shown, released=released)
    messages.success(request, "What you ticked is in the files for everybody.")
    return redirect("trial_publish", slug)


def _numbers(request: HttpRequest, name: str) -> list[int]:
    return [
        int(number) for number in cast(list[str], request.POST.getlist(name)) if number.isdecimal()
    ]
