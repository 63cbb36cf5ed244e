from pathlib import Path

import pytest
from django.core.checks import run_checks


def test_a_missing_table_is_a_warning_that_says_what_to_run(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, db: None
) -> None:
    monkeypatch.setenv("YATZY_TABLES", str(tmp_path))
    found = [message for message in run_checks() if message.id == "game.W001"]
    assert len(found) == 1
    assert "./yatzy solver solve yatzy" in found[0].msg


@pytest.mark.usefixtures("yatzy_tables", "db")
def test_with_a_table_nothing_is_found() -> None:
    assert [message for message in run_checks() if message.id == "game.W001"] == []


def test_a_setting_that_was_removed_is_a_warning_that_names_it(
    monkeypatch: pytest.MonkeyPatch, db: None
) -> None:
    assert [message for message in run_checks() if message.id == "game.W005"] == []
    monkeypatch.setenv("OWN_RULES_A_DAY", "3")
    (message,) = [message for message in run_checks() if message.id == "game.W005"]
    assert message.msg.startswith("OWN_RULES_A_DAY ")
