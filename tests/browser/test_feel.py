"""What a press does at once, what a reload leaves alone, and what a question asks first."""

import re

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from tests.browser.conftest import Complaints, NewPage
from tests.browser.steps import PHONE, begin, decided, first_open, play_turns, settled
from tests.browser.test_accessibility import BOTH, expect_accessible
from tests.browser.test_layout import COUNT_SHIFTS, SHIFTS, expect_tidy, expect_touchable
from tests.known import known
from tests.selection import exhaustive

LOW = {"viewport": {"width": 667, "height": 375}, "has_touch": True, "is_mobile": True}
NARROW = [(640, 800), (660, 800), (700, 900), (640, 400)]


def begin_with(page: Page, level: str) -> None:
    page.goto("/")
    page.locator("#level").select_option(level)
    page.locator("#roll").click()
    decided(page, 1)


def left_edge(element: Locator) -> int:
    return round(known(element.bounding_box())["x"])


def slowly(page: Page, address: str) -> list[Route]:
    """Requests that are kept waiting until the test lets them go."""
    waiting: list[Route] = []
    page.route(address, lambda route: waiting.append(route))
    return waiting


@BOTH
def test_somebody_new_is_led_through_one_turn_and_never_again(
    new_page: NewPage, screen: dict[str, object]
) -> None:
    page = new_page(**screen)
    page.goto("/")
    guide = page.locator("#welcome")
    expect(guide).to_contain_text("Throw the dice.")
    expect(guide).to_be_in_viewport(ratio=1)
    expect(page.locator("#roll")).to_be_in_viewport(ratio=1)
    expect_accessible(page)
    page.locator("#roll").click()
    expect(guide).to_contain_text("Tap the dice you want to hold.")
    expect(page.locator("#announce")).to_contain_text("Tap the dice you want to hold.")
    page.locator("#die-1").click()
    page.locator("#roll").click()
    expect(guide).to_contain_text("throw once more, or choose a box")
    page.locator("#roll").click()
    expect(guide).to_contain_text("Choose a box")
    expect_accessible(page)
    first_open(page).click()
    decided(page, 4)
    expect(guide).to_have_count(0)
    expect(page.locator("[data-verdict]")).to_be_visible()


def test_the_first_turn_can_be_had_without_a_guide(page: Page) -> None:
    page.goto("/")
    page.locator("#welcome").get_by_role("button", name="Skip").click()
    expect(page.locator("#welcome")).to_have_count(0)
    page.locator("#roll").click()
    decided(page, 1)
    expect(page.locator("#welcome")).to_have_count(0)
    expect(page.locator("#status")).to_contain_text("Hold dice and throw again")


def test_after_a_move_the_tray_and_the_live_region_have_the_verdict(page: Page) -> None:
    begin_with(page, "live")
    page.locator(".box--open[data-nothing]").first.click()  # with two throws left
    decided(page, 2)
    verdict = page.locator(".tray [data-verdict]")
    expect(verdict).to_be_in_viewport(ratio=1)
    cost = float(verdict.get_attribute("data-cost") or "")
    assert cost > 0.05
    printed, name = (
        verdict.locator("b").first.inner_text(),
        verdict.locator("b").nth(1).inner_text(),
    )
    assert printed.startswith("−")
    assert float(printed[1:]) == pytest.approx(cost, abs=0.0551)  # the one by tenths
    expect(page.locator("#announce")).to_contain_text(f"{name}, {printed}. Best: ")


def test_a_press_is_seen_at_once_on_a_slow_line_and_the_next_one_is_answered(page: Page) -> None:
    begin(page)
    waiting = slowly(page, "**/hold")
    page.locator("#roll").click()
    expect(page.locator("#roll")).to_have_attribute("data-waiting", "")
    expect(page.locator("#board")).to_have_attribute("data-pending", "")
    page.locator("#die-1").click()
    expect(page.locator("#status")).to_have_text("One moment: the server has not answered yet.")
    expect(page.locator("#die-1")).to_have_attribute("aria-pressed", "false")
    assert len(waiting) == 1
    waiting[0].continue_()
    decided(page, 2)
    expect(page.locator("#board")).not_to_have_attribute("data-pending", "")
    page.locator("#die-1").click()
    expect(page.locator("#die-1")).to_have_attribute("aria-pressed", "true")


