"""Recovery from crashes and rows that are gone."""

import json
import re
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.cache import cache
from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.utils import timezone

from game.core import accounts
from game.core.accounts import NotRecovered, create_player, make_recovery_code, recover_account
from game.core.fair.blocks import block, hash_seed
from game.core.words import labels
from game.models import Decision, Duel, Game, KeptPosition, Player
from solver.rules import YATZY, Category, Ruleset
from tests.game.rulesets import finished_game
from tests.play import Browser
from tests.solver.made_up import PAIR, SIXES
from yatzy_site.passwords import HASHERS, SmallArgon2

pytestmark = pytest.mark.django_db(transaction=True)


NEW = "correct horse battery"


@pytest.fixture(autouse=True)
def nothing_counted() -> None:
    cache.clear()


@pytest.fixture
def ada(browser: Browser) -> Player:
    user = User.objects.create_user("ada", password="old password 1")
    browser.force_login(user)
    return accounts.get_or_create_player(user=user)


def made(browser: Browser) -> str:
    page = browser.post("/account/recovery-code/", {"password": "old password 1"})
    found = re.search(r'id="code">([A-Z0-9-]+)<', page.content.decode())
    assert found
    return found[1]


def recover(browser: Browser, code: str, name: str = "ada", new: str = NEW) -> int:
    data = {"username": name, "code": code, "password1": new, "password2": new}
    return browser.post("/account/recover/", data).status_code


def test_a_code_is_shown_once_and_kept_as_a_password_is(browser: Browser, ada: Player) -> None:
    code = made(browser)
    ada.refresh_from_db()
    assert code.replace("-", "") not in ada.recovery
    assert ada.recovery.count("$") >= 2
    for address in ("/account/", "/account/recovery-code/"):
        page = browser.get(address)
        assert code not in page.content.decode()
        assert "no-store" in page.headers["Cache-Control"]


def test_a_code_gives_a_new_password_once(browser: Browser, ada: Player) -> None:
    code, elsewhere = made(browser), Browser()
    assert recover(elsewhere, f" {code.lower().replace('-', ' ')}") == 302
    assert elsewhere.get("/account/").status_code == 200
    assert browser.get("/account/").status_code == 302, "signed out everywhere else"
    assert Browser().login(username="ada", password=NEW)
    assert recover(Browser(), code) == 400


@pytest.mark.parametrize(("name", "code"), [("eve", ""), ("ada", "x"), ("ada", "")])
def test_a_wrong_name_or_code_recovers_nothing(ada: Player, name: str, code: str) -> None:
    with pytest.raises(NotRecovered):
        recover_account(name=name, code=code, password=NEW)


@pytest.mark.parametrize("has_code", [True, False])
@pytest.mark.parametrize("name", ["ada", "eve", "bob"])
def test_an_unknown_name_costs_one_hash_as_a_wrong_code_does(
    ada: Player, monkeypatch: pytest.MonkeyPatch, settings: Any, name: str, has_code: bool
) -> None:
    settings.PASSWORD_HASHERS = HASHERS
    User.objects.create_user("bob", is_active=False)
    if has_code:
        make_recovery_code(player=ada)
    hashed: list[str] = []
    verify, encode = SmallArgon2.verify, SmallArgon2.encode

    def counted(name: str, method: Callable[..., Any]) -> Callable[..., Any]:
        def count_and_call(*given: Any) -> Any:
            hashed.append(name)
            return method(*given)

        return count_and_call

    monkeypatch.setattr(SmallArgon2, "verify", counted("verify", verify))
    monkeypatch.setattr(SmallArgon2, "encode", counted("encode", encode))
    with pytest.raises(NotRecovered):
        recover_account(name=name, code="x", password=NEW)
    assert hashed == ["verify"]
    assert not SmallArgon2().must_update(accounts.NO_CODE), "it costs what a new code costs"


def test_a_deactivated_account_is_not_recovered(browser: Browser, ada: Player) -> None:
    code = made(browser)
    User.objects.update(is_active=False)
    assert recover(Browser(), code) == 400
    assert User.objects.get().check_password("old password 1")


def test_a_weak_password_spends_no_code(browser: Browser, ada: Player) -> None:
    code = made(browser)
    assert recover(Browser(), code, new="12345678") == 400
    assert recover(Browser(), code, new=NEW) == 302


def test_codes_are_not_tried_out(browser: Browser, ada: Player, settings: Any) -> None:
    settings.LOGIN_FAILURES = 3
    code, guesser = made(browser), Browser()
    found = [recover(guesser, "WRONG") for _ in range(4)]
    assert (found[0], found[-1]) == (400, 429)
    assert recover(guesser, code) == 429, "the right one is not looked at either"
    assert User.objects.get().check_password("old password 1")


def test_only_who_knows_the_password_makes_a_code_or_changes_it(
    browser: Browser, ada: Player
) -> None:
    assert browser.post("/account/recovery-code/", {"password": "guess"}).status_code == 400
    data = {"old_password": "guess", "new_password1": NEW, "new_password2": NEW}
    assert browser.post("/account/password/", data).status_code == 400
    ada.refresh_from_db()
    assert ada.recovery == ""
    data["old_password"] = "old password 1"
    assert browser.post("/account/password/", data).status_code == 302
    assert browser.get("/account/").status_code == 200, "still signed in here"
    assert User.objects.get().check_password(NEW)


def test_a_new_password_signs_out_other_browsers(
    browser: Browser, ada: Player, new_browser: type[Browser]
) -> None:
    other, old = new_browser(), "old password 1"
    name = User.objects.get().get_username()
    other.post("/account/login/", {"username": name, "password": old})
    assert other.get("/account/").status_code == 200
    data = {"old_password": old, "new_password1": NEW, "new_password2": NEW}
    browser.post("/account/password/", data)
    assert browser.get("/account/").status_code == 200
    assert other.get("/account/").headers["Location"].startswith("/account/login/")


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


def by_programs(before: Any) -> tuple[int, int]:
    """Store a program of the ladder and its duels. Return the keys of its owner and its player."""
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
    return owner.pk, robo.pk


def test_own_rules_go_with_their_games_and_programs_of_the_ladder_keep_theirs(
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
    own_rules = import_module("game.migrations.0002_remove_own_rules")
    own_rules.remove_own_rules(before, None)  # while there are none, it writes nothing
    assert (settings.VAR_DIR.exists(), capsys.readouterr().out) == (False, "")
    player, stays = people
    by_own_rules(before, player)
    owner, robo = by_programs(before)
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
    state = {duel.token: duel.state for duel in Duel.objects.all()}
    assert state == {"waits": "withdrawn", "runs": "running", "people": "open"}
    assert labels.format_player(Player.objects.get(pk=robo)) == "Program 1"
    assert labels.format_player(Player.objects.get(pk=owner)).startswith("Guest")
    assert "tokens and names: 1. Duels in which they waited, withdrawn: 1." in out
