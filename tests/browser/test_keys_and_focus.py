"""Keys do what they say, and only that; the focus is never lost and the news is spoken."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import NewPage
from tests.browser.steps import PHONE, begin, decided, first_open, settled


def test_the_question_mark_opens_the_keys_and_other_keys_rest_meanwhile(page: Page) -> None:
    begin(page)
    page.keyboard.press("?")
    dialog = page.get_by_role("dialog", name="Keys")
    expect(dialog).to_be_visible()
    page.keyboard.press("1")
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    expect(page.locator("#die-0")).to_have_attribute("aria-pressed", "false")
    page.get_by_role("button", name="Keys").click()
    expect(dialog).to_be_visible()


@pytest.mark.parametrize("modifier", ["Control", "Alt", "Meta"])
def test_a_key_with_a_modifier_is_the_browsers(page: Page, modifier: str) -> None:
    begin(page)
    # Dispatched to the page itself: some of these would close the tab or leave it.
    cancelled = page.evaluate(
        """modifier => !document.body.dispatchEvent(new KeyboardEvent("keydown", {
            key: "2", bubbles: true, cancelable: true, [`${modifier}Key`]: true }))""",
        {"Control": "ctrl", "Alt": "alt", "Meta": "meta"}[modifier],
    )
    assert not cancelled
    expect(page.locator("#die-1")).to_have_attribute("aria-pressed", "false")


def test_a_key_that_is_held_down_rolls_once(page: Page) -> None:
    begin(page)
    for _ in range(4):
        page.keyboard.down("Enter")
    page.keyboard.up("Enter")
    decided(page, 2)
    page.keyboard.press("a")
    expect(page.locator("#box-ones")).to_be_focused()
    decided(page, 2)


def test_space_rolls_even_after_a_click_on_a_die(page: Page) -> None:
    begin(page)
    page.locator("#die-0").click()
    page.keyboard.press("Space")
    decided(page, 2)
    expect(page.locator("#die-0")).to_have_attribute("aria-pressed", "true")


def test_space_switches_a_die_that_the_keyboard_focused(page: Page) -> None:
    begin(page)
    page.keyboard.press("Tab")
    page.locator("#die-3").focus()
    page.keyboard.press("Space")
    expect(page.locator("#die-3")).to_have_attribute("aria-pressed", "true")
    decided(page, 1)


def test_a_held_die_says_so_in_every_way(page: Page) -> None:
    begin(page)
    settled(page)
    die = page.locator("#die-2")
    top = die.locator(".die__face").bounding_box()
    die.click()
    label = die.get_attribute("aria-label") or ""
    assert label.startswith("die 3, shows ")
    assert label.endswith(", held")
    expect(die.get_by_text("Held")).to_be_visible()
    free = page.locator("#die-1 .die__face").evaluate("e => getComputedStyle(e).backgroundColor")
    expect(die.locator(".die__face")).not_to_have_css("background-color", free)
    settled(page)
    lowered = die.locator(".die__face").bounding_box()
    assert top is not None
    assert lowered is not None
    assert lowered["y"] > top["y"]


def test_arrows_go_through_the_open_boxes_only(page: Page) -> None:
    begin(page)
    page.keyboard.press("ArrowDown")
    expect(page.locator("#box-ones")).to_be_focused()
    page.keyboard.press("Enter")
    decided(page, 2)
    page.keyboard.press("Space")
    decided(page, 3)
    page.keyboard.press("ArrowUp")
    expect(page.locator("#box-yatzy")).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(page.locator("#box-twos")).to_be_focused()
    page.keyboard.press("ArrowRight")
    expect(page.locator("#box-two_pairs")).to_be_focused()
    page.keyboard.press("ArrowLeft")
    expect(page.locator("#box-twos")).to_be_focused()


@pytest.mark.parametrize("key", ["a", "ArrowDown"])
def test_space_rolls_where_a_key_only_led_to_a_box(page: Page, key: str) -> None:
    begin(page)
    page.keyboard.press(key)
    for seq in (2, 3):
        page.keyboard.press("Space")
        decided(page, seq)
    expect(page.locator("#box-ones")).to_be_focused()
    page.keyboard.press("Space")  # no throw is left
    settled(page)
    decided(page, 3)
    page.keyboard.press("Enter")
    decided(page, 4)


def test_space_scores_a_box_that_was_reached_by_tab(page: Page) -> None:
    begin(page)
    page.keyboard.press("a")
    page.keyboard.press("Tab")
    expect(page.locator("#box-twos")).to_be_focused()
    page.keyboard.press("Space")
    decided(page, 2)
    expect(page.locator("#box-twos")).to_have_count(0)


def test_keys_are_no_matter_for_fingers(new_page: NewPage) -> None:
    page = new_page(**PHONE)
    begin(page)
    expect(page.locator('[data-dialog="keys"]')).to_be_hidden()
    desk = new_page()
    begin(desk)
    expect(desk.locator('[data-dialog="keys"]')).to_be_visible()


def test_every_open_box_has_its_letter(page: Page) -> None:
    begin(page)
    for letter, box in zip("abcdefgijklmnop", page.locator(".box--open").all(), strict=True):
        page.keyboard.press(letter)
        expect(box).to_be_focused()
    decided(page, 1)


def test_the_focus_stays_on_roll_until_no_throw_is_left(page: Page) -> None:
    page.goto("/")
    page.locator("#roll").focus()
    for seq in (1, 2, 3):
        page.keyboard.press("Enter")
        decided(page, seq)
        expect(page.locator("#roll")).to_be_focused()
    expect(page.locator("#roll")).to_have_attribute("aria-disabled", "true")
    page.keyboard.press("Enter")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    decided(page, 4)
    expect(page.locator("#roll")).to_be_focused()


def test_what_happened_is_announced_in_a_region_that_stays(page: Page) -> None:
    page.goto("/")
    region = page.locator("#announce")
    expect(region).to_have_attribute("role", "status")
    region.evaluate("element => { element.dataset.same = 'yes' }")
    page.locator("#roll").click()
    expect(region).to_contain_text("The dice show")
    first_open(page).click()
    expect(region).to_contain_text("Ones")
    expect(region).to_have_attribute("data-same", "yes")
