"""A researcher plans a trial and locks what it is to find out, on a phone and at a desk."""

from pathlib import Path

from playwright.sync_api import expect

from tests.browser.conftest import NewPage
from tests.browser.server import manage
from tests.browser.test_accessibility import BOTH
from tests.browser.test_trials import expect_well_made
from tests.browser.trials import sign_in_as_staff


@BOTH
def test_a_plan_is_worked_out_anew_for_other_people(
    new_page: NewPage, site: str, site_folder: Path, screen: dict[str, object]
) -> None:
    page = new_page(**screen)
    sign_in_as_staff(page, site_folder, "plans-phone" if screen else "plans-desk")
    page.get_by_role("link", name="Plan one").click()
    expect_well_made(page)
    page.get_by_label("People", exact=True).fill("6")
    page.get_by_label("Games of each").fill("50")
    page.get_by_label("Difference to be found").fill("8")
    page.get_by_role("button", name="Work it out").click()
    expect(page.locator("#tells + ul")).to_contain_text("6 × 50 games tell ± 18.")
    page.get_by_text("Own figures", exact=True).click()
    page.get_by_label("How far people differ").fill("10")
    expect_well_made(page)
    page.get_by_role("button", name="Work it out").click()
    expect(page.locator("#tells + ul")).to_contain_text("6 × 50 games tell ± 10.")


@BOTH
def test_a_preregistration_is_written_locked_and_shown_with_the_results(
    new_page: NewPage, site: str, site_folder: Path, screen: dict[str, object]
) -> None:
    slug = "locks-phone" if screen else "locks-desk"
    manage(site_folder, "trial_create", slug, "--participants=2", "--games=1")
    page = new_page(**screen)
    sign_in_as_staff(page, site_folder, slug)
    page.goto(f"/trials/{slug}/preregistration/")
    expect_well_made(page)
    page.get_by_label("Hypotheses").fill("They learn.")
    page.get_by_label("What decisions cost, in points a game").check()
    page.get_by_label("Learning").check()
    page.get_by_label("When every place is taken").check()
    page.get_by_role("button", name="Save the draft").click()
    expect_well_made(page)
    page.get_by_role("button", name="Lock it for good").click()
    expect(page.locator(".messages")).to_contain_text("locked")
    expect_well_made(page)
    page.get_by_role("link", name="Results").click()
    expect(page.get_by_role("heading", name="The planned analysis")).to_be_visible()
    expect_well_made(page)
    page.get_by_role("link", name="Monitor").click()
    expect(page.locator(".log")).to_contain_text("Preregistration locked")
    expect_well_made(page)
