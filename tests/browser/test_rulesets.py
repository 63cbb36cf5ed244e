"""Every ruleset is chosen on the first page and played; jokers, chips, six dice and stock fit."""

from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, expect

from solver.rules import PLAYED, Ruleset
from tests.browser import server
from tests.browser.conftest import NewPage
from tests.browser.looks import expect_accessible, expect_tidy, expect_touchable, sizes
from tests.browser.steps import (
    PHONE,
    begin,
    decided,
    expect_finished,
    expect_phase,
    fill,
    finish,
    first_open,
    held,
    mean_it,
    play_turns,
    roll,
)
from tests.selection import exhaustive

OTHERS = [rules for rules in PLAYED.values() if rules.id != "yatzy"]
PREPARE = """
from game.core.fair.blocks import hash_seed
from game.models import Game
from game.core.game_queries import replay_game
from tests.game.joker_games import before_joker, kept_playing
from tests.jokers import SEED
game = Game.objects.filter(pk="{game}")
game.update(seed=SEED, commitment=hash_seed(SEED))
played = replay_game(game.get())
"""


def on(page: Page, folder: Path, *, joker: str = "") -> None:
    """Go on with dice that bring jokers: up to such a joker, or to the end."""
    game = urlsplit(page.url).path.split("/")[2]
    deed = f"before_joker(played, {joker!r})" if joker else "kept_playing(played)"
    server.manage(folder, "shell", "-c", PREPARE.format(game=game) + deed)
    page.goto(page.url)


def test_rules_are_chosen_by_keys_and_the_coach_stays(page: Page) -> None:
    page.goto("/")
    page.locator("#level").select_option("after")
    page.locator("#rules").press("Enter")
    page.locator("[data-of=yahtzee]").press("Enter")
    expect(page.locator("#board")).to_have_attribute("data-rules", "yahtzee")
    expect(page.locator("[data-of=yahtzee]")).to_have_attribute("aria-current", "true")
    expect(page.locator("#level")).to_have_value("after")
    expect(page.locator("#rules")).to_be_focused()
    expect(page).to_have_title("Yahtzee")
    assert page.url.endswith("/?rules=yahtzee")


@pytest.mark.sampled("rules")
@pytest.mark.parametrize("rules", PLAYED.values(), ids=PLAYED)
def test_a_game_is_chosen_and_played_to_its_end(new_page: NewPage, rules: Ruleset) -> None:
    """Play without a script, by a thumb: the tests of the game have one."""
    page = new_page(java_script_enabled=False, **PHONE)
    page.goto(f"/rules/{rules.id}/")
    page.locator(f'a[href="/?rules={rules.id}"]').first.tap()
    turns = len(rules.categories)
    expect(page.locator(".box")).to_have_count(turns)
    page.locator("#roll").tap()
    decided(page, 1)
    page.locator("#die-0").tap()
    held(page, 0)
    kept = page.locator("#die-0 use").get_attribute("href") or ""
    page.locator("#roll").tap()
    decided(page, 2)
    expect(page.locator("#die-0 use")).to_have_attribute("href", kept)
    fill(first_open(page))
    decided(page, 3)
    roll(page, 4)
    play_turns(page, turns)
    expect_finished(page, turns)
    page.locator("#again").click()
    expect(page.locator("#board")).to_have_attribute("data-rules", rules.id)
    expect_phase(page, "roll")


@pytest.mark.sampled("rules")
@pytest.mark.parametrize("rules", OTHERS, ids=[rules.id for rules in OTHERS])
def test_nothing_overlaps_with_other_rules(page: Page, rules: Ruleset, site_folder: Path) -> None:
    """Twenty boxes on a phone are lower than a thumb likes, or a turn would not fit."""
    page.goto(f"/?rules={rules.id}")
    twenty = len(rules.categories) == 20

    def look() -> None:
        for size in sizes():
            page.set_viewport_size(size)
            expect_tidy(page)
            if not twenty:
                expect_touchable(page)

    look()
    roll(page, 1)
    look()
    expect_accessible(page)
    if rules.joker:
        on(page, site_folder, joker="own" if rules.joker.policy == "forced" else "any")
        look()
        on(page, site_folder)
        expect_finished(page, len(rules.categories))
    else:
        finish(page, len(rules.categories))
    look()
    expect_accessible(page)


CUT = """() => { const status = document.querySelector(".status");
    return status.scrollHeight > status.clientHeight + 1 ? status.textContent.trim() : ""; }"""


def test_jokers_and_their_chips_fit_a_small_phone_in_every_language(
    new_page: NewPage, site_folder: Path
) -> None:
    page = new_page(**PHONE)
    begin(page, "yahtzee")
    chips = page.locator(".bonus--chips")
    for kind in ("own", "lower", "upper") if exhaustive() else ("lower",):
        on(page, site_folder, joker=kind)
        for language in ("sv", "nb", "da", "fi", "en") if exhaustive() else ("da", "fi", "en"):
            page.context.add_cookies(
                [{"name": "django_language", "value": language, "url": page.url}]
            )
            page.reload()
            expect(page.locator("html")).to_have_attribute("lang", language)
            for width in (320, 360):
                page.set_viewport_size({"width": width, "height": 720})
                assert page.evaluate(CUT) == ""
                expect_tidy(page)
        if kind != "lower":
            continue
        page.set_viewport_size(PHONE["viewport"])  # type: ignore[arg-type]
        expect(page.locator(".status")).to_contain_text("Sixes")
        for points in ("200", "100"):  # what there is, and what these dice bring
            expect(chips).to_contain_text(points)
        for selector in ("#roll", "#die-4", "#box-large_straight", ".total", ".bonus--chips"):
            expect(page.locator(selector)).to_be_in_viewport(ratio=1)
        expect_accessible(page)
        fill(page.locator("#box-large_straight"))
        expect(chips.locator(".bonus__points")).to_have_text("300")
    on(page, site_folder)
    expect(page.locator(".over__chips")).to_contain_text("400")
    expect(page.locator("#again")).to_be_in_viewport(ratio=1)
    expect_accessible(page)


def test_twenty_boxes_and_six_dice_fit_a_phone_and_have_their_keys(new_page: NewPage) -> None:
    page = new_page(**PHONE)
    begin(page, "maxi-yatzy")
    expect(page.locator(".die")).to_have_count(6)
    expect(page.locator(".box")).to_have_count(20)
    rows = [box.bounding_box() for box in page.locator(".box").all()]
    assert min(row["height"] for row in rows if row) >= 36  # 24 is what WCAG 2.2 asks of a target
    for size in (PHONE["viewport"], {"width": 640, "height": 360}):  # upright, and lying
        page.set_viewport_size(size)  # type: ignore[arg-type]
        for selector in ("#roll", "#die-0", "#die-5", "#box-ones", "#box-maxi_yatzy", ".total"):
            expect(page.locator(selector)).to_be_in_viewport(ratio=1)
    page.locator("#die-5").tap()
    held(page, 5)
    page.keyboard.press("6")
    held(page, 5, False)
    page.locator("#roll").tap()
    decided(page, 2)
    page.set_viewport_size({"width": 1280, "height": 800})
    for key, box in (("g", "pair"), ("ArrowRight", "villa"), ("ArrowLeft", "pair")):
        page.keyboard.press(key)
        expect(page.locator(f"#box-{box}")).to_be_focused()
    page.keyboard.press("v")
    page.keyboard.press("v")
    mean_it(page, 2)
    decided(page, 3)
    expect(page.locator("#box-maxi_yatzy")).to_have_count(0)
