"""What is stored on a device is shown, said in words, and deleted by whoever asks for it."""

from typing import Any

from playwright.sync_api import Page, expect

from solver.rules import RULESETS
from tests.browser.conftest import Complaints, NewPage
from tests.browser.steps import PHONE, decided, first_open, until
from tests.browser.test_accessibility import expect_accessible
from tests.browser.test_layout import expect_no_sideways
from tests.browser.test_offline import READY, cut_off, play_on, quiet

STORED = "/offline/stored/?in=en"
PUT = "game => shelf('games', 'readwrite', (all) => all.put(game))"
WRONG: dict[str, Any] = {
    "name": "00000000-0000-4000-8000-000000000007",
    "rules": "yatzy",
    "total": 15,
    "began": 1_000_000,
    "ended": 2_000_000,
    "turns": [],
}


def rows(page: Page, part: str) -> Any:
    return page.locator(f"[data-of={part}] tr")


def delete(page: Page, part: str) -> None:
    button = rows(page, part).first.get_by_role("button")
    button.click()
    expect(button).to_contain_text("Delete for good?")
    button.click()


def test_what_is_stored_is_shown_without_a_network_and_deleted(
    new_page: NewPage, complaints: Complaints
) -> None:
    page = new_page(service_workers="allow", **PHONE)
    cut_off(page)
    play_on(page, 2)
    until(page, "shelf('values', 'readonly', (all) => all.count()).then(count => count > 0)")
    page.get_by_role("link", name="Stored on this device").click()
    expect(rows(page, "games")).to_have_count(1)
    expect(rows(page, "games")).to_contain_text("Turn 3 of 13")
    expect(rows(page, "files")).to_have_count(1)
    expect(rows(page, "values")).to_contain_text("Yahtzee without jokers float64")
    expect(page.locator("[data-none=games]")).to_be_hidden()
    expect(page.locator("#again")).to_be_hidden()
    expect(page.locator("#stored-lasts")).to_contain_text("It is asked not to once")
    expect_accessible(page)
    expect_no_sideways(page)
    page.get_by_role("link", name="Go on").click()
    decided(page, 4)
    page.go_back()
    delete(page, "games")
    expect(rows(page, "games")).to_have_count(0)
    expect(page.locator("#stored-told")).to_be_focused()
    delete(page, "values")
    expect(page.locator("[data-none=values]")).to_be_visible()
    delete(page, "files")
    expect(rows(page, "files")).to_have_count(0)
    page.context.set_offline(False)
    page.goto("/rules/")  # it comes back with a page of the site
    until(page, "caches.keys().then(names => names.length > 0)")
    quiet(complaints)


def test_all_of_it_goes_at_once_and_a_table_that_is_open_begins_anew(
    new_page: NewPage, complaints: Complaints
) -> None:
    page = new_page(service_workers="allow")
    cut_off(page)
    play_on(page, 1)
    beside = page.context.new_page()
    beside.goto(STORED)
    button = beside.get_by_role("button", name="Delete all of it")
    button.click()
    beside.get_by_role("button", name="Delete for good?").click()
    expect(rows(beside, "games")).to_have_count(0)
    expect(rows(beside, "files")).to_have_count(0)
    assert beside.evaluate("localStorage.length") == 0
    page.locator("#roll").click()
    decided(page, 0)
    quiet(complaints)


def test_a_game_that_is_refused_is_explained_and_kept_until_it_is_deleted(
    new_page: NewPage, complaints: Complaints
) -> None:
    page = new_page(service_workers="allow")
    page.goto("/")
    page.evaluate(READY)
    page.goto("/offline/table/?in=en&rules=yatzy")
    decided(page, 0)
    page.evaluate(PUT, WRONG)
    page.goto(STORED)  # the worker hands in behind the page
    expect(rows(page, "games")).to_contain_text("15 points, not handed in yet. Refused: ")
    told = rows(page, "games").inner_text()
    page.reload()
    page.get_by_role("button", name="Hand them in now").click()
    expect(rows(page, "games")).to_have_text(told, use_inner_text=True)
    delete(page, "games")
    expect(page.locator("[data-none=games]")).to_be_visible()
    page.reload()
    expect(rows(page, "games")).to_have_count(0)
    complaints.expect("400")


