"""The end of a game, its review, learning from it, and handing it on to others."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import NewPage
from tests.browser.looks import expect_accessible, expect_no_sideways, middle, sizes
from tests.browser.steps import (
    NOTHING,
    PHONE,
    begin,
    connected,
    ended,
    expect_phase,
    fill,
    first_open,
    play_turns,
)


def expect_shown(page: Page, number: int) -> None:
    expect(page.locator("#step")).to_have_attribute("data-at", str(number))
    expect(page).to_have_url(re.compile(rf"step={number}(&|#|$)"))
    column = page.locator(f'.chart-column[data-at="{number}"]')
    ring = page.locator(".chart-here circle")
    expect(ring).to_have_attribute("cx", column.get_attribute("data-x") or "")
    expect(ring).to_have_attribute("cy", column.get_attribute("data-y") or "")


def marked(page: Page) -> list[int]:
    marks = page.locator(
        ".mark-inaccuracy[data-at], .mark-mistake[data-at], .mark-blunder[data-at]"
    )
    return sorted(marks.evaluate_all("all => all.map(one => Number(one.dataset.at))"))


def test_the_last_click_shows_the_result_and_keys_lead_on_from_it(new_page: NewPage) -> None:
    page = new_page(**PHONE)
    begin(page)
    play_turns(page, 14)
    expect(page.locator("#give-up")).to_be_visible()
    fill(first_open(page))
    expect_phase(page, "over")
    expect(page.locator("#give-up")).to_have_count(0)
    for selector in (".over__points", ".tell", ".over__learn", "#review", "#again"):
        expect(page.locator(selector)).to_be_in_viewport(ratio=1)
    expect(page.locator(".over .square, .account__grade")).to_have_count(0)  # of a first game
    colours = "e => [getComputedStyle(e).backgroundColor, getComputedStyle(e).color]"
    at_rest = page.locator(".over__learn").evaluate(colours)
    page.locator(".over__learn").hover()
    assert page.locator(".over__learn").evaluate(colours) == at_rest
    game = page.url
    for key, address in (("r", r"/review$"), ("1", r"/learn\?step=\d+$")):
        page.keyboard.press(key)
        expect(page).to_have_url(re.compile(address))
        connected(page, game)
    for key in ("n", "s"):  # a new game, and the same dice again
        page.keyboard.press(key)
        expect_phase(page, "roll")
        expect(page.locator(".meta__kind", has_text="Rematch")).to_have_count(int(key == "s"))
        connected(page, game)


def test_a_review_is_walked_by_keys_by_clicks_and_through_a_filter(page: Page) -> None:
    game = ended(page)
    page.locator("#review").click()
    page.goto(f"{game}review?step=1")
    page.keyboard.press("ArrowRight")
    expect_shown(page, 2)
    expect(page.locator("#announce")).to_contain_text("2")
    page.keyboard.press("ArrowLeft")
    expect_shown(page, 1)
    mistakes = [number for number in marked(page) if number > 1]
    for number in mistakes[:3]:
        page.keyboard.press("n")
        expect_shown(page, number)
    page.keyboard.press("p")
    expect_shown(page, mistakes[1])
    page.go_back()
    expect_shown(page, mistakes[2])
    page.locator(f'.chart-mark[data-at="{mistakes[-1]}"] path').click()
    expect_shown(page, mistakes[-1])
    lines = page.locator(".decided__one")
    every = lines.count()
    page.goto(f"{game}review")
    page.locator("#filter-turn").select_option("3")
    expect(page).to_have_url(re.compile("turn=3"))
    expect(lines).to_have_count(1)
    assert page.locator("#step").get_attribute("data-at") == lines.get_attribute("data-at")
    faint = page.locator(".mark-faint").count()
    assert 0 < faint == page.locator(".chart-mark").count() - len({3} & set(marked(page)))
    page.goto(f"{game}review?step=1&turn=3")
    page.keyboard.press("ArrowRight")
    expect_shown(page, 3)
    expect(page.locator("#next")).to_have_attribute("aria-disabled", "true")
    page.get_by_role("link", name="Show all").click()
    expect(lines).to_have_count(every)
    page.keyboard.press("l")
    expect(page).to_have_url(re.compile(r"/learn$"))


def test_an_opened_review_is_walked_through_without_the_server(page: Page) -> None:
    address = f"{ended(page)}review"
    with page.expect_response(re.compile(r"/review/")):
        page.goto(f"{address}?step=1")
    page.wait_for_load_state("networkidle")
    page.context.set_offline(True)
    last = page.locator(".decided__one").count()
    for number in range(2, last + 1):
        page.keyboard.press("ArrowRight")
        expect_shown(page, number)
    expect(page.locator("#announce")).to_contain_text("15")
    page.locator(".decided__one").nth(3).click()
    expect_shown(page, 4)
    page.go_back()
    expect_shown(page, last)
    page.context.set_offline(False)


@pytest.mark.sampled("screen")
@pytest.mark.parametrize("screen", [{}, PHONE | {"viewport": {"width": 390, "height": 664}}])
def test_decision_graph_and_stepping_are_seen_at_once(
    new_page: NewPage, screen: dict[str, object]
) -> None:
    page = new_page(**screen)
    page.goto(f"{ended(page)}review?step=1")
    tops = []
    for selector in (".told", ".course", ".walk"):
        part = page.locator(selector)
        expect(part).to_be_in_viewport(ratio=1)
        tops.append(middle(part)[1])
    assert tops == sorted(tops)
    expect(page.locator("#next-mistake")).to_have_css("background-color", "rgb(23, 22, 15)")
    x, _ = middle(page.locator('.chart-column[data-at="4"]'))
    _, y = middle(page.locator(".course .chart-x"))
    press = page.touchscreen.tap if screen else page.mouse.click
    press(x, y - 40)
    expect_shown(page, 4)


@pytest.mark.sampled("language")
@pytest.mark.parametrize("language", ["en", "sv", "nb", "da", "fi"])
def test_end_review_and_learning_are_accessible_and_fit_in_any_language(
    new_page: NewPage, language: str
) -> None:
    page = new_page(locale=language)
    game = ended(page)
    page.goto(f"{game}learn")
    addresses = [game, page.url, f"{game}review"]
    for press in ("#roll", NOTHING, "#see-why", "#roll", ".box--open"):
        page.locator(press).first.click()
        expect_accessible(page)
        addresses.append(page.url)
    for address in (*addresses, f"{game}learn?end=1"):
        page.goto(address)
        for summary in page.locator("main summary").all():
            summary.click()
        expect_accessible(page)
        for size in [*sizes(), {"width": 667, "height": 375}]:
            page.set_viewport_size(size)
            expect_no_sideways(page)
    expect(page.locator(".regained")).to_be_visible()
