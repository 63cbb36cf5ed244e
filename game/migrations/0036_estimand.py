from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("game", "0033_target")]

    operations = [
        migrations.AddField(
            model_name="preregistration",
            name="estimand",
            field=models.JSONField(default=dict),
        ),
    ]
