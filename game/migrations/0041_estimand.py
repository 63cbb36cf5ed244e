from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("game", "0040_quality")]

    operations = [
        migrations.AddField(
            model_name="preregistration",
            name="estimand",
            field=models.JSONField(default=dict),
        ),
        # Trials that there are keep the seal that they have shown.
        migrations.AddField(
            model_name="trial",
            name="seal_version",
            field=models.PositiveSmallIntegerField(default=1, editable=False),
        ),
        migrations.AlterField(
            model_name="trial",
            name="seal_version",
            field=models.PositiveSmallIntegerField(default=2, editable=False),
        ),
    ]
