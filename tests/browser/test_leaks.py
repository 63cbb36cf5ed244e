"""The leak finder as people use it: on every screen, in either theme, with and without a script."""

from pathlib import Path

from playwright.sync_api import Page, expect

from tests.browser import server
from tests.browser.conftest import NewPage
from tests.browser.steps import PHONE
from tests.browser.test_accessibility import BOTH, expect_accessible
from tests.browser.test_feel import smallest_word
from tests.browser.test_layout import expect_no_sideways, expect_touchable, sizes

GAMES = """
from game.models import Player
from solver.advice import Advisor
from solver.rules import YATZY
from solver.players.erring import Erring
from tests.game.habits import HABITS, Habitual
from tests.game.leaky import store_games
advisor = Advisor.open(YATZY)
habit = Habitual(Erring(advisor, 1.0, 0.7), HABITS["fills Chance early"], 1.0)
store_games(Player.objects.latest("pk"), advisor, 15, habit)
"""


def to_the_leaks(page: Page, folder: Path) -> None:
    """As somebody who has played."""
    page.goto("/settings/")
    page.locator("main [type=submit]").first.click()
    expect(page.locator("main")).to_be_visible()
    server.manage(folder, "shell", "-c", GAMES)
    page.goto("/profile/leaks/")
    expect(page.locator(".finding")).to_have_count(1)


@BOTH
def test_it_is_accessible_and_tidy(
    new_page: NewPage, site_folder: Path, screen: dict[str, object]
) -> None:
    page = new_page(**screen)
    to_the_leaks(page, site_folder)
    expect_accessible(page)
    for details in page.locator(".tree details:not([open])").all()[:12]:
        details.evaluate("one => { one.open = true; }")
    page.locator(".review__all summary").first.click()
    expect_accessible(page)
    expect_touchable(page)
    for size in sizes():
        page.set_viewport_size(size)
        expect_no_sideways(page)


def test_the_statistics_of_somebody_who_has_played_are_legible_on_a_phone(
    new_page: NewPage, site_folder: Path
) -> None:
    page = new_page(**PHONE)
    to_the_leaks(page, site_folder)
    page.goto("/statistics/")
    expect_accessible(page)
    assert smallest_word(page) >= 10.99


def test_a_leak_is_opened_and_drilled_without_a_script(
    new_page: NewPage, site_folder: Path
) -> None:
    page = new_page(java_script_enabled=False)
    to_the_leaks(page, site_folder)
    closed = page.locator(".tree .tree summary").first
    below = page.locator(".tree .tree .tree .leak__name").first
    expect(below).to_be_hidden()
    closed.click()
    expect(below).to_be_visible()
    name = page.locator(".finding h2").first.inner_text().split("\n")[0].strip()
    page.locator(".finding .button").first.click()
    note = page.locator(".coach__note").first
    expect(note).to_contain_text("Only your mistakes in one place")
    expect(note).to_contain_text(name)
    page.locator("#roll[type=submit], .box--open").first.click()
    page.get_by_role("button", name="Next position").click()
    expect(note).to_contain_text("Only your mistakes in one place")
    page.get_by_role("link", name="Drill everything").click()
    expect(page.locator("text=Only your mistakes")).to_have_count(0)
