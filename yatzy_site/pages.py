"""Django's pages, each worked out from its beginning to its end in one of a few threads that stay.

Django's own handler makes a thread for every request, and with it a connection to the database,
and goes back and forth between that thread and the server's loop, each time waiting for its turn.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import partial
from http import HTTPStatus
from io import BytesIO
from typing import Any, TypeVar, cast

from django.core.handlers.asgi import ASGIHandler, get_script_prefix
from django.core.signals import request_finished, request_started
from django.db import close_old_connections, connections
from django.http import FileResponse
from django.http.response import HttpResponseBase
from django.urls import set_script_prefix

from yatzy_site import gate
from yatzy_site.deadlines import spending
from yatzy_site.gate import Scope

T = TypeVar("T")


class Pages(ASGIHandler):
    """Behind the gate: it hands over a body in one piece, and lets in as many as have a thread."""

    def __init__(self, threads: int) -> None:
        self.load_middleware(is_async=False)
        many = {gate.PAGES: threads, gate.PROMPT: gate.BESIDE, gate.LATE: 1}
        many[gate.HEALTH] = gate.BESIDE
        self.threads = {
            name: ThreadPoolExecutor(number, thread_name_prefix=name)
            for name, number in many.items()
        }

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        message = await receive()
        if message["type"] == "http.disconnect":
            return
        threads = scope.get("threads", gate.PAGES)
        work = partial(self.within_its_time, scope, message.get("body", b""))
        response = await self._aside(work, threads)
        if response.streaming:
            await self._stream(response, receive, send)
        else:
            await self.send_response(response, send)

    async def _aside(self, work: Callable[[], T], threads: str = gate.PAGES) -> T:
        """In a thread, which knows the name of the request and keeps nothing of it."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self.threads[threads], copy_context().run, work)

    def within_its_time(self, scope: Scope, body: bytes) -> HttpResponseBase:
        with spending(scope.get("budget")):
            return self.answer(scope, body)

    def answer(self, scope: Scope, body: bytes) -> HttpResponseBase:
        """Worked out in the thread that calls; its connections are given back there too."""
        set_script_prefix(get_script_prefix(scope))
        request_started.send(sender=self.__class__, scope=scope)
        try:
            response = self._response(scope, body)
        except BaseException:
            request_finished.send(sender=self.__class__)
            raise
        if response.status_code >= HTTPStatus.INTERNAL_SERVER_ERROR:
            connections.close_all()  # SQLite: one that found a read-only file would stay read-only
        if response.streaming:
            close_old_connections()  # what follows may take its time
        else:
            response.close()
        return response

    def _response(self, scope: Scope, body: bytes) -> HttpResponseBase:
        request, refused = self.create_request(scope, BytesIO(body))
        response = self.get_response(request) if request else cast(HttpResponseBase, refused)
        vars(response)["_handler_class"] = self.__class__  # named when the request is over
        if isinstance(response, FileResponse):
            response.block_size = self.chunk_size
        return response

    async def _stream(self, response: HttpResponseBase, receive: Any, send: Any) -> None:
        """Until it is sent, or until nobody is there to take it."""
        sending = asyncio.ensure_future(self.send_response(response, send))
        gone = asyncio.ensure_future(receive())
        try:
            await asyncio.wait({sending, gone}, return_when=asyncio.FIRST_COMPLETED)
            if sending.done():
                sending.result()
        finally:
            for task in (sending, gone):
                task.cancel()
            await asyncio.wait({sending, gone})
            await self._aside(response.close)
