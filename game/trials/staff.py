"""What only those do who run trials: whoever may use the site's administration."""

from collections.abc import Callable
from functools import wraps

from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect
from django.views.decorators.cache import never_cache

from game.models import Trial
from game.web.audiences import staff
from game.words import labels

View = Callable[..., HttpResponseBase]


def staff_only(view: View) -> View:
    """For an action; pages have their row."""

    @wraps(view)
    def checked(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponseBase:
        return staff(request) or view(request, *args, **kwargs)

    return never_cache(checked)


def about(trial: Trial) -> dict[str, object]:
    """What the heading of every page of a trial tells."""
    return {"trial": trial, "game_name": labels.ruleset_name(trial.rules)}


@staff_only
def admin_sign_in(request: HttpRequest) -> HttpResponseBase:
    """One place to sign in, with one limit to guessing."""
    return redirect("admin:index")
