"""Offline: a table on the device, its coach, what is stored there, and new versions."""

import os
import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from solver.rules import RULESETS
from tests.browser.conftest import Complaints, NewPage
from tests.browser.looks import expect_accessible, expect_no_sideways
from tests.browser.steps import (
    PHONE,
    decided,
    expect_finished,
    expect_phase,
    faces,
    fill,
    first_open,
    held,
    mean_it,
    roll,
    until,
)

RULES = "yahtzee-plain"
TURNS = len(RULESETS[RULES].categories)
READY = "navigator.serviceWorker.ready.then(() => true)"
STORED = "/offline/stored/?in=en"


def cut_off(page: Page, rules: str = RULES) -> None:
    """After one visit: the device keeps what it needs while the first page is looked at."""
    page.goto("/")
    page.evaluate(READY)
    page.context.set_offline(True)
    page.goto(f"/?rules={rules}")
    expect_phase(page, "roll")


def play_on(page: Page, turns: int, seq: int = 0) -> None:
    for turn in range(turns):
        roll(page, seq + 2 * turn + 1)
        fill(first_open(page))
        decided(page, seq + 2 * turn + 2)


def quiet(complaints: Complaints) -> None:
    complaints.expect("ERR_INTERNET_DISCONNECTED")


def expect_handed_in(page: Page, total: str) -> None:
    page.context.set_offline(False)
    page.goto("/rules/")
    for _patience in range(50):  # the worker hands in behind the page
        page.goto(f"/you/?rules={RULES}")
        if page.locator("tbody tr").count():
            break
        page.wait_for_timeout(100)
    expect(page.locator("tbody tr")).to_have_count(1)
    expect(page.locator("tbody .points")).to_have_text(total)


# The table


def test_a_whole_game_is_played_and_handed_in_once(
    new_page: NewPage, complaints: Complaints
) -> None:
    page = new_page(service_workers="allow", **PHONE)
    cut_off(page)
    expect_accessible(page)
    expect_no_sideways(page)
    roll(page, 1)
    thrown = faces(page)
    page.reload()
    decided(page, 1)
    assert faces(page) == thrown
    page.keyboard.press("2")
    held(page, 1)
    page.keyboard.press("Enter")
    decided(page, 2)
    assert faces(page)[1] == thrown[1]
    page.keyboard.press("a")
    page.keyboard.press("Enter")
    mean_it(page, 2)
    decided(page, 3)
    page.context.set_offline(False)
    for address in ("/you/", "/"):
        page.goto(address)
        expect(page.locator("main #offline-game")).to_be_visible()
    page.context.set_offline(True)
    for address in ("/you/", "/daily/", "/learn/"):
        page.goto(address)
        expect(page.locator("[data-of=games] a")).to_be_visible()
    page.goto("/duels/")
    page.locator(".button--primary").click()
    decided(page, 3)
    play_on(page, TURNS - 1, seq=3)
    expect_finished(page, TURNS)
    expect_accessible(page)
    expect_handed_in(page, page.locator(".over__points").inner_text())
    expect(page.locator("#offline-game")).to_be_hidden()
    quiet(complaints)


QUICK = """() => new Promise(done => {
  const board = document.getElementById("board");
  const press = { 1: ".box--open:not([data-nothing])", 2: "#roll" };
  localStorage.setItem("finished", 3); // no beginner is asked
  const pressed = () => document.querySelector(press[board.dataset.seq])?.click();
  new MutationObserver(() => (board.dataset.seq === "3" ? done() : pressed()))
    .observe(board, { attributeFilter: ["data-seq"] });
  document.getElementById("roll").click();
  setTimeout(done, 5000);
})"""
ROLLS_AT_ONCE = (
    "addEventListener('DOMContentLoaded', () => document.getElementById('roll').click())"
)


def test_a_press_is_never_too_early(page: Page) -> None:
    waiting: list[Route] = []
    page.route("**/pocket/float64*.wasm", lambda route: waiting.append(route))
    page.goto(f"/offline/table/?rules={RULES}")
    page.locator("#roll").click()
    page.wait_for_timeout(100)
    waiting[0].continue_()
    decided(page, 1)
    fill(first_open(page))
    decided(page, 2)
    page.unroute_all()
    page.evaluate(
        "new Promise(done => indexedDB.deleteDatabase('offline').onsuccess = () => done())"
    )
    page.reload()
    decided(page, 0)
    page.evaluate(QUICK)
    decided(page, 3)
    page.add_init_script(ROLLS_AT_ONCE)
    page.reload()
    decided(page, 4)


