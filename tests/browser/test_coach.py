"""The coach beside the game and the review after it, as a person meets them."""

from playwright.sync_api import Page, expect

from tests.browser.conftest import NewPage
from tests.browser.steps import decided, finish, settled
from tests.browser.test_accessibility import BOTH, expect_accessible


def begin_with(page: Page, level: str) -> None:
    page.goto("/")
    page.locator("#level").select_option(level)
    page.locator("#roll").click()
    decided(page, 1)


@BOTH
def test_a_hint_ranks_marks_and_leaves_the_held_dice_alone(
    new_page: NewPage, screen: dict[str, object]
) -> None:
    page = new_page(**screen)
    begin_with(page, "after")
    page.locator("#die-1").click()
    page.locator("#hint").click()
    expect(page.locator("#coach .options tbody tr").first).to_contain_text("best")
    # The page stays where it is, and says the best move above the dice; why lies over the card.
    expect(page.locator("#status")).to_be_in_viewport()
    expect(page.locator("#status")).to_contain_text("Best: ")
    expect(page.locator("#take")).to_be_focused()
    expect(page.locator("#coach")).not_to_be_visible()
    page.locator("#status .why").click()
    expect(page.locator("#coach")).to_be_in_viewport()
    for die in page.locator(".die").all():
        expect(die).to_be_in_viewport(ratio=1)
    expect_accessible(page)
    page.keyboard.press("Escape")
    expect(page.locator("#coach")).not_to_be_visible()
    expect(page.locator("#die-1")).to_have_attribute("aria-pressed", "true")
    expect(page.locator("#die-2")).to_have_attribute("aria-pressed", "false")
    decided(page, 1)
    settled(page)
    expect_accessible(page)


def test_the_key_h_asks_for_a_hint(page: Page) -> None:
    begin_with(page, "live")
    page.keyboard.press("h")
    expect(page.locator("#status")).to_contain_text("Best: ")
    expect(page.locator("#announce")).to_contain_text("Best: ")


def test_the_price_of_what_is_held_follows_the_dice_without_asking_the_server(page: Page) -> None:
    begin_with(page, "live")
    prices = (page.locator("#live").get_attribute("data-costs") or "").split("|")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    expect(page.locator("#live b")).to_have_text(prices[0])
    page.keyboard.press("1")
    page.keyboard.press("4")
    expect(page.locator("#live b")).to_have_text(prices[0b1001])
    page.keyboard.press("1")
    expect(page.locator("#live b")).to_have_text(prices[0b1000])
    assert asked == []


def test_before_a_costly_move_the_coach_asks_and_nothing_happens_until_it_is_confirmed(
    page: Page,
) -> None:
    begin_with(page, "before")
    nothing = page.locator(".box--open[data-nothing]").first  # with two throws left
    nothing.click()
    expect(page.locator("#status")).to_contain_text("This costs")
    decided(page, 1)
    page.locator("#choose").click()
    expect(page.locator("#roll")).to_be_visible()
    nothing.click()
    page.locator("#confirm").click()
    decided(page, 2)


def test_without_a_script_the_coach_says_the_same(new_page: NewPage) -> None:
    page = new_page(java_script_enabled=False)
    page.goto("/")
    page.locator("#level").select_option("live")
    page.locator("#roll").click()
    expect(page.locator("#live b")).not_to_be_empty()
    page.locator("#die-0").click()
    page.locator("#hint").click()
    page.locator("#status .why").click()
    expect(page.locator(".coach__reason")).to_be_visible()
    expect(page.locator("#die-0")).to_have_attribute("aria-pressed", "true")


@BOTH
def test_a_finished_game_is_one_click_from_its_review(
    new_page: NewPage, screen: dict[str, object]
) -> None:
    page = new_page(**screen)
    begin_with(page, "off")
    finish(page)
    page.locator("#review").click()
    expect(page.locator("h1")).to_have_text("Review")
    expect(page.locator("#step")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    for summary in page.locator("main summary").all():
        summary.click()
    expect_accessible(page)


def test_arrow_keys_step_through_the_decisions(page: Page) -> None:
    begin_with(page, "off")
    finish(page)
    page.locator("#review").click()
    page.goto(page.url.split("?")[0] + "?step=1")
    expect(page.locator("#step-title")).to_have_text("Turn 1, throw 1")
    page.keyboard.press("ArrowRight")
    expect(page.locator("#step-title")).to_have_text("Turn 2, throw 1")
    page.keyboard.press("ArrowLeft")
    expect(page.locator("#step-title")).to_have_text("Turn 1, throw 1")
