"""A game of the lab's same-value test, from the page of the players and back to it."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from solver.advice import Advisor
from tests.browser.conftest import NewPage
from tests.browser.steps import PHONE, decided, finish, first_open, points
from tests.browser.test_accessibility import BOTH, expect_accessible
from tests.browser.test_layout import expect_no_sideways, expect_tidy, expect_touchable
from tests.game.lab import SEED, keep, same_dice

PAGE = f"/lab/same-value/?seed={SEED}&game=2"


@pytest.fixture(autouse=True)
def lab(advisor: Advisor, site_folder: Path) -> None:
    keep(same_dice(advisor), site_folder)


def expect_well_made(page: Page) -> None:
    expect_accessible(page)
    expect_no_sideways(page)
    expect_touchable(page)


def begin(page: Page) -> None:
    page.goto(PAGE)
    page.get_by_role("button", name="Play this game yourself").click()
    decided(page, 0)
    page.locator("#roll").click()
    decided(page, 1)


@BOTH
def test_a_game_is_played_and_compared(new_page: NewPage, screen: dict[str, object]) -> None:
    page = new_page(**screen)
    page.goto(PAGE)
    expect(page.locator(".lab__turns")).to_be_hidden()
    expect_well_made(page)
    begin(page)
    expect(page.locator(".meta__kind")).to_have_text("Lab game 2")
    page.locator("#die-0").click()
    page.locator("#roll").click()
    decided(page, 2)
    first_open(page).click()
    decided(page, 3)
    page.locator("#roll").click()
    decided(page, 4)
    finish(page)
    expect_tidy(page)
    (total,) = points(page, ".over__points")
    page.get_by_role("link", name="Compare with the players").click()
    table = page.locator(".lab__turns")
    expect(table).to_be_visible()
    expect(table.get_by_role("columnheader")).to_have_text(
        ["Turn", "You", "Dice-based", "Scorecard-based", "Perfect play"]
    )
    expect(table.locator("tr").last.locator("td").first).to_have_text(str(total))
    expect_well_made(page)


def test_the_turns_wait_until_the_game_is_over(page: Page) -> None:
    begin(page)
    game = page.url
    page.goto(PAGE)
    expect(page.locator(".lab__turns")).to_have_count(0)
    expect_well_made(page)
    page.get_by_role("link", name="Go on playing").click()
    expect(page).to_have_url(game)
    page.goto(f"{game}verify")
    expect(page.locator(".fallen")).to_have_count(0)
    expect_well_made(page)


def test_a_finished_game_can_be_played_again_without_a_script(new_page: NewPage) -> None:
    page = new_page(java_script_enabled=False, **PHONE)
    begin(page)
    game = page.url
    finish(page)
    page.get_by_role("button", name="Play it again").click()
    decided(page, 0)
    expect(page).not_to_have_url(game)
