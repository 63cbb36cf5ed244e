"""Twenty boxes, six dice and saved throws: on one screen, by keys, and without a script."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import NewPage
from tests.browser.steps import PHONE, begin, decided, expect_finished, finish
from tests.browser.test_accessibility import expect_accessible
from tests.browser.test_layout import expect_tidy, sizes

EITHER = pytest.mark.sampled("ruleset", "turns")


def test_a_turn_of_maxi_yatzy_fits_a_small_phone(new_page: NewPage) -> None:
    page = new_page(**PHONE)
    begin(page, "maxi-yatzy")
    expect(page.locator(".die")).to_have_count(6)
    expect(page.locator(".box")).to_have_count(20)
    for selector in ("#roll", "#die-0", "#die-5", "#box-ones", "#box-maxi_yatzy", ".total"):
        expect(page.locator(selector)).to_be_in_viewport(ratio=1)
    rows = [box.bounding_box() for box in page.locator(".box").all()]
    assert min(row["height"] for row in rows if row) >= 36  # 24 is what WCAG 2.2 asks of a target
    page.locator("#die-5").tap()
    expect(page.locator("#die-5")).to_have_attribute("aria-pressed", "true")
    page.locator("#roll").tap()
    decided(page, 2)
    page.locator("#box-villa").tap()
    decided(page, 3)


def test_a_turn_of_maxi_yatzy_fits_a_phone_that_lies(page: Page) -> None:
    page.set_viewport_size({"width": 640, "height": 360})
    begin(page, "maxi-yatzy")
    for selector in ("#roll", "#die-0", "#die-5", "#box-ones", "#box-maxi_yatzy", ".total"):
        expect(page.locator(selector)).to_be_in_viewport(ratio=1)


def test_twenty_boxes_have_letters_and_two_columns(page: Page) -> None:
    begin(page, "maxi-yatzy")
    page.keyboard.press("6")
    expect(page.locator("#die-5")).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("g")
    expect(page.locator("#box-pair")).to_be_focused()
    page.keyboard.press("ArrowRight")
    expect(page.locator("#box-villa")).to_be_focused()
    page.keyboard.press("ArrowLeft")
    expect(page.locator("#box-pair")).to_be_focused()
    page.keyboard.press("v")
    page.keyboard.press("v")
    decided(page, 2)
    expect(page.locator(".box--used .box__name")).to_have_text("Maxi Yatzy")


def test_saved_throws_are_shown_and_spent(new_page: NewPage) -> None:
    page = new_page(**PHONE)
    begin(page, "yatzy-saved")
    expect(page.locator(".stock")).to_have_text("+0 saved")
    page.locator("#box-chance").tap()
    decided(page, 2)
    for seq, left in enumerate(("3 left", "2 left", "1 left", "0 left", "0 left"), 2):
        expect(page.locator(".roll__left")).to_contain_text(left)
        saved = 1 if seq == 6 else 2
        expect(page.locator(".stock")).to_have_text(f"+{saved} saved")
        page.keyboard.press("Space")
        decided(page, seq + 1)
    expect(page.locator("#board")).to_have_attribute("data-phase", "score")


@EITHER
@pytest.mark.parametrize(("ruleset", "turns"), [("maxi-yatzy", 20), ("yatzy-saved", 15)])
def test_nothing_overlaps_and_axe_finds_nothing(page: Page, ruleset: str, turns: int) -> None:
    """Twenty boxes on a phone are lower than a thumb likes, or a turn would not fit."""
    page.goto(f"/?rules={ruleset}")
    page.locator("#roll").click()
    decided(page, 1)
    for size in sizes():
        page.set_viewport_size(size)
        expect_tidy(page)
    expect_accessible(page)
    finish(page, turns)
    expect_accessible(page)


@EITHER
@pytest.mark.parametrize(("ruleset", "turns"), [("maxi-yatzy", 20), ("yatzy-saved", 15)])
def test_a_game_is_played_without_a_script(new_page: NewPage, ruleset: str, turns: int) -> None:
    page = new_page(**PHONE, java_script_enabled=False)
    page.goto(f"/rules/{ruleset}/")
    page.locator(f'a[href="/?rules={ruleset}"]').tap()
    page.locator("#roll").tap()
    decided(page, 1)
    page.locator("#die-0").tap()
    page.locator("#roll").tap()
    decided(page, 2)
    finish(page, turns)
    expect_finished(page, turns)
