"""The walk that takes the pictures, and how two walks are compared."""

from argparse import Namespace
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.browser.conftest import DEFAULTS
from tests.browser.pictures import STORY, differing, photographed, picture, scenes, story
from tests.browser.steps import PHONE

SIZE = "390x664"


def options(folder: Path, only: str) -> Namespace:
    folder.mkdir(exist_ok=True)
    return Namespace(folder=folder, sizes=SIZE, only=only, no_axe=False, against=None, share=0.5)


def test_a_stop_is_photographed_in_both_themes_and_the_walk_ends_with_the_last(
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
