"""The models of trials leave the game for an app of their own; their tables stay as they are."""

from typing import Any

import django.core.validators
import game.models.tokens
from django.conf import settings
from django.db import migrations, models

MODELS = [
    migrations.CreateModel(name='Trial', fields=[
            ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
            ('slug', models.SlugField(unique=True, verbose_name='short name for addresses')),
            ('title', models.CharField(max_length=120)),
            ('places', models.PositiveSmallIntegerField(verbose_name='participants')),
            ('games_each', models.PositiveSmallIntegerField(verbose_name='games per participant')),
            ('ruleset', models.CharField(default='yatzy', max_length=32, verbose_name='rules')),
            ('dice', models.CharField(choices=[('virtual', 'Virtual dice'), ('real', 'Real dice, typed in after each roll')], default='virtual', max_length=8)),
            ('shared_dice', models.BooleanField(default=False, verbose_name='the same dice for everyone, game by game')),
            ('dice_places', models.CharField(default='', max_length=8, verbose_name='order in which real dice are typed in')),
            ('design', models.CharField(choices=[('between', 'Each participant has one arm'), ('within', 'Each participant plays every arm, in balanced orders')], default='between', max_length=8)),
            ('games_before', models.PositiveSmallIntegerField(default=0)),
            ('games_after', models.PositiveSmallIntegerField(default=0)),
            ('games_follow_up', models.PositiveSmallIntegerField(default=0)),
            ('follow_up_days', models.PositiveSmallIntegerField(default=0)),
            ('seal_version', models.PositiveSmallIntegerField(default=2)),
            ('stratify_by', models.CharField(default='', max_length=50)),
            ('language', models.CharField(default='', max_length=10)),
            ('questionnaire', models.BooleanField(default=True, verbose_name='ask about experience with the game')),
            ('resume', models.CharField(choices=[('anywhere', 'On any device, with the same link'), ('one', 'Only in the browser in which they began')], default='anywhere', max_length=8, verbose_name='where interrupted participants continue')),
            ('round_table', models.BooleanField(default=False, verbose_name='participants take turns on one device')),
            ('idle_minutes', models.PositiveSmallIntegerField(default=30, verbose_name='minutes without a move until a participant counts as away')),
            ('coach_closed', models.BooleanField(default=False, verbose_name='close the coach for everyone on this site while the trial runs')),
            ('expected_end', models.DateField(null=True, verbose_name='expected closing date')),
            ('facts', models.JSONField(default=dict)),
            ('texts', models.JSONField(default=dict, verbose_name='participant texts')),
            ('rehearsal', models.BooleanField(default=False)),
            ('seed', models.CharField(max_length=64)),
            ('created_by', models.ForeignKey(null=True, on_delete=models.SET_NULL, to=settings.AUTH_USER_MODEL)),
            ('created_at', models.DateTimeField(auto_now_add=True)),
            ('opened_at', models.DateTimeField(null=True)),
            ('closed_at', models.DateTimeField(null=True)),
            ('unmasked_at', models.DateTimeField(null=True)),
        ],
        options={
            'db_table': 'game_trial', 'ordering': ['-created_at'],
            'constraints': [
                models.CheckConstraint(condition=models.Q(('dice', 'real'), ('shared_dice', True), _negated=True), name='trial_real_dice_are_not_shared'),
                models.CheckConstraint(condition=models.Q(('closed_at__isnull', True), ('opened_at__isnull', False), _connector='OR'), name='trial_closes_after_it_opened'),
            ],
        },
    ),
    migrations.CreateModel(name='Consent', fields=[
            ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
            ('trial', models.ForeignKey(on_delete=models.CASCADE, related_name='consents', to='trials.trial')),
            ('version', models.PositiveSmallIntegerField()),
            ('text', models.TextField()),
            ('created_at', models.DateTimeField(auto_now_add=True)),
        ],
        options={
            'db_table': 'game_consent', 'ordering': ['trial', 'version'],
            'constraints': [
                models.UniqueConstraint(fields=('trial', 'version'), name='consent_one_per_version'),
            ],
        },
    ),
    migrations.CreateModel(name='Arm', fields=[
            ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
            ('trial', models.ForeignKey(on_delete=models.CASCADE, related_name='arms', to='trials.trial')),
            ('position', models.PositiveSmallIntegerField()),
            ('name', models.SlugField(max_length=30)),
            ('coach', models.CharField(choices=[('off', 'Off'), ('after', 'After each move'), ('alert', 'Warn me, without showing the better move'), ('before', 'Before costly moves'), ('live', 'Live values, while I choose'), ('hint', 'Only hints, when I ask')], default='off', max_length=8)),
            ('offered_points', models.BooleanField(default=True)),
            ('ruleset', models.CharField(default='', max_length=32)),
            ('dice', models.CharField(choices=[('virtual', 'Virtual dice'), ('real', 'Real dice, typed in after each roll')], default='', max_length=8)),
            ('shared_dice', models.BooleanField(null=True)),
            ('games_each', models.PositiveSmallIntegerField(null=True)),
            ('drill', models.BooleanField(default=False)),
        ],
        options={
            'db_table': 'game_arm', 'ordering': ['trial', 'position'],
            'constraints': [
                models.UniqueConstraint(fields=('trial', 'position'), name='arm_one_per_position'),
                models.UniqueConstraint(fields=('trial', 'name'), name='arm_one_per_name'),
                models.CheckConstraint(condition=models.Q(('shared_dice__isnull', True), models.Q(('dice', 'real'), ('shared_dice', True), _negated=True), _connector='OR'), name='arm_real_dice_are_not_shared'),
            ],
        },
    ),
    migrations.CreateModel(name='Participant', fields=[
            ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
            ('trial', models.ForeignKey(on_delete=models.CASCADE, related_name='participants', to='trials.trial')),
            ('number', models.PositiveSmallIntegerField()),
            ('code', models.CharField(default=game.models.tokens.participant_code, max_length=16, unique=True)),
            ('browser', models.CharField(default='', max_length=16)),
            ('link', models.PositiveSmallIntegerField(default=0)),
            ('link_revoked', models.BooleanField(default=False)),
            ('device', models.CharField(default='', max_length=16)),
            ('table', models.CharField(default='', max_length=16)),
            ('player', models.OneToOneField(null=True, on_delete=models.SET_NULL, related_name='participant', to='game.player')),
            ('consent', models.ForeignKey(null=True, on_delete=models.PROTECT, related_name='given', to='trials.consent')),
            ('consented_at', models.DateTimeField(null=True)),
            ('answered_at', models.DateTimeField(null=True)),
            ('arm', models.ForeignKey(null=True, on_delete=models.RESTRICT, related_name='participants', to='trials.arm')),
            ('arm_order', models.CharField(default='', max_length=100)),
            ('stratum', models.CharField(default='', max_length=200)),
            ('draw', models.PositiveSmallIntegerField(null=True)),
            ('assigned_at', models.DateTimeField(null=True)),
            ('planned', models.PositiveSmallIntegerField(null=True)),
            ('experience', models.CharField(default='', max_length=8)),
            ('last_played', models.CharField(default='', max_length=8)),
            ('strategy', models.CharField(default='', max_length=8)),
            ('seen_at', models.DateTimeField(null=True)),
            ('withdrawn_at', models.DateTimeField(null=True)),
            ('screened_out_at', models.DateTimeField(null=True)),
            ('failed_check', models.BooleanField(default=False)),
        ],
        options={
            'db_table': 'game_participant', 'ordering': ['trial', 'number'],
            'constraints': [
                models.UniqueConstraint(fields=('trial', 'number'), name='participant_one_per_number'),
                models.CheckConstraint(condition=models.Q(models.Q(('consent__isnull', True), ('consented_at__isnull', True)), models.Q(('consent__isnull', False), ('consented_at__isnull', False)), _connector='OR'), name='participant_consent_has_a_time'),
                models.CheckConstraint(condition=models.Q(('withdrawn_at__isnull', True), ('player__isnull', True), _connector='OR'), name='participant_withdrawn_keeps_no_games'),
                models.UniqueConstraint(condition=models.Q(('draw__isnull', False)), fields=('trial', 'stratum', 'draw'), name='participant_one_per_draw'),
                models.CheckConstraint(condition=models.Q(models.Q(('arm__isnull', True), ('assigned_at__isnull', True), ('draw__isnull', True), ('planned__isnull', True)), models.Q(('arm__isnull', False), ('assigned_at__isnull', False), ('draw__isnull', False), ('planned__isnull', False)), _connector='OR'), name='participant_arm_has_a_draw'),
            ],
        },
    ),
    migrations.CreateModel(name='Agreement', fields=[
            ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
            ('participant', models.ForeignKey(on_delete=models.CASCADE, related_name='agreements', to='trials.participant')),
            ('consent', models.ForeignKey(on_delete=models.PROTECT, related_name='agreements', to='trials.consent')),
            ('at', models.DateTimeField()),
        ],
        options={
            'db_table': 'game_agreement', 'ordering': ['participant', 'at'],
            'constraints': [
                models.UniqueConstraint(fields=('participant', 'consent'), name='agreement_one_per_version'),
            ],
        },
    ),
    migrations.CreateModel(name='TrialEvent', fields=[
            ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
            ('trial', models.ForeignKey(on_delete=models.CASCADE, related_name='events', to='trials.trial')),
            ('participant', models.ForeignKey(null=True, on_delete=models.CASCADE, related_name='events', to='trials.participant')),
            ('kind', models.CharField(max_length=24)),
            ('at', models.DateTimeField()),
            ('detail', models.JSONField(default=dict)),
        ],
        options={
            'db_table': 'game_trialevent', 'ordering': ['at', 'pk'],
            'indexes': [
                models.Index(fields=['trial', 'at'], name='trial_event_of_trial'),
            ],
        },
    ),
    migrations.CreateModel(name='TrialStaff', fields=[
            ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
            ('trial', models.ForeignKey(on_delete=models.CASCADE, related_name='team', to='trials.trial')),
            ('user', models.ForeignKey(on_delete=models.CASCADE, related_name='trial_roles', to=settings.AUTH_USER_MODEL)),
            ('role', models.CharField(choices=[('view', 'sees the trial'), ('run', 'runs the trial'), ('own', 'owns the trial')], max_length=8)),
            ('since', models.DateTimeField(auto_now_add=True)),
        ],
        options={
            'db_table': 'game_trialstaff', 'ordering': ['since', 'pk'],
            'constraints': [
                models.UniqueConstraint(fields=('trial', 'user'), name='trial_staff_one_role'),
            ],
        },
    ),
    migrations.CreateModel(name='TrialGame', fields=[
            ('game', models.OneToOneField(on_delete=models.CASCADE, primary_key=True, related_name='trial_game', serialize=False, to='game.game')),
            ('participant', models.ForeignKey(on_delete=models.CASCADE, related_name='games', to='trials.participant')),
            ('number', models.PositiveSmallIntegerField()),
            ('arm', models.ForeignKey(null=True, on_delete=models.RESTRICT, related_name='games', to='trials.arm')),
            ('phase', models.CharField(default='', max_length=10)),
        ],
        options={
            'db_table': 'game_trialgame',
            'constraints': [
                models.UniqueConstraint(fields=('participant', 'number'), name='trial_game_one_per_number'),
                models.CheckConstraint(condition=models.Q(('phase__in', ['', 'before', 'training', 'after', 'follow_up'])), name='trial_game_phase_is_known'),
                models.CheckConstraint(condition=models.Q(('arm__isnull', True), models.Q(('phase', ''), _negated=True), _connector='OR'), name='trial_game_of_an_arm_has_a_phase'),
            ],
        },
    ),
    migrations.CreateModel(name='Withdrawal', fields=[
            ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
            ('participant', models.OneToOneField(on_delete=models.CASCADE, related_name='withdrawal', to='trials.participant')),
            ('at', models.DateTimeField(db_index=True)),
            ('rows', models.BinaryField()),
        ],
        options={
            'db_table': 'game_withdrawal',
        },
    ),
    migrations.CreateModel(name='QuestionFile', fields=[
            ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
            ('trial', models.ForeignKey(on_delete=models.CASCADE, related_name='question_files', to='trials.trial')),
            ('version', models.PositiveSmallIntegerField()),
            ('text', models.TextField()),
            ('created_at', models.DateTimeField(auto_now_add=True)),
        ],
        options={
            'db_table': 'game_questionfile', 'ordering': ['trial', 'version'],
            'constraints': [
                models.UniqueConstraint(fields=('trial', 'version'), name='question_file_one_per_version'),
            ],
        },
    ),
    migrations.CreateModel(name='Answer', fields=[
            ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
            ('participant', models.ForeignKey(on_delete=models.CASCADE, related_name='answers', to='trials.participant')),
            ('key', models.CharField(max_length=81)),
            ('moment', models.CharField(max_length=8)),
            ('game', models.PositiveSmallIntegerField(default=0)),
            ('value', models.TextField(default='')),
            ('state', models.CharField(max_length=8)),
            ('passed', models.BooleanField(null=True)),
            ('tries', models.PositiveSmallIntegerField(default=0)),
            ('seconds', models.FloatField(null=True)),
            ('at', models.DateTimeField()),
            ('page_finished', models.BooleanField(default=False)),
        ],
        options={
            'db_table': 'game_answer', 'ordering': ['participant', 'at', 'pk'],
            'constraints': [
                models.UniqueConstraint(fields=('participant', 'key', 'game'), name='answer_one_per_question'),
                models.CheckConstraint(condition=models.Q(models.Q(('state', 'answered'), models.Q(('value', ''), _negated=True)), models.Q(models.Q(('state', 'answered'), _negated=True), ('value', '')), _connector='OR'), name='answer_has_a_value_when_answered'),
                models.CheckConstraint(condition=models.Q(models.Q(('game__gt', 0), ('moment', 'between')), models.Q(('game', 0), ('moment__in', ['before', 'after'])), _connector='OR'), name='answer_between_games_names_one'),
            ],
        },
    ),
    migrations.CreateModel(name='Recruitment', fields=[
            ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
            ('trial', models.OneToOneField(on_delete=models.CASCADE, related_name='recruitment', to='trials.trial')),
            ('token', models.CharField(default=game.models.tokens.join_token, max_length=24, unique=True)),
            ('open', models.BooleanField(default=False, verbose_name='people can join by the open link')),
            ('quota', models.PositiveSmallIntegerField(default=20, verbose_name='maximum number of people by the open link')),
            ('labels', models.CharField(default='PROLIFIC_PID STUDY_ID SESSION_ID', max_length=200, verbose_name='external IDs in the address')),
            ('expected', models.CharField(max_length=500, verbose_name='expected IDs')),
            ('panel', models.CharField(default='', max_length=12)),
            ('entry', models.CharField(choices=[('code', 'The participant code, or the personal link'), ('signed', 'An address signed by the panel; unsigned addresses admit no one')], default='code', max_length=8, verbose_name='needed to continue in another browser')),
            ('letters', models.CharField(blank=True, choices=[('', 'Anything'), ('hex', 'Hexadecimal digits'), ('digits', 'Digits'), ('plain', 'Letters and digits')], default='', max_length=8, verbose_name='characters of an external ID')),
            ('length', models.PositiveSmallIntegerField(blank=True, null=True, validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(200)], verbose_name='number of characters of an external ID')),
            ('minutes', models.PositiveIntegerField(null=True, verbose_name='minutes for each session')),
            ('checks', models.PositiveSmallIntegerField(null=True, verbose_name='missed attention checks until exclusion')),
            ('ways_out', models.JSONField(default=dict)),
        ],
        options={
            'db_table': 'game_recruitment',
        },
    ),
    migrations.CreateModel(name='Arrival', fields=[
            ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
            ('trial', models.ForeignKey(on_delete=models.CASCADE, related_name='arrivals', to='trials.trial')),
            ('participant', models.OneToOneField(on_delete=models.CASCADE, related_name='arrival', to='trials.participant')),
            ('label', models.CharField(max_length=200)),
            ('key', models.CharField(max_length=208)),
            ('parameters', models.JSONField(default=dict)),
            ('at', models.DateTimeField()),
            ('later', models.JSONField(default=list)),
        ],
        options={
            'db_table': 'game_arrival', 'ordering': ['trial', 'at'],
            'constraints': [
                models.UniqueConstraint(fields=('trial', 'key'), name='arrival_one_per_key'),
            ],
        },
    ),
    migrations.CreateModel(name='ArrivalCount', fields=[
            ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
            ('trial', models.ForeignKey(on_delete=models.CASCADE, related_name='arrival_counts', to='trials.trial')),
            ('kind', models.CharField(max_length=12)),
            ('day', models.DateField()),
            ('people', models.PositiveIntegerField(default=0)),
        ],
        options={
            'db_table': 'game_arrivalcount',
            'constraints': [
                models.UniqueConstraint(fields=('trial', 'kind', 'day'), name='arrival_count_one_per_day'),
            ],
        },
    ),
    migrations.CreateModel(name='WithdrawnLabel', fields=[
            ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
            ('trial', models.ForeignKey(on_delete=models.CASCADE, related_name='withdrawn_labels', to='trials.trial')),
            ('digest', models.CharField(max_length=64)),
        ],
        options={
            'db_table': 'game_withdrawnlabel',
            'constraints': [
                models.UniqueConstraint(fields=('trial', 'digest'), name='withdrawn_label_one_per_digest'),
            ],
        },
    ),
    migrations.CreateModel(name='Preregistration', fields=[
            ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
            ('trial', models.OneToOneField(on_delete=models.CASCADE, related_name='preregistration', to='trials.trial')),
            ('hypotheses', models.TextField()),
            ('outcome', models.CharField(max_length=32)),
            ('analyses', models.JSONField(default=list)),
            ('exclusions', models.JSONField(default=dict)),
            ('estimand', models.JSONField(default=dict)),
            ('stopping', models.CharField(max_length=16)),
            ('stopping_people', models.PositiveSmallIntegerField(null=True)),
            ('stopping_date', models.DateField(null=True)),
            ('changed_at', models.DateTimeField(auto_now=True)),
            ('locked_at', models.DateTimeField(null=True)),
            ('document', models.TextField(default='')),
            ('digest', models.CharField(default='', max_length=64)),
        ],
        options={
            'db_table': 'game_preregistration',
            'constraints': [
                models.CheckConstraint(condition=models.Q(models.Q(('digest', ''), ('document', ''), ('locked_at__isnull', True)), models.Q(('locked_at__isnull', False), models.Q(('document', ''), _negated=True), models.Q(('digest', ''), _negated=True)), _connector='OR'), name='preregistration_locked_has_its_text'),
            ],
        },
    ),
    migrations.CreateModel(name='Publication', fields=[
            ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
            ('trial', models.OneToOneField(on_delete=models.CASCADE, related_name='publication', to='trials.trial')),
            ('creators', models.TextField(default='')),
            ('licence', models.CharField(default='CC0-1.0', max_length=12)),
        ],
        options={
            'db_table': 'game_publication',
        },
    ),
    migrations.CreateModel(name='ReleasedAnswer', fields=[
            ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
            ('answer', models.OneToOneField(on_delete=models.CASCADE, related_name='released', to='trials.answer')),
            ('at', models.DateTimeField()),
        ],
        options={
            'db_table': 'game_releasedanswer',
        },
    ),
]
NAMES = {operation.name.lower() for operation in MODELS}


def rename_content_types(apps: Any, schema_editor: Any) -> None:
    """Keep the permissions that staff have, and the log of the administration."""
    types = apps.get_model("contenttypes", "ContentType").objects
    types.filter(app_label="game", model__in=NAMES).update(app_label="trials")


def rename_back(apps: Any, schema_editor: Any) -> None:
    types = apps.get_model("contenttypes", "ContentType").objects
    types.filter(app_label="trials", model__in=NAMES).update(app_label="game")


class Migration(migrations.Migration):
    initial = True
    dependencies = [
        ("game", "0014_trials_leave"),
        ("contenttypes", "0002_remove_content_type_name"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]
    operations = [
        migrations.SeparateDatabaseAndState(state_operations=MODELS),
        migrations.RunPython(rename_content_types, rename_back),
    ]
