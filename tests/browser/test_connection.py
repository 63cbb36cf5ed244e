"""A page that is not connected says so within two seconds, and catches up by itself."""

from collections.abc import Iterator
from pathlib import Path
from time import monotonic, sleep

import pytest
from playwright.sync_api import Browser, Page, Route, WebSocketRoute, expect

from tests.browser.conftest import DEFAULTS, Complaints
from tests.browser.proxy import Line, line_to
from tests.browser.steps import begin, decided, first_open
from tests.browser.test_duels import begin as begin_duel
from tests.browser.test_duels import throw
from tests.browser.test_live import connected
from tests.browser.trials import join, make_trial, sign_in_as_staff

SOON = 2.0  # seconds until a page says so
ROUND = 0.5  # that looking at it from here takes on a busy machine
BACK = 5000  # ms: a pause of three seconds, and the way


@pytest.fixture
def line(site: str) -> Iterator[Line]:
    with line_to(site) as line:
        yield line


class Far:
    """Pages of somebody at the far end of a line."""

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


def expect_back(page: Page) -> None:
    expect(page.locator("#connection")).to_be_empty(timeout=BACK)
    expect(page.locator("[data-unconnected]")).to_have_count(0)


HOW = pytest.mark.parametrize("how", ["cut", "freeze"])
LONG = pytest.mark.parametrize(
    "seconds", [1, *(pytest.param(longer, marks=pytest.mark.nightly) for longer in (8, 40))]
)
BEFORE_A_CLOCK = "getComputedStyle(document.querySelector('[data-ticking]'), '::before').content"
PLACES = """() => [...document.querySelectorAll("#board *")].map(part => {
    const { x, y, width, height } = part.getBoundingClientRect();
    return [x, y, width, height].join(" "); }).join()"""


@pytest.mark.sampled("how")
@HOW
def test_a_watcher_is_told_that_the_line_is_gone_and_sees_what_was_missed(
    page: Page, far: Far, how: str
) -> None:
    begin(page)
    page.locator("#share summary").click()
    watched = page.locator("#share a").get_attribute("href") or ""
    far.page.set_viewport_size({"width": 320, "height": 568})
    connected(far.page, watched.replace(far.line.site, far.line.near))
    lies = far.page.evaluate(PLACES)
    since = far.breaks(how)
    expect_said(far.page, since)
    assert far.page.evaluate(PLACES) == lies
    assert far.page.evaluate("document.documentElement.scrollWidth") <= 320
    page.locator("#roll").click()
    decided(page, 2)
    decided(far.page, 1)
    far.line.mend()
    expect_back(far.page)
    decided(far.page, 2)


@HOW
@LONG
def test_a_move_is_sent_again_by_itself_and_done_once(far: Far, how: str, seconds: float) -> None:
    begin(far.page)
    connected(far.page, far.page.url)
    far.page.locator("#die-1").click()
    far.breaks(how)
    far.page.locator("#roll").click()
    expect(far.page.locator("#status")).to_contain_text("answer", timeout=(SOON + ROUND) * 1000)
    expect(far.page.locator("#die-1")).to_have_attribute("aria-pressed", "true")
    sleep(seconds)
    far.line.mend()
    expect(far.page.locator("#board")).to_have_attribute("data-seq", "2", timeout=BACK)
    expect_back(far.page)
    far.page.reload()
    decided(far.page, 2)
    first_open(far.page).click()
    decided(far.page, 3)


def test_a_first_throw_that_is_not_answered_says_so(far: Far) -> None:
    """What sends it again comes with it: the first page is light, and its ticket makes one game."""
    far.page.goto("/")
    far.breaks("freeze")
    far.page.locator("#roll").click()
    expect(far.page.locator("#status")).to_contain_text(
        "has not answered yet", timeout=(SOON + ROUND) * 1000
    )
    far.line.mend()
    decided(far.page, 1)


def test_a_hint_is_not_asked_twice(far: Far) -> None:
    far.page.goto("/?coach=after")
    far.page.locator("#roll").click()
    decided(far.page, 1)
    far.breaks("cut")
    far.page.locator("#hint").click()
    expect(far.page.locator("#status")).to_contain_text("please try again")
    far.line.mend()
    far.page.wait_for_timeout(4000)
    expect(far.page.locator("#take")).to_have_count(0)