# Its coach

SPOKEN = Path(__file__).with_name("spoken.txt")
HEARD = """() => {
  const region = document.getElementById("announce");
  window.heard = [];
  new MutationObserver((changes) => changes.forEach(({ addedNodes }) => addedNodes.forEach(
    ({ textContent }) => heard.push(textContent)))).observe(region, { childList: true });
}"""
TWICE = "() => { for (const once of [1, 2]) document.getElementById('roll').click(); }"
# 1 2 4 4 6, and then rolls for which no box is the best move, for any hold.
DICE = """() => {
  const faces = [1, 2, 4, 4, 6, 1, 3, 6, 5, 2, 3];
  const random = crypto.getRandomValues.bind(crypto);
  let fallen = 0;
  const fall = (room) => room.fill(faces[fallen++ % faces.length] - 1);
  crypto.getRandomValues = (room) => (room.byteLength === 1 ? fall(room) : random(room));
}"""


def coached(page: Page, level: str) -> None:
    page.add_init_script(f"({DICE})()")
    cut_off(page)
    expect(page.locator("#level")).to_be_visible()
    expect(page.locator("#solving")).to_have_count(0, timeout=60_000)
    page.locator("#level").select_option(level)
    roll(page, 1)


def expect_verdict(page: Page, verdict: str) -> None:
    expect(page.locator(".slip")).to_have_attribute("data-verdict", verdict)


def nothing(page: Page) -> Locator:
    """The costliest move with these dice."""
    return page.locator(".box--open[data-nothing]").last


def test_a_hint_is_given_and_taken_and_a_move_is_judged(
    new_page: NewPage, complaints: Complaints
) -> None:
    page = new_page(service_workers="allow", **PHONE)
    coached(page, "after")
    page.keyboard.press("h")
    expect(page.locator("#take")).to_be_focused()
    page.get_by_role("button", name="Why?").click()
    expect(page.locator("#coach .options tbody tr")).to_have_count(5)
    expect(page.locator("#coach .options tbody td").nth(1)).to_have_text("best")
    expect(page.locator("#coach .coach__reason")).not_to_be_empty()
    expect_accessible(page)
    expect_no_sideways(page)
    page.keyboard.press("Escape")
    page.keyboard.press("t")
    decided(page, 2)
    expect_verdict(page, "best")
    fill(nothing(page))
    decided(page, 3)
    expect_verdict(page, "blunder")
    assert "Better: " in page.locator("#announce").inner_text()  # a first game names no cost
    page.get_by_role("button", name="Why?").click()
    expect(page.locator("#coach .standing__of-lost dd")).to_contain_text("−")
    expect(page.locator("#coach .standing__now")).to_have_text(re.compile(r"^\d+\.\d$"))
    expect_accessible(page)
    page.keyboard.press("Escape")
    page.reload()
    expect_verdict(page, "blunder")
    assert page.locator("#announce").inner_text() == ""  # old events are not read again
    quiet(complaints)


def played_to_the_end(page: Page) -> str:
    for _turn in range(TURNS):
        page.locator("#roll").click()
        expect_phase(page, "decide")
        fill(first_open(page))
        expect(page.locator("#board")).not_to_have_attribute("data-phase", "decide")
    expect(page.locator("#over .account")).to_be_attached()
    return page.locator(".over__points").inner_text()


