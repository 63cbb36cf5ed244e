from typing import Any

from django.db import migrations, models
from django.db.models import Count, Q


def note_who_sits(apps: Any, schema_editor: Any) -> None:
    """As the program does from now on, when a duel begins and when it is over."""
    duel, player = apps.get_model("game", "Duel"), apps.get_model("game", "Player")
    people = Count("seats", filter=Q(seats__left_at=None, seats__player__bot=""))
    running = duel.objects.filter(started_at__isnull=False, finished_at=None)
    shared = running.annotate(people=people).filter(people__gt=1)
    sitting = player.objects.filter(seats__duel__in=shared.values("pk"), bot="")
    player.objects.filter(pk__in=sitting.values("pk")).update(in_duels=True)


class Migration(migrations.Migration):
    dependencies = [("game", "0028_fair_days")]

    operations = [
        migrations.AddField(
            model_name="player",
            name="in_duels",
            field=models.BooleanField(default=False, editable=False),
        ),
        migrations.AddIndex(
            model_name="game",
            index=models.Index(
                condition=models.Q(("finished_at__isnull", False)),
                fields=["player", "-finished_at"],
                name="game_over_of_player",
            ),
        ),
        migrations.RunPython(note_who_sits, migrations.RunPython.noop),
    ]
