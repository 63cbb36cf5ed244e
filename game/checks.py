"""Deployment mistakes that `manage.py check` can see, each with what to do about it."""

from typing import Any

from django.core import checks

from solver.tables import TableError, open_table


@checks.register()
def table_of_values(**_: Any) -> list[checks.CheckMessage]:
    from game.models import Game  # models are loaded after the checks are registered

    try:
        open_table(Game().rules)
    except TableError as error:
        hint = "Games can be played, but nothing can be said about them until there is a table."
        return [checks.Warning(str(error), hint=hint, id="game.W001")]
    return []
