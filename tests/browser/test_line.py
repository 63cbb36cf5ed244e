"""Every open page shows a game as it is; one that is not connected says so, and catches up."""

from collections.abc import Iterator
from time import monotonic, sleep

import pytest
from playwright.sync_api import Browser, Page, Route, WebSocketRoute, expect

from tests.browser.conftest import DEFAULTS, Complaints, NewPage
from tests.browser.looks import expect_accessible
from tests.browser.proxy import Line, line_to
from tests.browser.steps import (
    LISTEN,
    begin,
    begin_duel,
    connected,
    decided,
    expect_phase,
    expect_push,
    faces,
    fill,
    first_open,
    held,
    roll,
    throw,
    watched,
)

SOON = 2.0  # seconds until a page says so
ROUND = 0.5  # seconds that a check takes on a busy machine
BACK = 5000  # ms: a pause of three seconds, and the way
SAYS = (SOON + ROUND) * 1000


@pytest.fixture
def line(site: str) -> Iterator[Line]:
    with line_to(site) as line:
        yield line


class Far:
    def __init__(self, browser: Browser, line: Line) -> None:
        self.line = line
        self.context = browser.new_context(base_url=line.near, **DEFAULTS)
        self.said = Complaints(line.near)
        self.said.watch(self.context)
        self.page = self.context.new_page()

    def breaks(self, how: str) -> float:
        getattr(self.line, how)()
        return monotonic()

    def close(self) -> None:
        """The browser and htmx write to the console what they could not send."""
        self.context.close()
        expected = ("WebSocket", "ERR_", "htmx:")
        assert [text for text in self.said if not any(part in text for part in expected)] == []


@pytest.fixture
def far(browser: Browser, line: Line) -> Iterator[Far]:
    far = Far(browser, line)
    yield far
    far.close()


def expect_said(page: Page, since: float) -> None:
    expect(page.locator("#connection")).not_to_be_empty(timeout=5000)
    assert monotonic() - since < SOON + ROUND
    expect(page.locator("html")).to_have_attribute("data-unconnected", "")


def expect_back(page: Page, timeout: float = BACK) -> None:
    expect(page.locator("#connection")).to_be_empty(timeout=timeout)
    expect(page.locator("[data-unconnected]")).to_have_count(0)


HOW = pytest.mark.parametrize("how", ["cut", "freeze"])
LONG = pytest.mark.parametrize(
    "seconds", [1, *(pytest.param(longer, marks=pytest.mark.nightly) for longer in (8, 40))]
)
BEFORE_A_CLOCK = "getComputedStyle(document.querySelector('[data-ticking]'), '::before').content"
PLACES = """() => [...document.querySelectorAll("#board *")].map(part => {
    const { x, y, width, height } = part.getBoundingClientRect();
    return [x, y, width, height].join(" "); }).join()"""
HEAR = """() => { window.heard = [];
    const line = document.getElementById("connection");
    const listen = () => heard.push(line.textContent);
    new MutationObserver(listen).observe(line, { childList: true }); }"""


# A line that breaks


@pytest.mark.sampled("how", "event")
@pytest.mark.parametrize("event", ["online", "visibilitychange"])
@HOW
def test_a_watcher_is_told_once_that_the_line_is_gone_and_sees_what_was_missed(
    page: Page, far: Far, how: str, event: str
) -> None:
    """The page tries at once when it has reason to think that the line is back."""
    begin(page)
    far.page.set_viewport_size({"width": 320, "height": 568})
    connected(far.page, watched(page).replace(far.line.site, far.line.near))
    far.page.evaluate(HEAR)
    lies = far.page.evaluate(PLACES)
    expect_said(far.page, far.breaks(how))
    assert far.page.evaluate(PLACES) == lies
    assert far.page.evaluate("document.documentElement.scrollWidth") <= 320
    roll(page, 2)
    decided(far.page, 1)
    sleep(5)  # until pauses are long
    far.line.mend()
    target = "window" if event == "online" else "document"
    far.page.evaluate(f"{target}.dispatchEvent(new Event('{event}'))")
    expect_back(far.page, 800)
    decided(far.page, 2)
    heard = far.page.evaluate("heard")
    assert (len(heard), heard[-1]) == (2, "")


