"""A site without the app of trials plays, and a database from before the app keeps its trials."""

import os
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from django.core.management import call_command

from game.models import Game
from game.trials.design.phases import ArmSettings
from game.trials.joining.withdrawing import withdraw_participant
from game.trials.joining.writing import draw_arm, start_trial_game
from game.trials.models import TrialGame
from solver.tables import find_tables_dir
from tests.game.test_recovery import models_at
from tests.play import score_all, start_solo
from tests.trials import joined, new_trial

ALONE = """
import sys
import django

django.setup()
from django.core.management import call_command
from django.test.utils import setup_test_environment

from game.models import Game
from game.pages.requests.readiness import list_startup_problems
from tests.play import Browser, play_through

setup_test_environment()
call_command("check")
call_command("migrate", verbosity=0)
call_command("makemigrations", check=True, dry_run=True, verbosity=0)
browser = Browser()
game = play_through(browser, browser.start())
pages = (f"/games/{game.pk}/", f"/games/{game.pk}/review", "/", "/daily/", "/you/", "/drill/")
print([browser.get(page).status_code for page in pages])
print([browser.get(page).status_code for page in ("/trials/", "/take-part/", "/join/abc/")])
print(list_startup_problems())
Game.objects.update(mode="trial")
print(list_startup_problems())
print([name for name in sys.modules if name.startswith("game.trials")])
"""


@pytest.mark.usefixtures("yatzy_tables")
def test_a_site_without_trials_plays_until_it_has_games_of_trials(tmp_path: Path) -> None:
    settings = {"DJANGO_SETTINGS_MODULE": "tests.without_trials", "YATZY_VAR": str(tmp_path)}
    settings["YATZY_TABLES"] = str(find_tables_dir())
    done = subprocess.run(
        [sys.executable, "-c", ALONE],
        env=os.environ | settings | {"DATABASE_URL": f"sqlite:///{tmp_path / 'site.sqlite3'}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    *_checked, shown, away, sound, refusal, loaded = done.stdout.splitlines()
    assert (shown, away, sound) == (str([200] * 6), str([404] * 3), "[]")
    assert "INSTALLED_APPS" in refusal
    assert loaded == "[]"


@pytest.fixture
def old() -> Iterator[dict[str, Any]]:
    """Where games knew trials: two games of a participant, one of somebody who withdrew."""
    trial = new_trial(arms=[ArmSettings("a"), ArmSettings("b")], games_before=1, places=2)
    stays, goes = joined(trial, 1), joined(trial, 2)
    score_all(start_trial_game(participant=stays), stays.player)
    for one in (draw_arm(participant=stays), goes):
        start_trial_game(participant=one)
    withdraw_participant(participant=goes)
    start_solo(None)
    reader = User.objects.create_user("reader")
    reader.user_permissions.add(Permission.objects.get(codename="view_trial"))

    places = list(TrialGame.objects.order_by("pk").values())
    TrialGame.objects.all().delete()
    Game.objects.update(mode=Game.Mode.SOLO)
    games = models_at("0011_modes").get_model("game", "Game").objects
    for columns in places:
        facts = {name: columns[name] for name in ("participant_id", "arm_id", "phase")}
        game = games.filter(pk=columns["game_id"])
        game.update(mode="trial", trial_number=columns["number"], **facts)
    yield {"places": places}
    call_command("migrate", verbosity=0)


@pytest.mark.django_db(transaction=True)
def test_games_and_permissions_of_before_go_on_and_a_copy_that_lacks_a_game_is_refused(
    old: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    migration = import_module("game.migrations.0012_trial_games")
    with monkeypatch.context() as patched:
        patched.setattr(migration, "COPIED", f"{migration.COPIED} AND trial_number > 1")
        with pytest.raises(RuntimeError, match="games of trials"):
            call_command("migrate", verbosity=0)
    call_command("migrate", verbosity=0)
    assert list(TrialGame.objects.order_by("pk").values()) == old["places"]
    assert [place["number"] for place in old["places"]] in ([1, 2], [2, 1])
    assert Game.objects.count() == 3
    assert User.objects.get(username="reader").has_perm("trials.view_trial")
