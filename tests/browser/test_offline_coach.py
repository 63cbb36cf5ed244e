"""The coach of a game without a network: hints, prices, verdicts, questions."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Complaints, NewPage
from tests.browser.steps import PHONE, decided, first_open
from tests.browser.test_accessibility import expect_accessible
from tests.browser.test_layout import expect_no_sideways
from tests.browser.test_offline import cut_off, quiet

TWICE = "() => { for (const once of [1, 2]) document.getElementById('roll').click(); }"
# 1 2 4 4 6, and then too nothing that is best filled in at once, whatever is held.
DICE = """() => {
  const faces = [1, 2, 4, 4, 6, 1, 3, 6, 5, 2, 3];
  const random = crypto.getRandomValues.bind(crypto);
  let fallen = 0;
  const fall = (room) => room.fill(faces[fallen++ % faces.length] - 1);
  crypto.getRandomValues = (room) => (room.byteLength === 1 ? fall(room) : random(room));
}"""
DESK = {"viewport": {"width": 1280, "height": 800}, "color_scheme": "dark"}


def coached(page: Page, level: str, rules: str = "yahtzee-plain") -> None:
    """A first throw, beside a coach who is there."""
    page.add_init_script(f"({DICE})()")
    cut_off(page, rules)
    expect(page.locator("#level")).to_be_visible()
    expect(page.locator("#solving")).to_have_count(0, timeout=60_000)
    page.locator("#level").select_option(level)
    page.locator("#roll").click()
    decided(page, 1)


def nothing_scored(page: Page) -> None:
    """The costliest thing to do with these dice."""
    page.locator(".box--open[data-nothing]").last.click()


def test_a_hint_is_given_and_taken_and_a_move_is_judged(
    new_page: NewPage, complaints: Complaints
) -> None:
    page = new_page(service_workers="allow", **PHONE)
    coached(page, "after")
    page.keyboard.press("h")
    expect(page.locator("#take")).to_be_focused()
    best = page.locator("#status .status__note").inner_text().removesuffix(" Why?")
    expect(page.locator("#announce")).to_contain_text(best)
    page.get_by_role("button", name="Why?").click()
    expect(page.locator("#coach .options tbody tr")).to_have_count(5)
    expect(page.locator("#coach .options tbody td").nth(1)).to_have_text("best")
    expect(page.locator("#coach .coach__reason")).not_to_be_empty()
    expect_accessible(page)
    expect_no_sideways(page)
    page.keyboard.press("Escape")
    page.keyboard.press("t")
    decided(page, 2)
    expect(page.locator(".slip")).to_have_attribute("data-verdict", "best")
    nothing_scored(page)
    decided(page, 3)
    expect(page.locator(".slip")).to_have_attribute("data-verdict", "blunder")
    said = page.locator("#announce").inner_text()
    assert "Blunder, −" in said
    page.get_by_role("button", name="Why?").click()
    expect(page.locator("#coach .standing__of-lost dd")).to_contain_text("−")
    expect_accessible(page)
    page.keyboard.press("Escape")
    page.reload()
    expect(page.locator(".slip")).to_have_attribute("data-verdict", "blunder")
    quiet(complaints)


def played_to_the_end(page: Page, turns: int = 13) -> str:
    """In the first open box after each first throw but one; what it came to."""
    for _turn in range(turns):
        page.locator("#roll").click()
        expect(page.locator("#board")).to_have_attribute("data-phase", "decide")
        first_open(page).click()
        expect(page.locator("#board")).not_to_have_attribute("data-phase", "decide")
    expect(page.locator("#over .account")).to_be_visible()
    return page.locator(".over__points").inner_text()


@pytest.mark.nightly
@pytest.mark.parametrize("screen", [PHONE, DESK], ids=["phone", "desk"])
def test_a_game_is_reviewed_played_again_and_drilled(
    new_page: NewPage, complaints: Complaints, screen: dict[str, Any]
) -> None:
    page = new_page(service_workers="allow", **screen)
    cut_off(page)
    total = played_to_the_end(page)
    lost = page.locator(".account__part--mistakes dd").inner_text()
    assert lost.startswith("−")
    expect(page.locator(".square")).to_have_count(13)
    expect(page.locator(".worst__one")).to_have_count(3)
    expect_accessible(page)
    expect_no_sideways(page)
    review(page)
    drill(page)
    page.keyboard.press("s")
    expect(page.locator("#board")).to_have_attribute("data-phase", "roll")
    again = played_to_the_end(page)  # every first throw is the same, and so is what was done
    assert again == total
    expect(page.locator(".tell")).to_contain_text(f"came to {total} points")
    page.context.set_offline(False)
    page.goto("/rules/")
    for _patience in range(50):
        page.goto("/history/?rules=yahtzee-plain")
        if page.locator("tbody tr").count():
            break
        page.wait_for_timeout(100)
    expect(page.locator("tbody tr")).to_have_count(1)  # what was known before is not handed in
    expect(page.locator("tbody .points")).to_have_text(total)
    page.locator("tbody a").first.click()
    expect(page.locator(".account__part--mistakes dd")).to_have_text(lost)
    quiet(complaints)


def review(page: Page) -> None:
    """From the costliest decision on, there and back, as on the page of a review."""
    page.keyboard.press("r")
    expect(page.locator("#announce")).to_contain_text("Turn ")
    worst = page.locator("#announce").inner_text()
    assert "Blunder, costs" in worst
    page.keyboard.press("p" if "Turn 13" in worst else "n")
    expect(page.locator("#announce")).not_to_have_text(worst)
    expect_accessible(page)
    expect_no_sideways(page)
    page.get_by_role("button", name="Why?").click()
    expect(page.locator("#coach .options tr[aria-current]")).to_have_count(1)
    page.keyboard.press("Escape")
    last = page.locator(".decided__one").last
    last.click()
    expect(page.locator(".decided__one").last).to_have_attribute("aria-current", "true")
    expect(page.locator("#next")).to_have_attribute("aria-disabled", "true")
    page.get_by_role("button", name="Result").click()
    expect(page.locator("#over .account")).to_be_visible()


def drill(page: Page) -> None:
    """What went wrong in the game comes first."""
    page.locator("#drill").click()
    expect(page.locator("#status")).to_have_text("What would you do here?")
    assert not page.locator(".hint, [data-best], [data-lost]").count()
    expect_accessible(page)
    first_open(page).click()
    expect(page.locator(".slip")).to_contain_text("in Ones")
    expect(page.locator("#roll")).to_be_focused()
    expect_accessible(page)
    page.keyboard.press("Enter")
    expect(page.locator("#status")).to_have_text("What would you do here?")
    page.get_by_role("button", name="Result").click()
    page.locator(".worst__again").first.click()
    expect(page.locator("#status")).to_have_text("What would you do here?")
    page.get_by_role("button", name="Result").click()
    expect(page.locator("#over")).to_be_focused()


@pytest.mark.nightly
def test_positions_are_made_up_where_nothing_went_wrong(
    new_page: NewPage, complaints: Complaints
) -> None:
    page = new_page(service_workers="allow")
    cut_off(page)
    page.locator("#drill").click()
    for _position in range(3):
        expect(page.locator("#status")).to_have_text("What would you do here?")
        first_open(page).click()
        expect(page.locator("#roll")).to_have_text("Next position")
        page.evaluate(TWICE)  # the second time nothing is there yet to be answered
    page.get_by_role("button", name="Back to the game").click()
    expect(page.locator("#board")).to_have_attribute("data-phase", "roll")
    expect(page.locator(".box--used")).to_have_count(0)
    quiet(complaints)


@pytest.mark.nightly
def test_every_box_and_every_hold_has_its_price(new_page: NewPage, complaints: Complaints) -> None:
    page = new_page(service_workers="allow")
    coached(page, "live")
    prices = (page.locator("#live").get_attribute("data-costs") or "").split("|")
    assert len(prices) == 32
    assert "best" in prices + page.locator(".box--open .box__hint b").all_inner_texts()
    for slot in (0, 3):
        page.locator(f"#die-{slot}").click()
    expect(page.locator("#live b")).to_have_text(prices[0b1001])
    expect(page.locator(".roll__price")).to_have_text(prices[0b1001])
    for box in page.locator(".box--open").all():
        assert box.locator(".box__hint b").inner_text()
        assert "cost" in (box.get_attribute("aria-description") or "") or "best" in (
            box.get_attribute("aria-description") or ""
        )
    expect_accessible(page)
    quiet(complaints)


@pytest.mark.nightly
def test_a_hint_that_comes_too_late_is_not_shown(new_page: NewPage, complaints: Complaints) -> None:
    page = new_page(service_workers="allow")
    coached(page, "after")
    page.evaluate(f"document.getElementById('hint').click(); ({TWICE})()")
    decided(page, 2)
    expect(page.locator(".slip")).to_be_visible()
    expect(page.locator("#take, [data-marked]")).to_have_count(0)
    quiet(complaints)


@pytest.mark.nightly
@pytest.mark.parametrize(("level", "said"), [("before", "This costs"), ("alert", "Blunder")])
def test_a_costly_move_is_asked_about(
    new_page: NewPage, complaints: Complaints, level: str, said: str
) -> None:
    page = new_page(service_workers="allow")
    coached(page, level)
    expect(page.locator("#hint")).to_have_count(0 if level == "alert" else 1)
    nothing_scored(page)
    expect(page.locator("#status")).to_contain_text(said)
    expect(page.locator("#choose")).to_be_focused()
    expect_accessible(page)
    page.keyboard.press("Enter")
    expect(page.locator("#roll")).to_be_focused()
    decided(page, 1)
    nothing_scored(page)
    page.locator("#hint" if level == "alert" else "#take").click()
    if level == "alert":
        page.locator("#take").click()
    decided(page, 2)
    expect(page.locator(".slip")).to_have_attribute("data-verdict", "best")
    nothing_scored(page)
    page.locator("#confirm").click()
    decided(page, 3)
    expect(page.locator(".slip")).to_contain_text("What?" if level == "alert" else "Why?")
    quiet(complaints)


@pytest.mark.nightly
def test_a_coach_that_is_off_says_nothing(new_page: NewPage, complaints: Complaints) -> None:
    page = new_page(service_workers="allow")
    coached(page, "off")
    expect(page.locator(".hint")).to_have_count(0)
    nothing_scored(page)
    decided(page, 2)
    expect(page.locator(".slip")).to_have_count(0)
    expect(page.locator("#coach")).to_be_hidden()
    quiet(complaints)


@pytest.mark.nightly
def test_what_is_pressed_before_the_table_is_ready_is_done(
    new_page: NewPage, complaints: Complaints
) -> None:
    page = new_page(service_workers="allow")
    cut_off(page)
    page.add_init_script(
        "addEventListener('DOMContentLoaded', () => document.getElementById('roll').click());"
    )
    page.reload()
    decided(page, 1)
    quiet(complaints)
