"""Games store the moves after a hint of the coach, because the skill estimate excludes them."""

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
