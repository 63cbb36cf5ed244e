"""What migrations remove: a database is taken back before them, filled, and brought to today."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.utils import timezone

from game.core.accounts import create_player
from game.core.fair.blocks import block, hash_seed
from game.core.words import labels
from game.models import Decision, Duel, Game, KeptPosition, Player
from solver.rules import YATZY, Category, Ruleset
from tests.game.rulesets import finished_game
from tests.solver.made_up import PAIR, SIXES

pytestmark = pytest.mark.django_db(transaction=True)
RULES = Ruleset("own-abc", "Ours", (SIXES, PAIR, Category("chance", "any")), 6, 5, dice=3)
FACTS = {"id": RULES.id, "title": RULES.title, "dice": RULES.dice}
SEED = "5c" * 32


@pytest.fixture
def people() -> tuple[Player, Game]:
    return create_player(), finished_game(create_player(), YATZY)


@pytest.fixture
def before(people: tuple[Player, Game]) -> Iterator[Any]:
    yield models_at("0001_initial")
    call_command("migrate", verbosity=0)


def models_at(migration: str) -> Any:
    executor = MigrationExecutor(connection)
    key = [("game", migration)]
    executor.migrate(key)
    return executor.loader.project_state(key).apps


def by_own_rules(before: Any, player: Player) -> None:
    owner = before.get_model("game", "Player").objects.get(pk=player.pk)
    before.get_model("game", "OwnRules").objects.create(id=RULES.id, owner=owner, facts=FACTS)
    now = timezone.now()
    game = before.get_model("game", "Game").objects.create(
        id="g" * 12,
        player=owner,
        ruleset=RULES.id,
        seed=SEED,
        commitment=hash_seed(SEED),
        started_at=now,
    )
    decision = before.get_model("game", "Decision").objects
    for seq, (hold, category) in enumerate([(0, ""), (0b100, ""), (None, "sixes")]):
        decision.create(
            game=game, seq=seq, turn=0, roll=seq, hold=hold, category=category, created_at=now
        )
    position = {"ruleset": RULES.id, "filled": 0, "upper": 0, "dice": "123", "rolls_left": 1}
    before.get_model("game", "DrillCard").objects.create(
        player=owner, created_at=now, due=now, **position
    )
    kept = before.get_model("game", "PositionList").objects.create(
        player=owner, name="Mine", used_at=now
    )
    before.get_model("game", "KeptPosition").objects.create(kept_in=kept, **position)


def test_own_rules_go_with_their_games_and_each_owner_has_a_file(
    people: tuple[Player, Game],
    before: Any,
    settings: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: Any,
) -> None:
    monkeypatch.setenv("YATZY_TABLES", str(tmp_path / "tables"))
    settings.VAR_DIR = tmp_path / "var"
    (tmp_path / "tables").mkdir()
    tables = {"own-abc.json", "own-abc.values", ".own-abc.lock", "own-abcd.values", "yatzy.values"}
    for name in tables:
        (tmp_path / "tables" / name).touch()
    player, stays = people
    by_own_rules(before, player)
    Player.objects.filter(pk=player.pk).update(ruleset=RULES.id)
    call_command("migrate", verbosity=0)
    assert list(Game.objects.all()) == [stays]
    assert Decision.objects.exclude(game=stays).count() == KeptPosition.objects.count() == 0
    assert Player.objects.get(pk=player.pk).ruleset == "yatzy"
    left = {path.name for path in (tmp_path / "tables").iterdir()}
    assert left == {"own-abcd.values", "yatzy.values"}
    (folder,) = settings.VAR_DIR.glob("own-rules-*")
    (file,) = folder.iterdir()
    assert (file.name, file.stat().st_mode & 0o777) == (f"{player.code}.json", 0o600)
    facts = json.loads(file.read_text())
    assert facts["rulesets"] == [FACTS]
    (game,) = facts["games"]
    assert (game["id"], game["seed"]) == ("g" * 12, SEED)
    first, second = block(SEED, RULES)[0][:2]
    dice = [[], list(first), [second[0], second[1], first[2]]]
    assert [one["dice"] for one in game["decisions"]] == dice
    assert [one["category"] for one in game["decisions"]] == ["", "", "sixes"]
    out = capsys.readouterr().out
    for count in ("rulesets of players: 1", "games: 1", "drill cards: 1", str(folder)):
        assert count in out


def test_without_own_rules_nothing_is_removed_or_written(
    people: tuple[Player, Game], before: Any, settings: Any, tmp_path: Path, capsys: Any
) -> None:
    settings.VAR_DIR = tmp_path
    call_command("migrate", verbosity=0)
    assert list(Game.objects.all()) == [people[1]]
    assert not list(tmp_path.iterdir())
    assert capsys.readouterr().out == ""


def test_programs_of_the_ladder_keep_their_games_and_lose_their_names(
    before: Any, capsys: Any
) -> None:
    now, players = timezone.now(), before.get_model("game", "Player").objects
    owner = players.create()
    robo = players.create(nickname="Ann's robot", nickname_key="annsrobot", program=True)
    before.get_model("game", "LadderProgram").objects.create(owner=owner, player=robo, token="x")
    duels = before.get_model("game", "Duel").objects
    facts = {"ruleset": "yatzy", "commitment": "c" * 64, "created_at": now, "ladder": True}
    for token, started in (("waits", None), ("runs", now)):
        duel = duels.create(token=token, started_at=started, **facts)
        before.get_model("game", "DuelSeat").objects.create(duel=duel, number=1, player=robo)
    duels.create(token="people", **facts | {"ladder": False})
    call_command("migrate", verbosity=0)
    state = {duel.token: duel.state for duel in Duel.objects.all()}
    assert state == {"waits": "withdrawn", "runs": "running", "people": "open"}
    assert labels.format_player(Player.objects.get(pk=robo.pk)) == "Program 1"
    assert labels.format_player(Player.objects.get(pk=owner.pk)).startswith("Guest")
    assert (
        "tokens and names: 1. Duels in which they waited, withdrawn: 1." in capsys.readouterr().out
    )
