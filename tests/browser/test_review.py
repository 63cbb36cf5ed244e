"""The end of a game, its review and learning from it, as people use them."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import NewPage
from tests.browser.steps import PHONE, begin, finish, play_turns
from tests.browser.test_accessibility import BOTH, expect_accessible
from tests.browser.test_layout import expect_no_sideways, sizes

STEP = re.compile(r"step=(\d+)")


def ended(page: Page) -> str:
    """A finished game; its address."""
    begin(page)
    finish(page)
    return page.url.split("?")[0]


def shown(page: Page) -> int:
    return int(page.locator("#step").get_attribute("data-at") or 0)


def expect_shown(page: Page, number: int) -> None:
    expect(page.locator("#step")).to_have_attribute("data-at", str(number))
    expect(page).to_have_url(re.compile(rf"step={number}(&|#|$)"))


def expect_ring_on(page: Page, number: int) -> None:
    column = page.locator(f'.chart-column[data-at="{number}"]')
    ring = page.locator(".chart-here circle")
    expect(ring).to_have_attribute("cx", column.get_attribute("data-x") or "")
    expect(ring).to_have_attribute("cy", column.get_attribute("data-y") or "")


def marked(page: Page) -> list[int]:
    """The decisions worth going back to, as the graph marks them."""
    marks = page.locator(
        ".mark-inaccuracy[data-at], .mark-mistake[data-at], .mark-blunder[data-at]"
    )
    found = marks.evaluate_all("all => all.map(one => Number(one.dataset.at))")
    return sorted(found)


def middle(place: Locator) -> tuple[float, float]:
    box = place.bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


# The end


def test_the_keys_of_the_end_lead_on(page: Page) -> None:
    game = ended(page)
    page.keyboard.press("r")
    expect(page).to_have_url(re.compile(r"/review$"))
    page.goto(game)
    page.keyboard.press("1")
    expect(page).to_have_url(re.compile(r"/learn\?step=\d+$"))
    page.goto(game)
    page.keyboard.press("n")
    expect(page.locator("#board")).to_have_attribute("data-phase", "roll")
    page.goto(game)
    page.keyboard.press("s")
    expect(page.locator("#board")).to_have_attribute("data-phase", "roll")
    expect(page.locator(".meta__kind")).to_contain_text("Rematch")


def test_the_last_click_takes_give_up_away_and_shows_the_result_first(new_page: NewPage) -> None:
    page = new_page(**PHONE)
    begin(page)
    play_turns(page, 14)
    expect(page.locator("#give-up")).to_be_visible()
    page.locator(".box--open").first.click()
    expect(page.locator("#board")).to_have_attribute("data-phase", "over")
    expect(page.locator("#give-up")).to_have_count(0)
    for selector in (".over__points", ".over__head", ".tell", ".over__learn", "#review", "#again"):
        expect(page.locator(selector)).to_be_in_viewport(ratio=1)


def test_share_copies_the_result_where_there_is_no_sheet(new_page: NewPage) -> None:
    page = new_page(permissions=["clipboard-read", "clipboard-write"])
    ended(page)
    points = page.locator(".over__points").inner_text()
    page.keyboard.press("x")
    expect(page.locator("#share-result")).to_have_text("Copied")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.startswith(f"Yatzy: {points} on these dice. Beat it.\n")
    assert "/beat/" in copied


# The review


def test_keys_walk_through_decisions_and_mistakes(page: Page) -> None:
    game = ended(page)
    page.goto(f"{game}review?step=1")
    page.keyboard.press("ArrowRight")
    expect_shown(page, 2)
    expect_ring_on(page, 2)
    expect(page.locator("#announce")).to_contain_text("Turn 2, throw 1")
    page.keyboard.press("ArrowLeft")
    expect_shown(page, 1)
    mistakes = [number for number in marked(page) if number > 1]
    for number in mistakes[:3]:
        page.keyboard.press("n")
        expect_shown(page, number)
        expect_ring_on(page, number)
    page.keyboard.press("p")
    expect_shown(page, mistakes[1])
    page.go_back()
    expect_shown(page, mistakes[2])
    page.keyboard.press("l")
    expect(page).to_have_url(re.compile(r"/learn$"))


@BOTH
def test_the_graph_is_clicked_and_tapped(new_page: NewPage, screen: dict[str, object]) -> None:
    page = new_page(**screen)
    game = ended(page)
    page.goto(f"{game}review?step=1")
    free = 4
    x, _ = middle(page.locator(f'.chart-column[data-at="{free}"]'))
    _, y = middle(page.locator(".course .chart-x"))
    press = page.touchscreen.tap if screen else page.mouse.click
    press(x, y - 40)
    expect_shown(page, free)
    expect_ring_on(page, free)
    number = marked(page)[-1]
    press(*middle(page.locator(f'.chart-mark[data-at="{number}"] path')))
    expect_shown(page, number)


def test_a_filter_narrows_list_graph_and_walk(page: Page) -> None:
    game = ended(page)
    page.goto(f"{game}review")
    lines = page.locator(".decided__one")
    every = lines.count()
    page.locator("#filter-turn").select_option("3")
    expect(page).to_have_url(re.compile("turn=3"))
    expect(lines).to_have_count(1)
    assert shown(page) == int(lines.get_attribute("data-at") or 0)
    faint = page.locator(".mark-faint").count()
    assert 0 < faint == page.locator(".chart-mark").count() - len({3} & set(marked(page)))
    page.goto(f"{game}review?step=1&turn=3")
    page.keyboard.press("ArrowRight")
    expect_shown(page, 3)
    expect(page.locator("#next")).to_have_attribute("aria-disabled", "true")
    page.get_by_role("link", name="Show all").click()
    expect(lines).to_have_count(every)


def test_learning_goes_round_until_it_is_right(page: Page) -> None:
    game = ended(page)
    page.goto(f"{game}learn")
    expect(page.locator(".moment__cost")).to_contain_text("−")
    expect(page.locator("[data-best]")).to_have_count(0)
    page.keyboard.press("Enter")
    expect(page.locator("#status")).to_contain_text("What is best")
    expect(page.locator("[data-best]")).to_have_count(0)
    page.locator(".box--open[data-nothing]").first.click()
    expect(page.locator(".learn__verdict")).to_contain_text("There is something better")
    page.locator("#see-why").click()
    best = page.locator(".options tbody th").first.inner_text()
    page.locator("#try-again").click()
    expect(page.locator("#status")).to_contain_text("What is best")
    choose(page, best)
    expect(page.locator(".learn__verdict")).to_contain_text("Right")
    expect(page.locator("#try-again")).to_have_count(0)
    first = page.url
    page.keyboard.press("Enter")
    expect(page.locator("#status")).to_contain_text("Another position of this kind")
    page.locator(".box--open").first.click()
    expect(page.locator(".drill__verdict")).to_be_visible()
    page.keyboard.press("Enter")
    expect(page.locator(".moment__cost")).to_be_visible()
    assert page.url != first
    expect(page.locator('.stops__one[data-result="wrong"]')).to_have_count(1)


def choose(page: Page, option: str) -> None:
    """As the list of options names it: dice to hold, or a box."""
    if " in " in option:
        name = option.split(" in ")[1]
        page.locator(".box--open", has_text=re.compile(rf"^\s*{name}", re.M)).first.click()
        return
    wanted = re.findall(r"\d", option)
    dice = page.locator("button.die")
    for at in range(dice.count()):
        face = (dice.nth(at).locator("use").get_attribute("href") or "")[-1]
        if face in wanted or option == "Hold all five":
            dice.nth(at).click()
            if face in wanted:
                wanted.remove(face)
    page.keyboard.press(" ")


def test_without_a_script_every_step_is_a_page(new_page: NewPage) -> None:
    page = new_page(java_script_enabled=False)
    game = ended(page)
    page.locator("#review").click()
    page.goto(f"{game}review?step=1")
    page.locator("#next").click()
    expect_shown(page, 2)
    page.locator("#next-mistake").click()
    assert shown(page) in marked(page)
    page.locator("#filter-cost").select_option("blunder")
    page.locator(".filter button").click()
    expect(page).to_have_url(re.compile("cost=blunder"))
    number = marked(page)[0]
    page.locator(f'.chart-mark[data-at="{number}"] path').click(force=True)
    expect_shown(page, number)
    page.locator("#learn").click()
    page.locator("#roll").click()
    page.locator("#die-1").click()
    expect(page.locator("#die-1")).to_have_attribute("aria-pressed", "true")
    page.locator("#roll").click()
    expect(page.locator(".learn__verdict")).to_be_visible()
    page.locator("#roll").click()
    page.locator("#die-1").click()
    expect(page.locator("#die-1")).to_have_attribute("aria-pressed", "true")
    page.locator("#roll").click()
    expect(page.locator(".drill__verdict")).to_be_visible()
    page.locator("#roll").click()
    expect(page.locator(".moment__cost")).to_be_visible()


@BOTH
def test_end_review_and_learning_are_accessible(
    new_page: NewPage, screen: dict[str, object]
) -> None:
    page = new_page(**screen)
    game = ended(page)
    expect_accessible(page)
    for address in ("review", "review?cost=blunder&kind=box", "learn", "learn?end=1"):
        page.goto(f"{game}{address}")
        for summary in page.locator("main summary").all():
            summary.click()
        expect_accessible(page)
    page.goto(f"{game}learn")
    page.locator("#roll").click()
    expect_accessible(page)
    page.locator(".box--open[data-nothing]").first.click()
    expect_accessible(page)
    page.locator("#see-why").click()
    expect_accessible(page)
    page.locator("#roll").click()
    expect_accessible(page)
    page.locator(".box--open").first.click()
    expect_accessible(page)
    page.goto(f"{game}learn?end=1")
    expect(page.locator(".regained")).to_be_visible()
    expect_accessible(page)


@pytest.mark.sampled("language")
@pytest.mark.parametrize("language", ["en", "sv", "nb", "da", "fi"])
def test_no_screen_scrolls_sideways_in_any_language(new_page: NewPage, language: str) -> None:
    page = new_page(locale=language)
    game = ended(page)
    page.goto(f"{game}learn")
    page.locator("#roll").click()
    page.locator(".box--open[data-nothing]").first.click()
    told = page.url
    page.locator("#roll").click()
    like = page.url
    page.locator(".box--open").first.click()
    widths = [*sizes(), {"width": 667, "height": 375}]
    for address in (
        game,
        f"{game}review",
        f"{game}learn",
        told,
        f"{told}&why=1",
        like,
        page.url,
        f"{game}learn?end=1",
    ):
        page.goto(address)
        for size in widths:
            page.set_viewport_size(size)
            expect_no_sideways(page)


@pytest.mark.parametrize("size", [(390, 664), (1280, 800)])
def test_decision_graph_and_stepping_are_seen_at_once(page: Page, size: tuple[int, int]) -> None:
    page.set_viewport_size({"width": size[0], "height": size[1]})
    game = ended(page)
    page.goto(f"{game}review")
    tops = []
    for selector in (".told", ".course", ".walk"):
        part = page.locator(selector)
        expect(part).to_be_in_viewport(ratio=1)
        tops.append(middle(part)[1])
    assert tops == sorted(tops)
    expect(page.locator("#next-mistake")).to_have_css("background-color", "rgb(23, 22, 15)")


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
        expect_ring_on(page, number)
    expect(page.locator("#announce")).to_contain_text(f"Turn {15}, throw")
    page.locator(".decided__one").nth(3).click()
    expect_shown(page, 4)
    page.go_back()
    expect_shown(page, last)
    page.context.set_offline(False)
