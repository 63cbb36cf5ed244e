"""Settings for data that processes share through Redis, or that one process has in memory."""

from typing import Any

from redis.backoff import NoBackoff
from redis.retry import Retry

CONNECT = 2.0  # seconds to connect to Redis
COUNT = 0.25  # seconds for a command of the cache
SPARE = 4  # additional connections, for sockets, downloads and background work
WAIT = 5.0  # seconds to wait for a connection; fewer requests run at once than connections
# Seconds in which the pool tries to replace a lost connection. Afterwards, each request makes the
# pool try again, so that it soon notices that the database is back.
TRY = 2.0


def configure_pool(requests_at_once: int) -> dict[str, Any]:
    """Return settings of the connection pool, which opens only connections that can be used."""
    from yatzy_site.postgresql.timely import TimelyConnection  # needs psycopg

    most = requests_at_once + SPARE
    return {
        "connection_class": TimelyConnection,
        "min_size": 2,
        "max_size": most,
        "timeout": WAIT,
        "reconnect_timeout": TRY,
    }


def configure_channel_layer(redis_url: str) -> dict[str, Any]:
    if not redis_url:
        return {"BACKEND": "game.pages.requests.live.ProcessLayer"}
    host = {
        "address": redis_url,
        # A listener waits in Redis until something happens. With a time limit, such as the client's
        # default of 5 s, its socket would break whenever no player moves for that long.
        "socket_timeout": None,
        "socket_connect_timeout": CONNECT,
        "socket_keepalive": True,
    }
    return {"BACKEND": "yatzy_site.layer.KeepingLayer", "CONFIG": {"hosts": [host]}}


def configure_cache(redis_url: str) -> dict[str, Any]:
    """Return settings of the cache. If it is in Redis, a rate limit waits at most COUNT seconds."""
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
