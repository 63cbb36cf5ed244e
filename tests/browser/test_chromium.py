"""No browser test is skipped: a browser is found, or the run fails and says why."""

from typing import Any

import pytest
from playwright.sync_api import Error

from tests.browser import chromium


class Stubborn:
    executable_path = "/nowhere/chromium"

    def __init__(self, fails: int) -> None:
        self.fails = fails
        self.patience: list[float] = []
        self.chromium = self

    def launch(self, *, executable_path: str, args: list[str], timeout: float) -> str:
        self.patience.append(timeout)
        if len(self.patience) <= self.fails:
            raise Error(f"it did not start, {len(self.patience)}")
        return "a browser"


@pytest.fixture
def fetched(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    seen: list[str] = []
    monkeypatch.setattr(chromium, "_download", lambda: seen.append("download"))
    monkeypatch.setattr(chromium, "_install", lambda name="chromium": seen.append(name))
    monkeypatch.setattr(chromium, "_installed", lambda _: ["/usr/bin/some-chromium"])
    return seen


@pytest.mark.parametrize(("fails", "due"), [(1, []), (2, ["download"])])
def test_a_browser_is_given_more_time_and_then_fetched(
    fetched: list[str], fails: int, due: list[str]
) -> None:
    slow: Any = Stubborn(fails)
    assert str(chromium.launch(slow)) == "a browser"
    assert fetched == due
    assert slow.patience[1] > slow.patience[0]


def test_where_no_browser_can_be_had_every_reason_is_given(fetched: list[str]) -> None:
    none: Any = Stubborn(fails=99)
    with pytest.raises(chromium.NoBrowser) as raised:
        chromium.launch(none)
    assert fetched == ["download", "chromium"]
    assert "/usr/bin/some-chromium: it did not start, 6" in str(raised.value)


def test_what_the_driver_needs_and_the_browser_without_windows_are_fetched(
    fetched: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("shutil.which", lambda name: None)
    chromium._prefer_the_light_one()
    assert fetched == [chromium.LIGHT] == [chromium.NAMES[0]]
    monkeypatch.setattr(chromium, "driver_problem", lambda: "libatomic.so.1: no such file")
    assert chromium.main() == 1
    assert fetched[1:] == [chromium.DRIVER_NEEDS]
    assert "libatomic.so.1: no such file" in capsys.readouterr().err


def test_the_driver_says_why_it_does_not_start(monkeypatch: pytest.MonkeyPatch) -> None:
    assert chromium.driver_problem() == ""
    monkeypatch.setattr("sys.executable", "/bin/false")
    assert chromium.driver_problem() != ""
