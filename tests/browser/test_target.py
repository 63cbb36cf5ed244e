"""A game that is played for a number: typed beside the new card, told beside the total."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Complaints, NewPage
from tests.browser.steps import PHONE, decided

EXACT = "[data-target][data-chance]:not([hx-get])"


def sides(page: Page) -> list[object]:
    """Where the parts of the board stand."""
    return [page.locator(part).first.bounding_box() for part in (".card", ".total", "#dice")]


@pytest.mark.parametrize("script", [True, False], ids=["script", "no script"])
def test_a_number_is_typed_and_told_beside_the_total(
    new_page: NewPage, complaints: Complaints, script: bool
) -> None:
    page = new_page(java_script_enabled=script, **PHONE)
    page.goto("/")
    page.get_by_label("Play to").fill("9000")
    page.get_by_label("Play to").press("Enter")
    expect(page.locator("#status")).to_contain_text("from 1 to 374")
    expect(page.get_by_label("Play to")).to_have_value("9000")
    complaints.expect("400")
    page.get_by_label("Play to").fill("120")
    page.get_by_label("Play to").press("Enter")
    expect(page.locator("[data-target='120']")).to_contain_text("120 to reach")
    if script:
        expect(page.locator("#roll")).to_be_focused()


def test_the_chance_comes_by_itself_and_moves_nothing(new_page: NewPage) -> None:
    page = new_page(**PHONE)
    page.goto("/")
    page.get_by_label("Play to").fill("120")
    page.locator("#roll").click()
    decided(page, 1)
    for turn in range(9):
        page.locator("button[name=category]").first.click()
        decided(page, 2 * turn + 2)
        page.locator("#roll").click()
        decided(page, 2 * turn + 3)
    expect(page.locator(EXACT)).to_contain_text("%")
    before = sides(page)
    page.locator("#roll").click()
    decided(page, 20)
    expect(page.locator(EXACT)).to_contain_text("%")
    assert sides(page) == before
