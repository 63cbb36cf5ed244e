"""Removes the columns that 0012 copied, and two columns of trials that are no longer read."""

from importlib import import_module

from django.db import migrations

modes = import_module("game.migrations.0011_modes")


class Migration(migrations.Migration):
    dependencies = [("game", "0012_trial_games")]

    operations = [
        migrations.RunPython(modes.count_games, migrations.RunPython.noop, elidable=True),
        migrations.RemoveConstraint("game", "game_of_a_trial_has_a_participant"),
        migrations.RemoveConstraint("game", "game_of_an_arm_is_a_trials"),
        migrations.RemoveConstraint("game", "game_one_per_trial_number"),
        migrations.RemoveField("game", "participant"),
        migrations.RemoveField("game", "trial_number"),
        migrations.RemoveField("game", "arm"),
        migrations.RemoveField("game", "phase"),
        migrations.RemoveField("trial", "looks"),
        migrations.RemoveField("trial", "spending"),
        migrations.RunPython(modes.check_games, migrations.RunPython.noop, elidable=True),
    ]