def test_a_press_that_gets_no_answer_can_be_made_again(page: Page, complaints: Complaints) -> None:
    begin(page)
    waiting = slowly(page, "**/hold")
    page.locator("#roll").click()
    expect(page.locator("#board")).to_have_attribute("data-pending", "")
    waiting[0].abort()
    expect(page.locator("#status")).to_contain_text("Nothing is lost")
    page.unroute("**/hold")
    page.locator("#roll").click()
    decided(page, 2)
    complaints.expect("htmx:", "ERR_FAILED")


def test_held_dice_survive_a_reload_and_not_the_next_throw(page: Page) -> None:
    begin(page)
    page.locator("#die-0").click()
    page.locator("#die-3").click()
    page.locator("#die-0").click()
    for address in (page.url, "/"):
        page.goto(address)
        expect(page.locator("#die-3")).to_have_attribute("aria-pressed", "true")
        expect(page.locator("#die-0")).to_have_attribute("aria-pressed", "false")
    page.locator("#die-3").click()
    page.locator("#roll").click()
    decided(page, 2)
    page.reload()
    expect(page.locator('.die[aria-pressed="true"]')).to_have_count(0)


def test_the_question_before_a_costly_move_has_the_focus_and_enter_is_safe(page: Page) -> None:
    begin_with(page, "before")
    page.locator(".box--open[data-nothing]").first.click()
    expect(page.locator("#choose")).to_be_focused()
    expect(page.locator("#choose")).to_have_class("button button--primary")
    expect_accessible(page)
    page.keyboard.press("Enter")
    expect(page.locator("#roll")).to_be_focused()
    decided(page, 1)
    page.locator(".box--open[data-nothing]").first.click()
    expect(page.locator("#choose")).to_be_focused()
    page.keyboard.press("Space")
    expect(page.locator("#roll")).to_be_visible()
    decided(page, 1)


def test_the_better_move_of_the_question_is_made_at_one_tap(page: Page) -> None:
    begin_with(page, "before")
    page.locator(".box--open[data-nothing]").first.click()
    page.locator("#take").click()
    decided(page, 2)
    expect(page.locator(".feedback")).to_have_attribute("data-severity", "best")


@BOTH
def test_an_alert_shows_what_is_better_at_a_further_tap_only(
    new_page: NewPage, screen: dict[str, object]
) -> None:
    page = new_page(**screen)
    begin_with(page, "alert")
    expect(page.locator("#hint")).to_have_count(0)
    page.locator(".box--open[data-nothing]").first.click()
    expect(page.locator("#status")).to_contain_text("there is something better")
    expect(page.locator("[data-marked], [data-best], .coach__reason")).to_have_count(0)
    expect_accessible(page)
    page.locator("#hint").click()
    expect(page.locator("#take")).to_be_visible()
    assert page.locator("[data-marked], [data-best]").count() > 0
    expect_accessible(page)


@pytest.mark.parametrize("screen", [PHONE, LOW], ids=["upright", "lying"])
def test_a_hint_moves_nothing_off_a_phone_and_is_taken_at_one_tap(
    new_page: NewPage, screen: dict[str, object]
) -> None:
    page = new_page(**screen)
    begin_with(page, "after")
    places = [page.locator(f"#die-{slot}").bounding_box() for slot in range(5)]
    page.locator("#hint").click()
    take = page.locator("#take")
    expect(take).to_be_in_viewport(ratio=1)
    expect(page.locator("#status")).to_contain_text("Best: ")
    assert page.evaluate("scrollY") == 0
    assert [page.locator(f"#die-{slot}").bounding_box() for slot in range(5)] == places
    take.click()
    decided(page, 2)
    expect(page.locator(".feedback")).to_have_attribute("data-severity", "best")


