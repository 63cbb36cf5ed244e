"""Pages for those who run trials: whoever may use the site's administration."""

from collections.abc import Callable
from functools import wraps

from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache

View = Callable[..., HttpResponseBase]


def staff_only(view: View) -> View:
    """Somebody who is not signed in may sign in; somebody else is told who can let them in."""

    @wraps(view)
    def checked(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponseBase:
        if not request.user.is_authenticated:
            return redirect_to_login(request.get_full_path())
        if not request.user.is_staff:
            raise PermissionDenied(
                _("Trials are run by the staff of this site: ask whoever runs it to let you in.")
            )
        return view(request, *args, **kwargs)

    return never_cache(checked)


@staff_only
def admin_sign_in(request: HttpRequest) -> HttpResponseBase:
    """One place to sign in, with one limit to guessing."""
    return redirect("admin:index")
