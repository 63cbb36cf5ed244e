"""Decorators and helpers for the views of staff, whose rights depend on their role in the trial."""

from collections.abc import Callable
from functools import wraps

from django.contrib import messages
from django.contrib.messages import get_messages
from django.http import HttpRequest, HttpResponseBase
from django.views.decorators.cache import never_cache

from game.core.refusals import Refused
from game.core.words import labels
from game.trials.audiences import colleagues, owners, runners
from game.trials.design.people import log_event
from game.trials.models import Trial, TrialEvent

View = Callable[..., HttpResponseBase]
SENT = 302  # status of the redirect after an accepted form; a faulty form is shown again
Asked = Callable[[HttpRequest], HttpResponseBase | None]


def log_superuser(view: View) -> View:
    """Decorate a view. Log a superuser's change if the superuser's own role does not allow it."""

    @wraps(view)
    def seen(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponseBase:
        response = view(request, *args, **kwargs)
        match = request.resolver_match
        if match and getattr(request, "beyond_role", False) and response.status_code == SENT:
            # If the form was refused, the view redirects too, but queues a warning.
            queued = getattr(get_messages(request), "_queued_messages", ())
            refused = any(message.level >= messages.WARNING for message in queued)
            trial = None if refused else Trial.objects.filter(slug=match.kwargs["slug"]).first()
            if trial is not None:
                log_event(trial, TrialEvent.Kind.SUPERUSER, what=match.view_name)
        return response

    return seen


def restrict_to(audience: Asked) -> Callable[[View], View]:
    """Let only this audience use a view that receives forms. ``audiences`` does this for pages."""

    def decorate(view: View) -> View:
        @wraps(view)
        def checked(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponseBase:
            return audience(request) or log_superuser(view)(request, *args, **kwargs)

        return never_cache(checked)

    return decorate


colleagues_only = restrict_to(colleagues)
runners_only = restrict_to(runners)
owners_only = restrict_to(owners)


def run_or_warn(request: HttpRequest, action: Callable[..., object], **what: object) -> bool:
    """Run an action; return whether it worked. If it raises Refused, show why on the next page."""
    try:
        action(**what)
    except Refused as refusal:
        messages.warning(request, refusal.message)
        return False
    return True


def make_context(trial: Trial) -> dict[str, object]:
    return {"trial": trial, "game_name": labels.find_ruleset_name(trial.rules)}