def test_a_hint_differs_from_what_is_held_by_shape_and_by_word(page: Page) -> None:
    begin_with(page, "after")
    page.locator("#hint").click()
    expect(page.locator("#take")).to_be_visible()
    for die in page.locator("button.die[data-dropped]").all():
        expect(die.get_by_text("Let go")).to_be_visible()
        expect(die).to_have_accessible_name(re.compile(", Let go$"))
        expect(die.locator(".die__face")).to_have_css("border-top-style", "dashed")
    for die in page.locator("button.die[data-marked]").all():
        expect(die.get_by_text("Hold")).to_be_visible()
        expect(die).to_have_accessible_name(re.compile(", Hold$"))
        style = "getComputedStyle(element.querySelector('.die__face')).borderTopStyle"
        assert die.evaluate(f"element => {style}") == "solid"
        die.click()
        expect(die.get_by_text("Hold")).to_be_hidden()
        expect(die.get_by_text("Held")).to_be_visible()


def test_t_takes_what_the_hint_shows(page: Page) -> None:
    begin_with(page, "live")
    page.keyboard.press("h")
    expect(page.locator("#take")).to_be_visible()
    page.keyboard.press("t")
    decided(page, 2)
    expect(page.locator(".feedback")).to_have_attribute("data-severity", "best")


def test_a_hint_is_taken_without_a_script(new_page: NewPage) -> None:
    page = new_page(java_script_enabled=False)
    begin_with(page, "alert")
    page.locator(".box--open[data-nothing]").first.click()
    page.locator("#hint").click()
    page.locator("#take").click()
    decided(page, 2)


def test_nothing_shifts_over_a_game_with_the_live_coach(new_page: NewPage) -> None:
    page = new_page(reduced_motion="no-preference")
    page.add_init_script(COUNT_SHIFTS)
    begin_with(page, "live")
    seq = 1
    for turn in range(15 if exhaustive() else 5):
        if turn:
            page.locator("#roll").click()
            seq += 1
            decided(page, seq)
        if turn % 4 == 0:
            page.locator("#hint").click()
            expect(page.locator("#take")).to_be_visible()
            page.locator("#status .why").click()
            expect(page.locator(".coach__reason")).to_be_visible()
            page.keyboard.press("Escape")
            page.wait_for_timeout(600)  # what comes later than a press counts
        first_open(page).click()
        seq += 1
        decided(page, seq)
    assert page.evaluate(SHIFTS) == 0


@pytest.mark.sampled("size")
@pytest.mark.parametrize("size", NARROW, ids=str)
def test_dice_and_roll_stay_off_the_card_between_a_phone_and_a_tablet(
    new_page: NewPage, size: tuple[int, int]
) -> None:
    page = new_page(viewport={"width": size[0], "height": size[1]})
    begin_with(page, "after")
    play_turns(page, 2)
    page.locator("#roll").click()
    decided(page, 6)
    page.locator("#die-4").click()
    expect_tidy(page)
    expect_touchable(page)
    expect(page.locator("#roll")).to_be_in_viewport(ratio=1)


# How long after its start each motion of a die ends, in milliseconds.
ENDS = """() => { window.ends = [];
    document.addEventListener("animationstart", ({ target }) => ends.push(
        ...target.getAnimations().map((motion) => motion.effect.getComputedTiming().endTime))); }"""


def test_dice_tumble_and_come_to_rest_within_half_a_second(new_page: NewPage) -> None:
    page = new_page(reduced_motion="no-preference")
    page.clock.install()
    begin(page)
    truth = page.locator("#die-0 use")
    page.evaluate(ENDS)
    page.locator("#roll").click()
    decided(page, 2)
    label = page.locator("#die-0").get_attribute("aria-label") or ""
    names = ["nothing yet", "one", "two", "three", "four", "five", "six"]
    face = next(n for n, name in enumerate(names) if f"shows {name}" in label)
    page.clock.run_for(500)  # what the script does; motions of the style sheet have another clock
    assert truth.get_attribute("href") == f"#p{face}"
    settled(page)
    assert 0 < max(page.evaluate("ends")) <= 500
    assert page.evaluate("document.getAnimations().length") == 0


