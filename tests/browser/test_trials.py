"""A trial in real browsers: the participant's phone, the researcher's desk, the dice on a table."""

import csv
import re
from pathlib import Path
from time import monotonic

from playwright.sync_api import Page, expect

from tests.browser.conftest import Complaints, NewPage
from tests.browser.looks import (
    BOTH,
    expect_accessible,
    expect_no_sideways,
    expect_tidy,
    expect_touchable,
    expect_well_made,
)
from tests.browser.server import manage
from tests.browser.steps import PHONE, decided, finish, first_open, roll
from tests.browser.trials import join, make_trial, sign_in_as_staff, walk_the_road
from tests.selection import exhaustive

SIZES = [{"width": 360, "height": 740}, {"width": 1280, "height": 800}]
ARMS = ("--arms=coach=off,coach=after", "--before=1", "--after=1", "--no-questionnaire")
SCROLLS = """[...document.querySelectorAll("main *")]
    .filter(it => it.scrollWidth > it.clientWidth + 1 && getComputedStyle(it).overflowX === "auto")
    .map(it => it.getAttribute("aria-label") || it.className)"""


def expect_well_made_at_both_sizes(page: Page) -> None:
    """Neither the page nor a table within it is to be scrolled to the side.

    With a change axe looks at one of them, as it does when a test has a screen.
    """
    for size in SIZES:
        page.set_viewport_size(size)  # type: ignore[arg-type]
        if size == SIZES[0] or exhaustive():
            expect_accessible(page)
        expect_no_sideways(page)
        expect_touchable(page)
        assert page.evaluate(SCROLLS) == []


