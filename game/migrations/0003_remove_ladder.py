"""Removes the ladder (a ranking of programs). Tokens of programs become invalid; games remain."""

from typing import Any

from django.db import migrations
from django.utils import timezone


def leave_the_ladder(apps: Any, schema_editor: Any) -> None:
    """Withdraw the duels in which a program waits, and anonymise the programs.

    A program's name may be a person's, and nothing links it to an account any more. A duel that has
    begun ends by its clock, when a page shows the duel.
    """
    waiting = apps.get_model("game", "Duel").objects.filter(ladder=True, started_at=None)
    withdrawn = waiting.filter(withdrawn_at=None).update(withdrawn_at=timezone.now())
    players = apps.get_model("game", "Player").objects.filter(program=True).order_by("pk")
    for number, player in enumerate(players, 1):
        player.nickname, player.nickname_key = f"Program {number}", ""
        player.save(update_fields=["nickname", "nickname_key"])
    if players:
        print(
            f"\nThe ladder is removed. Programs that have lost their tokens and names: "
            f"{len(players)}. Duels in which they waited, withdrawn: {withdrawn}. "
            "What they played stays."
        )


class Migration(migrations.Migration):
    dependencies = [("game", "0002_remove_own_rules")]

    operations = [
        migrations.RunPython(leave_the_ladder, migrations.RunPython.noop),
        migrations.DeleteModel("LadderProgram"),
        migrations.RemoveIndex("duel", "duel_on_ladder"),
        migrations.RemoveField("duel", "ladder"),
        migrations.RemoveField("player", "program"),
    ]
