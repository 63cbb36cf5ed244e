"""A game's position in a trial moves to a separate table, so that games do not refer to trials."""

from typing import Any

from django.db import migrations, models
from django.db.models import Q

PHASES = [("before", "Baseline"), ("training", "Training"), ("after", "Post-test"), ("follow_up", "Follow-up")]

COPIED = """
    INSERT INTO game_trialgame (game_id, participant_id, number, arm_id, phase)
    SELECT id, participant_id, trial_number, arm_id, phase FROM game_game WHERE mode = 'trial'
"""
COUNTED = (
    "SELECT COUNT(*), SUM(trial_number), COUNT(arm_id), COUNT(DISTINCT participant_id)"
    " FROM game_game",
    "SELECT COUNT(*), SUM(number), COUNT(arm_id), COUNT(DISTINCT participant_id)"
    " FROM game_trialgame",
)


def copy_places(apps: Any, schema_editor: Any) -> None:
    """Copy the positions of all trial games. Raise an error if a count or sum then differs."""
    with schema_editor.connection.cursor() as cursor:
        cursor.execute(COPIED)
        cursor.execute(f"{COUNTED[0]} WHERE mode = 'trial' OR participant_id IS NOT NULL")
        before = cursor.fetchone()
        cursor.execute(COUNTED[1])
        if (after := cursor.fetchone()) != before:
            raise RuntimeError(f"the games of trials {before} would become {after}")


class Migration(migrations.Migration):
    dependencies = [("game", "0011_modes")]

    operations = [
        migrations.CreateModel(
            name="TrialGame",
            fields=[
                ("game", models.OneToOneField(on_delete=models.CASCADE, primary_key=True, related_name="trial_game", serialize=False, to="game.game")),
                ("number", models.PositiveSmallIntegerField()),
                ("phase", models.CharField(blank=True, choices=PHASES, default="", max_length=10)),
                ("arm", models.ForeignKey(blank=True, null=True, on_delete=models.RESTRICT, related_name="games", to="game.arm")),
                ("participant", models.ForeignKey(on_delete=models.CASCADE, related_name="games", to="game.participant")),
            ],
            options={
                "verbose_name": "game of a trial",
                "verbose_name_plural": "games of trials",
                "constraints": [
                    models.UniqueConstraint(fields=("participant", "number"), name="trial_game_one_per_number"),
                    models.CheckConstraint(condition=Q(phase__in=["", *dict(PHASES)]), name="trial_game_phase_is_known"),
                    models.CheckConstraint(condition=Q(arm__isnull=True) | ~Q(phase=""), name="trial_game_of_an_arm_has_a_phase"),
                ],
            },
        ),
        migrations.RunPython(copy_places, migrations.RunPython.noop),
    ]