@pytest.mark.sampled("how")
@HOW
@LONG
def test_a_move_is_sent_again_by_itself_and_done_once(far: Far, how: str, seconds: float) -> None:
    begin(far.page)
    connected(far.page, far.page.url)
    far.page.locator("#die-1").click()
    far.breaks(how)
    far.page.locator("#roll").click()
    expect(far.page.locator("#status")).to_contain_text("answer", timeout=SAYS)
    held(far.page, 1)
    sleep(seconds)
    far.line.mend()
    expect(far.page.locator("#board")).to_have_attribute("data-seq", "2", timeout=BACK)
    expect_back(far.page)
    far.page.reload()
    decided(far.page, 2)
    fill(first_open(far.page))
    decided(far.page, 3)


def test_a_first_throw_is_sent_again_and_a_hint_is_not_asked_twice(far: Far) -> None:
    """The script that sends it again comes with it; the ticket of a page makes one game."""
    far.page.goto("/?coach=after")
    far.breaks("freeze")
    far.page.locator("#roll").click()
    expect(far.page.locator("#status")).to_contain_text("has not answered yet", timeout=SAYS)
    far.line.mend()
    decided(far.page, 1)
    far.breaks("cut")
    far.page.locator("#hint").click()
    expect(far.page.locator("#status")).to_contain_text("please try again")
    far.line.mend()
    expect_back(far.page)
    far.page.wait_for_timeout(1500)
    expect(far.page.locator("#take")).to_have_count(0)


def test_a_duels_clock_is_an_estimate_until_the_servers_is_back(
    page: Page, far: Far, site: str
) -> None:
    begin_duel(page, people=2, minutes=5)
    connected(far.page, page.url.replace(site, far.line.near))
    far.page.locator("#join").click()
    expect_phase(far.page, "roll")
    clock = far.page.locator(".seat__clock[data-ticking]").first
    expect(clock).to_be_visible()
    expect_said(far.page, far.breaks("freeze"))
    assert far.page.evaluate(BEFORE_A_CLOCK) == '"≈"'
    shown = clock.text_content()
    expect(clock).not_to_have_text(shown or "")  # it goes on
    throw(page)
    fill(first_open(page))
    far.line.mend()
    expect_back(far.page)
    assert far.page.evaluate(BEFORE_A_CLOCK) == "none"
    expect(far.page.locator('.seat[data-state="played"]')).to_have_count(1, timeout=BACK)


KEPT = """async () => {
  const paths = [];
  for (const name of await caches.keys())
    for (const request of await (await caches.open(name)).keys())
      paths.push(new URL(request.url).pathname);
  return paths;
}"""


def test_the_offline_page_keeps_nothing_of_anybody_and_goes_where_one_wanted_to_go(
    browser: Browser, far: Far
) -> None:
    with browser.new_context(base_url=far.line.near) as context:  # with its service worker
        page = context.new_page()
        begin(page)
        page.evaluate("navigator.serviceWorker.ready.then(() => true)")
        page.reload()
        page.goto("/rules/")
        kept = page.evaluate(KEPT)
        assert "/offline/" in kept
        assert all(path.startswith(("/offline/", "/static/")) for path in kept)
        far.breaks("cut")
        page.goto("/daily/")
        wanted = page.locator("h1").inner_text()
        expect_accessible(page)
        far.line.mend()
        expect(page.locator("h1")).not_to_have_text(wanted, timeout=BACK)
        assert page.url.endswith("/daily/")
        page.goto("/offline/")
        page.evaluate("window.same = true")
        page.wait_for_timeout(4000)
        assert page.evaluate("window.same")


