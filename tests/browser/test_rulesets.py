"""Every ruleset is chosen on the first page and played to its end; jokers and chips have room."""

from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, expect

from solver.rules import RULESETS, Ruleset
from tests.browser import server
from tests.browser.conftest import NewPage
from tests.browser.steps import (
    PHONE,
    begin,
    decided,
    expect_finished,
    finish,
    first_open,
    play_turns,
)
from tests.browser.test_accessibility import expect_accessible
from tests.browser.test_layout import expect_tidy, expect_tidy_everywhere
from tests.selection import exhaustive

OTHERS = [rules for rules in RULESETS.values() if rules.id != "yatzy"]
EVERY = pytest.mark.parametrize("rules", RULESETS.values(), ids=RULESETS)
PREPARE = """
from game.core.fair.blocks import commitment
from game.models import Game
from game.core.game_queries import game_played
from tests.game.joker_games import before_joker, kept_playing
from tests.jokers import SEED
game = Game.objects.filter(pk="{game}")
game.update(seed=SEED, commitment=commitment(SEED))
played = game_played(game.get())
"""


def choose(page: Page, ruleset: str) -> None:
    page.locator(f"#rules-{ruleset}").click()
    expect(page.locator("#board")).to_have_attribute("data-rules", ruleset)
    expect(page.locator(f"#rules-{ruleset}")).to_have_attribute("aria-current", "true")


def on(page: Page, folder: Path, *, joker: str = "") -> None:
    """Goes on with dice that bring jokers: up to such a joker, or to the end."""
    game = urlsplit(page.url).path.split("/")[2]
    deed = f"before_joker(played, {joker!r})" if joker else "kept_playing(played)"
    server.manage(folder, "shell", "-c", PREPARE.format(game=game) + deed)
    page.goto(page.url)


@pytest.mark.sampled("rules")
@EVERY
def test_a_game_is_chosen_and_played_to_its_end(page: Page, rules: Ruleset) -> None:
    page.goto("/")
    if rules.id != "yatzy":
        choose(page, rules.id)
    turns = len(rules.categories)
    expect(page.locator(".box")).to_have_count(turns)
    by_hand = turns if exhaustive() else 2
    for turn in range(by_hand):
        page.locator("#roll").click()
        decided(page, 3 * turn + 1)
        page.locator("#die-0").click()
        expect(page.locator("#die-0")).to_have_attribute("aria-pressed", "true")
        kept = page.locator("#die-0 use").get_attribute("href") or ""
        page.locator("#roll").click()
        decided(page, 3 * turn + 2)
        expect(page.locator("#die-0 use")).to_have_attribute("href", kept)
        first_open(page).click()
        decided(page, 3 * turn + 3)
    if by_hand < turns:
        page.locator("#roll").click()
        decided(page, 3 * by_hand + 1)
        play_turns(page, turns)
    expect_finished(page, turns)
    page.locator("#again").click()
    expect(page.locator("#board")).to_have_attribute("data-rules", rules.id)
    expect(page.locator("#board")).to_have_attribute("data-phase", "roll")


def test_rules_are_chosen_by_touch_and_without_a_script(new_page: NewPage) -> None:
    page = new_page(**PHONE, java_script_enabled=False)
    page.goto("/")
    page.locator("#rules-yahtzee").tap()
    expect(page.locator(".box")).to_have_count(13)
    page.locator("#roll").tap()
    decided(page, 1)
    expect(page.locator(".meta__mode")).to_have_text("Yahtzee")
    finish(page, 13)


def test_the_coach_and_the_focus_stay_when_the_rules_are_changed(page: Page) -> None:
    page.goto("/")
    page.locator("#level").select_option("after")
    page.locator("#rules-yahtzee").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#board")).to_have_attribute("data-rules", "yahtzee")
    expect(page.locator("#level")).to_have_value("after")
    expect(page.locator("#rules-yahtzee")).to_be_focused()
    expect(page).to_have_title("Yahtzee")
    assert page.url.endswith("/?rules=yahtzee")
    page.keyboard.press("?")
    expect(page.locator("#keys")).to_contain_text("n")


@pytest.mark.sampled("rules")
@pytest.mark.parametrize("rules", OTHERS, ids=[rules.id for rules in OTHERS])
def test_nothing_overlaps_with_other_rules(page: Page, rules: Ruleset, site_folder: Path) -> None:
    page.goto(f"/?rules={rules.id}")
    expect_tidy_everywhere(page)
    page.locator("#roll").click()
    decided(page, 1)
    expect_tidy_everywhere(page)
    if rules.joker:
        on(page, site_folder, joker="own" if rules.joker.policy == "forced" else "any")
        expect_tidy_everywhere(page)
    on(page, site_folder)
    expect_finished(page, len(rules.categories))
    expect_tidy_everywhere(page)


def test_a_joker_and_its_chips_are_told_and_fit_a_small_phone(
    new_page: NewPage, site_folder: Path
) -> None:
    page = new_page(**PHONE)
    begin(page, "yahtzee")
    on(page, site_folder, joker="lower")
    expect(page.locator(".status")).to_contain_text("A joker: Sixes is filled")
    expect(page.locator(".bonus--chips")).to_contain_text("200")
    expect(page.locator(".bonus--chips")).to_contain_text("100 for these dice")
    for selector in ("#roll", "#die-4", "#box-large_straight", ".total", ".bonus--chips"):
        expect(page.locator(selector)).to_be_in_viewport(ratio=1)
    expect_accessible(page)
    page.locator("#box-large_straight").tap()
    expect(page.locator(".bonus--chips .bonus__points")).to_have_text("300")
    on(page, site_folder)
    expect(page.locator(".over__chips")).to_have_text("400 of them Yahtzee bonus")
    expect(page.locator("#again")).to_be_in_viewport(ratio=1)
    expect_accessible(page)


CUT = """() => { const status = document.querySelector(".status");
    return status.scrollHeight > status.clientHeight + 1 ? status.textContent.trim() : ""; }"""


KINDS = [("yahtzee", ["own", "lower", "upper"]), ("yahtzee-free-joker", ["any"])]


@pytest.mark.sampled("ruleset", "kinds")
@pytest.mark.parametrize(("ruleset", "kinds"), KINDS, ids=[ruleset for ruleset, _ in KINDS])
def test_what_a_joker_may_do_has_room_in_every_language(
    new_page: NewPage, site_folder: Path, ruleset: str, kinds: list[str]
) -> None:
    page = new_page(**PHONE)
    begin(page, ruleset)
    for kind in kinds:
        on(page, site_folder, joker=kind)
        for language in ("en", "sv", "nb", "da", "fi") if exhaustive() else ("da", "fi"):
            page.context.add_cookies(
                [{"name": "django_language", "value": language, "url": page.url}]
            )
            page.reload()
            expect(page.locator("html")).to_have_attribute("lang", language)
            for width in (320, 360) if exhaustive() else (320,):
                page.set_viewport_size({"width": width, "height": 720})
                assert page.evaluate(CUT) == ""
                expect_tidy(page)


def test_pages_of_other_rules_are_accessible(page: Page) -> None:
    for address in ("/?rules=yahtzee", "/daily/yahtzee/", "/rules/yahtzee/"):
        page.goto(address)
        expect_accessible(page)