def test_it_is_read_aloud_once(far: Far) -> None:
    begin(far.page)
    connected(far.page, far.page.url)
    far.page.evaluate(
        """() => { window.heard = [];
            const line = document.getElementById("connection");
            const listen = () => heard.push(line.textContent);
            new MutationObserver(listen).observe(line, { childList: true }); }"""
    )
    expect_said(far.page, far.breaks("cut"))
    sleep(3)
    far.line.mend()
    expect_back(far.page)
    assert far.page.evaluate("heard") == ["Not connected. Trying again by itself.", ""]


def test_a_duels_clock_is_an_estimate_until_the_servers_is_back(
    page: Page, far: Far, site: str
) -> None:
    begin_duel(page, people=2, minutes=5)
    connected(far.page, page.url.replace(site, far.line.near))
    far.page.locator("#join").click()
    expect(far.page.locator("#board")).to_have_attribute("data-phase", "roll")
    clock = far.page.locator(".seat__clock[data-ticking]").first
    expect(clock).to_be_visible()
    since = far.breaks("freeze")
    expect_said(far.page, since)
    expect(far.page.locator("#connection")).to_contain_text("clocks are estimates")
    assert far.page.evaluate(BEFORE_A_CLOCK) == '"≈"'
    shown = clock.text_content()
    expect(clock).not_to_have_text(shown or "")  # it goes on
    throw(page)
    first_open(page).click()
    far.line.mend()
    expect_back(far.page)
    assert far.page.evaluate(BEFORE_A_CLOCK) == "none"
    expect(far.page.locator('.seat[data-state="played"]')).to_have_count(1, timeout=BACK)


def test_the_monitor_of_a_trial_catches_up(
    page: Page, far: Far, site: str, site_folder: Path
) -> None:
    link = make_trial(site_folder, site, "far", "--participants=2", "--games=1")[0]
    join(page, link)
    sign_in_as_staff(far.page, site_folder, "far-watcher")
    connected(far.page, "/trials/far/")
    row = far.page.locator("#participant-1")
    expect(row).to_contain_text("Playing")
    expect_said(far.page, far.breaks("cut"))
    expect(far.page.locator("#connection")).to_be_visible()
    page.locator("#next-game").click()
    decided(page, 1)
    far.line.mend()
    expect_back(far.page)
    expect(row).to_contain_text("turn 1")


def test_the_offline_page_goes_where_one_wanted_to_go(browser: Browser, far: Far) -> None:
    context = browser.new_context(base_url=far.line.near)  # with its service worker
    page = context.new_page()
    page.goto("/rules/")
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    page.reload()
    far.breaks("cut")
    page.goto("/daily/")
    expect(page.locator("h1")).to_have_text("No connection")
    far.line.mend()
    expect(page.locator("h1")).not_to_have_text("No connection", timeout=BACK)
    assert page.url.endswith("/daily/")
    page.goto("/offline/")
    page.evaluate("window.same = true")
    page.wait_for_timeout(4000)
    assert page.evaluate("window.same")
    context.close()


def test_connections_that_stay_dead_are_left_for_others(far: Far) -> None:
    """As where an address has changed: what was under way is lost, and nobody is told."""
    begin(far.page)
    connected(far.page, far.page.url)
    far.breaks("freeze")
    far.page.locator("#roll").click()
    expect(far.page.locator("#status")).to_contain_text("has not answered yet")
    sleep(6)  # the first socket was left for another, which is dead as well
    far.line.renew()
    expect(far.page.locator("#board")).to_have_attribute("data-seq", "2", timeout=15_000)
    expect(far.page.locator("#connection")).to_be_empty()


def test_a_reply_that_is_lost_is_asked_for_again(far: Far) -> None:
    begin(far.page)
    connected(far.page, far.page.url)
    asked = []

    def lose(route: Route) -> None:
        asked.append(route.request.post_data)
        route.fetch()
        route.abort()

    far.page.route("**/hold", lose, times=1)
    far.page.locator("#die-2").click()
    far.page.locator("#roll").click()
    expect(far.page.locator("#status")).to_contain_text("sent again by itself")
    far.page.locator("#roll").click()  # is answered in words
    decided(far.page, 2)
    assert len(asked) == 1


@pytest.mark.sampled("event")
@pytest.mark.parametrize("event", ["online", "visibilitychange"])
def test_it_tries_at_once_when_there_is_reason(far: Far, event: str) -> None:
    begin(far.page)
    connected(far.page, far.page.url)
    expect_said(far.page, far.breaks("cut"))
    sleep(5)  # until pauses are long
    far.line.mend()
    target = "window" if event == "online" else "document"
    far.page.evaluate(f"{target}.dispatchEvent(new Event('{event}'))")
    expect(far.page.locator("#connection")).to_be_empty(timeout=800)


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
