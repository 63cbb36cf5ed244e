"""The models of trials move to an app of their own, with tables that keep their names."""

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
