"""Who only looks has nothing worked out: parts are made when a server starts, or by a command."""

import subprocess
from typing import Any, NoReturn

import pytest
from django.test import Client

from tests.crawl.reading import pages_from

STARTS = ("/", "/lab/", "/lab/study/", "/lab/learners/", "/lab/same-value/?seed=8", "/dice-test/")


@pytest.mark.django_db
@pytest.mark.usefixtures("yatzy_tables")
@pytest.mark.parametrize("start", STARTS)
def test_no_look_of_a_stranger_starts_a_process(
    start: str, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where all parts of the rulesets are there; the makers of what is missing have tests."""

    def refuse(command: Any, **options: Any) -> NoReturn:
        pytest.fail(f"a look started {command}")

    settings.MAKE_TABLES = True
    monkeypatch.setattr("game.judgement.tables._is_missing", lambda rules: False)
    monkeypatch.setattr(subprocess, "Popen", refuse)
    assert [address for address, _ in pages_from(Client(), start)]
