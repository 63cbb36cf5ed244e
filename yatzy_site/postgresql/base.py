"""Django's backend for PostgreSQL, changed so that every wait of a server has a time limit.

PostgreSQL itself ends waits for a lock and long statements. If PostgreSQL is stopped or
unreachable, the connection ends the wait (``timely``). The limit for locks is shorter, so that the
request can still get an error page.
"""

from typing import Any

from django.db.backends.postgresql import base
from psycopg import IsolationLevel

from yatzy_site import deadlines
from yatzy_site.shared import WAIT

CONNECT = 5  # seconds; psycopg's default is more than two minutes
LOCK = 5.0  # seconds to wait for a lock
# PostgreSQL also checks whether a client still exists. Otherwise, the locks of its transaction
# would last long after the client's end.
SIGN, TRIES = 5, 3  # seconds of silence before a probe, and number of probes
LIMITS = " ".join(
    (
        f"-c lock_timeout={LOCK:.0f}s -c statement_timeout={deadlines.WHOLE:.0f}s",
        f"-c tcp_keepalives_idle={SIGN} -c tcp_keepalives_interval={SIGN}",
        f"-c tcp_keepalives_count={TRIES} -c tcp_user_timeout={SIGN * TRIES}s",
    )
)


class DatabaseWrapper(base.DatabaseWrapper):
    def get_connection_params(self) -> dict[str, Any]:
        params: dict[str, Any] = super().get_connection_params()
        params.setdefault("connect_timeout", CONNECT)
        if deadlines.is_serving():
            params["options"] = f"{LIMITS} {params.get('options', '')}".strip()
        return params

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        """Return a working connection from the pool. Wait no longer than the request may wait."""
        budget = deadlines.find_budget()
        if budget is None or self.pool is None:
            return super().get_new_connection(conn_params)
        self.isolation_level = IsolationLevel.READ_COMMITTED
        self.pool.open()
        with budget.waiting() as left:
            seconds = min(WAIT, left)
            with deadlines.use_budget(deadlines.Budget(seconds)):
                return self.pool.getconn(timeout=seconds)
