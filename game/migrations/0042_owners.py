from typing import Any

import django.core.validators
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models
from django.db.models import F


def whoever_made_it_owns_it(apps: Any, schema_editor: Any) -> None:
    trial, role = apps.get_model("game", "Trial"), apps.get_model("game", "TrialStaff")
    made = trial.objects.filter(created_by__isnull=False).values_list("pk", "created_by")
    role.objects.bulk_create([role(trial_id=key, user_id=user, role="own") for key, user in made])


def what_was_closed_stays_visible(apps: Any, schema_editor: Any) -> None:
    apps.get_model("game", "Trial").objects.filter(closed_at__isnull=False).update(
        unmasked_at=F("closed_at")
    )


class Migration(migrations.Migration):
    dependencies = [
        ("game", "0041_estimand"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name="trial",
            name="looks",
            field=models.PositiveSmallIntegerField(
                default=0,
                editable=False,
                validators=[django.core.validators.MaxValueValidator(10)],
                verbose_name="looks at the comparison, the last one included",
            ),
        ),
        migrations.AddField(
            model_name="trial",
            name="spending",
            field=models.CharField(
                blank=True,
                choices=[
                    ("obrien_fleming", "Little at first, most at the end (O’Brien-Fleming)"),
                    ("pocock", "About as much at every look (Pocock)"),
                ],
                default="",
                editable=False,
                max_length=16,
                verbose_name="how the looks share the alpha of 0.05",
            ),
        ),
        migrations.AddField(
            model_name="trial",
            name="unmasked_at",
            field=models.DateTimeField(blank=True, editable=False, null=True),
        ),
        migrations.CreateModel(
            name="TrialStaff",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "role",
                    models.CharField(
                        choices=[
                            ("view", "sees its pages"),
                            ("run", "runs it"),
                            ("own", "owns it"),
                        ],
                        max_length=8,
                    ),
                ),
                ("since", models.DateTimeField(auto_now_add=True)),
                (
                    "trial",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="team",
                        to="game.trial",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="trial_roles",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "verbose_name": "role in a trial",
                "verbose_name_plural": "roles in trials",
                "ordering": ["since", "pk"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("trial", "user"), name="trial_staff_one_role"
                    )
                ],
            },
        ),
        migrations.RunPython(whoever_made_it_owns_it, migrations.RunPython.noop),
        migrations.RunPython(what_was_closed_stays_visible, migrations.RunPython.noop),
    ]
