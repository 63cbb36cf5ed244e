from typing import Any

from django.db import migrations, models


def begun_before_keep_their_pace(apps: Any, schema_editor: Any) -> None:
    """Somebody may be a throw ahead in them."""
    apps.get_model('game', 'Duel').objects.exclude(started_at=None).update(lockstep=False)


class Migration(migrations.Migration):

    dependencies = [
        ('game', '0029_friends'),
    ]

    operations = [
        migrations.AddField(
            model_name='duel',
            name='days',
            field=models.PositiveSmallIntegerField(default=3, help_text='For a move where there is no clock; then the others may go on without.'),
        ),
        migrations.AddField(
            model_name='duel',
            name='lockstep',
            field=models.BooleanField(default=True, help_text='Each throw of a turn falls when all people have fixed what they hold.'),
        ),
        migrations.AlterField(
            model_name='duelseat',
            name='exit',
            field=models.CharField(blank=True, choices=[('gave up', 'Gave up'), ('time', 'Ran out of time'), ('off', 'Called it off')], default='', max_length=8),
        ),
        migrations.RemoveConstraint(
            model_name='duel',
            name='duel_withdrawn_never_began',
        ),
        migrations.AddConstraint(
            model_name='duel',
            constraint=models.CheckConstraint(condition=models.Q(('withdrawn_at__isnull', True), ('finished_at__isnull', True), _connector='OR'), name='duel_called_off_has_no_end'),
        ),
        migrations.RunPython(begun_before_keep_their_pace, migrations.RunPython.noop),
    ]
