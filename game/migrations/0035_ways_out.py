"""Every way out has a code of its own, in one field; those there were keep their meaning."""

from typing import Any

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import migrations, models

BEFORE = ("complete", "no_consent", "screened_out", "timed_out")
# Whoever found no place, or used up the tries at the rules, was sent away as screened out.
AS_SCREENED_OUT = ("full", "failed_check")


def gather(apps: Any, schema_editor: Any) -> None:
    for one in apps.get_model("game", "Recruitment").objects.all():
        told = {name: getattr(one, name) for name in BEFORE}
        told |= dict.fromkeys(AS_SCREENED_OUT, told["screened_out"])
        one.ways_out = {name: way for name, way in told.items() if way}
        one.save(update_fields=["ways_out"])


def spread(apps: Any, schema_editor: Any) -> None:
    for one in apps.get_model("game", "Recruitment").objects.all():
        for name in BEFORE:
            setattr(one, name, one.ways_out.get(name, ""))
        one.save(update_fields=BEFORE)


class Migration(migrations.Migration):
    dependencies = [("game", "0034_reminder")]

    operations = [
        migrations.AddField("recruitment", "ways_out", models.JSONField(blank=True, default=dict)),
        migrations.RunPython(gather, spread),
        *(migrations.RemoveField("recruitment", name) for name in BEFORE),
        migrations.AddField("arrival", "later", models.JSONField(blank=True, default=list)),
        migrations.AddField("participant", "failed_check", models.BooleanField(default=False)),
        migrations.AddField(
            "recruitment",
            "checks",
            models.PositiveSmallIntegerField(
                null=True,
                blank=True,
                validators=[MinValueValidator(1)],
                help_text="Empty: however many are missed, everybody plays on.",
                verbose_name="missed attention checks that end the part",
            ),
        ),
        migrations.AddField(
            "recruitment",
            "expected",
            models.CharField(
                max_length=500,
                blank=True,
                help_text="NAME=VALUE, separated by blanks, such as STUDY_ID=65f0: whoever comes"
                " with another value is turned away. A name may be there several times, for"
                " several studies.",
                verbose_name="expected labels",
            ),
        ),
        migrations.AlterField(
            "recruitment",
            "minutes",
            models.PositiveIntegerField(
                null=True,
                blank=True,
                validators=[MinValueValidator(1), MaxValueValidator(60 * 24 * 365)],
                help_text="Of each sitting: from consent on, and in the follow-up from its first"
                " game on; a game under way can be finished. Empty: no limit.",
                verbose_name="minutes until the time is up",
            ),
        ),
        migrations.AlterField(
            "recruitment",
            "quota",
            models.PositiveSmallIntegerField(
                default=20,
                validators=[MinValueValidator(1), MaxValueValidator(5_000)],
                help_text="Under way or done at the same time: whoever withdraws, is screened out,"
                " fails a check or runs out of time makes room for another.",
                verbose_name="how many may come by it",
            ),
        ),
    ]