@pytest.mark.nightly
def test_a_game_is_reviewed_played_again_drilled_and_handed_in(
    new_page: NewPage, complaints: Complaints
) -> None:
    page = new_page(service_workers="allow", **PHONE)
    cut_off(page)
    total = played_to_the_end(page)
    page.locator(".over__more summary").click()
    lost = page.locator(".account__part--mistakes dd").inner_text()
    assert lost.startswith("−")
    expect(page.locator(".square")).to_have_count(0)  # of a first game
    expect(page.locator(".worst__one")).to_have_count(3)
    expect_accessible(page)
    page.keyboard.press("r")  # from the costliest decision on, there and back
    worst = page.locator("#announce").inner_text()
    page.keyboard.press("p" if f"Turn {TURNS}" in worst else "n")
    expect(page.locator("#announce")).not_to_have_text(worst)
    expect_accessible(page)
    expect_no_sideways(page)
    page.get_by_role("button", name="Why?").click()
    expect(page.locator("#coach .options tr[aria-current]")).to_have_count(1)
    page.keyboard.press("Escape")
    page.locator(".decided__one").last.click()
    expect(page.locator("#next")).to_have_attribute("aria-disabled", "true")
    page.get_by_role("button", name="Result").click()
    page.locator("#drill").click()  # mistakes of the game come first
    expect(page.locator("#play").locator(".hint, [data-best], [data-lost]")).to_have_count(0)
    first_open(page).click()
    expect(page.locator(".slip")).to_be_visible()
    expect(page.locator("#roll")).to_be_focused()
    expect_accessible(page)
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Result").click()
    page.locator(".over__more summary").click()
    page.locator(".worst__again").first.click()
    page.get_by_role("button", name="Result").click()
    expect(page.locator("#over")).to_be_focused()
    page.keyboard.press("s")
    expect_phase(page, "roll")
    assert played_to_the_end(page) == total  # every first throw is the same
    expect_handed_in(page, total)  # and known games are not sent
    page.locator("tbody a").first.click()
    expect(page.locator(".account__part--mistakes dd")).to_have_text(lost)
    quiet(complaints)


@pytest.mark.nightly
@pytest.mark.parametrize("level", ["before", "alert", "live", "off"])
def test_every_level_of_the_coach(new_page: NewPage, complaints: Complaints, level: str) -> None:
    page = new_page(service_workers="allow")
    coached(page, level)
    expect(page.locator("#hint")).to_have_count(int(level in {"before", "live"}))
    if level == "live":  # every box and every hold has its price, and a late hint is not shown
        prices = (page.locator("#live").get_attribute("data-costs") or "").split("|")
        assert len(prices) == 32
        assert "best" in prices + page.locator(".box--open .box__hint b").all_inner_texts()
        for slot in (0, 3):
            page.locator(f"#die-{slot}").click()
        for place in ("#live b", ".roll__price"):
            expect(page.locator(place)).to_have_text(prices[0b1001])
        expect_accessible(page)
        page.evaluate(f"document.getElementById('hint').click(); ({TWICE})()")
        decided(page, 2)
        expect(page.locator("#take, [data-marked]")).to_have_count(0)
    elif level == "off":
        fill(nothing(page))
        decided(page, 2)
        expect(page.locator(".slip")).to_have_count(0)
        expect(page.locator("#coach")).to_be_hidden()
    else:
        nothing(page).click()
        expect(page.locator("#choose")).to_be_focused()
        expect_accessible(page)
        page.keyboard.press("Enter")
        expect(page.locator("#roll")).to_be_focused()
        decided(page, 1)
        nothing(page).click()
        if level == "alert":
            page.locator("#hint").click()
        page.locator("#take").click()
        decided(page, 2)
        expect_verdict(page, "best")
        nothing(page).click()
        page.locator("#confirm").click()
        decided(page, 3)
    quiet(complaints)


# What is stored

PUT = "game => shelf('games', 'readwrite', (all) => all.put(game))"
WRONG: dict[str, Any] = {
    "name": "00000000-0000-4000-8000-000000000007",
    "rules": "yatzy",
    "total": 15,
    "began": 1_000_000,
    "ended": 2_000_000,
    "turns": [],
}


# The server answers a POST when the test allows it.
SLOWLY = """() => {
  const send = self.fetch.bind(self);
  const wait = new Promise((resolve) => { self.go_on = resolve; });
  const done = new Promise((resolve) => { self.refused = resolve; });
  self.fetch = async (address, options) => {
    const answer = await send(address, options);
    if (options?.method === "POST") { await wait; setTimeout(self.refused, 300); }
    return answer;
  };
  self.answered = () => (self.go_on(), done);
}"""


def rows(page: Page, part: str) -> Any:
    return page.locator(f"[data-of={part}] tr")


def delete(page: Page, part: str) -> None:
    button = rows(page, part).first.get_by_role("button")
    button.click()
    expect(page.locator("[data-sure]")).to_have_count(1)
    button.click()


