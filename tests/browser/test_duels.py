"""Duels as people play them: two browsers in lockstep, strangers, programs, and reminders."""

import re
from typing import Any

from playwright.sync_api import Page, expect

from tests.browser.conftest import Complaints, NewPage
from tests.browser.looks import (
    BOTH,
    expect_accessible,
    expect_no_sideways,
    expect_no_sideways_at_any_size,
)
from tests.browser.steps import (
    PHONE,
    TURNS,
    begin_duel,
    decided,
    expect_phase,
    faces,
    fill,
    first_open,
    give_up,
    play_on,
    play_turn,
    points,
    table,
    throw,
)
from tests.known import known

FIVE = ("optimal", "greedy", "random", "scorecard-based", "dice-based")
FELL = """() => { window.same = true; window.fell = [];
    const fall = ({ detail }) => fell.push(detail.current.dataset.guest);
    document.addEventListener("yatzy:rolled", fall); }"""


def totals(page: Page) -> list[int]:
    return points(page, "#cards tbody tr:last-child td")


def test_two_play_in_lockstep_to_the_end_one_of_them_closed_in_the_middle(
    page: Page, new_page: NewPage
) -> None:
    other = new_page(**PHONE)
    table(page, other)
    for one in (page, other):
        throw(one)
        one.evaluate(FELL)
        one.locator("#die-0").click()
    other.locator(".greet summary").click()
    other.get_by_role("button", name="Good luck").click()
    expect(page.locator(".seat__greeting", has_text="Good luck")).to_be_visible()
    expect(page.locator("#announce")).to_contain_text(": Good luck")
    expect(other.locator("button.die[aria-pressed=true]")).to_have_count(1)
    first = faces(page)
    page.locator("#roll").click()
    expect_phase(page, "wait")
    expect(page.locator("#dice .die[data-kept]")).to_have_count(1)
    expect(page.locator("#dice .die[data-past]")).to_have_count(4)
    expect(other.locator('.seat[data-state="fixed"]')).to_have_count(1)
    expect_phase(other, "decide")
    page.reload()
    expect_phase(page, "wait")
    page.evaluate(FELL)
    other.locator("#roll").click()
    for one in (page, other):
        expect_phase(one, "decide")
        decided(one, 2)
        assert one.evaluate("window.same")  # without a reload
    expect(page.locator("#announce")).not_to_be_empty()
    page.wait_for_timeout(400)  # the dice have come to rest
    assert faces(page) == faces(other)
    assert faces(page)[0] == first[0]
    for one in (page, other):
        fill(first_open(one))
    for one in (page, other):
        expect_phase(one, "roll")
    play_turn(page)
    expect_phase(page, "wait")
    page.evaluate(FELL)
    said = page.locator("#announce").text_content()
    throw(other)
    dice = other.locator("#dice .die").evaluate_all("all => all.map(e => e.ariaLabel)")
    address, context = other.url, other.context
    other.close()
    expect(page.locator("#seats .seat__here:not([data-here])")).to_have_count(1)
    other = context.new_page()
    other.goto(address)
    expect_phase(other, "decide")
    assert other.locator("#dice .die").evaluate_all("all => all.map(e => e.ariaLabel)") == dice
    expect(page.locator("#seats .seat__here:not([data-here])")).to_have_count(0)
    expect(page.locator("#status .slip--guest")).to_be_visible()
    assert faces(page) == faces(other)
    assert len(page.evaluate("fell")) >= 1  # on the tray of the waiting player
    assert page.locator("button.die").count() == 0
    assert page.locator("#announce").text_content() == said  # moves are read aloud once per turn
    expect_accessible(page)
    fill(first_open(other))
    for one in (page, other):
        expect_phase(one, "roll")
    expect(page.locator(".slip--guest")).to_have_count(0)
    expect(page.locator(".die[data-past]")).to_have_count(5)
    expect(page.locator("#announce")).not_to_have_text(said or "")
    play_on(TURNS - 3, page, other)
    for one in (page, other):
        play_turn(one)
    for one in (page, other):
        expect(one.locator("#seats")).to_have_attribute("data-state", "finished")
        expect(one.locator("#board")).to_have_attribute("data-outcome", "tied")
        verdict = one.locator(".seats__verdict").inner_text()
        expect(one.locator("#announce")).to_contain_text(verdict)
        assert verdict.rstrip(".") in one.title()
    assert totals(page) == totals(other)
    assert len(set(totals(page))) == 1  # the same dice in the same boxes
    page.locator("#review").click()
    expect(page.locator("h1")).to_be_visible()


