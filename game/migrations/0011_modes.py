"""Constraints no longer list the modes, so a new kind of game needs no change of the database."""

from typing import Any

from django.db import migrations, models

import game.models.game

counted: dict[str, int] = {}


def count_games(apps: Any, schema_editor: Any) -> None:
    alias = schema_editor.connection.alias
    counted[alias] = apps.get_model("game", "Game").objects.using(alias).count()


def check_games(apps: Any, schema_editor: Any) -> None:
    """Raise an error if games are missing: SQLite copies the table to change a constraint."""
    alias = schema_editor.connection.alias
    kept = apps.get_model("game", "Game").objects.using(alias).count()
    if kept != counted[alias]:
        raise RuntimeError(f"{counted[alias]} games were stored, and {kept} would be kept")


class Migration(migrations.Migration):
    dependencies = [("game", "0010_trial_facts")]

    operations = [
        migrations.RunPython(count_games, migrations.RunPython.noop, elidable=True),
        migrations.AlterField(
            model_name="game",
            name="mode",
            field=models.CharField(
                choices=game.models.game.mode_choices, default="solo", max_length=8
            ),
        ),
        migrations.RemoveConstraint(model_name="game", name="game_daily_has_day"),
        migrations.AddConstraint(
            model_name="game",
            constraint=models.CheckConstraint(
                name="game_daily_has_day",
                condition=~models.Q(mode="daily", day__isnull=True)
                & ~models.Q(mode="solo", day__isnull=False),
            ),
        ),
        migrations.RunPython(check_games, migrations.RunPython.noop, elidable=True),
    ]
