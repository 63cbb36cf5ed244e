"""The walk that takes the pictures, and how two walks are compared."""

from argparse import Namespace
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser

from tests.browser import pictures
from tests.browser.conftest import DEFAULTS
from tests.browser.pictures import STORY, differing, photographed, picture, scenes, story
from tests.browser.steps import PHONE
from tests.browser.walk import Scene

SIZE = "390x664"
UNNAMED = "<html lang=en><title>A</title><main><h1>A</h1><button></button></main>"
A_LINE = "<body style='margin: 0'><hr style='all: unset; display: block; height: 7px'>"


def test_a_walk_has_a_finger_or_a_mouse_and_axe_is_asked_at_every_stop(
    browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    walked = []

    def two_stops(browser: Browser, device: dict[str, Any]) -> Iterator[Scene]:
        for name in ("first", "second"):
            walked.append((name, device.get("is_mobile", False)))
            page = browser.new_context(**device).new_page()
            page.set_content(UNNAMED)
            yield name, page

    monkeypatch.setattr(pictures, "scenes", two_stops)
    options = Namespace(folder=tmp_path, sizes=f"{SIZE},1280x800", only="first", no_axe=False)
    wrong = "light, button-name: <button></button>"
    assert list(photographed(browser, options)) == [
        f"first {size}: {wrong}" for size in (SIZE, "1280x800")
    ]
    assert walked == [("first", True), ("first", False)]
    options.only, options.no_axe, options.sizes = "", True, "1280x800"
    assert list(photographed(browser, options)) == []
    assert walked[2:] == [("first", False), ("second", False)]
    taken = {path.name for path in tmp_path.iterdir()}
    assert {f"first-{SIZE}-{theme}.png" for theme in ("light", "dark")} <= taken


@pytest.mark.nightly
def test_the_walk_comes_everywhere(browser: Browser, yatzy_tables: None) -> None:
    stops = [name for name, _page in scenes(browser, DEFAULTS | PHONE)]
    assert len(stops) == len(set(stops))
    assert {*STORY, "alert", "end-record", "end-flawless", "duel-end"} <= set(stops)


def test_what_differs_from_an_earlier_walk_has_its_share(browser: Browser, tmp_path: Path) -> None:
    """Count all of a picture of another height, and name one of no earlier walk as new."""
    now, before = tmp_path / "now", tmp_path / "before"
    page = browser.new_page(viewport={"width": 100, "height": 100})
    for name in ("line", "new", "same", "higher"):
        page.set_content(A_LINE)
        if name != "new":
            page.screenshot(path=before / f"{name}.png")
        if name == "line":
            page.evaluate("document.querySelector('hr').style.background = 'red'")
        if name == "higher":
            page.set_viewport_size({"width": 100, "height": 110})
        page.screenshot(path=now / f"{name}.png")
    differences = {
        share: list(differing(browser, Namespace(folder=now, against=before, share=share)))
        for share in (6.9, 7)
    }
    always = ["higher.png: 100.0 % differs", "new.png: new"]
    assert differences == {6.9: [always[0], "line.png: 7.0 % differs", always[1]], 7: always}


def test_a_story_is_one_picture(browser: Browser, tmp_path: Path) -> None:
    page = browser.new_page(viewport={"width": 390, "height": 664})
    for name in STORY:
        page.screenshot(path=picture(tmp_path, name, SIZE, "light"))
    drawn = story(browser, tmp_path)
    assert drawn[:4] + drawn[8:12] == b"RIFFWEBP"
