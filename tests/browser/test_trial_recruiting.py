"""A trial with arms and an open link: the pages of whoever makes it, and of whoever comes by it."""

from pathlib import Path

from playwright.sync_api import Locator, Page, ViewportSize, expect

from tests.browser.conftest import NewPage
from tests.browser.steps import PHONE
from tests.browser.test_accessibility import expect_accessible
from tests.browser.test_layout import expect_no_sideways, expect_touchable
from tests.browser.trials import make_trial, sign_in_as_staff
from tests.selection import exhaustive

SIZES: tuple[ViewportSize, ...] = ({"width": 360, "height": 740}, {"width": 1280, "height": 800})
ARMS = ("--arms=coach=off,coach=after", "--before=1", "--after=1", "--no-questionnaire")
SCROLLS = """[...document.querySelectorAll("main *")]
    .filter(it => it.scrollWidth > it.clientWidth + 1 && getComputedStyle(it).overflowX === "auto")
    .map(it => it.getAttribute("aria-label") || it.className)"""


def expect_well_made_at_both_sizes(page: Page) -> None:
    """Neither the page nor a table within it is to be scrolled to the side.

    With a change axe looks at one of them, as it does where a test has a screen.
    """
    for size in SIZES:
        page.set_viewport_size(size)
        if size == SIZES[0] or exhaustive():
            expect_accessible(page)
        expect_no_sideways(page)
        expect_touchable(page)
        assert page.evaluate(SCROLLS) == []


def test_a_trial_with_arms_and_its_form(page: Page, site: str, site_folder: Path) -> None:
    make_trial(site_folder, site, "armed", "--participants=4", "--games=1", *ARMS)
    sign_in_as_staff(page, site_folder, "armer")
    page.goto("/trials/armed/")
    expect(page.get_by_role("region", name="Arms", exact=True)).to_contain_text("B")
    expect(page.get_by_role("listitem").filter(has_text="coach=after")).to_be_visible()
    expect_well_made_at_both_sizes(page)
    page.locator(".tabs").get_by_role("link", name="Settings").click()
    expect(page.get_by_label("Games before the training")).to_have_value("1")
    expect_well_made_at_both_sizes(page)


def test_an_open_link_from_its_form_to_whoever_comes_by_it(
    page: Page, new_page: NewPage, site: str, site_folder: Path
) -> None:
    make_trial(site_folder, site, "linked", "--participants=1", "--games=1", *ARMS)
    sign_in_as_staff(page, site_folder, "recruiter")
    address = opened_link(page)
    expect_well_made_at_both_sizes(page)
    one = new_page(**PHONE)
    one.goto(f"{address}?WHO=one")
    expect_well_made_at_both_sizes(one)
    one.get_by_role("link", name="I do not agree").click()
    expect(one.locator("#outcome")).to_have_text("NO-THANKS")
    expect_well_made_at_both_sizes(one)
    one.goto(f"{address}?WHO=one")
    one.get_by_label("I have read this").check()
    one.get_by_role("button", name="Take part").click()
    expect(one.locator("#next-game")).to_be_visible()
    one.locator("#coming-back ~ details summary").click()
    expect_well_made_at_both_sizes(one)
    goes_on_elsewhere(new_page(**PHONE), f"{address}?WHO=one", one.locator("#return-code"))
    page.reload()
    expect(page.get_by_role("heading", name="Labels")).to_be_visible()
    expect_well_made_at_both_sizes(page)
    page.get_by_role("link", name="Show every way out").click()
    expect(page.locator("main dl")).to_contain_text("NO-THANKS")
    expect_well_made_at_both_sizes(page)
    page.goto("/trials/linked/")
    expect(page.get_by_role("region", name="From where places")).to_contain_text("way in: the code")
    assert page.evaluate(SCROLLS) == []
    page.goto("/trials/linked/results/")
    for step, people in (("Opened the open link", 1), ("Did not agree", 1), ("Agreed", 1)):
        row = page.locator(".flow__box > div", has_text=step)
        expect(row.locator("dd")).to_have_text(str(people))
    expect_well_made_at_both_sizes(page)


def goes_on_elsewhere(page: Page, address: str, code: Locator) -> None:
    """And gives the place up there, and takes that back."""
    page.goto(address)
    expect_well_made_at_both_sizes(page)
    page.get_by_label("Your code").fill(code.inner_text())
    page.get_by_role("button", name="Go on").click()
    expect(page.locator("#next-game")).to_be_visible()
    page.get_by_role("link", name="Withdraw from the trial").click()
    page.get_by_label("Delete everything").check()
    page.get_by_role("button", name="Withdraw").click()
    expect_well_made_at_both_sizes(page)
    page.get_by_role("button", name="Take part again").click()
    expect(page.locator("#next-game")).to_be_visible()


def opened_link(page: Page) -> str:
    """Where people come, once the link of the trial lets them in."""
    page.goto("/trials/linked/open-link/")
    page.get_by_label("The open link lets people in").check()
    page.get_by_label("An address signed").check()
    page.get_by_role("button", name="Save").click()
    expect_well_made_at_both_sizes(page)  # with its key
    page.get_by_label("The code that was shown").check()
    page.get_by_label("Labels in its address").fill("WHO")
    page.get_by_label("No consent").fill("NO-THANKS")
    page.get_by_role("button", name="Save").click()
    return page.locator("main .hash").inner_text().split("?")[0]
