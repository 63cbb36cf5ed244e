"""A setting with three values replaces ``brief``: how much a screen reader reads aloud."""

from typing import Any

from django.db import migrations, models


def keep_what_was_chosen(apps: Any, schema_editor: Any) -> None:
    apps.get_model("game", "Player").objects.filter(brief=True).update(read_out="results")


def take_back(apps: Any, schema_editor: Any) -> None:
    apps.get_model("game", "Player").objects.exclude(read_out="all").update(brief=True)


class Migration(migrations.Migration):
    dependencies = [("game", "0007_slips")]

    operations = [
        migrations.AddField(
            model_name="player",
            name="read_out",
            field=models.CharField(
                choices=[
                    ("all", "Everything"),
                    ("results", "Dice and results"),
                    ("answers", "Only messages that need an answer"),
                ],
                default="all",
                max_length=8,
            ),
        ),
        migrations.RunPython(keep_what_was_chosen, take_back),
        migrations.RemoveField(model_name="player", name="brief"),
    ]
