"""Django's handler of pages, which runs in a few permanent threads.

Django's own handler starts a thread for every request, which opens another database connection. It
also switches between this thread and the server's event loop, and waits for each switch.
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
from yatzy_site.deadlines import use_budget
from yatzy_site.gate import Scope

T = TypeVar("T")


class Pages(ASGIHandler):
    """Django's handler of requests, which have waited in the queue until a slot was free."""

    def __init__(self, threads: int) -> None:
        self.load_middleware(is_async=False)
        many = {gate.PAGES: threads, gate.PROMPT: gate.PROMPT_SLOTS, gate.LATE: 1}
        many[gate.HEALTH] = gate.PROMPT_SLOTS
        self.threads = {
            name: ThreadPoolExecutor(number, thread_name_prefix=name)
            for name, number in many.items()
        }

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        message = await receive()
        if message["type"] == "http.disconnect":
            return
        threads = scope.get("threads", gate.PAGES)
        work = partial(self.answer_in_time, scope, message.get("body", b""))
        response = await self._run_in_thread(work, threads)
        if not response.streaming:
            await self.send_response(response, send)
            return
        # Send the response until it is complete, or until the client leaves.
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
            await self._run_in_thread(response.close)

    async def _run_in_thread(self, work: Callable[[], T], threads: str = gate.PAGES) -> T:
        """Run the work in a thread of this pool, with a copy of the current context variables."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self.threads[threads], copy_context().run, work)

    def answer_in_time(self, scope: Scope, body: bytes) -> HttpResponseBase:
        with use_budget(scope.get("budget")):
            return self.answer(scope, body)

    def answer(self, scope: Scope, body: bytes) -> HttpResponseBase:
        """Calculate the response in this thread. Then release the thread's connections."""
        set_script_prefix(get_script_prefix(scope))
        request_started.send(sender=self.__class__, scope=scope)
        try:
            request, refused = self.create_request(scope, BytesIO(body))
            response = self.get_response(request) if request else cast(HttpResponseBase, refused)
            vars(response)["_handler_class"] = self.__class__  # Django reads this at the end
            if isinstance(response, FileResponse):
                response.block_size = self.chunk_size
        except BaseException:
            request_finished.send(sender=self.__class__)
            raise
        if response.status_code >= HTTPStatus.INTERNAL_SERVER_ERROR:
            connections.close_all()  # a connection to a read-only SQLite file would stay read-only
        if response.streaming:
            close_old_connections()  # sending the response may take long, and needs no connection
        else:
            response.close()
        return response
