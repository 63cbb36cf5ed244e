"""Removes the rules that players made, and their games. First writes each owner's to a file."""

import hmac
import json
import os
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import migrations
from django.utils import timezone

from solver.tables import find_tables_dir

OWN = "own-"  # how the name of each such ruleset begins
BY_RULES = ("DrillCard", "KeptPosition", "FiveAnswer", "Duel", "Game")


def remove_own_rules(apps: Any, schema_editor: Any) -> None:
    rules = apps.get_model("game", "OwnRules").objects.order_by("made_at", "pk")
    dice = {one.pk: one.facts["dice"] for one in rules}
    games = apps.get_model("game", "Game").objects.filter(ruleset__startswith=OWN)
    owners = {*rules.values_list("owner", flat=True), *games.values_list("player", flat=True)}
    folder = settings.VAR_DIR / f"own-rules-{timezone.now():%Y-%m-%d-%H%M%S}"
    for owner in apps.get_model("game", "Player").objects.filter(pk__in=owners):
        facts = {
            "player": owner.code,
            "account": owner.user.username if owner.user else "",
            "rulesets": [one.facts for one in rules.filter(owner=owner)],
            "games": [game_facts(game, dice[game.ruleset]) for game in games.filter(player=owner)],
        }
        write_private(folder / f"{owner.code}.json", json.dumps(facts, indent=1, default=str))
    removed = {"rulesets of players": rules.count()}
    for name in BY_RULES:
        model = apps.get_model("game", name)
        found = model.objects.filter(ruleset__startswith=OWN)
        removed[str(model._meta.verbose_name_plural)] = found.count()
        found.delete()
    rules.delete()
    players = apps.get_model("game", "Player").objects.filter(ruleset__startswith=OWN)
    players.update(ruleset="yatzy")
    for name in dice:
        for path in (*find_tables_dir().glob(f"{name}.*"), *find_tables_dir().glob(f".{name}.*")):
            path.unlink(missing_ok=True)
    if owners:
        counts = ", ".join(f"{name}: {count}" for name, count in removed.items())
        print(f"\nRemoved for good, {counts}.")
        print(f"The rules and games of each owner are in a file in {folder}.")


def game_facts(game: Any, dice: int) -> dict[str, Any]:
    """Return every field of the game, and of its decisions with the dice that each was made on."""
    decisions, shown, seed = [], list[int](), bytes.fromhex(game.seed)
    for one in game.decisions.order_by("seq"):
        decisions.append({**fields_of(one), "dice": shown})
        shown = [] if one.hold is None else [
            shown[slot] if one.hold >> slot & 1 else die(seed, one.turn, one.roll, slot)
            for slot in range(dice)
        ]
    return {**fields_of(game), "decisions": decisions}


def die(seed: bytes, turn: int, roll: int, slot: int) -> int:
    """Return the die that the page "Fair dice" describes."""
    digest = hmac.digest(seed, b"%d:%d:%d" % (turn, roll, slot), "sha256")
    return next(byte for byte in digest if byte < 252) % 6 + 1


def fields_of(row: Any) -> dict[str, Any]:
    return {field.attname: field.value_from_object(row) for field in row._meta.concrete_fields}


def write_private(path: Path, text: str) -> None:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())


class Migration(migrations.Migration):
    dependencies = [("game", "0001_initial")]

    operations = [
        migrations.RunPython(remove_own_rules, migrations.RunPython.noop),
        migrations.DeleteModel("OwnRules"),
    ]
