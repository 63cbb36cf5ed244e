"""Django's backend for SQLite; only its owner can read a new database."""

import os
from contextlib import suppress
from typing import Any

from django.db.backends.sqlite3 import base


class DatabaseWrapper(base.DatabaseWrapper):
    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        """Make a missing file for its owner only; SQLite gives its other files the same rights."""
        path = str(conn_params["database"])
        if path != ":memory:" and not path.startswith("file:"):
            with suppress(OSError):  # the file exists, or SQLite reports the error
                os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        return super().get_new_connection(conn_params)
