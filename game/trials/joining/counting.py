"""How many come by the open link and do not agree: numbers of a day, and nothing about anybody.

A page says by its script that somebody looks at it. Programs that preview a link run none, and what
a browser fetches beforehand says so when it is shown; a browser counts once a session.
"""

from django.db.models import F
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from game.models import ArrivalCount, Trial

COOKIE = "arrived"
MOST = 30  # counts that a browser remembers


def arrival_count(*, trial: Trial, kind: str) -> None:
    found, _made = ArrivalCount.objects.get_or_create(
        trial=trial, kind=kind, day=timezone.localdate()
    )
    ArrivalCount.objects.filter(pk=found.pk).update(people=F("people") + 1)


def count_once(request: HttpRequest, response: HttpResponse, trial: Trial, kind: str) -> None:
    """In this session of the browser; what it has been counted as it keeps itself."""
    mark = f"{trial.pk}.{kind}"
    counted = request.COOKIES.get(COOKIE, "").split("-")
    if mark in counted:
        return
    arrival_count(trial=trial, kind=kind)
    value = "-".join([*filter(None, counted), mark][-MOST:])
    response.set_cookie(COOKIE, value, secure=request.is_secure(), httponly=True, samesite="Lax")