def on_a_device(page: Page, *games: dict[str, Any]) -> None:
    page.goto("/")
    page.evaluate(READY)
    page.goto("/offline/table/?in=en&rules=yatzy")
    decided(page, 0)
    for game in games:
        page.evaluate(PUT, game)
    page.goto(STORED)


def test_what_is_stored_is_shown_without_a_network_and_deleted(
    new_page: NewPage, complaints: Complaints
) -> None:
    page = new_page(service_workers="allow", **PHONE)
    cut_off(page)
    play_on(page, 2)
    until(page, "shelf('values', 'readonly', (all) => all.count()).then(count => count > 0)")
    second = page.context.new_page()
    second.goto(f"/?rules={RULES}")
    page.goto(STORED)
    for part in ("games", "files", "values"):
        expect(rows(page, part)).to_have_count(1)
    expect(rows(page, "games")).to_contain_text("3")
    expect(page.locator("[data-none=games]")).to_be_hidden()
    expect_accessible(page)
    expect_no_sideways(page)
    rows(page, "files").get_by_role("button").click()
    for sure in (1, 0):  # the page is not redrawn between two presses
        page.evaluate("navigator.serviceWorker.dispatchEvent(new Event('message'))")
        page.wait_for_timeout(200)
        expect(page.locator("[data-sure]")).to_have_count(sure)
        page.locator("h1").click()
    page.get_by_role("link", name="Go on").click()
    decided(page, 4)
    page.go_back()
    delete(page, "games")
    expect(rows(page, "games")).to_have_count(0)
    expect(page.locator("#stored-told")).to_be_focused()
    delete(page, "values")
    expect(page.locator("[data-none=values]")).to_be_visible()
    page.get_by_role("button", name="Delete all stored data").click()
    page.get_by_role("button", name="Delete for good?").click()
    expect(rows(page, "files")).to_have_count(0)
    assert page.evaluate("localStorage.length") == 0
    second.locator("#roll").click()  # a table that was open begins anew
    decided(second, 0)
    page.context.set_offline(False)
    page.goto("/rules/")  # it comes back with a page of the site
    until(page, "caches.keys().then(names => names.length > 0)")
    quiet(complaints)


def test_a_game_that_is_refused_is_kept_until_it_is_deleted_or_handed_in_again(
    new_page: NewPage, complaints: Complaints
) -> None:
    turn = {"thrown": [[1, 2, 3, 4, 6]], "held": []}
    turns = [turn | {"box": box.id} for box in RULESETS[RULES].categories]
    right = {"name": WRONG["name"][:-1] + "8", "rules": RULES, "turns": turns, "total": 62}
    page = new_page(service_workers="allow")
    on_a_device(page, WRONG, WRONG | right | {"refused": {"status": 400}})
    games = rows(page, "games")
    for _look in range(2):  # refused games are sent again only on request
        expect(games).to_have_count(2)
        for total in ("15 ", "62 "):
            expect(games.filter(has_text=total)).to_contain_text("Refused: ")
        page.reload()
    page.get_by_role("button", name="Send these games now").click()
    expect(games).to_have_count(1)
    expect(games).to_contain_text("15 ")
    (worker,) = page.context.service_workers
    worker.evaluate(SLOWLY)
    page.get_by_role("button", name="Send these games now").click()
    delete(page, "games")  # before the server has answered
    worker.evaluate("answered()")
    page.reload()
    expect(page.locator("[data-none=games]")).to_be_visible()
    expect(games).to_have_count(0)
    page.goto(f"/you/?rules={RULES}")
    expect(page.locator("tbody .points")).to_have_text("62")
    complaints.expect("400")


def test_two_tabs_of_one_game_lose_nothing_of_it(new_page: NewPage, complaints: Complaints) -> None:
    """The one that comes late shows what the other has played, and keeps nothing of its own."""
    page = new_page(service_workers="allow")
    cut_off(page)
    other = page.context.new_page()
    other.goto(f"/?rules={RULES}")
    decided(other, 0)
    play_on(page, 1)
    roll(page, 3)
    other.reload()
    decided(other, 3)
    fill(first_open(page))
    decided(page, 4)
    fill(first_open(other))
    decided(other, 4)
    for one in (page, other):
        roll(one, 5)
    assert faces(page) == faces(other)
    quiet(complaints)


