"""A trial with arms in real browsers: its results, and the time that a decision took."""

import csv
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.browser.conftest import Complaints, NewPage
from tests.browser.server import manage
from tests.browser.steps import PHONE, decided
from tests.browser.test_accessibility import expect_accessible
from tests.browser.test_layout import expect_no_sideways
from tests.browser.trials import join, make_trial, sign_in_as_staff
from tests.selection import exhaustive


def test_the_results_of_arms_on_every_screen(
    new_page: NewPage, site_folder: Path, tmp_path: Path
) -> None:
    options = ("--participants=4", "--games=1", f"--out={tmp_path}/out", "--formats=csv")
    told = manage(site_folder, "trial_rehearse", "--arms=coach=off,coach=after", *options)
    slug = told.split("kept as ")[1].strip(" .\n")
    screens: dict[str, dict[str, object]] = {"arms-phone": PHONE, "arms-desk": {}}
    for name, screen in list(screens.items())[: 2 if exhaustive() else 1]:
        page = new_page(**screen)
        sign_in_as_staff(page, site_folder, name)
        page.goto(f"/trials/{slug}/results/")
        expect(page.get_by_role("heading", name="What the arms tell")).to_be_visible()
        page.get_by_text("The arms, phase by phase").click()
        expect(page.get_by_role("region", name="The arms, phase by phase")).to_be_visible()
        expect_accessible(page)
        expect_no_sideways(page)


def closed(page: Page, folder: Path, slug: str) -> None:
    """Which unmasks it: until then it exports no decision."""
    sign_in_as_staff(page, folder, "closer")
    page.goto(f"/trials/{slug}/")
    page.get_by_text("Close the trial").click()
    page.get_by_role("button", name="Close it now").click()
    page.get_by_role("button", name="Close it all the same").click()
    expect(page.locator("header.trial")).to_contain_text("Closed")


def test_how_long_a_decision_took_here_is_exported(
    page: Page,
    new_page: NewPage,
    site: str,
    site_folder: Path,
    tmp_path: Path,
    complaints: Complaints,
) -> None:
    link, *_ = make_trial(site_folder, site, "timed", "--participants=1", "--games=1")
    page.clock.install()
    join(page, link)
    page.locator("#next-game").click()
    decided(page, 1)
    page.wait_for_load_state()
    page.clock.fast_forward("05:00")  # in which a socket that was still opening is given up
    page.locator("#roll").click()
    decided(page, 2)
    page.locator("#roll").click()
    decided(page, 3)
    closed(new_page(), site_folder, "timed")
    manage(site_folder, "trial_export", "timed", f"--out={tmp_path}/out", "--formats=csv")
    with (tmp_path / "out" / "decisions.csv").open(encoding="utf-8-sig") as file:
        first, second = [int(row["client_milliseconds"]) for row in csv.DictReader(file)]
    assert first >= 300_000
    assert second < 300_000
    given_up = "closed before the connection is established"
    complaints.expect(given_up)
