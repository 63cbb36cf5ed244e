"""Players can greet each other in duels. Each seat stores its last greeting."""

from django.db import migrations, models

GREETINGS = [
    ("luck", "Good luck"),
    ("move", "Nice move"),
    ("played", "Well played"),
    ("thanks", "Thanks for the game"),
]


class Migration(migrations.Migration):
    dependencies = [("game", "0014_trials_leave")]

    operations = [
        migrations.AddField(
            "duelseat",
            "greeting",
            models.CharField(blank=True, choices=GREETINGS, default="", max_length=8),
        ),
        migrations.AddField(
            "player", "greetings", models.BooleanField(default=True, verbose_name="greetings in duels")
        ),
    ]
