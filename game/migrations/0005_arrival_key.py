"""Gives external IDs one canonical form, so that all spellings of an ID mean one participant.

The function is a copy, so that a later change of the original changes no stored key.
"""

import json
import re
import zlib
from collections import defaultdict
from typing import Any
from unicodedata import category, normalize

from django.db import migrations, models
from django.utils import timezone
from django.utils.crypto import salted_hmac

MOST_PLACES, LONGEST_LABEL = 5_000, 200
UNSEEN = {"Cc", "Cf", "Zs", "Zl", "Zp"}
INVISIBLE = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2065\u2800\u3164\ufe00-\ufe0f"
    "\uffa0\ufff0-\ufff8\U000e0000-\U000e0fff]"
)


def canonical_label(label: str) -> str:
    before = None
    while label != before:
        before, label = label, normalize("NFKC", normalize("NFKC", label).casefold())
        label = "".join(one for one in label if category(one) not in UNSEEN)
        label = INVISIBLE.sub("", label)
    return label[:LONGEST_LABEL]


def give_keys(apps: Any, schema_editor: Any) -> None:
    """Give the key to the first place (participant) with this ID. Number and report later ones.

    Every place keeps its label, its games and its link. A key has no blank, so no label leads to a
    key with a number.
    """
    arrivals = apps.get_model("game", "Arrival").objects
    places: dict[tuple[int, str], list[str]] = defaultdict(list)
    for arrival in arrivals.select_related("participant").order_by("trial", "at", "pk"):
        key = canonical_label(arrival.label)
        same = places[arrival.trial_id, key]
        same.append(f"R{arrival.participant.number - MOST_PLACES:02}")
        arrival.key = key if len(same) == 1 else f"{key} {len(same)}"
        arrival.save(update_fields=["key"])
    for (trial, _key), same in places.items():
        if len(same) > 1:
            report_collision(apps, trial, same)


def report_collision(apps: Any, trial_id: int, places: list[str]) -> None:
    trial = apps.get_model("game", "Trial").objects.get(pk=trial_id)
    detail = {"places": places}
    trial.events.create(kind="same_label", at=timezone.now(), detail=detail)
    print(
        f"\nTrial {trial.slug}: {', '.join(places)} have the same external ID, written "
        f"differently. All keep what they played; the ID leads to {places[0]}, and only a "
        "personal link to the others."
    )


def rewrite_withdrawals(apps: Any, schema_editor: Any) -> None:
    """Add the key and its digest for places whose withdrawal can still be undone."""
    for withdrawal in apps.get_model("game", "Withdrawal").objects.all():
        rows = json.loads(zlib.decompress(bytes(withdrawal.rows)))
        for row in rows:
            if row["model"] == "game.arrival":
                row["fields"]["key"] = key = canonical_label(row["fields"]["label"])
                keep_digest(withdrawal.participant.trial, key)
        withdrawal.rows = zlib.compress(json.dumps(rows).encode())
        withdrawal.save(update_fields=["rows"])


def keep_digest(trial: Any, key: str) -> None:
    if trial.closed_at is None and hasattr(trial, "recruitment"):
        salt, text = "game.trials.withdrawn-label", f"{trial.recruitment.token} {key}"
        digest = salted_hmac(salt, text, algorithm="sha256").hexdigest()
        trial.withdrawn_labels.get_or_create(digest=digest)


class Migration(migrations.Migration):
    dependencies = [("game", "0004_spent_tickets")]

    operations = [
        migrations.AddField(
            "arrival",
            "key",
            models.CharField(default="", editable=False, max_length=LONGEST_LABEL + 8),
            preserve_default=False,
        ),
        migrations.RunPython(give_keys, migrations.RunPython.noop),
        migrations.RunPython(rewrite_withdrawals, migrations.RunPython.noop),
        migrations.RemoveConstraint("arrival", "arrival_one_per_label"),
        migrations.AddConstraint(
            "arrival",
            models.UniqueConstraint(fields=("trial", "key"), name="arrival_one_per_key"),
        ),
    ]
