"""A game is shared as something to beat: copied wherever it is, and played without a script."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import NewPage
from tests.browser.steps import PHONE, begin, finish
from tests.browser.test_accessibility import expect_accessible
from tests.browser.test_copying import FORBIDDEN, PLAIN_HTTP, REMEMBER
from tests.browser.test_layout import expect_no_sideways, sizes

NO_SHARE = "Object.defineProperty(Navigator.prototype, 'share', { get: () => undefined })"


def finished(page: Page) -> str:
    """The address that its end shares."""
    begin(page)
    finish(page)
    return page.locator("#share-result").get_attribute("href") or ""


def fits(page: Page) -> None:
    for size in sizes():
        page.set_viewport_size(size)
        expect_no_sideways(page)


def test_on_plain_http_a_result_is_copied_all_the_same(page: Page) -> None:
    page.add_init_script(";".join((PLAIN_HTTP, NO_SHARE, REMEMBER)))
    address = finished(page)
    page.locator("#share-result").click()
    expect(page.locator("#share-result")).to_have_text("Copied")
    (copied,) = page.evaluate("window.copied")
    assert "on these dice. Beat it." in copied
    assert copied.endswith(address)


def test_where_nothing_copies_a_result_is_left_selected(page: Page) -> None:
    page.add_init_script(";".join((PLAIN_HTTP, NO_SHARE, FORBIDDEN)))
    address = finished(page)
    page.locator("#share-result").click()
    field = page.locator("[data-shared]")
    expect(field).to_be_focused()
    assert field.input_value().endswith(address)
    assert page.evaluate("getSelection().toString()") == field.input_value()


@pytest.mark.parametrize(
    "script",
    [pytest.param(True, marks=pytest.mark.nightly), False],
    ids=["script", "no script"],
)
def test_from_the_link_to_both_games(new_page: NewPage, script: bool) -> None:
    owner = new_page()
    address = finished(owner)
    stranger = new_page(java_script_enabled=script, **PHONE)
    stranger.goto(address)
    stranger.get_by_role("button", name="Play these dice").click()
    stranger.locator("#roll").click()
    expect(stranger.locator("#board")).to_have_attribute("data-seq", "1")
    finish(stranger)
    stranger.get_by_role("link", name="A guest and you, turn by turn").click()
    # Both filled the first open box of the same dice each time.
    expect(stranger.get_by_role("heading", level=1)).to_contain_text("You made")
    expect(stranger.locator(".beat__turns tbody tr")).to_have_count(15)
    expect(stranger.locator(".beat__sums tbody tr").last).to_contain_text("0")
    owner.reload()
    expect(owner.get_by_role("link", name="One has tried to beat it")).to_be_visible()


@pytest.mark.sampled("language")
@pytest.mark.parametrize("language", ["en", "sv", "nb", "da", "fi"])
def test_its_pages_fit_and_are_accessible(new_page: NewPage, language: str) -> None:
    owner, stranger = new_page(locale=language), new_page(locale=language)
    address = finished(owner)
    stranger.goto(address)
    expect_accessible(stranger)
    fits(stranger)
    stranger.locator(".beat__play").click()
    stranger.locator("#roll").click()
    expect(stranger.locator("#board")).to_have_attribute("data-seq", "1")
    stranger.goto(address)
    fits(stranger)
    stranger.locator(".button--primary").click()
    finish(stranger)
    for page in (stranger, owner):
        page.goto(address)
        expect_accessible(page)
        fits(page)
