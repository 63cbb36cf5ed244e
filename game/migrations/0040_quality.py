from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("game", "0039_arm_texts")]

    operations = [
        migrations.AddField(
            model_name="trial",
            name="round_table",
            field=models.BooleanField(
                default=False,
                help_text="Whoever opens their link in the same browser sits at the same table: "
                "the page says whose turn it is, and the device is handed on.",
                verbose_name="participants sit round one table and take turns",
            ),
        ),
        migrations.AddField(
            model_name="participant",
            name="table",
            field=models.CharField(
                blank=True,
                default="",
                editable=False,
                help_text="Names the browser round which they sit, where participants take turns.",
                max_length=16,
            ),
        ),
    ]
