"""axe finds nothing on any page, in either theme, on a phone or on a desk."""

import json
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit
from zlib import crc32

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Complaints, NewPage
from tests.browser.steps import PHONE, begin, finish, first_open, play_best, play_turns
from tests.selection import exhaustive

AXE = (Path(__file__).parent / "axe.min.js").read_text()
# Only what is wrong is told: every node that is in order, as JSON, costs more than looking at it.
VIOLATIONS = """async (options) => {
    const told = await axe.run({ resultTypes: ["violations"], ...options });
    return told.violations;
}"""
PAGES = (
    "/",
    "/daily/",
    "/history/",
    "/drill/",
    "/drill/history/",
    "/drill/lists/",
    "/five/",
    "/leaders/",
    "/leaders/?span=all",
    "/nickname/",
    "/offline/",
    "/profile/",
    "/profile/leaks/",
    "/statistics/",
    "/explore/",
    "/lab/",
    "/lab/tournament/",
    "/lab/learners/",
    "/lab/yahtzee/learners/",
    "/lab/same-value/",
    "/lab/players/optimal/",
    "/lab/players/dice-based/",
    "/lab/sources/",
    "/lab/workbench/",
    "/lab/study/",
    "/lab/study/readings/",
    "/dice-test/",
    "/dice-test/?of=study",
    "/api/",
    "/rules/",
    "/fair/",
    "/settings/",
    "/account/signup/",
    "/account/login/",
    "/account/recover/",
    "/account/delete/",
)
# Pages that axe meets elsewhere with a change: filled, or the same about somebody else.
ELSEWHERE = {
    "/daily/",
    "/history/",
    "/drill/",
    "/five/",
    "/leaders/",
    "/leaders/?span=all",
    "/profile/",
    "/profile/leaks/",
    "/statistics/",
    "/lab/yahtzee/learners/",
    "/lab/players/dice-based/",
    "/dice-test/?of=study",
}
THEMES: tuple[Literal["light"], Literal["dark"]] = ("light", "dark")
PASSWORD = "nine dice and a cup"
ONE_OF_BOTH = pytest.mark.sampled("screen")
BOTH = pytest.mark.parametrize(
    "screen",
    [
        pytest.param({}, id="desk", marks=ONE_OF_BOTH),
        pytest.param(PHONE, id="phone", marks=ONE_OF_BOTH),
    ],
)


def expect_accessible(page: Page) -> None:
    """Playwright evaluates past the page's policy, so axe needs no exception from it.

    With a change in one theme, each address in its own; at night in both.
    """
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE)
    first, second = THEMES if crc32(urlsplit(page.url).path.encode()) % 2 else THEMES[::-1]
    page.emulate_media(color_scheme=first, reduced_motion="reduce")
    _expect_nothing(page.evaluate(VIOLATIONS, {}))
    if exhaustive():
        page.emulate_media(color_scheme=second, reduced_motion="reduce")
        _expect_nothing(page.evaluate(VIOLATIONS, {"runOnly": ["color-contrast"]}))


def _expect_nothing(violations: list[dict[str, Any]]) -> None:
    found = [(rule["id"], [n["html"] for n in rule["nodes"]]) for rule in violations]
    assert found == [], json.dumps(found, indent=1)


@BOTH
def test_pages(new_page: NewPage, screen: dict[str, object]) -> None:
    page = new_page(**screen)
    for address in PAGES if exhaustive() else [one for one in PAGES if one not in ELSEWHERE]:
        page.goto(address)
        expect_accessible(page)


@BOTH
def test_a_game_from_the_first_throw_to_the_end(
    new_page: NewPage, screen: dict[str, object]
) -> None:
    page = new_page(**screen)
    begin(page)
    play_turns(page, 5)
    page.locator("#die-0").click()
    for details in page.locator(".about summary").all():
        details.click()
    expect_accessible(page)
    watch = page.locator("#share a").get_attribute("href") or ""
    finish(page)
    game = page.url
    for address in (game, watch, f"{game}verify", "/history/"):
        page.goto(address)
        expect_accessible(page)


