import gc
import logging
import os
from typing import Any, cast

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "yatzy_site.settings")
django.setup(set_prefix=False)  # loads the apps, which everything below needs

from channels.auth import AuthMiddlewareStack  # noqa: E402
from channels.routing import ProtocolTypeRouter, URLRouter  # noqa: E402
from django.conf import settings  # noqa: E402
from django.db import connections  # noqa: E402

from game.core.worth import tables  # noqa: E402
from game.management import checks, copies  # noqa: E402
from game.models import Game  # noqa: E402
from game.pages.requests.live import serve_here  # noqa: E402
from game.pages.requests.readiness import list_startup_problems  # noqa: E402
from game.pages.sockets.common import TryAgainLater  # noqa: E402
from yatzy_site import deadlines  # noqa: E402
from yatzy_site.background import do_background_work  # noqa: E402
from yatzy_site.gate import App, Gate  # noqa: E402
from yatzy_site.pages import Pages  # noqa: E402
from yatzy_site.requests import Named, OnlyHere, serve_lifespan  # noqa: E402
from yatzy_site.sockets import Bounded, SameOrigin  # noqa: E402
from yatzy_site.urls import websocket_urlpatterns  # noqa: E402

logger = logging.getLogger(__name__)
GARBAGE = (50_000, 20, 20)  # thresholds of Python's garbage collector

if wrong := checks.list_unsafe_settings(settings.ALLOWED_HOSTS):
    raise SystemExit("\n  ".join(("Set these before you serve the public:", *wrong)))
for mistake in [*checks.check_shared_state(), *checks.check_removed_settings()]:
    logger.warning("%s %s", mistake.msg, mistake.hint)

listeners = TryAgainLater(cast(App, AuthMiddlewareStack(URLRouter(websocket_urlpatterns))))
sockets = Bounded(SameOrigin(listeners), settings.SOCKETS_A_CLIENT, settings.SOCKETS)
gate = Gate(Pages(settings.REQUESTS_AT_ONCE), settings.REQUESTS_AT_ONCE)
routes = cast(App, ProtocolTypeRouter({"http": gate, "websocket": sockets}))
if settings.DEBUG:
    routes = OnlyHere(routes)
if settings.METRICS:
    from yatzy_site import metrics  # imports prometheus_client, which only metrics need

    routes = metrics.measure(routes, gate, sockets, settings.METRICS)
routes = Named(routes)
# Exempt everything loaded so far from garbage collection, which took longer than most requests.
gc.collect()
gc.freeze()
gc.set_threshold(*GARBAGE)
tables.mark_as_wanted(Game().rules)  # if tables are missing, solve the default ruleset first


def find_refusals() -> list[str]:
    """Return why this server cannot start. Close this thread's connections to the database."""
    try:
        return list_startup_problems()
    finally:
        connections.close_all()


async def application(scope: Any, receive: Any, send: Any) -> None:
    serve_here()
    if scope["type"] == "lifespan":
        deadlines.serve_here()
        logger.info("starting version %s", settings.VERSION)
        with copies.lock_site(alone=False) as free:
            under_way = lambda: ["a restore is under way: start the server after it"]  # noqa: E731
            await serve_lifespan(
                do_background_work, receive, send, find_refusals if free else under_way
            )
        return
    await routes(scope, receive, send)
