"""A connection whose waits have a time limit: TCP does not notice when a server is stopped."""

from typing import Any

import psycopg
from psycopg.abc import RV, PQGen

from yatzy_site import deadlines

INTERVAL = 0.1  # seconds between two checks for an interrupt, as in psycopg


class TimelyConnection(psycopg.Connection[Any]):
    def wait(self, gen: PQGen[RV], interval: float = INTERVAL, timeout: float | None = None) -> RV:
        """Wait for the database. If no time is left, close the connection."""
        budget = deadlines.find_budget()
        if budget is None or timeout is not None:
            return super().wait(gen, interval, timeout)
        try:
            with budget.waiting() as left:
                return super().wait(gen, interval, left)
        except psycopg.OperationalError:
            if not budget.left:
                self.close()
            raise