def press(page: Page, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()


# Participants


@BOTH
def test_a_participant_reads_agrees_plays_and_withdraws(
    new_page: NewPage, site: str, site_folder: Path, screen: dict[str, object]
) -> None:
    link, *_ = make_trial(site_folder, site, "one", "--participants=1", "--games=2")
    page = new_page(**screen)
    page.goto(link)
    expect_well_made(page)
    join(page, link)
    expect_well_made(page)
    page.locator("#next-game").click()
    decided(page, 1)
    expect_tidy(page)
    expect_accessible(page)
    finish(page)
    expect_accessible(page)
    press(page, "Next game")
    decided(page, 1)
    expect(page.locator(".meta__kind")).to_contain_text("2 of 2")
    page.get_by_role("link", name="About the trial").click()
    page.get_by_role("link", name="Withdraw from the trial").click()
    expect_well_made(page)
    page.get_by_label("Delete all my games").check()
    press(page, "Withdraw")
    expect(page.get_by_label("Delete all my games")).to_have_count(0)
    expect_well_made(page)


@BOTH
def test_real_dice_take_a_key_for_each_that_is_thrown(
    new_page: NewPage, site: str, site_folder: Path, screen: dict[str, object]
) -> None:
    options = ("--participants=1", "--games=1", "--dice=real")
    (link,) = make_trial(site_folder, site, "dice", *options)
    page = new_page(**screen)
    join(page, link)
    page.locator("#next-game").click()
    expect(page.locator("#faces")).to_be_visible()
    expect_tidy(page)
    expect_accessible(page)
    page.keyboard.type("55166")
    decided(page, 1)
    expect_tidy(page)
    for slot in (0, 1):
        page.locator(f"#die-{slot}").click()
    page.locator("#roll").click()
    expect(page.locator("#faces")).to_have_attribute("placeholder", "3 4 5")
    page.keyboard.type("123")  # of the three that were thrown the third sends it
    decided(page, 2)
    expect(page.locator("#die-0")).to_have_accessible_name("die 1, shows five, held")
    page.locator("#correction summary").click()
    page.locator("#faces-again").fill("1 1 3")
    press(page, "Correct it")
    expect(page.locator("#die-3")).to_have_accessible_name("die 4, shows one")
    first_open(page).click()
    expect(page.locator("#faces")).to_be_visible()
    for face in (6, 6, 6, 5, 4):
        page.locator(f'[data-face="{face}"]').click()
    expect(page.locator("#roll")).to_be_visible()


@BOTH
def test_one_tablet_goes_round_the_table(
    new_page: NewPage, site: str, site_folder: Path, screen: dict[str, object]
) -> None:
    options = ("--preset=study", "--participants=2", "--games=1")
    page = new_page(**screen)
    for link in make_trial(site_folder, site, "round", *options):
        join(page, link)
    expect_well_made(page)
    press(page, "Pass to P01")
    for following in ("P02", "P01"):
        expect(page.locator("#faces")).to_be_visible()
        page.wait_for_load_state()  # before that nothing listens to keys
        page.keyboard.type("55166")
        first_open(page).click()
        expect(page.get_by_role("region", name="Dice")).to_contain_text(following)
        expect_tidy(page)
        expect_accessible(page)
        press(page, f"Pass to {following}")
    expect(page.locator(".box--used")).to_have_count(1)
    page.get_by_role("link", name="About the trial").click()
    expect(page.get_by_text("P01, P02")).to_be_visible()
    ways_out = page.get_by_role("region", name="Ways out")
    ways_out.get_by_role("button", name="Leave this device").click()
    expect(page.locator("main")).to_contain_text("P02")
    expect(page.locator("main")).not_to_contain_text("P01")


def opened_link(page: Page) -> str:
    page.goto("/trials/linked/people/")
    page.get_by_label("People join by").select_option("open")
    press(page, "Save")
    page.get_by_text("More", exact=True).click()
    page.get_by_label("External IDs in the address").fill("WHO")
    page.get_by_label("No consent: code or address").fill("NO-THANKS")
    press(page, "Save")
    page.get_by_text("More", exact=True).click()
    expect_well_made_at_both_sizes(page)
    page.goto("/trials/linked/open/")
    expect_well_made_at_both_sizes(page)
    return page.locator("main .hash").first.inner_text().split("?")[0]


def test_an_open_link_from_its_form_to_a_stranger_who_opens_it(
    page: Page, new_page: NewPage, site: str, site_folder: Path
) -> None:
    make_trial(site_folder, site, "linked", "--participants=1", "--games=1", *ARMS)
    sign_in_as_staff(page, site_folder, "recruiter")
    address = f"{opened_link(page)}?WHO=one"
    one, elsewhere = new_page(**PHONE), new_page(**PHONE)
    one.goto(address)
    expect_well_made_at_both_sizes(one)
    one.get_by_role("link", name="I do not agree").click()
    expect(one.locator("#outcome")).to_have_text("NO-THANKS")
    expect_well_made_at_both_sizes(one)
    one.goto(address)
    one.get_by_label("I have read this").check()
    press(one, "Take part")
    one.locator("#coming-back ~ details summary").click()
    expect_well_made_at_both_sizes(one)
    elsewhere.goto(address)
    expect_well_made_at_both_sizes(elsewhere)
    elsewhere.get_by_label("Your code").fill(one.locator("#return-code").inner_text())
    press(elsewhere, "Go on")
    expect(elsewhere.locator("#next-game")).to_be_visible()
    page.reload()
    page.get_by_role("link", name="Walk through").click()
    expect_well_made_at_both_sizes(page)
    page.goto("/trials/linked/")
    expect_accessible(page)
    expect_no_sideways(page)
    assert page.evaluate(SCROLLS) == []


# Questions

EVERY_KIND = """
before:
  - title: Every kind of question
    text: One of each.
    questions:
      - key: name
        kind: text
        ask: What do you call the game?
        help: A word is enough.
        required: yes
      - {key: why, kind: text, long: yes, ask: Why?}
      - {key: age, kind: number, ask: How old are you?, from: 18, to: 99, unit: years}
      - {key: pet, kind: choice, ask: A pet?, options: {cat: A cat, no: None}}
      - {key: food, kind: several, ask: What do you eat?, options: {bread: Bread, fish: Fish}}
      - {key: sure, kind: likert, ask: How sure are you?, labels: [not at all, very], points: 7}
      - {key: often, kind: likert, ask: How often?, labels: [never, sometimes, always]}
      - key: agree
        kind: likert
        ask: How far do you agree?
        labels: [not at all, completely]
        rows: {fun: It is fun., luck: It is all luck.}
      - {key: tired, kind: slider, ask: How tired are you?, labels: [not at all, very]}
"""
TIRED = "How tired are you?"
NAME = "What do you call the game?"


def asked(page: Page, folder: Path, site: str, slug: str, questions: str = EVERY_KIND) -> None:
    file = folder / f"{slug}.yaml"
    file.write_text(questions, encoding="utf-8")
    options = ("--participants=1", "--games=1", "--no-questionnaire", f"--questions={file}")
    (link,) = make_trial(folder, site, slug, *options)
    page.goto(link)
    page.get_by_label("I have read this").check()
    press(page, "Take part")
    expect(page.locator("form.asked")).to_be_visible()


@BOTH
def test_questions_of_every_kind_are_well_made_and_answered_by_keyboard(
    new_page: NewPage, site: str, site_folder: Path, screen: dict[str, object]
) -> None:
    page = new_page(**screen)
    asked(page, site_folder, site, "asked")
    expect_well_made(page)
    number = page.get_by_role("textbox", name=TIRED)
    slider = page.get_by_role("slider", name=TIRED)
    expect(number).to_have_value("")  # it answers when it is moved, and not before
    slider.focus()
    page.keyboard.press("ArrowRight")
    expect(number).to_have_value("51")
    number.fill("20")
    expect(slider).to_have_value("20")
    page.get_by_label("How old are you?").fill("7")
    press(page, "Go on")
    expect(page.get_by_role("alert")).to_be_focused()
    expect(page.get_by_role("alert").get_by_role("link")).to_have_count(2)
    described = page.get_by_label("How old are you?").get_attribute("aria-describedby") or ""
    assert len(described.split()) == 2  # the hint and the fault
    expect_well_made(page)
    expect(slider).to_have_value("20")
    page.get_by_label("How old are you?").fill("70")
    page.get_by_label(NAME).focus()
    page.keyboard.type("Yatzy")
    for name in ("A pet?", "How sure are you?", "How often?", "It is fun.", "It is all luck."):
        page.get_by_role("group", name=name).get_by_role("radio").first.focus()
        page.keyboard.press("Space")
        page.keyboard.press("ArrowDown")
    number.focus()
    page.keyboard.press("Enter")
    expect(page.locator("#next-game")).to_be_visible()


# Researchers


def look_again(researcher: Page) -> None:
    """The next time that the page of the monitor reads the trial."""
    with researcher.expect_response(lambda answer: "/monitor/" in answer.url):
        researcher.clock.run_for(10_000)


def test_the_researcher_sees_every_move_at_the_next_look(
    page: Page, new_page: NewPage, site: str, site_folder: Path, complaints: Complaints
) -> None:
    links = make_trial(site_folder, site, "watched", "--participants=2", "--games=1")
    sign_in_as_staff(page, site_folder, "watcher")
    page.clock.install()
    page.goto("/trials/watched/monitor/")
    row = page.locator("#participant-2")
    expect(row).to_contain_text("Not begun")
    participant = new_page(**PHONE)
    participant.clock.install()
    join(participant, links[1])
    participant.locator("#next-game").click()
    decided(participant, 1)
    look_again(page)
    expect(row).to_contain_text("turn 1")
    row.get_by_text("More").click()
    first_open(participant).click()
    decided(participant, 2)
    look_again(page)
    expect(row).to_contain_text("turn 2")
    expect(row.get_by_role("button", name="Withdraw")).to_be_visible()  # still unfolded
    expect(page.locator("#monitor-totals")).to_contain_text("0 / 2")
    expect(page.locator("#participant-1")).to_contain_text("Not begun")
    roll(participant, 3)
    participant.wait_for_load_state()
    participant.clock.fast_forward("05:00")  # in which a socket that was still opening is given up
    for seq in (4, 5):
        roll(participant, seq)
    page.get_by_role("link", name="Next: Close").click()
    expect(page.locator("main li")).to_contain_text(["P02"])
    press(page, "Close")
    expect(page.locator("header.trial")).to_contain_text("Closed")
    out = site_folder / "watched"
    manage(site_folder, "trial_export", "watched", f"--out={out}")
    with (out / "decisions.csv").open(encoding="utf-8-sig") as file:
        took = [int(row["client_milliseconds"] or 0) for row in csv.DictReader(file)]
    assert [one >= 300_000 for one in took[-2:]] == [True, False]
    complaints.expect("closed before the connection is established")


def test_the_monitor_rests_while_its_page_is_hidden_and_ends_with_the_session(
    page: Page, site: str, site_folder: Path
) -> None:
    make_trial(site_folder, site, "hidden", "--participants=1", "--games=1")
    sign_in_as_staff(page, site_folder, "resting")
    page.clock.install()
    page.goto("/trials/hidden/monitor/")
    expect(page.locator("#participant-1")).to_be_visible()
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    state = (
        "Object.defineProperty(document, 'visibilityState', {{value: '{}', configurable: true}})"
    )
    page.evaluate(state.format("hidden"))
    page.clock.run_for(60_000)
    assert requests == []
    page.evaluate(state.format("visible"))
    page.context.clear_cookies()
    page.clock.run_for(10_000)
    expect(page).to_have_url(re.compile("/account/login/"))


@BOTH
def test_the_coach_trial_is_made_on_its_road_with_seven_answers(
    new_page: NewPage, site_folder: Path, screen: dict[str, object]
) -> None:
    page = new_page(**screen)
    sign_in_as_staff(page, site_folder, "designer")

    def look(_name: str) -> None:
        expect_well_made(page)
        assert page.locator("main form > .field").count() <= 6

    began = monotonic()
    assert walk_the_road(page, look) == 7
    assert monotonic() - began < 600


@BOTH
def test_pages_of_researchers_are_well_made_filled_and_with_their_faults(
    new_page: NewPage, site: str, site_folder: Path, screen: dict[str, object]
) -> None:
    make_trial(site_folder, site, "pages", "--participants=3", "--games=1")
    page = new_page(**screen)
    sign_in_as_staff(page, site_folder, "planner")
    screens = ("links", "monitor", "close", "publish", "results", "roles")
    for address in ("", *(f"pages/{name}/" for name in screens)):
        page.goto(f"/trials/{address}")
        expect_well_made(page)
    page.goto("/trials/pages/games/")
    page.get_by_text("More", exact=True).click()
    page.get_by_label("Days until the follow-up").fill("3")
    press(page, "Save")
    expect(page.get_by_role("alert")).to_contain_text("follow-up")
    expect_well_made(page)
    page.goto("/trials/pages/questions/?begin=experience")
    page.get_by_label("Questions", exact=True).fill("before:\n  - titel: A")
    press(page, "Save")
    expect(page.get_by_text("titel").first).to_be_visible()
    expect_well_made(page)


# Bots play, next to the site: by its pages a game takes them a second.
PLAYED = """
from solver.advice import Advisor
from solver.rules import YATZY
from tests.game.test_trial_results import TWO, play_armed
from tests.game.trial_games import play_all
from tests.trials import new_trial
coach = Advisor.open(YATZY)
play_all(new_trial(slug="one-group", shared_dice=True), coach)
play_armed(new_trial(slug="two-arms", places=4, games_each=1, arms=TWO), coach)
"""


def test_results_of_one_arm_and_of_two_fit_a_small_phone(
    new_page: NewPage, site_folder: Path
) -> None:
    page = new_page(**(PHONE | {"viewport": SIZES[0]}))
    sign_in_as_staff(page, site_folder, "small-phone")
    manage(site_folder, "shell", "-c", PLAYED)
    for slug in ("one-group", "two-arms"):
        page.goto(f"/trials/{slug}/results/")
        folded = page.locator("main details:not([open]) > summary")
        while folded.count():
            folded.first.click()
        expect_well_made(page)
        assert page.evaluate(SCROLLS) == []
    expect(page.get_by_role("region", name="Arms in each phase")).to_be_visible()


def test_a_participant_goes_on_in_one_browser(
    new_page: NewPage, site: str, site_folder: Path
) -> None:
    link, *_ = make_trial(site_folder, site, "moving", "--participants=1", "--resume=one")
    phone, tablet = new_page(**PHONE), new_page()
    join(phone, link)
    phone.locator("main").get_by_role("button", name="Leave this device", exact=True).click()
    tablet.goto(link)
    expect_well_made_at_both_sizes(tablet)
    press(tablet, "Continue in this browser")
    expect(tablet.locator("#next-game")).to_be_visible()
