from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("game", "0017_recruitment"),
    ]

    operations = [
        migrations.AddField(
            model_name="decision",
            name="client_milliseconds",
            field=models.PositiveIntegerField(
                help_text="Time since the page offered it, by the browser's word; trials alone.",
                null=True,
            ),
        ),
    ]