@pytest.mark.nightly
def test_connections_that_stay_dead_are_left_for_others(far: Far) -> None:
    """A changed address does this: what was under way is lost, and no side is notified."""
    begin(far.page)
    connected(far.page, far.page.url)
    far.breaks("freeze")
    far.page.locator("#roll").click()
    sleep(6)  # the first socket was left for another, which is dead as well
    far.line.renew()
    expect(far.page.locator("#board")).to_have_attribute("data-seq", "2", timeout=15_000)
    expect(far.page.locator("#connection")).to_be_empty()


@pytest.mark.sampled("code")
@pytest.mark.parametrize(("code", "sockets"), [(4404, 1), (4403, 1), (1008, 1), (1013, 2)])
def test_what_is_not_to_be_seen_is_not_asked_for_again(page: Page, code: int, sockets: int) -> None:
    opened: list[str] = []

    def refuse(socket: WebSocketRoute) -> None:
        opened.append(socket.url)
        if len(opened) < 3:
            socket.close(code=code)

    page.route_web_socket("**/ws/**", refuse)
    begin(page)
    page.wait_for_timeout(2500)
    assert min(len(opened), 2) == sockets
    said = page.locator("#connection").text_content()
    assert bool(said) == (code == 1013)


@pytest.mark.nightly
def test_a_socket_that_shows_nothing_is_left_for_another(page: Page) -> None:
    opened: list[str] = []
    page.route_web_socket("**/ws/**", lambda socket: opened.append(socket.url))
    begin(page)
    page.wait_for_timeout(12_000)
    assert len(opened) == 1  # the server may wait for its database
    expect(page.locator("#connection")).not_to_be_empty()
    page.wait_for_timeout(6000)
    assert len(opened) == 2


# Several pages of one game

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


def test_two_tabs_and_a_watcher_stay_in_step(
    page: Page, new_page: NewPage, complaints: Complaints
) -> None:
    begin(page)
    watcher, other, deaf = new_page(), page.context.new_page(), page.context.new_page()
    connected(watcher, watched(page))
    connected(other, page.url)
    deaf.route_web_socket("**/ws/**", lambda socket: None)
    deaf.goto(page.url)
    page.locator("#die-1").click()
    roll(page, 2)
    for one in (other, watcher):
        decided(one, 2)
        assert faces(one) == faces(page)
    first_open(deaf).click()  # the page missed a move, and gets the current board
    decided(deaf, 2)
    assert faces(deaf) == faces(page)
    fill(first_open(other))
    for one in (other, page, watcher):
        decided(one, 3)
        expect(one.locator(".box--used")).to_have_count(1)
    expect(watcher.locator("#board button")).to_have_count(0)
    watcher.keyboard.press("Space")
    decided(page, 3)
    complaints.expect("409")  # the browser itself writes every refused request to the console


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
    held(page, 0)


def test_a_push_that_overtakes_the_reply_waits_for_it_and_a_lost_reply_is_asked_for_again(
    page: Page, complaints: Complaints
) -> None:
    begin(page)
    connected(page, page.url)
    page.evaluate(HOLD_BACK)
    page.locator("#roll").click()
    expect(page.locator("body")).to_have_attribute("data-answered", "yes")
    other = page.context.new_page()  # a tab is not sent its own moves
    other.goto(page.url)
    roll(other, 3)
    expect_push(page)
    decided(page, 1)
    page.evaluate("deliver()")
    decided(page, 3)
    page.reload()
    decided(page, 3)
    fill(first_open(page))
    roll(page, 5)
    asked = []

    def lose(route: Route) -> None:
        asked.append(route.request.post_data)
        route.fetch()
        route.abort()

    page.route("**/hold", lose, times=1)
    page.locator("#die-2").click()
    page.locator("#roll").click()
    expect(page.locator("#status")).to_contain_text("the page sends your move again")
    page.locator("#roll").click()  # is answered in words
    decided(page, 6)
    assert len(asked) == 1
    complaints.expect("htmx:", "ERR_FAILED")