def test_a_listed_challenge_is_joined_watched_and_given_up(page: Page, new_page: NewPage) -> None:
    begin_duel(page, people=2, minutes=5, listed=True)
    expect(page.locator("#withdraw")).to_be_visible()
    expect_accessible(page)
    token = page.url.split("/")[4]
    other, stranger = new_page(), new_page()
    other.goto(page.url)
    expect_accessible(other)
    other.goto("/duels/")
    other.locator(f"form[action*='{token}'] button").click()
    for one in (other, page):
        expect_phase(one, "roll")
    expect(page.locator("[data-ticking]")).to_have_count(2)
    expect(page.locator("[data-ticking]").first).not_to_have_text("5:00")
    stranger.goto(page.url)
    play_turn(page)
    expect(stranger.locator("#seats [data-state=played]")).to_have_count(1)
    expect(stranger.locator(".seat__dice")).to_have_count(0)
    expect(stranger.locator("#tray .die[data-blank]")).to_have_count(5)
    expect(stranger.locator("#cards tbody tr:first-child td").first).to_have_text("")
    expect_accessible(stranger)
    play_turn(other)
    expect(stranger.locator("#cards tbody tr:first-child td").first).not_to_have_text("")
    expect(stranger.locator("#play form[action] button, #board")).to_have_count(0)
    stranger.keyboard.press("Space")
    expect_phase(page, "roll")
    give_up(other)
    for one, outcome in ((other, "given-up"), (page, "won")):
        expect(one.locator("#board")).to_have_attribute("data-outcome", outcome)
        expect(one.locator(".seats__verdict")).not_to_be_empty()
    expect(page.locator("#announce")).to_contain_text(page.locator(".seats__verdict").inner_text())
    expect_accessible(page)
    assert page.title() != other.title()
    expect(stranger.locator("#announce")).not_to_be_empty()
    expect(stranger.locator("#tray")).to_be_hidden()


@BOTH
def test_opponents_are_chosen_and_six_at_a_table_fit_the_width(
    new_page: NewPage, screen: dict[str, object]
) -> None:
    page = new_page(**screen)
    page.goto("/duels/")
    expect_accessible(page)
    expect_no_sideways_at_any_size(page)
    for card in page.locator(".opponent, .challenge__more summary, #challenge").all():
        assert known(card.bounding_box())["height"] >= 44
    expect(page.locator(".opponents__first input")).to_be_checked()
    button = page.locator("#challenge")
    name = page.locator(".opponents__first b").inner_text()
    expect(button).to_contain_text(name)
    page.locator(".opponent", has_text="Gry").click()
    expect(button).to_contain_text("Gry")
    page.keyboard.press("ArrowDown")
    expect(page.locator("[name=opponent]:checked")).not_to_have_value("greedy")
    begin_duel(page, *FIVE)
    names = page.locator(".seat:not([data-mine]) .seat__name").all_inner_texts()
    news = page.locator("#announce p").filter(
        has_text=re.compile(f"^({'|'.join(map(re.escape, names))}):")
    )
    expect(news).to_have_count(0)
    for _turn in (1, 2):
        play_turn(page)
        expect(page.locator("#board")).to_have_attribute("data-phase", "roll", timeout=60_000)
        expect(news).to_have_count(5)  # each move of the other players is read aloud once
    assert len({text.split(":")[0] for text in news.all_text_contents()}) == 5
    expect_no_sideways(page)
    tray = known(page.locator(".tray").bounding_box())
    last = known(page.locator("#dice .die").last.bounding_box())
    assert last["x"] + last["width"] <= tray["x"] + tray["width"]
    page.reload()
    expect_phase(page, "roll")
    expect(news).to_have_count(0)  # moves from before the page loaded are no news


