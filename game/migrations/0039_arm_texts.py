from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("game", "0038_release")]

    operations = [
        migrations.AddField(
            model_name="trial",
            name="texts",
            field=models.JSONField(
                default=dict, editable=False, verbose_name="what participants are told"
            ),
        ),
    ]
