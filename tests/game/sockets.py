"""A viewer's end of a socket. (Channels brings one that cannot be imported without daphne.)"""

from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from functools import wraps
from http.cookies import SimpleCookie
from typing import ParamSpec

from asgiref.sync import async_to_sync
from asgiref.testing import ApplicationCommunicator

from yatzy_site.asgi import application

PATIENCE = 60  # seconds: no machine is as slow as that
P = ParamSpec("P")


class Viewer(ApplicationCommunicator):
    def __init__(
        self,
        path: str,
        cookies: SimpleCookie | None = None,
        *,
        origin: str = "http://localhost",
        language: str = "en",
    ) -> None:
        sent = "; ".join(f"{name}={morsel.value}" for name, morsel in (cookies or {}).items())
        headers = {
            "host": "localhost",
            "origin": origin,
            "cookie": sent,
            "accept-language": language,
        }
        scope = {
            "type": "websocket",
            "path": path.partition("?")[0],
            "query_string": path.partition("?")[2].encode(),
            "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
            "subprotocols": [],
        }
        super().__init__(application, scope)

    async def connect(self) -> bool:
        await self.send_input({"type": "websocket.connect"})
        return bool((await self.receive_output(PATIENCE))["type"] == "websocket.accept")

    async def board(self) -> str:
        """The next board that is pushed."""
        output = await self.receive_output(PATIENCE)
        assert output["type"] == "websocket.send", output
        return str(output["text"])

    async def code(self) -> int:
        """With which the server hangs up."""
        output = await self.receive_output(PATIENCE)
        assert output["type"] == "websocket.close", output
        return int(output["code"])

    async def end(self) -> int:
        """With which code the server hangs up, after what it still has to show."""
        while (output := await self.receive_output(PATIENCE))["type"] == "websocket.send":
            pass
        assert output["type"] == "websocket.close", output
        await self.send_input({"type": "websocket.disconnect", "code": output["code"]})
        await self.over()
        return int(output["code"])

    async def over(self) -> None:
        """Raises what the server met with, if it was a fault."""
        await self.wait(PATIENCE)

    async def receive_nothing(self, timeout: float = 0.1, interval: float = 0.01) -> bool:
        return bool(await super().receive_nothing(timeout, interval))

    async def leave(self) -> None:
        await self.send_input({"type": "websocket.disconnect", "code": 1000})
        await self.wait(PATIENCE)


def run(test: Callable[[], Awaitable[None]]) -> None:
    async_to_sync(test)()


_open: ContextVar[list[Viewer]] = ContextVar("sockets of the test that runs")


def by_sockets(test: Callable[P, Awaitable[None]]) -> Callable[P, None]:
    """Run such a test in a loop; whoever still looks on at its end leaves."""

    @wraps(test)
    def run_and_leave(*args: P.args, **more: P.kwargs) -> None:
        async def whole() -> None:
            viewers: list[Viewer] = []
            _open.set(viewers)
            await test(*args, **more)
            for viewer in viewers:
                await viewer.leave()

        run(whole)

    return run_and_leave


async def look(path: str, cookies: SimpleCookie | None = None, language: str = "en") -> Viewer:
    """Open a socket, which is closed at the end of a test ``by_sockets``."""
    viewer = Viewer(path, cookies, language=language)
    assert await viewer.connect()
    _open.get([]).append(viewer)
    return viewer
