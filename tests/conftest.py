"""Solved tables for every test that asks for them, and the database of the tests."""

import gc
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from random import Random
from shutil import disk_usage
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from django.db import connections
from django.utils import translation
from hypothesis import HealthCheck, Phase, settings

from solver.advice import Advisor
from solver.cli.solve import read_existing_facts, solve_to, write_explain_table
from solver.rules import RULESETS, YATZY, Ruleset
from solver.rules.rulesets import YAHTZEE
from solver.tables import EXPLAIN, OUTLOOK, VALUES, find_table_path, find_tables_dir, open_table
from solver.tables.parts import find_part_path

# A busy machine does not make a property false.
settings.register_profile(
    "nightly", deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)
settings.register_profile("change", settings.get_profile("nightly"), max_examples=40)
# An example is hundreds of requests: a failure is printed as it was met.
settings.register_profile(
    "requests",
    derandomize=True,
    deadline=None,
    database=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)


def pytest_configure(config: pytest.Config) -> None:
    settings.load_profile("nightly" if config.getoption("--nightly") else "change")


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """A test meets the same luck in every run: seeds of trials and dice are drawn from its name."""
    luck = Random(item.nodeid)
    vars(secrets).update(_sysrand=luck, choice=luck.choice)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The browser's come last, in whatever order the others are: its event loop stays in the
    process, and Django talks to no database next to one.
    """
    items.sort(key=lambda item: item.get_closest_marker("browser") is not None)


def pytest_collection_finish() -> None:
    """Exempt what was imported and collected from garbage collection: it stays."""
    gc.freeze()


def solved(rules: Ruleset) -> None:
    path = find_table_path(rules)
    if not read_existing_facts(rules, path):
        solve_to(rules, path, quiet=True)


@pytest.hookimpl(tryfirst=True)
def pytest_sessionstart(session: pytest.Session) -> None:
    """No test finds a table, or none, by what ran before it: those of five dice are there."""
    if not hasattr(session.config, "workerinput") and not session.config.option.collectonly:
        for rules in RULESETS.values():
            solved(rules)


@pytest.fixture(autouse=True)
def english() -> Iterator[None]:
    """A page in another language leaves it switched on in its thread, for whoever comes next."""
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
    """The ruleset with the most of everything: jokers that must go somewhere, and chips."""
    solved(YAHTZEE)
    return Advisor.open(YAHTZEE)


ROOM = 300_000_000  # bytes: several databases, a site's files

# Per change, only the ruleset with the most explanations.
EXPLAINED = [
    pytest.param(name, marks=[] if name == YAHTZEE.id else [pytest.mark.nightly])
    for name in sorted(RULESETS)
]


@pytest.fixture(scope="session", params=EXPLAINED)
def whole(request: pytest.FixtureRequest) -> Advisor:
    return with_all_tables(RULESETS[request.param])


def with_all_tables(rules: Ruleset) -> Advisor:
    """Open all three tables; the parts of Yatzy's stay out of the way of tests that do without, in
    a folder of their own, which is kept as the tables are."""
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
    """The database of the tests goes in the end, also where a thread still has a connection to it.

    A server in this process has threads that stay, and they give theirs back when it is asked for.
    """
    yield
    database = connections["default"]
    if database.vendor == "postgresql":
        with django_db_blocker.unblock(), database.cursor() as cursor:
            cursor.execute(OTHERS_END)


OTHERS_END = """
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid()
"""


@contextmanager
def unwaited_folder(factory: pytest.TempPathFactory, name: str) -> Iterator[Path]:
    """A folder in memory, where there is one with room: a commit waits for no disk in it."""
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
    """SQLite in a file: unlike one without, it has several connections and locks them out."""
    database = connections["default"]
    with unwaited_folder(tmp_path_factory, "database") as folder:
        if database.vendor == "sqlite":
            database.settings_dict["TEST"]["NAME"] = str(folder / "test.sqlite3")
        yield
