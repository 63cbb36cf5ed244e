"""Drills, five a day, leaks, the explorer and a number to play to: by keys, thumb, no script."""

import re
from pathlib import Path
from urllib.parse import parse_qs

from playwright.sync_api import Page, expect

from tests.browser import server
from tests.browser.conftest import Complaints, NewPage
from tests.browser.looks import (
    BOTH,
    expect_accessible,
    expect_legible,
    expect_no_sideways,
    expect_no_sideways_at_any_size,
    expect_touchable,
)
from tests.browser.steps import PHONE, decided, ended, first_open, held, play_turns, roll
from tests.known import known
from tests.selection import exhaustive

ANSWER = re.compile(r"/drill/\d+/$")
ANSWERED = "#roll[type=submit]:not([aria-disabled]), .box--open >> nth=0"


def to_a_hold(page: Page) -> None:
    page.goto("/drill/")
    while page.locator("#board").get_attribute("data-phase") == "score":
        first_open(page).click()
        page.wait_for_url(ANSWER)
        page.locator("#roll").click()
        page.wait_for_url(lambda address: not ANSWER.search(address))  # not the old page's phase


def test_positions_are_answered_by_keys_alone(page: Page) -> None:
    to_a_hold(page)
    page.keyboard.press("2")
    held(page, 1)
    page.keyboard.press("?")
    # The focus stays on the button of the closed help until the page is drawn again.
    with page.expect_request(lambda sent: sent.method == "POST") as sent:
        page.evaluate("""() => {
            document.getElementById("keys").close();
            const key = new KeyboardEvent("keydown", { key: " ", bubbles: true });
            document.activeElement.dispatchEvent(key);
        }""")
    (waited,) = parse_qs(known(sent.value.post_data))["waited"]
    assert int(waited) > 0
    page.wait_for_url(ANSWER)
    expect(page.locator(".drill__verdict")).to_be_visible()
    expect(page.locator(".die[data-kept]")).to_have_count(1)
    page.keyboard.press(" ")
    page.wait_for_url(lambda address: not ANSWER.search(address))
    expect(page.locator("button.die[aria-pressed=true]")).to_have_count(0)
    box = first_open(page)
    key = box.get_attribute("data-key") or ""
    page.keyboard.press(key)
    expect(box).to_be_focused()
    page.keyboard.press(key)
    page.wait_for_url(ANSWER)
    expect(page.locator(".box[data-chosen]")).to_have_count(1)


@BOTH
def test_drill_and_profile_are_accessible_and_tidy(
    new_page: NewPage, screen: dict[str, object]
) -> None:
    page = new_page(**screen)
    ended(page)
    to_a_hold(page)
    expect(page.locator(".meta__player")).to_contain_text("From your game of")
    addresses = [page.url]
    for _ in range(6):
        page.goto("/drill/")
        page.locator(ANSWERED).first.click()
        page.wait_for_url(ANSWER)
    expect(page.locator("svg.chart:visible")).to_be_visible()
    for address in (*addresses, page.url, "/you/"):
        page.goto(address)
        for details in page.locator("main summary").all():
            details.click()
        expect_accessible(page)
        expect_touchable(page)
        if exhaustive():
            expect_no_sideways_at_any_size(page)
        else:
            expect_no_sideways(page)


@BOTH
def test_five_a_day_from_the_first_to_the_result_that_is_shared(
    new_page: NewPage, screen: dict[str, object]
) -> None:
    page = new_page(**screen)
    page.add_init_script(
        "for (const name of ['share', 'clipboard'])"
        " Object.defineProperty(Navigator.prototype, name, { value: undefined });"
    )
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
    here = page.url
    page.locator("#share-result").click()
    expect(page.locator("[data-shared]")).to_be_focused()
    assert page.locator("[data-shared]").input_value().strip()
    assert page.url == here


# Leaks

GAMES = """
from game.models import Player
from solver.advice import Advisor
from solver.rules import YATZY
from tests.game.finding_leaks import Watched, one_box
from tests.game.leaky import store_games
advisor = Advisor.open(YATZY)
agent = Watched(advisor, one_box(YATZY)["chance"])
store_games(Player.objects.latest("pk"), advisor, 30, agent)
"""


