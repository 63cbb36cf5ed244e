"""Prepares every test run: it solves the value tables that tests need, and makes their database."""

import gc
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from random import Random
from shutil import copyfile, disk_usage
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

import pytest
from django.conf import settings as django_settings
from django.core.management.commands import flush
from django.db import connections
from django.utils import translation
from hypothesis import HealthCheck, Phase, settings

from solver.advice import Advisor
from solver.cli.solve import read_existing_facts, solve_to, write_explain_table
from solver.rules import RULESETS, YATZY, Ruleset
from solver.rules.rulesets import YAHTZEE
from solver.tables import EXPLAIN, OUTLOOK, VALUES, find_table_path, find_tables_dir, open_table
from solver.tables.parts import find_part_path
from tests.database import flush_rows, make_empty_database

# A test must not fail because the machine is busy.
settings.register_profile(
    "nightly", deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)
settings.register_profile("change", settings.get_profile("nightly"), max_examples=40)
# An example takes hundreds of requests: report a failure, and look for no simpler example.
settings.register_profile(
    "requests",
    derandomize=True,
    deadline=None,
    database=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)


# Argon2 takes 50 ms per password, on purpose. The tests of passwords switch it on.
QUICK_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


def pytest_configure(config: pytest.Config) -> None:
    django_settings.PASSWORD_HASHERS = QUICK_HASHERS
    settings.load_profile("nightly" if config.getoption("--nightly") else "change")


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Seed a test's random numbers by its name, so that every run rolls the same dice."""
    luck = Random(item.nodeid)
    vars(secrets).update(_sysrand=luck, choice=luck.choice)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run the browser tests last: their event loop keeps running in the process, and Django refuses
    to use a database while an event loop runs."""
    items.sort(key=lambda item: item.get_closest_marker("browser") is not None)


def pytest_collection_finish() -> None:
    """Keep the garbage collector from checking imported modules and tests, which all stay."""
    gc.freeze()


def solved(rules: Ruleset) -> None:
    path = find_table_path(rules)
    if not read_existing_facts(rules, path):
        solve_to(rules, path, quiet=True)


@pytest.hookimpl(tryfirst=True)
def pytest_sessionstart(session: pytest.Session) -> None:
    """Solve the rulesets with five dice first, so that no test depends on earlier tests."""
    if not hasattr(session.config, "workerinput") and not session.config.option.collectonly:
        for rules in RULESETS.values():
            solved(rules)
        make_empty_database()


@pytest.fixture(autouse=True)
def english() -> Iterator[None]:
    """Switch back to English, because a page in another language changes its thread's language."""
    with translation.override("en"):
        yield


@pytest.fixture(scope="session")
def yatzy_tables() -> None:
    solved(YATZY)


@pytest.fixture(scope="session")
def all_tables() -> None:
    for rules in RULESETS.values():
        solved(rules)


@pytest.fixture(scope="session")
def advisor(yatzy_tables: None) -> Advisor:
    return Advisor.open(YATZY)


@pytest.fixture(scope="session")
def yahtzee() -> Advisor:
    """Return the coach for Yahtzee, the ruleset with most features: forced jokers and chips."""
    solved(YAHTZEE)
    return Advisor.open(YAHTZEE)


ROOM = 300_000_000  # bytes; enough for several databases and a site's files

# A normal run tests only the ruleset with the most explanations.
EXPLAINED = [
    pytest.param(name, marks=[] if name == YAHTZEE.id else [pytest.mark.nightly])
    for name in sorted(RULESETS)
]


@pytest.fixture(scope="session", params=EXPLAINED)
def whole(request: pytest.FixtureRequest) -> Advisor:
    return with_all_tables(RULESETS[request.param])


def with_all_tables(rules: Ruleset) -> Advisor:
    """Open all three tables of a ruleset. For Yatzy, the table that explains values is in a
    separate folder, because other tests need Yatzy without this table."""
    solved(rules)
    values, explain = find_table_path(rules, VALUES), find_table_path(rules, EXPLAIN)
    if rules == YATZY:
        usual, values = values, find_tables_dir().with_name("explained") / values.name
        explain = find_part_path(rules, values, EXPLAIN)
        values.parent.mkdir(exist_ok=True)
        with suppress(FileExistsError):
            values.symlink_to(usual)
    write_explain_table(rules, values, force=False, quiet=True)
    parts = open_table(rules, EXPLAIN, explain)
    return Advisor(open_table(rules), rules, open_table(rules, OUTLOOK), parts)


@pytest.fixture(scope="session", params=sorted(RULESETS))
def any_advisor(request: pytest.FixtureRequest) -> Advisor:
    rules = RULESETS[request.param]
    solved(rules)
    return Advisor.open(rules)


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None, django_db_blocker: Any) -> Iterator[None]:
    """Remove the test database at the end, even if a thread still has a connection to it. Threads
    of a server in this process do not end, and close connections only on request."""
    with patch.multiple(flush, sql_flush=flush_rows, emit_post_migrate_signal=begin_day_chain):
        yield
    database = connections["default"]
    if database.vendor == "postgresql":
        with django_db_blocker.unblock(), database.cursor() as cursor:
            cursor.execute(OTHERS_END)


def begin_day_chain(*_: Any, **__: Any) -> None:
    from game.pages.daily import daily_dice

    daily_dice._begin_day_chain()


OTHERS_END = """
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid()
"""


@contextmanager
def unwaited_folder(factory: pytest.TempPathFactory, name: str) -> Iterator[Path]:
    """Yield a folder in memory if there is room, so that tests do not wait for the disk."""
    memory = Path("/dev/shm")
    if memory.is_dir() and disk_usage(memory).free > ROOM:
        with TemporaryDirectory(prefix=f"yatzy-{name}-", dir=memory) as folder:
            yield Path(folder)
    else:
        yield factory.mktemp(name)


@pytest.fixture(scope="session")
def django_db_modify_db_settings(
    django_db_modify_db_settings_parallel_suffix: None, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[None]:
    """Keep SQLite's test database in a file: only then can several connections lock each other."""
    database = connections["default"]
    with unwaited_folder(tmp_path_factory, "database") as folder:
        if database.vendor == "sqlite":
            name = copyfile(make_empty_database(), folder / "test.sqlite3")
            database.settings_dict["TEST"]["NAME"] = str(name)
        yield


@pytest.fixture(scope="session")
def django_db_keepdb() -> bool:
    """Keep a database on SQLite: it is a copy in a temporary folder."""
    return connections["default"].vendor == "sqlite"
