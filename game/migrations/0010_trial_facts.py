from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("game", "0009_hinted")]
    operations = [
        migrations.AddField("trial", "facts", models.JSONField(default=dict, editable=False))
    ]