def test_what_made_no_sense_is_offered_again_only_when_somebody_asks(
    new_page: NewPage, complaints: Complaints
) -> None:
    turn = {"thrown": [[1, 2, 3, 4, 6]], "held": []}
    turns = [turn | {"box": box.id} for box in RULESETS["yahtzee-plain"].categories]
    right = {"rules": "yahtzee-plain", "turns": turns, "total": 62, "refused": {"status": 400}}
    page = new_page(service_workers="allow")
    page.goto("/")
    page.evaluate(READY)
    page.goto("/offline/table/?in=en&rules=yatzy")
    decided(page, 0)
    page.evaluate(PUT, WRONG | right)
    page.goto(STORED)
    expect(rows(page, "games")).to_contain_text("62 points, not handed in yet. Refused: The server")
    page.reload()
    expect(rows(page, "games")).to_have_count(1)
    page.get_by_role("button", name="Hand them in now").click()
    expect(rows(page, "games")).to_have_count(0)
    page.goto("/history/?rules=yahtzee-plain")
    expect(page.locator("tbody .points")).to_have_text("62")


def test_nothing_is_drawn_anew_between_two_presses(new_page: NewPage) -> None:
    page = new_page(service_workers="allow")
    page.goto("/")
    page.evaluate(READY)
    page.goto(STORED)
    rows(page, "files").get_by_role("button").click()
    for asked in (1, 0):
        page.evaluate("navigator.serviceWorker.dispatchEvent(new Event('message'))")
        page.wait_for_timeout(200)
        expect(page.locator("[data-sure]")).to_have_count(asked)
        page.locator("h1").click()


def test_two_tabs_of_one_game_lose_nothing_of_it(new_page: NewPage, complaints: Complaints) -> None:
    """The one that comes late shows what the other has played, and keeps nothing of its own."""
    page = new_page(service_workers="allow")
    cut_off(page)
    other = page.context.new_page()
    other.goto("/?rules=yahtzee-plain")
    decided(other, 0)
    play_on(page, 1)
    page.locator("#roll").click()
    decided(page, 3)
    faces = "all => all.map(one => one.href.baseVal)"
    other.reload()
    decided(other, 3)
    first_open(page).click()
    decided(page, 4)
    first_open(other).click()
    decided(other, 4)
    page.locator("#roll").click()
    decided(page, 5)
    other.locator("#roll").click()
    decided(other, 5)
    shown = [one.locator(".die use").evaluate_all(faces) for one in (page, other)]
    assert shown[0] == shown[1]
    quiet(complaints)


def almost_over(page: Page, name: str) -> None:
    """A game of which a turn is missing: it is played to its end."""
    boxes = RULESETS["yahtzee-plain"].categories[:-1]
    turn = {"thrown": [[1, 2, 2, 3, 6]], "held": [], "kept": [], "points": 0, "chip": 0}
    turns = [turn | {"box": box.id} for box in boxes]
    page.evaluate(PUT, {"name": name, "rules": "yahtzee-plain", "began": 1, "turns": turns})
    page.reload()
    decided(page, 24)
    play_on(page, 1, seq=24)
    expect(page.locator("#over")).to_be_visible()


def test_a_browser_is_asked_once_to_delete_nothing_and_the_answer_is_shown(
    new_page: NewPage, complaints: Complaints
) -> None:
    page = new_page(service_workers="allow")
    asked: list[None] = []
    page.expose_function("asked", lambda: asked.append(None))
    page.add_init_script("navigator.storage.persist = async () => asked()")
    cut_off(page)
    assert not asked
    for name in ("first", "second"):
        almost_over(page, name)
        assert len(asked) == 1
    page.goto(STORED)
    expect(page.locator("#stored-lasts")).to_contain_text("asked to keep it and did not promise")
    page.evaluate("navigator.storage.persisted = async () => true")
    page.get_by_role("button", name="Delete").first.click()
    page.get_by_role("button", name="Delete for good?").click()
    expect(page.locator("#stored-lasts")).to_contain_text("has promised")
    quiet(complaints)


def test_without_a_script_it_is_said_why_nothing_is_shown(new_page: NewPage) -> None:
    page = new_page(java_script_enabled=False)
    page.goto("/settings/")
    link = page.get_by_role("link", name="Stored on this device")
    page.goto(str(link.get_attribute("href")))
    expect(page.locator("noscript p")).to_be_visible()
    expect(page.locator("#stored")).to_be_hidden()
