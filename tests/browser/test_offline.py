"""Without a network the first page is a table: a whole game is played on it and handed in later."""

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.conftest import Complaints, NewPage
from tests.browser.steps import PHONE, decided, expect_finished, first_open
from tests.browser.test_accessibility import expect_accessible
from tests.browser.test_layout import expect_no_sideways

READY = "navigator.serviceWorker.ready.then(() => true)"


def cut_off(page: Page, rules: str = "yahtzee-plain") -> None:
    """After one visit: the device keeps what it needs while the first page is looked at."""
    page.goto("/")
    page.evaluate(READY)
    page.context.set_offline(True)
    page.goto(f"/?rules={rules}")
    expect(page.locator("#board")).to_have_attribute("data-phase", "roll")


def play_on(page: Page, turns: int, seq: int = 0) -> None:
    for turn in range(turns):
        page.locator("#roll").click()
        decided(page, seq + 2 * turn + 1)
        first_open(page).click()
        decided(page, seq + 2 * turn + 2)


def quiet(complaints: Complaints) -> None:
    complaints.expect("ERR_INTERNET_DISCONNECTED")


def test_a_whole_game_is_played_and_handed_in_once(
    new_page: NewPage, complaints: Complaints
) -> None:
    page = new_page(service_workers="allow", **PHONE)
    cut_off(page)
    expect_accessible(page)
    expect_no_sideways(page)
    page.locator("#roll").click()
    decided(page, 1)
    faces = page.locator(".die use").evaluate_all("all => all.map(one => one.href.baseVal)")
    page.reload()
    decided(page, 1)
    assert page.locator(".die use").evaluate_all("all => all.map(one => one.href.baseVal)") == faces
    page.keyboard.press("2")
    expect(page.locator("#die-1")).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("Enter")
    decided(page, 2)
    assert page.locator("#die-1 use").get_attribute("href") == faces[1]
    page.keyboard.press("a")
    page.keyboard.press("Enter")
    decided(page, 3)
    play_on(page, 12, seq=3)
    expect_finished(page, 13)
    expect_accessible(page)
    total = page.locator(".over__points").inner_text()
    page.context.set_offline(False)
    page.goto("/rules/")
    for _patience in range(50):  # the worker hands in behind the page
        page.goto("/history/?rules=yahtzee-plain")
        if page.locator("tbody tr").count():
            break
        page.wait_for_timeout(100)
    page.goto("/history/?rules=yahtzee-plain")
    expect(page.locator("tbody tr")).to_have_count(1)
    expect(page.locator("tbody tr")).to_contain_text("Played without a network")
    expect(page.locator("tbody .points")).to_have_text(total)
    quiet(complaints)


QUICK = """() => new Promise(done => {
  const board = document.getElementById("board");
  const press = { 1: ".box--open", 2: "#roll" };
  const pressed = () => document.querySelector(press[board.dataset.seq])?.click();
  new MutationObserver(() => (board.dataset.seq === "3" ? done() : pressed()))
    .observe(board, { attributeFilter: ["data-seq"] });
  document.getElementById("roll").click();
  setTimeout(done, 5000);
})"""


def test_a_press_is_never_too_early(page: Page) -> None:
    """Neither before the game is there nor as soon as it shows what was done before."""
    held: list[Route] = []
    page.route("**/pocket/float64*.wasm", lambda route: held.append(route))
    page.goto("/offline/table/?rules=yahtzee-plain")
    page.locator("#roll").click()
    page.wait_for_timeout(100)
    held[0].continue_()
    decided(page, 1)
    first_open(page).click()
    decided(page, 2)
    page.unroute_all()
    page.evaluate(
        "new Promise(done => indexedDB.deleteDatabase('offline').onsuccess = () => done())"
    )
    page.reload()
    decided(page, 0)
    page.evaluate(QUICK)
    decided(page, 3)


@pytest.mark.nightly
@pytest.mark.parametrize("rules", ["yatzy", "yahtzee", "yahtzee-free-joker"])
def test_every_ruleset_is_played_to_its_end(
    new_page: NewPage, complaints: Complaints, rules: str
) -> None:
    page = new_page(service_workers="allow")
    cut_off(page, rules)
    turns = 15 if rules == "yatzy" else 13
    play_on(page, turns)
    expect(page.locator("#board")).to_have_attribute("data-phase", "over")
    quiet(complaints)