def test_the_navigation_stays_where_it_is_from_page_to_page(page: Page) -> None:
    places = set()
    for address in ("/", "/daily/", "/history/", "/rules/", "/settings/", "/lab/", "/profile/"):
        page.goto(address)
        links = page.locator("#menu a").all()
        places.add(tuple(left_edge(link) for link in links))
    assert len(places) == 1


def test_content_begins_at_the_same_left_edge_on_every_page(page: Page) -> None:
    edges = set()
    for address in ("/", "/daily/", "/history/", "/rules/", "/settings/", "/lab/"):
        page.goto(address)
        first = page.locator(".tray, main.page > h1").first
        edges.add(left_edge(first))
    assert len(edges) == 1


WORDS = """[...document.querySelectorAll("svg.chart")].filter(svg => svg.checkVisibility())
    .flatMap(svg => [...svg.querySelectorAll("text")].map(text =>
        parseFloat(getComputedStyle(text).fontSize) * svg.getScreenCTM().a))"""


def smallest_word(page: Page) -> float:
    """Pixels of the smallest text in a chart that is shown."""
    sizes: list[float] = page.evaluate(WORDS)
    return min(sizes)


def test_no_word_of_a_chart_is_smaller_than_eleven_pixels_on_a_phone(new_page: NewPage) -> None:
    page = new_page(**PHONE)
    page.goto("/dice-test/?of=study")
    assert smallest_word(page) >= 10.99


COURSE = f"Math.min(...{WORDS.replace('svg.chart', '.course svg.chart')})"
GRAPHS = [(320, 640), (360, 640), (480, 800), (667, 375), (768, 1024), (960, 700), (1280, 800)]


def test_no_word_of_the_graph_of_a_review_is_smaller_than_eleven_pixels(page: Page) -> None:
    begin(page)
    play_turns(page, 15)
    page.goto(f"{page.url}review")
    for width, height in GRAPHS:
        page.set_viewport_size({"width": width, "height": height})
        size = page.evaluate(COURSE)
        assert size >= 10.99, (width, size)


def test_a_throw_lies_there_after_a_reload_as_it_fell_and_a_held_die_in_line(page: Page) -> None:
    begin(page)
    faces = page.locator(".die__face")
    fell = [face.bounding_box() for face in faces.all()]
    page.reload()
    assert [face.bounding_box() for face in faces.all()] == fell
    for face in faces.all():
        face.click()
    settled(page)
    held = [known(face.bounding_box()) for face in faces.all()]
    assert len({(one["y"], one["width"], one["height"]) for one in held}) == 1
    for face in faces.all():
        face.click()
    page.mouse.move(0, 0)  # a die under the pointer lies straight
    settled(page)
    assert [face.bounding_box() for face in faces.all()] == fell


HREFS = "[...document.querySelectorAll('.die use')].map(use => use.getAttribute('href'))"
# What the dice show in each frame from the press on, and what they are said to show.
FRAMES = f"""() => {{ window.frames_ = [];
    const look = () => {{ if (document.getElementById("board").dataset.seq === "2")
        window.frames_.push({HREFS}.join()); requestAnimationFrame(look); }};
    look(); }}"""


def test_dice_show_what_was_thrown_from_the_first_frame(new_page: NewPage) -> None:
    page = new_page(reduced_motion="no-preference")
    begin(page)
    page.evaluate(FRAMES)
    page.locator("#roll").click()
    decided(page, 2)
    page.wait_for_timeout(600)
    frames = page.evaluate("window.frames_")
    assert len(frames) > 3
    assert set(frames) == {",".join(page.evaluate(HREFS))}


def test_the_score_lands_in_its_box_and_the_last_one_rules_off_the_card(new_page: NewPage) -> None:
    page = new_page(reduced_motion="no-preference")
    begin(page)
    play_turns(page, 14)
    settled(page)
    page.evaluate(MOTIONS)
    first_open(page).click()
    expect(page.locator("#board")).to_have_attribute("data-phase", "over")
    page.wait_for_timeout(700)
    motions = dict(page.evaluate("motions"))
    assert 200 <= motions["landed"] <= 300
    assert 200 <= motions["ruled"] <= 300
    page.emulate_media(reduced_motion="reduce")
    page.reload()
    ruled = "getComputedStyle(document.querySelector('.total__points'), '::after').transform"
    assert page.evaluate(ruled) == "none"