# A device gets a reminder that other players wait. The test browser has no push service, so this is
# its answer.
SERVICE = """
const { subscribe, getSubscription } = PushManager.prototype;
const kept = () => localStorage.getItem("device");
const key = () => Uint8Array.from(JSON.parse(localStorage.getItem("key")));
const device = () => kept() && {
    endpoint: kept(),
    options: { applicationServerKey: key().buffer },
    unsubscribe: async () => localStorage.removeItem("device"),
};
PushManager.prototype.getSubscription = async () => device();
PushManager.prototype.subscribe = async ({ applicationServerKey: given }) => {
    if (location.hash === "#unreachable") throw new DOMException("no push service", "AbortError");
    localStorage.setItem("key", JSON.stringify([...given]));
    const host = location.hash.slice(1) || "fcm.googleapis.com";
    localStorage.setItem("device", `https://${host}/one`);
    return device();
};
Notification.requestPermission = async () => window.asked ?? "granted";
"""
# A browser without a screen denies notifications, so the test stores them.
SHOWN = """() => {
    self.shown = [];
    ServiceWorkerRegistration.prototype.showNotification =
        async (title, { body, data }) => void shown.push([title, body, data]);
}"""
SOON = """async () => {
    for (let tries = 0; tries < 200 && !shown.length; tries += 1)
        await new Promise(done => setTimeout(done, 20));
    return shown;
}"""


def switch(page: Page, part: str) -> Any:
    return page.locator(f"#reminders [data-part={part}]")


def test_a_device_is_switched_on_and_off_and_told_what_goes_wrong(
    new_page: NewPage, complaints: Complaints
) -> None:
    page, other = new_page(service_workers="allow"), new_page()
    page.add_init_script(SERVICE)
    table(page, other)
    page.goto("/duels/#unreachable")
    said = switch(page, "said")
    expect(switch(page, "on")).to_be_visible()
    expect_accessible(page)
    switch(page, "on").click()
    expect(said).not_to_be_empty()
    page.goto("/duels/?#example.org")
    with page.expect_response(lambda answer: answer.status == 409):
        switch(page, "on").click()
    expect(said).not_to_be_empty()
    assert page.evaluate("localStorage.getItem('device')") is None
    expect(switch(page, "off")).to_be_hidden()
    page.goto("/duels/")
    switch(page, "on").click()
    expect(switch(page, "off")).to_be_focused()
    page.reload()
    switch(page, "off").click()
    expect(switch(page, "on")).to_be_focused()
    before = said.text_content()
    page.evaluate("window.asked = 'denied'")
    switch(page, "on").click()
    expect(said).not_to_have_text(before or "")
    expect(switch(page, "off")).to_be_hidden()
    complaints.expect("409")


def test_a_push_says_that_others_wait_unless_somebody_looks(new_page: NewPage) -> None:
    page, other = new_page(service_workers="allow"), new_page()
    table(page, other)
    duel = page.url
    site = duel.partition("/duel/")[0]
    registrations: list[dict[str, Any]] = []
    devtools = page.context.new_cdp_session(page)
    devtools.on(
        "ServiceWorker.workerRegistrationUpdated",
        lambda told: registrations.extend(told["registrations"]),
    )
    devtools.send("ServiceWorker.enable")
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    (worker,) = page.context.service_workers
    worker.evaluate(SHOWN)
    number = registrations[-1]["registrationId"]
    pushed = {"origin": site, "registrationId": number, "data": ""}
    devtools.send("ServiceWorker.deliverPushMessage", pushed)
    worker.evaluate("new Promise(done => setTimeout(done, 500))")
    assert worker.evaluate("shown") == []  # the page has the focus
    page.goto("about:blank")
    devtools.send("ServiceWorker.deliverPushMessage", pushed)
    ((_, body, address),) = worker.evaluate(SOON)
    assert "1" in body
    assert address == duel.removeprefix(site)
