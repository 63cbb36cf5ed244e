"""Who may open a socket: pages of this very site, by the rule that Django has for forms."""

from collections.abc import Awaitable, Callable
from typing import Any

from channels.security.websocket import WebsocketDenier
from django.conf import settings
from django.http.request import split_domain_port, validate_host

PORTS = {"http": "80", "https": "443"}


class SameOrigin:
    """Scheme, name and port are those of the request, or those of a trusted origin."""

    def __init__(self, app: Callable[..., Awaitable[None]]) -> None:
        self.app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        headers = dict(scope["headers"])
        origin, host = _text(headers, b"origin"), _text(headers, b"host")
        passed = self.app if is_own(origin, host, scope) else WebsocketDenier()
        await passed(scope, receive, send)


def is_own(origin: str, host: str, scope: Any) -> bool:
    if origin in settings.CSRF_TRUSTED_ORIGINS:
        return True
    domain, _port = split_domain_port(host)
    if not domain or not validate_host(domain, settings.ALLOWED_HOSTS):
        return False
    scheme = "https" if settings.HTTPS or scope.get("scheme") in {"wss", "https"} else "http"
    usual = f"{scheme}://{host.lower()}".removesuffix(f":{PORTS[scheme]}")
    return origin.lower().removesuffix(f":{PORTS[scheme]}") == usual


def _text(headers: dict[bytes, bytes], name: bytes) -> str:
    return headers.get(name, b"").decode("latin-1")
