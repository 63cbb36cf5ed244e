from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("game", "0033_target")]

    operations = [
        migrations.AddField(
            model_name="trial",
            name="texts",
            field=models.JSONField(
                default=dict, editable=False, verbose_name="what participants are told"
            ),
        ),
    ]
