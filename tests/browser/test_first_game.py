"""The first game of somebody new can be finished in every way a person may have."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import NewPage
from tests.browser.steps import (
    PHONE,
    TURNS,
    decided,
    expect_finished,
    finish,
    first_open,
    play_turns,
)
from tests.selection import exhaustive

# Turns that are played by hand with a change, where the others are no different.
FEW = 3


def by_hand() -> int:
    return TURNS if exhaustive() else FEW


def finished(page: Page) -> None:
    """What is left is played beside the site."""
    if by_hand() < TURNS:
        seq = int(page.locator("#board").get_attribute("data-seq") or "")
        page.locator("#roll").click()
        decided(page, seq + 1)
        finish(page)
    expect_finished(page)


def test_with_the_keyboard_alone(page: Page) -> None:
    page.goto("/")
    seq = 0
    for turn in [turn for turn in range(TURNS) if turn < by_hand() or turn == TURNS - 1]:
        page.keyboard.press("Space")
        decided(page, seq + 1)
        if turn > by_hand():
            left_out = turn - by_hand()
            play_turns(page, left_out)
            seq += 2 * left_out
        page.keyboard.press("2")
        page.keyboard.press("4")
        expect(page.locator("#die-1")).to_have_attribute("aria-pressed", "true")
        page.keyboard.press("Enter")
        decided(page, seq + 2)
        if turn % 2:
            page.keyboard.press("ArrowDown")
            page.keyboard.press("Enter")
        else:
            letter = first_open(page).get_attribute("data-key") or ""
            page.keyboard.press(letter)
            expect(first_open(page)).to_be_focused()
            page.keyboard.press(letter)
        seq += 3
        decided(page, seq)
    expect_finished(page)
    expect(page.locator("#over")).to_be_focused()


@pytest.mark.nightly
def test_with_the_mouse_alone(page: Page) -> None:
    """With a change a game of one of the rulesets is played so (`test_rulesets`)."""
    page.goto("/")
    for turn in range(TURNS):
        page.locator("#roll").click()
        decided(page, 3 * turn + 1)
        page.locator("#die-0").click()
        expect(page.locator("#die-0")).to_have_attribute("aria-pressed", "true")
        kept = page.locator("#die-0 use").get_attribute("href") or ""
        page.locator("#roll").click()
        decided(page, 3 * turn + 2)
        expect(page.locator("#die-0 use")).to_have_attribute("href", kept)
        first_open(page).click()
        decided(page, 3 * turn + 3)
    expect_finished(page)


def test_on_a_small_touch_screen_without_scrolling(new_page: NewPage) -> None:
    page = new_page(**PHONE)
    page.goto("/")
    for turn in range(by_hand()):
        page.locator("#roll").tap()
        decided(page, 3 * turn + 1)
        page.locator("#die-4").tap()
        page.locator("#roll").tap()
        decided(page, 3 * turn + 2)
        first_open(page).tap()
        decided(page, 3 * turn + 3)
        assert page.evaluate("scrollY") == 0
    finished(page)
    expect(page.locator("#again")).to_be_in_viewport(ratio=1)


def test_without_javascript(new_page: NewPage) -> None:
    page = new_page(java_script_enabled=False)
    page.goto("/")
    seq = 0
    for turn in range(by_hand()):
        page.locator("#roll").click()
        seq += 1
        decided(page, seq)
        if turn < 3:
            page.locator("#die-2").click()
            expect(page.locator("#die-2")).to_have_attribute("aria-pressed", "true")
            kept = page.locator("#die-2 use").get_attribute("href") or ""
            page.locator("#roll").click()
            seq += 1
            decided(page, seq)
            expect(page.locator("#die-2 use")).to_have_attribute("href", kept)
        first_open(page).click()
        seq += 1
        decided(page, seq)
    finished(page)


def test_the_game_is_still_there_after_a_reload_and_can_be_played_again(page: Page) -> None:
    page.goto("/")
    page.locator("#roll").click()
    decided(page, 1)
    faces = [die.get_attribute("aria-label") for die in page.locator(".die").all()]
    page.goto("/")
    assert [die.get_attribute("aria-label") for die in page.locator(".die").all()] == faces