def test_the_daily_game_and_its_result(page: Page) -> None:
    page.goto("/daily/")
    page.get_by_role("button", name="Play today's game").click()
    expect(page.locator("#board")).to_have_attribute("data-seq", "1")
    finish(page)
    expect_accessible(page)
    page.goto("/daily/")
    expect(page.locator(".mine")).to_be_visible()
    expect_accessible(page)
    for address in ("/leaders/", "/statistics/"):
        page.goto(address)
        expect_accessible(page)
    page.goto("/daily/")
    page.goto(page.locator("#share-result").get_attribute("href") or "")
    expect_accessible(page)


@BOTH
def test_five_a_day_from_the_first_to_the_result(
    new_page: NewPage, screen: dict[str, object]
) -> None:
    page = new_page(**screen)
    page.goto("/five/")
    for place in range(5):
        looked_at = place == 0 or exhaustive()  # the same page with other dice
        if looked_at:
            expect_accessible(page)
        first_open(page).click()
        expect(page.locator(".drill__verdict")).to_be_visible()
        if looked_at:
            expect_accessible(page)
        page.locator("#roll").click()
    page.get_by_text("A text to share").click()
    expect(page.locator("#share-text")).to_be_visible()
    expect_accessible(page)


@BOTH
def test_menu_keys_and_the_question_before_a_costly_choice(
    new_page: NewPage, screen: dict[str, object]
) -> None:
    page = new_page(**screen)
    page.goto("/settings/")
    page.get_by_label("filled with nothing").check()
    page.get_by_role("button", name="Save").click()
    expect_accessible(page)
    begin(page)
    page.locator("#box-yatzy[data-nothing]").click()
    expect(page.get_by_role("button", name="Score 0 in Yatzy")).to_be_visible()
    expect_accessible(page)
    page.locator("#choose").click()
    expect(first_open(page)).to_be_visible()
    page.keyboard.press("?")
    expect_accessible(page)
    page.keyboard.press("Escape")
    if screen:
        page.get_by_role("button", name="Menu").click()
        expect_accessible(page)


def test_a_live_hint_and_the_end_of_a_flawless_game(page: Page) -> None:
    page.goto("/")
    page.locator("#level").select_option("live")
    page.locator("#roll").click()
    expect(page.locator("#board")).to_have_attribute("data-seq", "1")
    page.locator("#hint").click()
    page.locator("#status .why").click()
    expect(page.locator(".coach__reason")).to_be_visible()
    expect_accessible(page)
    page.keyboard.press("Escape")
    play_best(page)
    expect(page.locator("[data-moment='flawless']").first).to_be_visible()
    expect_accessible(page)


def test_an_account_and_its_recovery_code_when_it_is_shown(page: Page) -> None:
    page.goto("/account/signup/")
    page.locator("[name=username]").fill("somebody")
    page.locator("[name=password1]").fill(PASSWORD)
    page.locator("[name=password2]").fill(PASSWORD)
    page.locator("main [type=submit]").click()
    page.goto("/account/")
    expect(page.get_by_text("You are signed in as somebody.")).to_be_visible()
    expect_accessible(page)
    page.goto("/account/recovery-code/")
    expect_accessible(page)
    page.locator("[name=password]").fill(PASSWORD)
    page.locator("main [type=submit]").click()
    expect(page.locator("#code")).to_be_visible()
    expect_accessible(page)


def test_errors_in_a_form_and_error_pages(page: Page, complaints: Complaints) -> None:
    page.goto("/account/signup/")
    page.locator("[name=username]").fill("somebody new")
    page.locator("[name=password1]").fill("short")
    page.locator("[name=password2]").fill("other")
    page.locator("main [type=submit]").click()
    expect(page.locator(".errors").first).to_be_visible()
    expect_accessible(page)
    page.goto("/nowhere/")
    expect_accessible(page)
    complaints.expect("404")
