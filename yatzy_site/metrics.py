"""Figures for Prometheus. They have a separate port, so they are not among the site's pages.

Each process has its own port: the port in the settings, or the next free one.
"""

import logging
from collections.abc import Callable
from math import nan
from time import monotonic

from django.db import DatabaseError, connections, transaction
from django.db.models.signals import post_save
from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    ProcessCollector,
    start_http_server,
)

from game.core.judging import count_unjudged_games
from game.models import Decision
from yatzy_site.gate import App, Gate, Message, Receive, Scope, Send
from yatzy_site.sockets import Bounded

logger = logging.getLogger(__name__)
PORTS = 32  # number of ports to try, in order
BUCKETS = (0.01, 0.025, 0.05, 0.1, 0.2, 0.3, 0.5, 1.0, 2.0, 5.0, 10.0)
ELSEWHERE = "other"  # the name for files, unknown addresses and requests that the queue refuses
KEPT = 60.0  # seconds until a figure is read from the database again


class SiteFigures:
    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)
        labels = ["view", "status"]
        self.requests = Counter(
            "yatzy_requests", "Requests answered", labels, registry=self.registry
        )
        self.seconds = Histogram(
            "yatzy_request_seconds",
            "Seconds from a request to its answer",
            ["view"],
            buckets=BUCKETS,
            registry=self.registry,
        )
        self.actions = Counter("yatzy_actions_stored", "Decisions stored", registry=self.registry)

    def add_gauge(self, name: str, meaning: str, read: Callable[[], float]) -> None:
        Gauge(f"yatzy_{name}", meaning, registry=self.registry).set_function(read)

    def count_decision(self, *, created: bool, **_: object) -> None:
        if created:  # counted when the transaction commits
            transaction.on_commit(self.actions.inc, robust=True)


class Measured:
    """The outermost ASGI wrapper. It times every request, including its wait in the queue."""

    def __init__(self, app: App, figures: SiteFigures) -> None:
        self.app, self.figures = app, figures

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        start, statuses = monotonic(), [500]

        async def send_and_record(message: Message) -> None:
            if message["type"] == "http.response.start":
                statuses.append(message["status"])
            await send(message)

        try:
            await self.app(scope, receive, send_and_record)
        finally:
            view = scope.get("view", ELSEWHERE)
            self.figures.requests.labels(view, str(statuses[-1])).inc()
            self.figures.seconds.labels(view).observe(monotonic() - start)


class SeldomCounted:
    """A figure from the database, read at most once in KEPT seconds; NaN if the query fails."""

    def __init__(self, count: Callable[[], int]) -> None:
        self.count = count
        self.found, self.until = nan, 0.0

    def __call__(self) -> float:
        if monotonic() >= self.until:
            try:
                self.found = self.count()
            except DatabaseError:
                self.found = nan
            finally:
                connections.close_all()  # this thread's connections, because the thread ends now
            self.until = monotonic() + KEPT
        return self.found


def measure(app: App, gate: Gate, sockets: Bounded, address: tuple[str, int]) -> App:
    figures = SiteFigures()
    figures.add_gauge(
        "requests_waiting", "Requests waiting at the gate", lambda: gate.places.waiting
    )
    figures.add_gauge("request_bytes", "Bytes of request bodies in memory", lambda: gate.room.held)
    figures.add_gauge("sockets_open", "Open sockets", lambda: sockets.open)
    figures.add_gauge(
        "games_to_judge", "Finished games not yet judged", SeldomCounted(count_unjudged_games)
    )
    post_save.connect(figures.count_decision, sender=Decision, dispatch_uid="yatzy_site.metrics")
    serve(figures.registry, *address)
    return Measured(app, figures)


def serve(registry: CollectorRegistry, host: str, first: int) -> int:
    """Serve the figures, and return their port; 0 if no port is free. The site starts anyway."""
    for port in range(first, min(first + PORTS, 65_536)):
        try:
            start_http_server(port, host, registry)
        except OSError as error:
            refused = error
        else:
            logger.info("metrics are served at %s:%d", host, port)
            return port
    logger.error("metrics cannot be served at %s:%d or the next ports: %s", host, first, refused)
    return 0
