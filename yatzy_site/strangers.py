"""Somebody whom the database knows, as a page greets them that knows nobody."""

from django.conf import settings
from django.http.cookie import parse_cookie

from game.web.visitors import MARK_COOKIE, PARTICIPANT_COOKIE
from yatzy_site.gate import Scope


def as_stranger(scope: Scope) -> Scope | None:
    """With the cookies that no database is needed for. None where that changes nothing, or may
    not be: what a trial closes is closed for whoever takes part in it, known or not."""
    kept = {settings.CSRF_COOKIE_NAME, settings.LANGUAGE_COOKIE_NAME}
    headers = [(name, value) for name, value in scope["headers"] if name != b"cookie"]
    sent = b"; ".join(value for name, value in scope["headers"] if name == b"cookie")
    cookies = parse_cookie(sent.decode("latin-1"))
    if cookies.keys() <= kept or cookies.keys() & {PARTICIPANT_COOKIE, MARK_COOKIE}:
        return None
    again = "; ".join(f"{name}={cookies[name]}" for name in cookies.keys() & kept)
    return {**scope, "headers": [*headers, (b"cookie", again.encode("latin-1"))]}
