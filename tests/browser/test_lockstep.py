"""A duel in lockstep as two people see it: one waits, and the dice arrive by themselves."""

from playwright.sync_api import Page, expect

from tests.browser.conftest import NewPage
from tests.browser.steps import PHONE
from tests.browser.test_duels import expect_phase, table, throw


def faces(page: Page) -> list[str]:
    found: list[str] = page.locator("#dice .die").evaluate_all(
        "all => all.map(die => die.querySelector('use').getAttribute('href'))"
    )
    return found


def test_who_has_fixed_waits_and_the_dice_fall_for_both_without_a_reload(
    page: Page, new_page: NewPage
) -> None:
    other = new_page(**PHONE)
    table(page, other)
    for one in (page, other):
        throw(one)
        one.evaluate("window.same = true")
    first = faces(page)
    page.locator("#die-0").click()
    page.locator("#roll").click()
    expect_phase(page, "wait")
    expect(page.locator("#status")).to_contain_text("Your dice are fixed. Waiting for Guest")
    expect(page.locator("#dice .die[data-kept]")).to_have_count(1)
    expect(page.locator("#dice .die[data-past]")).to_have_count(4)
    expect(other.locator('.seat[data-state="fixed"]')).to_have_count(1)
    expect_phase(other, "decide")
    page.reload()
    expect_phase(page, "wait")
    page.evaluate("window.same = true")
    other.locator("#die-0").click()
    other.locator("#roll").click()
    for one in (page, other):
        expect_phase(one, "decide")
        expect(one.locator("#status")).to_contain_text("Hold dice and throw again")
        assert one.evaluate("window.same")
    expect(page.locator("#announce")).to_contain_text("The dice show")
    page.wait_for_timeout(400)  # the dice have come to rest
    assert faces(page) == faces(other)
    assert faces(page)[0] == first[0]
