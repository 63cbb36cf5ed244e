"""Who only looks has nothing worked out: parts are made beside the requests, or by a command."""

import subprocess
from pathlib import Path
from typing import Any, NoReturn

import pytest
from django.test import Client

from game.core.worth import tables
from tests.crawl.addresses import addresses
from tests.crawl.asking import get
from tests.crawl.reading import pages_from
from tests.crawl.roles import WHO_ASKS, asking
from tests.crawl.seen import decided
from tests.crawl.world import World

pytestmark = [pytest.mark.django_db, pytest.mark.needs("game.trials")]
STARTS = ("/", "/lab/", "/lab/study/", "/lab/learners/", "/lab/same-value/?seed=8", "/dice-test/")
ANONYMOUS = ("stranger", "guest", "other", "seat", "participant", "former", "finished")


@pytest.fixture
def no_process(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: object, command: Any, *more: Any, **options: Any) -> NoReturn:
        pytest.fail(f"a look started {command}")

    settings.MAKE_TABLES = True
    monkeypatch.setattr(subprocess.Popen, "__init__", refuse)


@pytest.fixture
def no_tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("YATZY_TABLES", str(tmp_path))
    monkeypatch.setattr(tables, "_known", {})


@pytest.mark.usefixtures("yatzy_tables", "no_process")
def test_no_look_of_a_stranger_starts_a_process() -> None:
    """The lab may be there or not."""
    assert {*STARTS} <= {address for address, _ in pages_from(Client(), *STARTS)}


@pytest.mark.usefixtures("no_process", "no_tables")
def test_none_does_where_no_table_is_there() -> None:
    assert {*STARTS} <= {address for address, _ in pages_from(Client(), *STARTS)}


@WHO_ASKS
def test_no_address_starts_one_whoever_opens_it_without_having_signed_in(
    world: World, no_process: None, no_tables: None, who: str
) -> None:
    """Pages without tables say that they wait for them; none of them breaks.

    ``readyz`` says that nobody should be sent here yet.
    """
    asked = {
        (role, address, row.things): get(world, role, address, world.values(*row.things)).answer
        for route, found in decided(addresses()).items()
        for row in found
        for role in asking(who, row.statuses, ANONYMOUS)
        for address in [row.address if row.route == route else route]
    }
    broken = {address for (_, address, _), one in asked.items() if one.status_code >= 500}
    assert broken == {"readyz"}
    assert 202 in {one.status_code for one in asked.values()}
