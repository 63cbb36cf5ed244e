"""Asks all players before a 0 in a box while another would score. Players can turn this off."""

from typing import Any

from django.db import migrations, models


def ask_everybody(apps: Any, schema_editor: Any) -> None:
    apps.get_model("game", "Player").objects.filter(bot="").update(confirm_costly=True)


class Migration(migrations.Migration):
    dependencies = [("game", "0006_words")]

    operations = [
        migrations.AlterField(
            model_name="player",
            name="confirm_costly",
            field=models.BooleanField(
                default=True,
                verbose_name="ask me before I put 0 in a box when another box would score",
            ),
        ),
        migrations.RunPython(ask_everybody, migrations.RunPython.noop, elidable=True),
    ]
