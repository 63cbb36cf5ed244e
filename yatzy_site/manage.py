"""Django's commands for the site. They report a missing database or table in one line."""

import os
import sys
from collections.abc import Sequence

LACKING = 2  # exit status if something is missing, as in the solver's commands


def run(arguments: Sequence[str]) -> None:
    """Run a Django command. Report a missing table or database in one line, or with its traceback
    if the arguments have ``--traceback``."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "yatzy_site.settings")
    from django.core.management import execute_from_command_line
    from django.db import DatabaseError

    from solver.tables import TableError

    try:
        execute_from_command_line(list(arguments))
    except (TableError, DatabaseError) as error:
        from game.pages.requests.readiness import list_unapplied
        from game.pages.requests.troubles import explain_outage

        text, away = str(error), explain_outage(error)
        if isinstance(error, DatabaseError) and away:
            text = f"{away}: {error}"
        elif isinstance(error, DatabaseError):  # other causes show their traceback
            text = "the database is not ready: run `./yatzy update`" if list_unapplied() else ""
        if not text or "--traceback" in arguments:
            raise
        sys.stderr.write(f"{text}\n")
        sys.exit(LACKING)
