"""Deeds of the staff who run trials, each by the role in that trial."""

from collections.abc import Callable
from functools import wraps

from django.contrib import messages
from django.contrib.messages import get_messages
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect
from django.views.decorators.cache import never_cache

from game.core.refusals import Refused
from game.core.words import labels
from game.models import Trial, TrialEvent
from game.pages.requests.audiences import colleagues, owners, runners, staff
from game.trials.design.people import note

View = Callable[..., HttpResponseBase]
SENT = 302  # a form that was taken leads on; one with a fault is shown again
Asked = Callable[[HttpRequest], HttpResponseBase | None]


def noted(view: View) -> View:
    """Log what a superuser changes in a trial of others."""

    @wraps(view)
    def seen(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponseBase:
        response = view(request, *args, **kwargs)
        match = request.resolver_match
        if (
            match
            and getattr(request, "beyond_role", False)
            and response.status_code == SENT
            and not _was_refused(request)
        ):
            _note(match.kwargs["slug"], match.view_name)
        return response

    return seen


def _was_refused(request: HttpRequest) -> bool:
    """Return whether a form was refused: it leads on like one that was accepted, with a warning on
    the next page."""
    queued = getattr(get_messages(request), "_queued_messages", ())
    return any(message.level >= messages.WARNING for message in queued)


def _note(slug: str, what: str) -> None:
    """Log a deed, unless the trial is gone."""
    trial = Trial.objects.filter(slug=slug).first()
    if trial is not None:
        note(trial, TrialEvent.Kind.SUPERUSER, None, what=what)


def only(audience: Asked) -> Callable[[View], View]:
    """Let in only people with this role, for everything that is sent; pages that are opened have a
    row."""

    def decorate(view: View) -> View:
        @wraps(view)
        def checked(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponseBase:
            return audience(request) or noted(view)(request, *args, **kwargs)

        return never_cache(checked)

    return decorate


staff_only = only(staff)
colleagues_only = only(colleagues)
runners_only = only(runners)
owners_only = only(owners)


def done(request: HttpRequest, action: Callable[..., object], **what: object) -> bool:
    """Run an action; return whether it worked, and show a refusal on the next page."""
    try:
        action(**what)
    except Refused as refusal:
        messages.warning(request, refusal.message)
        return False
    return True


def about(trial: Trial) -> dict[str, object]:
    return {"trial": trial, "game_name": labels.ruleset_name(trial.rules)}


@staff_only
def admin_sign_in(request: HttpRequest) -> HttpResponseBase:
    """Send to the one sign-in page, so that one limit to guessing applies."""
    return redirect("admin:index")
