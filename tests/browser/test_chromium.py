"""No browser test is skipped: a browser is found, or the run fails and says why."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Error

from tests.browser import chromium


class Stubborn:
    """A browser that does not start before so many tries."""

    def __init__(self, fails: int) -> None:
        self.fails = fails
        self.patience: list[float] = []
        self.chromium = self

    executable_path = "/nowhere/chromium"

    def launch(self, *, executable_path: str, args: list[str], timeout: float) -> str:
        self.patience.append(timeout)
        if len(self.patience) <= self.fails:
            raise Error(f"it did not start, {len(self.patience)}")
        return "a browser"


@pytest.fixture
def fetched(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    seen: list[str] = []

    def noted(name: str) -> Callable[[], None]:
        return lambda: seen.append(name)

    monkeypatch.setattr(chromium, "_download", noted("download"))
    monkeypatch.setattr(chromium, "_install", noted("install"))
    monkeypatch.setattr(chromium, "_installed", lambda _: ["/usr/bin/some-chromium"])
    return seen


def test_a_browser_that_fails_once_is_given_more_time(fetched: list[str]) -> None:
    slow: Any = Stubborn(fails=1)
    assert str(chromium.launch(slow)) == "a browser"
    assert slow.patience == sorted(slow.patience)
    assert slow.patience[1] > slow.patience[0]
    assert fetched == []


def test_a_browser_that_cannot_start_is_fetched(fetched: list[str]) -> None:
    broken: Any = Stubborn(fails=2)
    assert str(chromium.launch(broken)) == "a browser"
    assert fetched == ["download"]


def test_where_no_browser_can_be_had_every_reason_is_told(fetched: list[str]) -> None:
    none: Any = Stubborn(fails=99)
    with pytest.raises(chromium.NoBrowser) as told:
        chromium.launch(none)
    assert fetched == ["download", "install"]
    assert "install the package chromium" in str(told.value)
    assert "/usr/bin/some-chromium: it did not start, 6" in str(told.value)


def test_what_the_driver_needs_is_fetched_and_else_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked: list[str] = []
    monkeypatch.setattr(chromium, "_install", asked.append)
    monkeypatch.setattr(chromium, "driver_problem", lambda: "libatomic.so.1: no such file")
    assert chromium.main() == 1
    assert asked == ["libatomic1"]
    told = capsys.readouterr().err
    assert told == "install the package libatomic1, for Playwright: libatomic.so.1: no such file\n"


def test_the_driver_says_why_it_does_not_start(monkeypatch: pytest.MonkeyPatch) -> None:
    assert chromium.driver_problem() == ""
    monkeypatch.setattr("sys.executable", "/bin/false")
    assert chromium.driver_problem() != ""


@pytest.mark.parametrize(("there", "fetched"), [(True, []), (False, [chromium.LIGHT])])
def test_the_browser_without_windows_is_fetched_where_it_is_not_there(
    there: bool, fetched: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    monkeypatch.setattr(chromium, "_install", asked.append)
    monkeypatch.setattr("shutil.which", lambda name: f"/usr/bin/{name}" if there else None)
    chromium._prefer_the_light_one()
    assert asked == fetched
    assert next(iter(chromium.NAMES)) == chromium.LIGHT
