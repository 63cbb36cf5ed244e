"""Selects the tests to run, and prints a line about the tests that do not run.

A normal run includes the tests that guard something. Exhaustive tests run at night, or on demand:

    nightly           runs only with --nightly (make test-all)
    sampled("rules")  a normal run tests one value of the parameter, a nightly run tests all
    sqlite, shared    runs only on SQLite, or only on PostgreSQL and Redis
    needs("node")     runs only if this program, module of Python or app is installed
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from importlib.util import find_spec
from shutil import which
from typing import Any
from zlib import crc32

import pytest

_exhaustive = False
LEFT_OUT = pytest.StashKey[Counter[str]]()
NIGHTLY = "run nightly (make test-all)"
SQLITE = "are about SQLite alone"
SHARED = "are about several processes (make test-postgres)"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--nightly", action="store_true", help="also what does not run every time")


def pytest_configure(config: pytest.Config) -> None:
    global _exhaustive
    _exhaustive = bool(config.getoption("--nightly"))


def exhaustive() -> bool:
    return _exhaustive


def examples(nightly: int) -> int:
    """Return the number of examples. A normal run has a share of the nightly number."""
    return nightly if _exhaustive else nightly * 2 // 5


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect the tests that do not run here, because skipped tests look like work to do."""
    reasons = {item: reason for item in items if (reason := _reason(item, config))}
    if not config.getoption("--nightly"):
        reasons |= dict.fromkeys(set(_not_chosen(items)) - set(reasons), NIGHTLY)
    _left_out(config).update(reasons.values())
    if reasons:
        config.hook.pytest_deselected(items=list(reasons))
        items[:] = [item for item in items if item not in reasons]


def _left_out(config: pytest.Config) -> Counter[str]:
    return config.stash.setdefault(LEFT_OUT, Counter())


def _reason(item: pytest.Item, config: pytest.Config) -> str:
    """Return why a test does not run here; "" if it runs."""
    from django.db import connections

    from tests.browser import server

    needed = [name for mark in item.iter_markers("needs") for name in mark.args]
    lacking = [name for name in needed if which(name) is None and not _is_installed(name)]
    conditions = {
        f"need {' and '.join(lacking)}": bool(lacking),
        SQLITE: _marked(item, "sqlite") and connections["default"].vendor != "sqlite",
        SHARED: _marked(item, "shared") and not server.SHARED,
        NIGHTLY: _marked(item, "nightly") and not config.getoption("--nightly"),
    }
    return next((reason for reason, holds in conditions.items() if holds), "")


def _is_installed(name: str) -> bool:
    from django.apps import apps

    return apps.is_installed(name) if name.startswith("game.") else find_spec(name) is not None


def _marked(item: pytest.Item, name: str) -> bool:
    return item.get_closest_marker(name) is not None


def _not_chosen(items: Iterable[pytest.Item]) -> Iterator[pytest.Item]:
    """Yield all but one of the tests that differ only in a sampled value (the same in all runs)."""
    alike: defaultdict[tuple[Any, ...], list[pytest.Function]] = defaultdict(list)
    for item in items:
        mark = item.get_closest_marker("sampled")
        if mark and isinstance(item, pytest.Function) and hasattr(item, "callspec"):
            values = sorted(item.callspec.params.items())
            if not set(mark.args) <= item.callspec.params.keys():
                raise pytest.UsageError(f"{item.nodeid} has no parameters {mark.args}")
            rest = [repr(value) for name, value in values if name not in mark.args]
            alike[item.path, item.originalname, *rest].append(item)
    for (_, name, *_rest), cases in alike.items():
        cases.sort(key=lambda item: item.nodeid)
        del cases[crc32(name.encode()) % len(cases)]
        yield from cases


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Send the numbers of left-out tests from a worker process to the main process."""
    output: dict[str, Any] | None = getattr(session.config, "workeroutput", None)
    if output is not None:
        output["left_out"] = dict(_left_out(session.config))


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    node.config.stash[LEFT_OUT] = Counter(getattr(node, "workeroutput", {}).get("left_out", {}))


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    told = [f"{count} {reason}" for reason, count in _left_out(config).items()]
    if told:
        terminalreporter.write_line(f"Left out: {', '.join(told)}.")
