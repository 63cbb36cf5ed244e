"""A new version of what a device keeps takes over between turns, and changes no game.

Another language is another version: its pages are others, and so is the name of the cache.
"""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Complaints, NewPage
from tests.browser.steps import decided, first_open, until
from tests.browser.test_offline import cut_off, play_on, quiet
from tests.browser.test_stored import almost_over

WAITS = "navigator.serviceWorker.getRegistration().then(one => Boolean(one.waiting))"
RULES = "yahtzee-plain"
FACES = "all => all.map(one => one.href.baseVal)"


def another_version(page: Page) -> Page:
    """It comes with a page that another tab looks at while there is a network for a while."""
    before = page.evaluate("caches.keys().then(names => names.join())")
    page.context.set_offline(False)
    page.context.add_cookies([{"name": "django_language", "value": "sv", "url": page.url}])
    beside = page.context.new_page()
    beside.goto("/rules/")
    until(beside, f"caches.keys().then(names => names.join() !== '{before}')")
    return beside


def faces(page: Page) -> object:
    return page.locator(".die use").evaluate_all(FACES)


def test_a_turn_ends_as_it_began_and_the_next_one_is_the_new_versions(
    new_page: NewPage, complaints: Complaints
) -> None:
    page = new_page(service_workers="allow")
    cut_off(page, RULES)
    play_on(page, 1)
    page.locator("#roll").click()
    decided(page, 3)
    thrown = faces(page)
    beside = another_version(page)
    until(beside, WAITS)
    beside.reload()  # a page that is looked at meanwhile lets it wait
    beside.wait_for_timeout(300)
    assert beside.evaluate(WAITS)
    page.context.set_offline(True)
    page.reload()
    decided(page, 3)
    assert faces(page) == thrown
    expect(page.locator("#roll")).to_contain_text("Throw")
    page.locator("#die-0").click()
    page.locator("#roll").click()
    decided(page, 4)
    expect(page.locator("html")).to_have_attribute("lang", "en")
    first_open(page).click()
    expect(page.locator("html")).to_have_attribute("lang", "sv")
    decided(page, 5)
    expect(page.locator("#roll")).to_contain_text("Kasta")
    assert not beside.evaluate(WAITS)
    quiet(complaints)


def test_between_turns_it_takes_over_at_once(new_page: NewPage, complaints: Complaints) -> None:
    page = new_page(service_workers="allow")
    cut_off(page, RULES)
    play_on(page, 1)
    another_version(page)
    expect(page.locator("html")).to_have_attribute("lang", "sv")
    decided(page, 2)
    quiet(complaints)


def test_a_turn_that_was_begun_meanwhile_ends_first(
    new_page: NewPage, complaints: Complaints
) -> None:
    page = new_page(service_workers="allow")
    cut_off(page, RULES)
    page.locator("#roll").click()
    decided(page, 1)
    page.evaluate("navigator.serviceWorker.dispatchEvent(new Event('controllerchange'))")
    page.evaluate("window.before = true")
    page.wait_for_timeout(200)
    assert page.evaluate("window.before")
    first_open(page).click()
    page.wait_for_url("**/offline/table/?rules=*")
    decided(page, 2)
    assert not page.evaluate("window.before")
    quiet(complaints)


@pytest.mark.nightly
def test_whoever_leaves_a_turn_lets_the_new_version_in(
    new_page: NewPage, complaints: Complaints
) -> None:
    page = new_page(service_workers="allow")
    cut_off(page, RULES)
    page.locator("#roll").click()
    decided(page, 1)
    beside = another_version(page)
    until(beside, WAITS)
    page.close()
    beside.goto("/rules/")
    until(beside, f"{WAITS}.then(waits => !waits)")
    quiet(complaints)


def test_a_result_stays_until_it_was_read(new_page: NewPage, complaints: Complaints) -> None:
    page = new_page(service_workers="allow")
    cut_off(page, RULES)
    almost_over(page, "first")
    total = page.locator(".over__points").inner_text()
    beside = another_version(page)
    until(beside, "caches.keys().then(names => names.length === 1)")
    page.wait_for_timeout(300)
    expect(page.locator(".over__points")).to_have_text(total)
    expect(page.locator("html")).to_have_attribute("lang", "en")
    quiet(complaints)
