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


def options(folder: Path, only: str) -> Namespace:
    folder.mkdir(exist_ok=True)
    return Namespace(folder=folder, sizes=SIZE, only=only, no_axe=False, against=None, share=0.5)


@pytest.mark.nightly
def test_a_stop_is_photographed_in_both_themes(
    browser: Browser, yatzy_tables: None, tmp_path: Path
) -> None:
    asked = options(tmp_path, "first-visit,guided-1")
    assert list(photographed(browser, asked)) == []
    names = {path.name for path in tmp_path.iterdir()}
    assert names == {
        f"{stop}-{SIZE}-{theme}.png"
        for stop in ("first-visit", "guided-1")
        for theme in ("light", "dark")
    }


def test_a_walk_has_a_finger_or_a_mouse_and_ends_where_nothing_is_left(
    browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    walked = []

    def two_stops(browser: Browser, device: dict[str, Any]) -> Iterator[Scene]:
        for name in ("first", "second"):
            walked.append((name, device.get("is_mobile", False)))
            yield name, browser.new_context(**device).new_page()

    monkeypatch.setattr(pictures, "scenes", two_stops)
    asked = options(tmp_path, "first")
    asked.sizes, asked.no_axe = "390x664,1280x800", True
    assert list(photographed(browser, asked)) == []
    assert walked == [("first", True), ("first", False)]
    asked.only, asked.sizes = "", "1280x800"
    assert list(photographed(browser, asked)) == []
    assert walked[2:] == [("first", False), ("second", False)]
    assert {path.name.partition("-")[0] for path in tmp_path.iterdir()} == {"first", "second"}


def test_what_axe_finds_is_told_with_the_stop_and_the_size(
    browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unnamed(browser: Browser, device: dict[str, Any]) -> Iterator[Scene]:
        page = browser.new_context(**device).new_page()
        page.set_content("<html lang=en><title>A</title><main><h1>A</h1><button></button></main>")
        yield "stop", page

    monkeypatch.setattr(pictures, "scenes", unnamed)
    asked = options(tmp_path, "")
    asked.sizes = "360x640,390x664"
    found = "light, button-name: <button></button>"
    expected = [f"stop 360x640: {found}", f"stop 390x664: {found}"]
    assert list(photographed(browser, asked)) == expected


@pytest.mark.nightly
def test_the_walk_comes_everywhere(browser: Browser, yatzy_tables: None) -> None:
    stops = [name for name, _page in scenes(browser, DEFAULTS | PHONE)]
    assert len(stops) == len(set(stops))
    assert {*STORY, "alert", "end-record", "end-flawless", "duel-end", "parts"} <= set(stops)


@pytest.fixture
def drawn(browser: Browser, tmp_path: Path) -> tuple[Path, Path]:
    """A folder of a black and a white picture, and one of the same."""
    page = browser.new_page(viewport={"width": 100, "height": 100})
    now, before = tmp_path / "now", tmp_path / "before"
    for colour in ("black", "white"):
        page.set_content(f"<body style='background: {colour}'>")
        for folder in (now, before):
            page.screenshot(path=folder / f"{colour}.png")
    return now, before


def changed(browser: Browser, drawn: tuple[Path, Path], share: float) -> list[str]:
    now, before = drawn
    return list(differing(browser, Namespace(folder=now, against=before, share=share)))


def test_the_same_pictures_do_not_differ(browser: Browser, drawn: tuple[Path, Path]) -> None:
    assert changed(browser, drawn, 0) == []


def test_a_picture_that_differs_is_told_with_its_share(
    browser: Browser, drawn: tuple[Path, Path]
) -> None:
    page = browser.new_page(viewport={"width": 100, "height": 100})
    page.set_content("<body style='margin: 0'><hr style='all: unset; display: block; height: 7px'>")
    page.evaluate("document.querySelector('hr').style.background = 'red'")
    page.screenshot(path=drawn[0] / "white.png")
    assert changed(browser, drawn, 6.9) == ["white.png: 7.0 % differs"]
    assert changed(browser, drawn, 7) == []


def test_another_height_differs_altogether(browser: Browser, drawn: tuple[Path, Path]) -> None:
    page = browser.new_page(viewport={"width": 100, "height": 90})
    page.screenshot(path=drawn[0] / "white.png")
    assert changed(browser, drawn, 99) == ["white.png: 100.0 % differs"]


def test_a_new_picture_is_told(browser: Browser, drawn: tuple[Path, Path]) -> None:
    (drawn[1] / "black.png").unlink()
    assert changed(browser, drawn, 0) == ["black.png: new"]


def test_a_story_is_one_picture(browser: Browser, tmp_path: Path) -> None:
    page = browser.new_page(viewport={"width": 390, "height": 664})
    for name in STORY:
        page.screenshot(path=picture(tmp_path, name, SIZE, "light"))
    told = story(browser, tmp_path)
    assert told[:4] + told[8:12] == b"RIFFWEBP"
