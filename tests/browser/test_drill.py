"""Drills and the profile as people use them: by keys, by thumb, without a script."""

import re
from urllib.parse import parse_qs

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import NewPage
from tests.browser.steps import PHONE, begin, finish
from tests.browser.test_accessibility import BOTH, expect_accessible
from tests.browser.test_layout import expect_no_sideways, expect_touchable, sizes
from tests.known import known

ANSWER = re.compile(r"/drill/\d+/$")


def to_a_hold(page: Page) -> None:
    """Answers until there are throws left."""
    page.goto("/drill/")
    while page.locator("#board").get_attribute("data-phase") == "score":
        page.locator(".box--open").first.click()
        page.wait_for_url(ANSWER)
        page.locator("#roll").click()
        page.wait_for_url(lambda address: not ANSWER.search(address))  # not the old page's phase


def test_a_position_is_answered_by_keys_alone(page: Page) -> None:
    to_a_hold(page)
    page.keyboard.press("2")
    expect(page.locator("#die-1")).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("?")
    expect(page.locator("#keys")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("#keys")).to_be_hidden()
    page.keyboard.press(" ")
    page.wait_for_url(ANSWER)
    expect(page.locator(".drill__verdict")).to_contain_text("Credit")
    expect(page.locator(".die[data-kept]")).to_have_count(1)
    page.keyboard.press(" ")
    expect(page.locator("#status")).to_contain_text("?")
    assert page.url.partition("?")[0].endswith("/drill/")


def test_a_key_right_after_the_help_is_closed_is_heard(page: Page) -> None:
    """The focus stays on the button of the closed help until the page is drawn again."""
    to_a_hold(page)
    page.keyboard.press("?")
    left_at = page.evaluate("""() => {
        document.getElementById("keys").close();
        const focused = document.activeElement;
        focused.dispatchEvent(new KeyboardEvent("keydown", { key: " ", bubbles: true }));
        return focused.textContent;
    }""")
    assert left_at == "Close"
    page.wait_for_url(ANSWER)


def test_what_was_held_in_one_position_is_not_held_in_the_next(page: Page) -> None:
    to_a_hold(page)
    page.keyboard.press("2")
    page.keyboard.press(" ")
    page.wait_for_url(ANSWER)
    to_a_hold(page)
    expect(page.locator("button.die")).to_have_count(5)
    expect(page.locator("button.die[aria-pressed=true]")).to_have_count(0)


def test_a_letter_goes_to_a_box_and_once_more_chooses_it(page: Page) -> None:
    page.goto("/drill/")
    box = page.locator(".box--open").first
    key = box.get_attribute("data-key") or ""
    page.keyboard.press(key)
    expect(box).to_be_focused()
    page.keyboard.press(key)
    page.wait_for_url(ANSWER)
    expect(page.locator(".box[data-chosen]")).to_have_count(1)


def test_without_a_script_dice_are_switched_and_answers_are_given(new_page: NewPage) -> None:
    page = new_page(java_script_enabled=False, **PHONE)
    to_a_hold(page)
    page.locator("#die-0").click()
    expect(page.locator("#die-0")).to_have_attribute("aria-pressed", "true")
    page.locator("#die-4").click()
    expect(page.locator("#die-0")).to_have_attribute("aria-pressed", "true")
    page.locator("#roll").click()
    page.wait_for_url(ANSWER)
    expect(page.locator(".die[data-kept]")).to_have_count(2)
    expect(page.get_by_role("link", name="Explore this position")).to_be_visible()


@pytest.mark.sampled("width")
@pytest.mark.parametrize("width", [320, 360])
def test_a_position_fits_a_small_phone(new_page: NewPage, width: int) -> None:
    page = new_page(**(PHONE | {"viewport": {"width": width, "height": 640}}))
    to_a_hold(page)
    for selector in ("#roll", "#die-0", "#die-4", ".box >> nth=0", ".total"):
        expect(page.locator(selector)).to_be_in_viewport(ratio=1)
    page.locator("#roll").tap()
    page.wait_for_url(ANSWER)
    for selector in (".drill__verdict", "#roll", ".total"):
        expect(page.locator(selector)).to_be_in_viewport(ratio=1)


@BOTH
def test_drill_and_profile_are_accessible_and_tidy(
    new_page: NewPage, screen: dict[str, object]
) -> None:
    page = new_page(**screen)
    begin(page)
    finish(page)
    to_a_hold(page)
    expect(page.locator(".meta__player")).to_contain_text("From your game of")
    addresses = [page.url]
    for _ in range(6):
        page.goto("/drill/")
        page.locator("#roll[type=submit], .box--open").first.click()
        page.wait_for_url(ANSWER)
    expect(page.locator("svg.chart:visible")).to_be_visible()
    addresses += [page.url, "/profile/"]
    for address in addresses:
        page.goto(address)
        for details in page.locator("main summary").all():
            details.click()
        expect_accessible(page)
        expect_touchable(page)
    if not screen:
        for address in addresses:
            page.goto(address)
            for size in sizes():
                page.set_viewport_size(size)
                expect_no_sideways(page)


def test_how_long_an_answer_took_goes_with_it(new_page: NewPage) -> None:
    page = new_page()
    page.goto("/drill/")
    with page.expect_request(lambda sent: sent.method == "POST") as sent:
        page.locator("#roll:not([aria-disabled]), .box--open").first.click()
    told = parse_qs(known(sent.value.post_data))
    assert len(told["waited"]) == 1
    assert int(told["waited"][0]) > 0
