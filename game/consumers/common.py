"""What every socket needs: how it says no, and what a template asks of a request."""

from typing import Any

from django.http import HttpRequest

# Codes after which a browser does not try again, unlike a refused handshake.
UNKNOWN, FORBIDDEN = 4404, 4403


class NotShown(Exception):
    def __init__(self, code: int) -> None:
        self.code = code


def page_request(scope: dict[str, Any]) -> HttpRequest:
    """What a template needs of the page's request: its language and its token against forgery."""
    request = HttpRequest()
    request.COOKIES = scope["cookies"]
    headers = dict(scope["headers"])
    request.META["HTTP_ACCEPT_LANGUAGE"] = headers.get(b"accept-language", b"").decode("latin-1")
    if secret := request.COOKIES.get("csrftoken"):
        request.META["CSRF_COOKIE"] = secret
    return request
