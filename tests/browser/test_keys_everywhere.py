"""On every page ? shows the keys, and whatever scrolls to the side does so by keyboard."""

from typing import Any

from playwright.sync_api import Page, expect

from tests.browser.conftest import DEFAULTS, NewPage
from tests.browser.steps import begin, finish
from tests.browser.test_accessibility import AXE, PAGES, VIOLATIONS, _expect_nothing
from tests.selection import exhaustive

NARROW: dict[str, Any] = {"viewport": {"width": 360, "height": 640}}
FEW = 9  # of the pages are looked at with a change, and all of them by axe (`test_pages`)
BY_ITSELF = "/offline/"  # is kept by the device, without what other pages have
UNFOLD = "() => document.querySelectorAll('details').forEach(part => { part.open = true; })"
# What is wider than its place, and neither reached by Tab nor has a name or a button in it.
UNREACHED = """() => [...document.querySelectorAll("body *")].filter(part => {
    const scrolls = ["auto", "scroll"].includes(getComputedStyle(part).overflowX);
    if (!scrolls || !part.clientWidth || part.scrollWidth <= part.clientWidth + 1) return false;
    const named = part.ariaLabel || part.getAttribute("aria-labelledby");
    return !(part.tabIndex === 0 && named && (part.role || part.matches("section")));
}).map(part => part.outerHTML.slice(0, 200))"""


def expect_reached(page: Page) -> None:
    """At night axe looks too, with all unfolded; with a change it asks the same elsewhere."""
    page.evaluate(UNFOLD)
    assert page.evaluate(UNREACHED) == [], page.url
    if not exhaustive():
        return
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE)
    _expect_nothing(page.evaluate(VIOLATIONS, {"runOnly": ["scrollable-region-focusable"]}))


def expect_keys(page: Page) -> None:
    page.evaluate("document.activeElement.blur()")  # of a field that one begins to fill
    page.keyboard.press("?")
    dialog = page.locator("dialog#keys")
    expect(dialog).to_be_visible()
    expect(dialog.locator("kbd", has_text="?")).to_be_visible()
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()


def test_every_page_shows_the_keys_and_what_is_wide_is_scrolled_by_keyboard(
    new_page: NewPage,
) -> None:
    page = new_page(**NARROW)
    begin(page)
    expect_keys(page)
    finish(page)
    game = page.url
    pages = PAGES if exhaustive() else PAGES[:: len(PAGES) // FEW]
    for address in (*pages, game, f"{game}review/", f"{game}verify"):
        page.goto(address)
        if address in {*pages} - {BY_ITSELF}:
            page.set_viewport_size(DEFAULTS["viewport"])
            expect_keys(page)
            page.set_viewport_size(NARROW["viewport"])
        expect_reached(page)


def test_who_types_a_question_mark_is_left_alone(page: Page) -> None:
    page.goto("/account/login/")
    field = page.locator("[name=username]")
    field.press("?")
    expect(page.locator("dialog#keys")).to_be_hidden()
    expect(field).to_have_value("?")
