"""A name for each request and each socket, so that its lines in the log are found."""

import secrets
from contextvars import ContextVar

from yatzy_site.gate import App, Message, Receive, Scope, Send

HEADER = b"x-request-id"

request_id: ContextVar[str] = ContextVar("request_id", default="")


class Named:
    """It is ours alone: one that a client sends says nothing."""

    def __init__(self, app: App) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        name = secrets.token_hex(4)
        request_id.set(name)

        async def named(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = [*message.get("headers", []), (HEADER, name.encode())]
                message = {**message, "headers": headers}
            await send(message)

        await self.app(scope, receive, named)
