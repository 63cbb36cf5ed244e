"""Offline on a device that fails: the game goes on, and the page says what is the matter."""

from playwright.sync_api import Page, Route, expect

from tests.browser.conftest import Complaints, NewPage
from tests.browser.looks import expect_accessible
from tests.browser.steps import decided, expect_phase, faces, fill, first_open, roll

RULES = "yahtzee-plain"
CLOSED = """
    indexedDB.open = () => {
        throw new DOMException("private", "SecurityError");
    };
    Storage.prototype.getItem = Storage.prototype.setItem = indexedDB.open;
"""
# Some answers fail, as if the browser had taken the worker's memory.
FORGETFUL = """
    let asked = 0;
    const post = Worker.prototype.postMessage;
    Worker.prototype.postMessage = function (...message) {
        asked += message[0].does === "answer";
        if (message[0].does === "answer" && TIMES.includes(asked))
            return setTimeout(() => this.onerror({ message: "gone" }));
        return post.apply(this, message);
    };
"""


def opened(new_page: NewPage, script: str) -> Page:
    page = new_page()
    page.add_init_script(script)
    page.goto(f"/offline/table/?rules={RULES}")
    expect_phase(page, "roll")
    return page


def play_a_turn(page: Page, seq: int) -> None:
    roll(page, seq + 1)
    fill(first_open(page))
    decided(page, seq + 2)


def room(page: Page, site: str, size: int | None) -> None:
    """Leave so many bytes to the site on this device; None: as many as there are."""
    more = {} if size is None else {"quotaSize": size}
    cdp = page.context.new_cdp_session(page)
    cdp.send("Storage.overrideQuotaForOrigin", {"origin": site, **more})


def test_a_full_device_is_said_and_what_can_be_kept_again_is_kept_whole(
    new_page: NewPage, site: str
) -> None:
    page = opened(new_page, "")
    room(page, site, 1)
    for turn in range(2):
        play_a_turn(page, 2 * turn)
        expect(page.locator("#unkept")).to_be_visible()
    expect_accessible(page)
    room(page, site, None)
    roll(page, 5)
    expect(page.locator("#unkept")).to_be_hidden()
    thrown = faces(page)
    page.reload()
    decided(page, 5)
    assert faces(page) == thrown


def test_a_window_that_keeps_nothing_is_played_in_and_said(new_page: NewPage) -> None:
    page = opened(new_page, CLOSED)
    for turn in range(2):
        play_a_turn(page, 2 * turn)
        expect(page.locator("#unkept")).to_be_visible()


def test_a_worker_that_fails_is_started_anew_and_else_the_page_says_so(new_page: NewPage) -> None:
    page = opened(new_page, FORGETFUL.replace("TIMES", "[2]"))
    for turn in range(3):
        play_a_turn(page, 2 * turn)
    page = opened(new_page, FORGETFUL.replace("TIMES", "[1, 2, 3, 4, 5, 6]"))
    page.locator("#roll").click()
    expect(page.locator("#status")).to_contain_text("gone")


def test_what_is_pressed_while_the_game_is_drawn_is_done(page: Page) -> None:
    """The button is down before the game is there, and up when it has been drawn."""
    wanted: list[Route] = []
    page.route("**/offline_coach*.js", lambda route: wanted.append(route))
    page.goto(f"/offline/table/?rules={RULES}")
    page.locator("#roll").hover()
    page.mouse.down()
    expect(page.locator("#roll:active")).to_have_count(1)
    while not wanted:
        page.wait_for_timeout(20)
    wanted[0].continue_()
    expect(page.locator("#solving")).to_be_visible()
    page.mouse.up()
    decided(page, 1)


def test_a_program_that_does_not_come_is_said(page: Page, complaints: Complaints) -> None:
    complaints.expect("500")
    page.route("**/float64*.wasm", lambda route: route.fulfill(status=500, body=""))
    page.goto(f"/offline/table/?rules={RULES}")
    expect(page.locator("#status")).to_contain_text("500")
