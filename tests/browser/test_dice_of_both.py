"""What a browser adds to the dice goes with the first throw, with its script and by hand."""

import re

from playwright.sync_api import Page, expect

from tests.browser.steps import decided

ADDED = "#seal p .hash"


def begun_with(page: Page) -> str:
    page.locator("#roll").click()
    decided(page, 1)
    page.locator("#seal summary").click()
    return page.locator(ADDED).inner_text()


def test_a_script_draws_what_nobody_has_typed(page: Page) -> None:
    page.goto("/")
    assert page.locator("[name=added]").input_value() == ""
    assert re.fullmatch(r"[0-9]{20,40}", begun_with(page))


def test_what_was_typed_is_what_is_added(page: Page) -> None:
    page.goto("/")
    page.locator("#seal summary").click()
    page.locator("[name=added]").fill("seven black cats")
    page.locator("#roll").click()
    decided(page, 1)
    expect(page.locator("#seal")).to_contain_text("seven black cats")


def test_a_duel_is_made_with_a_part_of_its_challenger(page: Page) -> None:
    page.goto("/duels/")
    page.locator("#challenge").click()
    page.wait_for_url(re.compile("/duel/[^/]+/"))
    page.locator("#seal summary").click()
    assert re.fullmatch(r"[0-9]{20,40}", page.locator(ADDED).inner_text())