MOTIONS = """() => { window.motions = [];
    document.addEventListener("animationstart", ({ animationName, target }) => {
        const started = target.getAnimations({ subtree: true });
        const one = started.find((motion) => motion.animationName === animationName);
        motions.push([animationName, one.effect.getComputedTiming().duration]);
    }); }"""


COUNT_KNOCKS = """window.knocks = 0; window.buzzes = 0;
const start = AudioBufferSourceNode.prototype.start;
AudioBufferSourceNode.prototype.start = function (...when) {
    window.knocks += 1;
    return start.apply(this, when);
};
navigator.vibrate = () => (window.buzzes += 1);"""


def test_sound_and_vibration_come_with_the_dice_where_they_are_wished_for(page: Page) -> None:
    page.add_init_script(COUNT_KNOCKS)
    begin(page)
    page.locator("#die-0").click()
    assert page.evaluate("[knocks, buzzes]") == [0, 0]
    page.goto("/settings/")
    page.get_by_label("Sounds").check()
    page.get_by_label("Vibration").check()
    page.get_by_role("button", name="Save").click()
    expect(page.locator(".message")).to_be_visible()
    page.goto("/")
    page.locator("#die-1").click()
    assert page.evaluate("[knocks, buzzes]") == [1, 1]
    page.locator("#roll").click()
    decided(page, 2)
    fresh = page.locator(".die[data-fresh]").count()
    assert page.evaluate("[knocks, buzzes]") == [1 + 2 * fresh, 2]
    first_open(page).click()
    decided(page, 3)
    assert page.evaluate("[knocks, buzzes]") == [1 + 2 * fresh + 2, 3]  # two strokes of a pencil


HEAR = """window.heard = []; window.notes = 0;
const start = AudioBufferSourceNode.prototype.start;
AudioBufferSourceNode.prototype.start = function (when, ...more) {
    window.heard.push(when - this.context.currentTime);
    return start.call(this, when, ...more);
};
const sing = OscillatorNode.prototype.start;
OscillatorNode.prototype.start = function (...when) {
    window.notes += 1;
    return sing.apply(this, when);
};"""
LANDINGS = """() => [...document.querySelectorAll(".die[data-fresh] .die__face")]
    .map(face => parseFloat(getComputedStyle(face).animationDelay))"""
AGAIN = """mark => { const current = document.getElementById("board");
    const [place, name, value] = mark;
    current.querySelector(place).setAttribute(name, value);
    const detail = { dice: current.querySelectorAll(".die[data-fresh]").length, current };
    document.dispatchEvent(new CustomEvent("yatzy:rolled", { detail })); }"""


def test_each_die_is_heard_when_it_lands_and_what_is_rare_has_a_motif(new_page: NewPage) -> None:
    page = new_page(reduced_motion="no-preference")
    page.add_init_script(HEAR)
    page.goto("/settings/")
    page.get_by_label("Sounds").check()
    page.get_by_role("button", name="Save").click()
    begin(page)
    page.evaluate("heard.length = 0")
    page.locator("#roll").click()
    decided(page, 2)
    struck = page.evaluate("heard")[::2]
    landings = page.evaluate(LANDINGS)
    assert len(struck) == len(landings) == 5
    pause = struck[0] - landings[0]
    assert 0.1 < pause < 0.3
    assert [one - pause for one in struck] == pytest.approx(landings, abs=0.02)
    assert page.evaluate("notes") == 0
    page.evaluate(AGAIN, [".dice", "data-alike", ""])
    assert page.evaluate("notes") == 3
    page.evaluate("document.querySelector('.dice').removeAttribute('data-alike')")
    page.evaluate(AGAIN, [".bonus", "data-won", ""])
    assert page.evaluate("notes") == 6
    page.evaluate(AGAIN, [".bonus", "data-won", ""])  # it was won before
    assert page.evaluate("notes") == 6
