"""Django's migrate command, which never blocks requests for long.

A migration that waits for a lock on a table blocks every later request for this table. This command
gives up after LOCK seconds, lets the requests pass, and tries again. Finished migrations stay.
"""

from time import sleep
from typing import Any

from django.core.management.base import CommandError
from django.core.management.commands import migrate
from django.db import OperationalError, connections

from game.pages.requests.readiness import explain_old_database
from game.pages.requests.troubles import BUSY, find_trouble

LOCK = 3.0  # seconds that a migration may make requests wait for a table
PAUSE = 2.0  # seconds between two tries, so that waiting requests can finish
TRIES = 30


class Command(migrate.Command):
    def handle(self, *args: Any, **options: Any) -> None:
        if too_old := explain_old_database(options["database"]):
            raise CommandError(too_old)
        database = connections[options["database"]]
        if database.vendor == "postgresql":
            with database.cursor() as cursor:
                cursor.execute("SELECT set_config('lock_timeout', %s, false)", [f"{LOCK}s"])
        for left in reversed(range(TRIES)):
            try:
                super().handle(*args, **options)
            except OperationalError as error:
                if find_trouble(error) is not BUSY or not left:
                    raise
                self.stderr.write(f"A table is in use: next try in {PAUSE:.0f} s. {error}")
                sleep(PAUSE)
            else:
                return
