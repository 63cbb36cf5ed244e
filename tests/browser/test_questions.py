"""Questions of a trial in real browsers: with a script and without, by keyboard, on a phone."""

from pathlib import Path

from playwright.sync_api import Page, expect

from tests.browser.conftest import NewPage
from tests.browser.test_accessibility import BOTH
from tests.browser.test_trials import expect_well_made
from tests.browser.trials import make_trial, sign_in_as_staff

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
QUIZ = """
before:
  - tries: 2
    questions:
      - {key: throws, kind: number, ask: How many throws?, right: 3}
"""


def asked(page: Page, folder: Path, site: str, slug: str, questions: str) -> None:
    """At the first page of questions of a trial that asks these."""
    file = folder / f"{slug}.yaml"
    file.write_text(questions, encoding="utf-8")
    options = ("--participants=1", "--games=1", "--no-questionnaire", f"--questions={file}")
    (link,) = make_trial(folder, site, slug, *options)
    page.goto(link)
    page.get_by_label("I have read this").check()
    page.get_by_role("button", name="Take part").click()
    expect(page.locator("form.asked")).to_be_visible()


def go_on(page: Page) -> None:
    page.get_by_role("button", name="Go on", exact=True).click()


@BOTH
def test_a_page_of_every_kind_is_well_made_with_faults_and_without(
    new_page: NewPage, site: str, site_folder: Path, screen: dict[str, object]
) -> None:
    page = new_page(**screen)
    slug = "asked-phone" if screen else "asked-desk"
    asked(page, site_folder, site, slug, EVERY_KIND)
    expect_well_made(page)
    page.get_by_label("How old are you?").fill("7")
    go_on(page)
    expect(page.get_by_role("alert")).to_be_focused()
    expect(page.get_by_role("alert").get_by_role("link")).to_have_count(2)
    expect(page.get_by_label("How old are you?")).to_have_accessible_description(
        "From 18 to 99 years At least 18, please."
    )
    expect_well_made(page)
    page.get_by_label("What do you call the game?").fill("Yatzy")
    page.get_by_label("How old are you?").fill("70")
    go_on(page)
    expect(page.locator("#next-game")).to_be_visible()


def test_a_slider_answers_when_it_is_moved_and_not_before(
    page: Page, site: str, site_folder: Path
) -> None:
    asked(page, site_folder, site, "slider", EVERY_KIND)
    number = page.get_by_role("textbox", name="How tired are you?")
    slider = page.get_by_role("slider", name="How tired are you?")
    expect(number).to_have_value("")
    slider.focus()
    page.keyboard.press("ArrowRight")
    expect(number).to_have_value("51")
    number.fill("20")
    expect(slider).to_have_value("20")
    go_on(page)  # a needed one is missing, so the page comes back
    expect(page.get_by_role("slider", name="How tired are you?")).to_have_value("20")


def test_everything_can_be_answered_by_keyboard(page: Page, site: str, site_folder: Path) -> None:
    asked(page, site_folder, site, "keys", EVERY_KIND)
    page.get_by_label("What do you call the game?").focus()
    page.keyboard.type("Yatzy")
    for name in ("A pet?", "How sure are you?", "How often?", "It is fun.", "It is all luck."):
        page.get_by_role("group", name=name).get_by_role("radio").first.focus()
        page.keyboard.press("Space")
        page.keyboard.press("ArrowDown")
    page.get_by_label("How tired are you?").first.focus()
    page.keyboard.type("3")
    page.keyboard.press("Enter")
    expect(page.locator("#next-game")).to_be_visible()


def test_questions_without_a_script(new_page: NewPage, site: str, site_folder: Path) -> None:
    page = new_page(java_script_enabled=False)
    asked(page, site_folder, site, "plain", EVERY_KIND)
    page.get_by_label("What do you call the game?").fill("Yatzy")
    page.get_by_label("How tired are you?").fill("120")
    page.get_by_role("group", name="A pet?").get_by_label("I would rather not say").check()
    go_on(page)
    expect(page.locator("#q-tired-problem")).to_have_text("At most 100, please.")
    expect(page.get_by_role("group", name="A pet?").get_by_label("I would rather")).to_be_checked()
    page.get_by_label("How tired are you?").fill("12")
    go_on(page)
    expect(page.locator("#next-game")).to_be_visible()


def test_a_quiz_can_be_tried_again_and_then_ends(page: Page, site: str, site_folder: Path) -> None:
    asked(page, site_folder, site, "quiz", QUIZ)
    page.get_by_label("How many throws?").fill("9")
    go_on(page)
    expect(page.locator("main")).to_contain_text("You have 1 try left.")
    expect_well_made(page)
    go_on(page)
    expect(page.locator("main")).to_contain_text("not what the instructions asked for")
    expect_well_made(page)


@BOTH
def test_a_researcher_checks_and_previews(
    new_page: NewPage, site: str, site_folder: Path, screen: dict[str, object]
) -> None:
    slug = "ask-phone" if screen else "ask-desk"
    make_trial(site_folder, site, slug, "--participants=1", "--games=1")
    page = new_page(**screen)
    sign_in_as_staff(page, site_folder, slug)
    page.goto(f"/trials/{slug}/questions/?begin=experience")
    page.get_by_label("Preview in").select_option("fi")
    page.get_by_role("button", name="Check and preview").click()
    expect(page.get_by_text("Kuinka vanha olet?", exact=True)).to_be_visible()
    expect_well_made(page)
    page.get_by_label("What is asked").fill("before:\n  - titel: A")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Line 2: “titel” is not known here")).to_be_visible()
    expect_well_made(page)
