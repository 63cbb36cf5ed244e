"""DEBUG is for one's own machine: its pages show settings, source and what was sent."""

from ipaddress import ip_address
from typing import Any

from yatzy_site.gate import App, Receive, Scope, Send

TEXT = b"DEBUG is on, so that only the machine itself is served. Set DEBUG=0, or leave it out."


class OnlyHere:
    def __init__(self, app: App) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if is_here(scope.get("client")):
            await self.app(scope, receive, send)
        elif scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close", "code": 1008})
        else:
            headers = [(b"content-type", b"text/plain"), (b"connection", b"close")]
            await send({"type": "http.response.start", "status": 403, "headers": headers})
            await send({"type": "http.response.body", "body": TEXT})


def is_here(client: Any) -> bool:
    """Nobody's address is that of a socket in the file system, which has none."""
    if not client:
        return True
    try:
        return ip_address(client[0]).is_loopback
    except ValueError:
        return False
