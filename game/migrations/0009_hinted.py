"""A game stores which moves the coach gave a hint for: the skill estimate leaves those out."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("game", "0008_read_out")]

    operations = [
        migrations.AddField(
            "game",
            "hinted_moves",
            models.JSONField(
                default=list, help_text="Numbers of the moves with a hint, counted from 0."
            ),
        ),
        migrations.AddField(
            "game",
            "hinted",
            models.PositiveSmallIntegerField(
                default=0, help_text="Number of unforced moves with a hint in a finished game."
            ),
        ),
        migrations.AddField(
            "game",
            "hinted_regret",
            models.FloatField(default=0.0, help_text="Points lost in unforced moves with a hint, in a finished game."),
        ),
    ]
