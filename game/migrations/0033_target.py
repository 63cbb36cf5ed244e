from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("game", "0032_lists")]

    operations = [
        migrations.AddField(
            model_name="game",
            name="target",
            field=models.PositiveSmallIntegerField(
                null=True,
                blank=True,
                help_text="The final score that it is played to reach.",
            ),
        ),
    ]
