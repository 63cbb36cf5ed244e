"""Every page that shows a game shows it as it is."""

from playwright.sync_api import Page, WebSocketRoute, expect

from tests.browser.conftest import Complaints, NewPage
from tests.browser.steps import begin, decided, first_open

LISTEN = """document.addEventListener("htmx:wsOpen", () => {
    document.documentElement.dataset.connected = "yes"; });
document.addEventListener("htmx:wsBeforeMessage", () => {
    document.documentElement.dataset.pushed = "yes"; });"""


def connected(page: Page, address: str) -> None:
    """Opens a page and waits for its socket."""
    page.add_init_script(LISTEN)
    page.goto(address)
    expect(page.locator("html")).to_have_attribute("data-connected", "yes")


def expect_push(page: Page) -> None:
    expect(page.locator("html")).to_have_attribute("data-pushed", "yes")


def faces(page: Page) -> list[str]:
    return [use.get_attribute("href") or "" for use in page.locator(".die use").all()]


def test_two_tabs_stay_in_step(page: Page) -> None:
    begin(page)
    other = page.context.new_page()
    connected(other, page.url)
    page.locator("#die-1").click()
    page.locator("#roll").click()
    decided(page, 2)
    decided(other, 2)
    assert faces(other) == faces(page)
    first_open(other).click()
    decided(other, 3)
    decided(page, 3)
    expect(page.locator(".box--used")).to_have_count(1)


def test_a_watcher_sees_the_game_and_can_do_nothing(page: Page, new_page: NewPage) -> None:
    begin(page)
    watcher = new_page()
    page.locator("#share summary").click()
    connected(watcher, page.locator("#share a").get_attribute("href") or "")
    decided(watcher, 1)
    page.locator("#roll").click()
    decided(watcher, 2)
    decided(page, 2)
    assert faces(watcher) == faces(page)
    first_open(page).click()
    decided(watcher, 3)
    expect(watcher.locator(".box--used")).to_have_count(1)
    expect(watcher.locator("#board button")).to_have_count(0)
    watcher.keyboard.press("Space")
    decided(page, 3)


def test_dice_held_meanwhile_stay_held_when_the_socket_says_nothing_new(page: Page) -> None:
    begin(page)
    page.locator("#die-0").click()
    page.evaluate(LISTEN)
    page.evaluate(
        """() => { const live = document.querySelector("[ws-connect]").cloneNode();
            live.setAttribute("ws-connect", live.getAttribute("ws-connect").split("?")[0]);
            document.getElementById("play").append(live); htmx.process(live); }"""
    )
    expect_push(page)
    expect(page.locator("#die-0")).to_have_attribute("aria-pressed", "true")


def test_a_tab_that_missed_something_is_told_and_shown_the_truth(
    page: Page, complaints: Complaints
) -> None:
    begin(page)
    deaf = page.context.new_page()
    deaf.route_web_socket("**/ws/**", _silent)
    deaf.goto(page.url)
    page.locator("#roll").click()
    decided(page, 2)
    first_open(deaf).click()
    decided(deaf, 2)
    expect(deaf.locator("#status")).to_contain_text("moved on")
    assert faces(deaf) == faces(page)
    # The browser itself writes every refused request to the console.
    complaints.expect("409")


HOLD_BACK = """() => {
    const send = XMLHttpRequest.prototype.send;
    XMLHttpRequest.prototype.send = function (body) {
        const answered = this.onload;
        this.onload = () => {
            window.deliver = () => answered.call(this);
            document.body.dataset.answered = "yes";
        };
        send.call(this, body);
    };
}"""


def test_a_push_that_overtakes_the_reply_waits_for_it(page: Page) -> None:
    begin(page)
    connected(page, page.url)
    page.evaluate(HOLD_BACK)
    page.locator("#roll").click()
    expect(page.locator("body")).to_have_attribute("data-answered", "yes")
    other = page.context.new_page()  # a tab is not sent its own moves
    other.goto(page.url)
    other.locator("#roll").click()
    decided(other, 3)
    expect_push(page)
    decided(page, 1)
    page.evaluate("deliver()")
    decided(page, 3)
    page.reload()
    decided(page, 3)


def _silent(socket: WebSocketRoute) -> None:
    """Neither reaches the server nor answers."""


def test_when_the_server_does_not_answer_nothing_is_lost(
    page: Page, complaints: Complaints
) -> None:
    begin(page)
    page.locator("#die-0").click()
    page.route("**/hold", lambda route: route.abort())
    page.locator("#roll").click()
    expect(page.locator("#status")).to_contain_text("did not answer")
    expect(page.locator("#die-0")).to_have_attribute("aria-pressed", "true")
    page.unroute("**/hold")
    page.locator("#roll").click()
    decided(page, 2)
    # htmx and the browser write the failed request to the console.
    complaints.expect("htmx:", "ERR_FAILED")


def test_what_the_server_says_instead_is_shown_in_place(page: Page, complaints: Complaints) -> None:
    begin(page)
    page.locator("#die-0").click()
    headers = {"Content-Type": "text/plain; charset=utf-8", "Content-Language": "sv"}
    page.route(
        "**/hold", lambda route: route.fulfill(status=503, headers=headers, body="Försök <b>")
    )
    page.locator("#roll").click()
    expect(page.locator("#status")).to_have_text("Försök <b>")
    expect(page.locator("#announce")).to_have_text("Försök <b>")
    expect(page.locator("#die-0")).to_have_attribute("aria-pressed", "true")
    page.unroute("**/hold")
    page.locator("#roll").click()
    decided(page, 2)
    complaints.expect("htmx:", "503")


def test_one_roll_for_two_quick_clicks(page: Page) -> None:
    begin(page)
    page.locator("#roll").dblclick()
    decided(page, 2)
    page.reload()
    decided(page, 2)
