"""Told by the device that others wait: switched on and off in the list of duels, pushed."""

from typing import Any

from playwright.sync_api import Page, expect

from tests.browser.conftest import Complaints, NewPage
from tests.browser.steps import PHONE
from tests.browser.test_accessibility import expect_accessible
from tests.browser.test_duels import table

# The browser of the tests has no push service: what it would answer stands here.
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
# Without a screen notifications are denied: what would be shown is kept.
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


def test_a_device_is_switched_on_and_off(new_page: NewPage) -> None:
    page, other = new_page(service_workers="allow"), new_page()
    page.add_init_script(SERVICE)
    table(page, other)
    page.goto("/duels/")
    expect(switch(page, "on")).to_be_visible()
    expect_accessible(page)
    switch(page, "on").click()
    expect(switch(page, "off")).to_be_focused()
    expect(switch(page, "said")).to_contain_text("This device is told")
    page.reload()
    switch(page, "off").click()
    expect(switch(page, "on")).to_be_focused()
    page.evaluate("window.asked = 'denied'")
    switch(page, "on").click()
    expect(switch(page, "said")).to_contain_text("This browser lets the site tell you nothing")
    expect(switch(page, "off")).to_be_hidden()


def test_what_goes_wrong_is_said_and_nothing_is_kept(
    new_page: NewPage, complaints: Complaints
) -> None:
    page, other = new_page(service_workers="allow", **PHONE), new_page()
    page.add_init_script(SERVICE)
    table(page, other)
    page.goto("/duels/#unreachable")
    switch(page, "on").click()
    expect(switch(page, "said")).to_contain_text("cannot be reached")
    page.goto("/duels/?#example.org")
    with page.expect_response(lambda answer: answer.status == 409):
        switch(page, "on").click()
    expect(switch(page, "said")).to_contain_text("does not know the push service")
    assert page.evaluate("localStorage.getItem('device')") is None
    expect(switch(page, "on")).to_be_visible()
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
    told = worker.evaluate(SOON)
    expected = ["It is your turn", "Others wait for you in 1 duel.", duel.removeprefix(site)]
    assert told == [expected]
