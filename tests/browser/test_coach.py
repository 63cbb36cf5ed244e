"""The coach next to a game, as a person meets it."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import NewPage
from tests.browser.looks import BOTH, BOXES, expect_accessible
from tests.browser.steps import (
    NOTHING,
    PHONE,
    begin,
    decided,
    expect_phase,
    fill,
    held,
    roll,
    settled,
)

LOW = {"viewport": {"width": 667, "height": 375}, "has_touch": True, "is_mobile": True}


def expect_best(page: Page) -> None:
    expect(page.locator(".feedback")).to_have_attribute("data-severity", "best")


@pytest.mark.sampled("screen")
@pytest.mark.parametrize("screen", [PHONE, LOW], ids=["upright", "lying"])
def test_a_hint_moves_nothing_marks_by_shape_and_word_and_is_taken_at_one_tap(
    new_page: NewPage, screen: dict[str, object]
) -> None:
    page = new_page(**screen)
    begin(page, level="after")
    page.locator("#die-1").click()
    settled(page)
    places = [page.locator(f"#die-{slot}").bounding_box() for slot in range(5)]
    page.locator("#hint").click()
    expect(page.locator("#take")).to_be_focused()
    expect(page.locator("#take")).to_be_in_viewport(ratio=1)
    assert page.evaluate("scrollY") == 0
    assert [page.locator(f"#die-{slot}").bounding_box() for slot in range(5)] == places
    expect(page.locator("#coach")).not_to_be_visible()
    page.locator("#status .why").click()
    expect(page.locator("#coach")).to_be_in_viewport()
    expect(page.locator("#coach .options tbody tr").first).to_contain_text("best")
    for die in page.locator(".die").all():
        expect(die).to_be_in_viewport(ratio=1)
    expect_accessible(page)
    page.keyboard.press("Escape")
    expect(page.locator("#coach")).not_to_be_visible()
    held(page, 1)
    held(page, 2, False)
    for mark, word, line in (("dropped", "Release", "dashed"), ("marked", "Hold", "solid")):
        for die in page.locator(f"button.die[data-{mark}][aria-pressed=false]").all():
            expect(die.get_by_text(word)).to_be_visible()
            expect(die).to_have_accessible_name(re.compile(f", {word}$"))
            expect(die.locator(".die__face")).to_have_css("border-top-style", line)
    decided(page, 1)
    settled(page)
    expect_accessible(page)
    page.locator("#take").click()
    decided(page, 2)
    expect_best(page)


def test_a_live_coach_prices_what_is_held_and_judges_every_move(page: Page) -> None:
    begin(page, level="live")
    prices = (page.locator("#live").get_attribute("data-costs") or "").split("|")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    for key, mask in (("", 0), ("1", 0b0001), ("4", 0b1001), ("1", 0b1000)):
        if key:
            page.keyboard.press(key)
        expect(page.locator("#live b")).to_have_text(prices[mask])
    assert asked == []  # not the server
    page.locator("#die-3").click()
    page.keyboard.press("h")
    expect(page.locator("#take")).to_be_visible()
    expect(page.locator("#announce")).to_contain_text("Best: ")
    page.keyboard.press("t")
    decided(page, 2)
    expect_best(page)
    fill(page.locator(NOTHING).first)
    decided(page, 3)
    verdict = page.locator(".tray [data-verdict]")
    expect(verdict).to_be_in_viewport(ratio=1)
    cost = float(verdict.get_attribute("data-cost") or "")
    assert cost > 0.05
    printed = verdict.locator("b").first.inner_text()
    name = verdict.locator("b").nth(1).inner_text()
    assert printed.startswith("−")
    assert float(printed[1:]) == pytest.approx(cost, abs=0.0551)  # the one by tenths
    expect(page.locator("#announce")).to_contain_text(f"{name}, {printed}.")
    roll(page, 4)
    around = ".tray, .die, .card, .about, .about > *"
    places = page.evaluate(BOXES, around)
    page.locator("#coach").evaluate("coach => coach.showPopover()")
    talk = page.locator(".coach__talk")
    height = talk.evaluate("talk => talk.clientHeight")
    talk.evaluate(
        "talk => { for (let n = 0; n < 40; n += 1) talk.append(Object.assign("
        "document.createElement('p'), { textContent: 'more' })); }"
    )
    assert talk.evaluate("talk => talk.clientHeight") > height + 400
    assert page.evaluate(BOXES, around) == places


def test_before_a_costly_move_the_coach_asks_and_what_is_safe_has_the_focus(page: Page) -> None:
    begin(page, level="before")
    for key in ("Enter", "Space"):
        page.locator(NOTHING).first.click()
        expect(page.locator("#choose")).to_be_focused()
        expect(page.locator("#choose")).to_have_class("button button--primary")
        if key == "Enter":
            expect_accessible(page)
        page.keyboard.press(key)
        expect(page.locator("#roll")).to_be_focused()
        decided(page, 1)
    page.locator(NOTHING).first.click()
    page.locator("#take").click()  # the better move, at one tap
    decided(page, 2)
    expect_best(page)
    page.locator(NOTHING).first.click()
    page.locator("#confirm").click()
    decided(page, 3)


@BOTH
def test_an_alert_shows_what_is_better_at_a_further_tap_only(
    new_page: NewPage, screen: dict[str, object]
) -> None:
    page = new_page(**screen)
    begin(page, level="alert")
    expect(page.locator("#hint")).to_have_count(0)
    page.locator(NOTHING).first.click()
    expect(page.locator("#hint")).to_be_visible()
    expect(page.locator("[data-marked], [data-best], .coach__reason")).to_have_count(0)
    expect_accessible(page)
    page.locator("#hint").click()
    expect(page.locator("#take")).to_be_visible()
    assert page.locator("[data-marked], [data-best]").count() > 0
    expect_accessible(page)


def test_an_event_is_said_once_and_as_far_as_the_player_wants(page: Page) -> None:
    begin(page, level="after")
    page.keyboard.press("1")
    roll(page, 2)
    region = page.locator("#announce")
    expect(region.locator("p").first).to_have_text(re.compile("^Dice: "))
    expect(region.locator("p").nth(1)).not_to_be_empty()  # the verdict
    said = region.inner_text()
    page.reload()
    other = page.context.new_page()
    other.goto(page.url)
    for tab in (page, other):
        expect(tab.locator("[data-verdict]")).to_be_attached()
        expect(tab.locator("#announce, #ask").locator("p")).to_have_count(0)  # nothing old
    roll(page, 3)
    expect(other.locator("#board")).to_have_attribute("data-seq", "3")
    for tab in (page, other):
        expect(tab.locator("#announce p").first).to_have_text(re.compile("^Dice: .*choose a box"))
        assert tab.locator("#announce").inner_text() != said
    other.close()
    for setting, says in (("results", 1), ("answers", 0)):
        address = page.url
        page.goto("/settings/")
        page.locator("[name=read_out]").select_option(setting)
        page.get_by_role("button", name="Save").click()
        page.goto(address)
        fill(page.locator(NOTHING).first)
        expect_phase(page, "roll")
        expect(page.locator("#announce p")).to_have_count(says)
        page.locator("#roll").click()
        expect_phase(page, "decide")
        expect(page.locator("#announce p")).to_have_count(says)
        page.locator(NOTHING).first.click()
        expect(page.locator("#ask p")).to_have_count(1)
        page.locator("#choose").click()
        expect(page.locator("#ask p")).to_have_count(0)
