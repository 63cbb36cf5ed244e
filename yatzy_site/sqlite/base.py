"""Django's backend for SQLite. Only the owner can read a new database."""

import os
from contextlib import suppress
from typing import Any

from django.db.backends.sqlite3 import base


class DatabaseWrapper(base.DatabaseWrapper):
    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        """Create a missing file only for its owner. SQLite's other files get the same rights."""
        path = str(conn_params["database"])
        if path != ":memory:" and not path.startswith("file:"):
            with suppress(OSError):  # the file exists, or SQLite will report the error
                os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        return super().get_new_connection(conn_params)
