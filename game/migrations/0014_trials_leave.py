"""Moves the models of trials to a separate app. Their tables keep their names."""

from django.db import migrations

MODELS = """
    ReleasedAnswer Publication Preregistration WithdrawnLabel ArrivalCount Arrival Recruitment
    Answer QuestionFile Withdrawal TrialGame TrialStaff TrialEvent Agreement Participant Arm
    Consent Trial
"""


class Migration(migrations.Migration):
    dependencies = [("game", "0013_games_without_trials")]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[migrations.DeleteModel(name) for name in MODELS.split()]
        )
    ]
