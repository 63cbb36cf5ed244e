"""Installed: without a network a page says so, and nothing of anybody is kept."""

from playwright.sync_api import expect

from tests.browser.conftest import Complaints, NewPage
from tests.browser.steps import begin, first_open
from tests.browser.test_accessibility import expect_accessible

KEPT = """async () => {
  const names = await caches.keys();
  const found = [];
  for (const name of names)
    for (const request of await (await caches.open(name)).keys())
      found.push(new URL(request.url).pathname);
  return found;
}"""


def test_without_a_network_the_offline_page_says_what_is_kept(
    new_page: NewPage, complaints: Complaints
) -> None:
    page = new_page(service_workers="allow")
    page.goto("/rules/")
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    page.reload()
    begin(page)
    page.goto("/daily/")
    kept = page.evaluate(KEPT)
    assert "/offline/" in kept
    assert all(path.startswith(("/offline/", "/static/")) for path in kept)
    page.context.set_offline(True)
    page.goto("/daily/")
    expect(page.locator("h1")).to_have_text("No connection")
    expect_accessible(page)
    expect(page.get_by_role("link", name="Try again")).to_have_attribute("href", "/")
    page.context.set_offline(False)
    expect(page.locator("h1")).not_to_have_text("No connection")
    assert page.url.endswith("/daily/")
    page.goto("/")
    expect(page.locator("#board")).to_be_visible()
    complaints.expect("ERR_INTERNET_DISCONNECTED")


def test_a_result_is_shared_where_there_is_no_sheet_and_no_clipboard(new_page: NewPage) -> None:
    """As over plain http: the old way of copying, and a field with the text that is selected."""
    page = new_page()
    page.add_init_script(
        "for (const name of ['share', 'clipboard'])"
        " Object.defineProperty(Navigator.prototype, name, { value: undefined });"
    )
    page.goto("/five/")
    for _place in range(5):
        first_open(page).click()
        page.locator("#roll", has_text="position").or_(page.get_by_text("How the five")).click()
    here = page.url
    page.locator("#share-result").click()
    field = page.locator("[data-shared]")
    expect(field).to_be_focused()
    assert "Five a day, Yatzy" in field.input_value()
    assert page.url == here
