"""A server that is killed in the middle of a turn has lost nothing that it had confirmed."""

import signal
from pathlib import Path

from playwright.sync_api import Browser, Page, expect

from tests.browser import server
from tests.browser.conftest import DEFAULTS
from tests.browser.steps import decided, first_open
from tests.browser.trials import join, make_trial


def test_a_participant_goes_on_where_the_server_was_killed(
    browser: Browser, yatzy_tables: None, tmp_path: Path
) -> None:
    server.prepare(tmp_path)
    process, address = server.start(tmp_path)
    options = ("--participants=1", "--games=1")
    link, *_ = make_trial(tmp_path, address, "killed", *options)
    with browser.new_context(**DEFAULTS) as context:
        page = context.new_page()
        join(page, link)
        page.locator("#next-game").click()
        decided(page, 1)
        first_open(page).click()
        decided(page, 2)
        page.locator("#roll").click()
        decided(page, 3)
        page.locator("#die-2").click()
        page.locator("#roll").click()
        decided(page, 4)
        before, card = dice(page), page.locator("#card").text_content()
        process.send_signal(signal.SIGKILL)
        process.wait(timeout=20)
        process, again = server.start(tmp_path)
        try:
            page.goto(link.replace(address, again))
            page.locator("#next-game").click()
            decided(page, 4)
            assert dice(page) == before
            assert page.locator("#card").text_content() == card
            first_open(page).click()
            decided(page, 5)
            expect(page.locator(".box--used")).to_have_count(2)
        finally:
            process.kill()
            process.wait(timeout=20)


def dice(page: Page) -> list[str | None]:
    return [die.get_attribute("aria-label") for die in page.locator(".die").all()]
