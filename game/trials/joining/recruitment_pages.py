"""Staff's pages about the open link: the number of people who came, and their external IDs."""

import csv
import io
from collections.abc import Sequence

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from game.core.words.cells import disarm_formulas
from game.trials.design.people import (
    count_outcomes,
    count_places_left,
    find_recruitment,
    list_arrival_outcomes,
)
from game.trials.design.ways_out import UNDER_WAY, UNDER_WAY_TITLE, WAYS_OUT
from game.trials.files.writers import format_time
from game.trials.joining.arriving import find_panel
from game.trials.joining.recruiting import delete_labels
from game.trials.models import Arrival, Recruitment, Trial
from game.trials.staff import owners_only


def link_facts(request: HttpRequest, now: Recruitment) -> dict[str, object]:
    address = request.build_absolute_uri(reverse("join", args=[now.token]))
    panel = find_panel(now)
    counts = count_outcomes(now.trial, timezone.now())
    ended = [(way.title, counts[name]) for name, way in WAYS_OUT.items() if way.place != "none"]
    return {
        "link": now,
        "address": address + panel.query(now.names),
        "panel": panel,
        "places_left": count_places_left(now),
        "counts": [(UNDER_WAY_TITLE, counts[""]), *ended],
        "labels": now.trial.arrivals.count(),
        "delete": DeleteLabelsForm(),
    }


class DeleteLabelsForm(forms.Form):
    confirm = forms.BooleanField(
        label="Delete all external IDs. After that, you cannot match participants to people."
    )


@require_safe
@never_cache
def labels_file(request: HttpRequest, slug: str) -> HttpResponse:
    """Send the external IDs of the people to pay. Exports never contain external IDs."""
    trial = get_object_or_404(Trial, slug=slug)
    kept = list_arrival_outcomes(trial, timezone.now())
    names = _list_parameter_names(trial, [arrival for arrival, _outcome in kept])
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["participant", *names, "arrived_at", "outcome"])
    for arrival, outcome in kept:
        for at, labels in arrival.visits:
            cells = [disarm_formulas(labels.get(name, "")) for name in names]
            ended = outcome or UNDER_WAY
            writer.writerow([arrival.participant.label, *cells, format_time(at), ended])
    response = HttpResponse(text.getvalue(), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="yatzy-{slug}-labels.csv"'
    return response


def _list_parameter_names(trial: Trial, kept: Sequence[Arrival]) -> list[str]:
    """Return the names of external IDs from the link's settings, then from stored arrivals."""
    now = find_recruitment(trial)
    once = sorted({name for arrival in kept for name in arrival.parameters})
    return list(dict.fromkeys([*(now.names if now else []), *once]))


@require_POST
@owners_only
def labels_remove(request: HttpRequest, slug: str) -> HttpResponse:
    trial = get_object_or_404(Trial, slug=slug)
    if DeleteLabelsForm(request.POST).is_valid():
        count = delete_labels(trial=trial)
        text = "%(n)s external ID deleted." if count == 1 else "%(n)s external IDs deleted."
        messages.success(request, text % {"n": count})
    return redirect("trial_screen", slug, "open")
