"""State that several processes share by way of Redis, and one process has for itself."""

from typing import Any

from redis.backoff import NoBackoff
from redis.retry import Retry

CONNECT = 2.0  # seconds
COUNT = 0.25  # seconds
SPARE = 4  # connections beside those of requests: sockets, downloads under way, the background
WAIT = 5.0  # seconds for a connection; the gate lets in fewer than there are
# Seconds for which the pool tries by itself to make one, ever more slowly. After that anyone who
# asks for one makes it try again, so that a database which was away for long is found at once.
TRY = 2.0


def pool(requests_at_once: int) -> dict[str, Any]:
    """Return settings of the connection pool: as many as a process can use, and never more."""
    from yatzy_site.postgresql.timely import TimelyConnection  # with a driver that SQLite lacks

    most = requests_at_once + SPARE
    return {
        "connection_class": TimelyConnection,
        "min_size": 2,
        "max_size": most,
        "timeout": WAIT,
        "reconnect_timeout": TRY,
    }


def channel_layer(redis_url: str) -> dict[str, Any]:
    if not redis_url:
        return {"BACKEND": "channels.layers.InMemoryChannelLayer"}
    host = {
        "address": redis_url,
        # A listener waits in Redis for as long as nothing happens. With a limit to that wait,
        # the client's own of 5 s among them, a socket breaks whenever nobody moves for so long.
        "socket_timeout": None,
        "socket_connect_timeout": CONNECT,
        "socket_keepalive": True,
    }
    return {"BACKEND": "yatzy_site.layer.KeepingLayer", "CONFIG": {"hosts": [host]}}


def cache(redis_url: str) -> dict[str, Any]:
    """Return settings of the cache; counting waits only for a moment, and goes on without it."""
    if not redis_url:
        return {
            "BACKEND": "django.core.cache.backends.locmem.LocMemCache",
            "OPTIONS": {"MAX_ENTRIES": 10_000},
        }
    return {
        "BACKEND": "django.core.cache.backends.redis.RedisCache",
        "LOCATION": redis_url,
        "OPTIONS": {
            "socket_timeout": COUNT,
            "socket_connect_timeout": COUNT,
            "retry": Retry(NoBackoff(), 0),
        },
    }