def almost_over(page: Page, name: str) -> None:
    turn = {"thrown": [[1, 2, 2, 3, 6]], "held": [], "kept": [], "points": 0, "chip": 0}
    turns = [turn | {"box": box.id} for box in RULESETS[RULES].categories[:-1]]
    page.evaluate(PUT, {"name": name, "rules": RULES, "began": 1, "turns": turns})
    page.reload()
    seq = 2 * len(turns)
    decided(page, seq)
    play_on(page, 1, seq=seq)
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
    lasts = page.locator("#stored-lasts")
    expect(lasts).not_to_be_empty()
    before = lasts.inner_text()
    page.evaluate("navigator.storage.persisted = async () => true")
    delete(page, "games")
    expect(lasts).not_to_have_text(before)
    quiet(complaints)
    plain = new_page(java_script_enabled=False)
    plain.goto(STORED)
    expect(plain.locator("noscript p")).to_be_visible()
    expect(plain.locator("#stored")).to_be_hidden()


# A new version of it. Another language is another version: its pages are others, and so is the
# name of the cache.

WAITS = "navigator.serviceWorker.getRegistration().then(one => Boolean(one.waiting))"


def expect_language(page: Page, language: str) -> None:
    expect(page.locator("html")).to_have_attribute("lang", language)


def another_version(page: Page, language: str = "sv") -> Page:
    """It comes with a page that another tab looks at while there is a network for a while."""
    before = page.evaluate("caches.keys().then(names => names.join())")
    page.context.set_offline(False)
    site = page.evaluate("location.origin")
    page.context.add_cookies([{"name": "django_language", "value": language, "url": site}])
    second = page.context.new_page()
    second.goto("/rules/")
    until(second, f"caches.keys().then(names => names.join() !== '{before}')")
    return second


def test_a_new_version_takes_over_between_turns_and_a_turn_ends_as_it_began(
    new_page: NewPage, complaints: Complaints
) -> None:
    page = new_page(service_workers="allow")
    cut_off(page)
    roll(page, 1)
    page.evaluate("navigator.serviceWorker.dispatchEvent(new Event('controllerchange'))")
    page.evaluate("window.before = true")
    page.wait_for_timeout(200)
    assert page.evaluate("window.before")
    fill(first_open(page))
    page.wait_for_url("**/offline/table/?rules=*")
    decided(page, 2)
    assert not page.evaluate("window.before")
    another_version(page).close()
    expect_language(page, "sv")  # between turns it takes over at once
    decided(page, 2)
    roll(page, 3)
    thrown = faces(page)
    second = another_version(page, "nb")
    until(second, WAITS)
    second.reload()  # an open page makes the new version wait
    second.wait_for_timeout(300)
    assert second.evaluate(WAITS)
    page.context.set_offline(True)
    page.reload()
    decided(page, 3)
    assert faces(page) == thrown
    page.locator("#die-0").click()
    roll(page, 4)
    expect_language(page, "sv")
    fill(first_open(page))
    expect_language(page, "nb")
    decided(page, 5)
    assert not second.evaluate(WAITS)
    quiet(complaints)


def test_a_result_stays_until_it_was_read(new_page: NewPage, complaints: Complaints) -> None:
    page = new_page(service_workers="allow")
    cut_off(page)
    almost_over(page, "first")
    total = page.locator(".over__points").inner_text()
    second = another_version(page)
    until(second, "caches.keys().then(names => names.length === 1)")
    page.wait_for_timeout(300)
    expect(page.locator(".over__points")).to_have_text(total)
    expect_language(page, "en")
    quiet(complaints)


def test_a_whole_game_is_said_as_in_the_golden_file(new_page: NewPage) -> None:
    """SPOKEN=write writes it anew, after a change of what is said."""
    page = new_page(service_workers="allow", **PHONE)
    coached(page, "after")
    page.evaluate(HEARD)
    for turn in range(TURNS):
        fill(nothing(page) if nothing(page).count() else first_open(page))
        decided(page, 2 * turn + 2)  # a roll during the decision would be ignored
        if turn < TURNS - 1:
            roll(page, 2 * turn + 3)
    expect(page.locator("#over .account")).to_be_attached()
    text = "\n".join(page.evaluate("heard")) + "\n"
    if os.environ.get("SPOKEN") == "write":
        SPOKEN.write_text(text, encoding="utf-8")
    assert text == SPOKEN.read_text(encoding="utf-8")
