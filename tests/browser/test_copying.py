"""What a button copies is copied, or can be, however little the browser allows."""

from playwright.sync_api import Page, expect

from tests.browser.conftest import NewPage
from tests.browser.steps import begin

PLAIN_HTTP = "Object.defineProperty(Navigator.prototype, 'clipboard', { get: () => undefined })"
REMEMBER = """
    window.copied = [];
    document.addEventListener("copy", () => window.copied.push(document.activeElement.value));
"""
FORBIDDEN = "document.execCommand = () => false"


def share(page: Page) -> str:
    """Presses the button that copies a game's address, and says which that is."""
    begin(page)
    button = page.locator("[data-copy]")
    path = button.get_attribute("data-copy")
    page.locator("details:has([data-copy])").evaluate_all(
        "all => all.forEach(one => one.open = true)"
    )
    button.click()
    return f"{page.evaluate('location.origin')}{path}"


def test_with_a_clipboard_the_link_is_in_it(new_page: NewPage) -> None:
    page = new_page(permissions=["clipboard-read", "clipboard-write"])
    link = share(page)
    expect(page.locator("[data-copy]")).to_have_text("Copied")
    assert page.evaluate("navigator.clipboard.readText()") == link


def test_without_a_clipboard_the_old_way_copies(page: Page) -> None:
    page.add_init_script(PLAIN_HTTP + ";" + REMEMBER)
    link = share(page)
    expect(page.locator("[data-copy]")).to_have_text("Copied")
    assert page.evaluate("window.copied") == [link]
    expect(page.locator("[data-copied]")).to_have_count(0)


def test_where_nothing_copies_a_selected_field_is_left(page: Page) -> None:
    page.add_init_script(PLAIN_HTTP + ";" + FORBIDDEN)
    link = share(page)
    page.locator("[data-copy]").click()
    field = page.locator("[data-copied]")
    expect(field).to_have_count(1)
    expect(field).to_have_value(link)
    expect(field).to_be_focused()
    assert page.evaluate("getSelection().toString()") == link
    expect(page.locator("[data-copy]")).not_to_have_text("Copied")