@BOTH
def test_leaks_and_statistics_are_accessible_tidy_and_legible(
    new_page: NewPage, site_folder: Path, screen: dict[str, object]
) -> None:
    page = new_page(**screen)
    page.goto("/settings/")
    page.locator("main [type=submit]").first.click()
    expect(page.locator("main")).to_be_visible()
    server.manage(site_folder, "shell", "-c", GAMES)
    page.goto("/learn/")
    expect(page.locator(".finding")).to_have_count(1)
    for details in page.locator(".tree details:not([open])").all()[:12]:
        details.evaluate("one => { one.open = true; }")
    page.locator(".review__all summary").first.click()
    expect_accessible(page)
    expect_touchable(page)
    expect_no_sideways_at_any_size(page)
    page.goto("/you/")
    page.evaluate("() => document.querySelectorAll('details').forEach(one => { one.open = true; })")
    page.set_viewport_size(PHONE["viewport"])  # type: ignore[arg-type]
    expect_accessible(page)
    expect_legible(page)


# The explorer


def picked(page: Page) -> list[str | None]:
    return [face.get_attribute("data-face") for face in page.locator(".pick__face:visible").all()]


def test_a_position_is_changed_at_once_shared_and_put_right(
    new_page: NewPage, complaints: Complaints
) -> None:
    page = new_page(**PHONE)
    page.goto("/explore/")
    expect_touchable(page)
    heights = page.locator(".pick, .slot").evaluate_all("all => all.map(one => one.offsetHeight)")
    assert min(heights) >= 44
    best = page.locator("#answer-title")
    assert picked(page) == ["1", "5", "5", "6", "6"]
    answers = [best.text_content()]
    for press, address, faces in (("6", "55666", "65566"), ("5", "55566", "55566")):
        page.get_by_label("Die 1").select_option(press)
        expect(page).to_have_url(re.compile(f"dice={address}&left=2$"))
        expect(best).not_to_have_text(answers[-1] or "")
        answers.append(best.text_content())
        assert picked(page) == [*faces]
    page.locator("[name=left][value='0']").check()
    expect(page.locator(".ranking tbody tr")).to_have_count(15)
    page.get_by_role("checkbox", name="Full house").check()
    page.get_by_role("combobox", name="Sixes").select_option("24")
    expect(page).to_have_url(re.compile(r"filled=sixes.full_house&upper=24&"))
    expect(page.locator(".ranking tbody tr")).to_have_count(13)
    other = new_page()
    other.goto(page.url)
    expect(other.locator("#answer-title")).to_have_text(best.text_content() or "")
    expect(other.get_by_role("combobox", name="Sixes")).to_have_value("24")
    other.goto("/explore/?dice=12349")
    expect(other.locator("#problems")).not_to_be_empty()
    expect_accessible(other)
    other.get_by_role("checkbox", name="Pair", exact=True).check()
    expect(other.locator("#answer-title")).to_contain_text("Hold")
    expect(other.locator("#problems")).to_have_text("")
    complaints.expect("422")


# A number to play to

EXACT = "[data-target][data-chance]:not([hx-get])"


def test_a_number_is_typed_and_its_chance_comes_by_itself_and_moves_nothing(
    new_page: NewPage, complaints: Complaints
) -> None:
    page = new_page(**PHONE)
    page.goto("/")
    page.locator("#options > summary").click()
    number = page.get_by_label("Target score")
    number.fill("9000")
    number.press("Enter")
    expect(page.locator("#status")).to_contain_text("374")  # the most that there is
    expect(number).to_have_value("9000")
    expect(page.locator("[data-target]")).to_have_count(0)
    complaints.expect("400")
    number.fill("120")
    number.press("Enter")
    expect(page.locator("[data-target='120']")).to_be_visible()
    expect(page.locator("#roll")).to_be_focused()
    decided(page, 1)  # Enter began the game
    play_turns(page, 9)
    seq = int(page.locator("#board").get_attribute("data-seq") or 0)
    if page.locator("#board").get_attribute("data-phase") == "roll":
        seq += 1
        roll(page, seq)
    parts = (".card", ".total", "#dice")
    expect(page.locator(EXACT)).to_contain_text("%")
    before = [page.locator(part).first.bounding_box() for part in parts]
    roll(page, seq + 1)
    expect(page.locator(EXACT)).to_contain_text("%")
    assert [page.locator(part).first.bounding_box() for part in parts] == before
