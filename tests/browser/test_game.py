"""A game as people play it: by keys, mouse, thumb and without a script; its looks and motions."""

import re
from itertools import combinations, product

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from tests.browser.conftest import Complaints, NewPage
from tests.browser.looks import (
    BOTH,
    BOXES,
    COUNT_SHIFTS,
    EVERY,
    SHIFTS,
    expect_accessible,
    expect_tidy_everywhere,
    overlap,
    sizes,
)
from tests.browser.steps import (
    PHONE,
    TURNS,
    begin,
    decided,
    expect_finished,
    expect_phase,
    faces,
    fill,
    finish,
    first_open,
    held,
    mean_it,
    play_turns,
    roll,
    settled,
)
from tests.known import known
from tests.selection import exhaustive

# Keys and fingers


def test_with_the_keyboard_alone(page: Page) -> None:
    page.goto("/")
    seq = 0
    for turn in (0, 1, TURNS - 1):
        page.keyboard.press("Space")
        decided(page, seq + 1)
        if turn == TURNS - 1:
            play_turns(page, turn - 2)
            seq += 2 * (turn - 2)
        page.keyboard.press("2")
        page.keyboard.press("4")
        held(page, 1)
        page.keyboard.press("Enter")
        decided(page, seq + 2)
        if turn % 2:
            page.keyboard.press("ArrowDown")
            page.keyboard.press("Enter")
        else:
            letter = first_open(page).get_attribute("data-key") or ""
            page.keyboard.press(letter)
            expect(first_open(page)).to_be_focused()
            page.keyboard.press(letter)
        mean_it(page, seq + 2)
        seq += 3
        decided(page, seq)
    expect_finished(page)
    expect(page.locator("#over")).to_be_focused()


def test_the_list_of_keys_opens_by_keyboard_and_keys_rest_meanwhile(
    page: Page, new_page: NewPage
) -> None:
    begin(page)
    page.keyboard.press("?")
    dialog = page.get_by_role("dialog", name="Keys")
    expect(dialog).to_be_visible()
    page.keyboard.press("1")
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    held(page, 0, False)
    page.get_by_role("button", name="Keys").click()
    expect(dialog).to_be_visible()
    page.keyboard.press("Escape")
    for modifier in ("ctrl", "alt", "meta"):  # the key is the browser's
        # Dispatched to the page itself: some of these would close the tab or leave it.
        cancelled = page.evaluate(
            """modifier => !document.body.dispatchEvent(new KeyboardEvent("keydown", {
                key: "2", bubbles: true, cancelable: true, [`${modifier}Key`]: true }))""",
            modifier,
        )
        assert not cancelled
    held(page, 1, False)
    for letter, box in zip("abcdefgijklmnop", page.locator(".box--open").all(), strict=True):
        page.keyboard.press(letter)
        expect(box).to_be_focused()
    decided(page, 1)
    phone = new_page(**PHONE)
    begin(phone)
    expect(phone.locator('[data-dialog="keys"]')).to_be_hidden()


def test_space_throws_until_tab_has_led_to_something_else(page: Page) -> None:
    begin(page)
    page.keyboard.press("Tab")
    page.locator("#die-3").focus()
    page.keyboard.press("Space")  # switches the die
    held(page, 3)
    decided(page, 1)
    page.locator("#die-0").click()
    page.keyboard.press("Space")
    decided(page, 2)
    held(page, 0)
    page.keyboard.press("a")
    page.keyboard.press("Space")
    decided(page, 3)
    expect(page.locator("#box-ones")).to_be_focused()
    page.keyboard.press("Space")  # no throw is left
    settled(page)
    decided(page, 3)
    page.keyboard.press("Enter")
    mean_it(page, 3)
    decided(page, 4)
    for _ in range(4):  # a key that is held down
        page.keyboard.down("Enter")
    page.keyboard.up("Enter")
    decided(page, 5)
    page.keyboard.press("ArrowUp")
    expect(page.locator("#box-yatzy")).to_be_focused()
    for key, box in (("ArrowDown", "twos"), ("ArrowRight", "two_pairs"), ("ArrowLeft", "twos")):
        page.keyboard.press(key)
        expect(page.locator(f"#box-{box}")).to_be_focused()
    decided(page, 5)
    page.keyboard.press("Tab")
    expect(page.locator("#box-threes")).to_be_focused()
    page.keyboard.press("Space")  # scores the box
    mean_it(page, 5)
    decided(page, 6)
    expect(page.locator("#box-threes")).to_have_count(0)


def test_the_focus_stays_on_the_button_and_one_region_says_what_happened(page: Page) -> None:
    page.goto("/")
    region = page.locator("#announce")
    expect(region).to_have_attribute("role", "status")
    region.evaluate("element => { element.dataset.same = 'yes' }")
    page.locator("#roll").focus()
    for seq in (1, 2, 3):
        page.keyboard.press("Enter")
        decided(page, seq)
        expect(page.locator("#roll")).to_be_focused()
        expect(region).not_to_be_empty()
    expect(page.locator("#roll")).to_have_attribute("aria-disabled", "true")
    page.keyboard.press("Enter")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    decided(page, 4)
    expect(page.locator("#roll")).to_be_focused()
    expect(region).to_contain_text("Ones")
    expect(region).to_have_attribute("data-same", "yes")


def test_on_a_small_touch_screen_without_scrolling(new_page: NewPage) -> None:
    page = new_page(**PHONE)
    page.goto("/")
    for turn in range(2):
        page.locator("#roll").tap()
        decided(page, 3 * turn + 1)
        for selector in ("#roll", "#die-0", "#die-4", ".card", ".total"):
            expect(page.locator(selector)).to_be_in_viewport(ratio=1)
        page.locator("#die-4").tap()
        page.locator("#roll").tap()
        decided(page, 3 * turn + 2)
        first_open(page).tap()
        mean_it(page, 3 * turn + 2)
        decided(page, 3 * turn + 3)
        assert page.evaluate("scrollY") == 0
    rows = [box[4] - box[2] for box in page.evaluate(BOXES, ".box")]
    assert rows == [44] * 15
    roll(page, 7)
    finish(page)
    expect(page.locator("#again")).to_be_in_viewport(ratio=1)
    page.set_viewport_size({"width": 320, "height": 568})  # a lower one scrolls to the last boxes
    begin(page)
    page.locator("#box-yatzy").scroll_into_view_if_needed()
    expect(page.locator("#roll")).to_be_in_viewport(ratio=1)


@BOTH
def test_somebody_new_is_led_through_one_turn_and_never_again(
    new_page: NewPage, screen: dict[str, object]
) -> None:
    page = new_page(**screen)
    page.goto("/")
    guide = page.locator("#welcome")
    expect(page.locator("#roll")).to_be_in_viewport(ratio=1)
    for size in (None, (667, 375), (700, 900), (1280, 800)):
        if size:
            page.set_viewport_size({"width": size[0], "height": size[1]})
        expect(guide).to_be_in_viewport(ratio=1)
        welcome, *others = page.evaluate(BOXES, "#welcome, .box, .bonus, .actions .button")
        assert len(others) > 15
        assert [box[0] for box in others if overlap(welcome, box)] == []
    expect_accessible(page)
    told = [guide.inner_text()]
    for seq in (1, 2, 3):
        roll(page, seq)
        expect(guide).not_to_have_text(told[-1], use_inner_text=True)
        told.append(guide.inner_text())
        if seq == 1:
            expect(page.locator("#announce")).to_contain_text(told[-1].split(".")[0])
    assert len(set(told)) == 4
    expect_accessible(page)
    fill(first_open(page))
    decided(page, 4)
    expect(guide).to_have_count(0)
    expect(page.locator("[data-verdict]")).to_be_visible()
    other = new_page(**screen)
    other.goto("/")
    other.locator("#welcome").get_by_role("button", name="Skip").click()
    expect(other.locator("#welcome")).to_have_count(0)
    roll(other, 1)
    expect(other.locator("#welcome")).to_have_count(0)


def test_a_script_adds_to_the_dice_what_nobody_has_typed(new_page: NewPage) -> None:
    for address, typed in (("/", ""), ("/duels/", ""), ("/", "seven cats")):
        page = new_page()
        page.goto(address)
        if typed:
            page.locator("#options > summary").click()
            page.locator("#seal summary").click()
            page.locator("[name=added]").fill(typed)
            page.locator("#options > summary").click()
        page.locator("#roll, #challenge").click()
        expect(page.locator("#seal p .hash")).to_have_text(typed or re.compile("^[0-9]{20,40}$"))


# A line that is slow, and one that fails


def test_a_press_is_seen_at_once_and_done_once_however_it_is_answered(
    page: Page, complaints: Complaints
) -> None:
    begin(page)
    page.locator("#roll").dblclick()
    decided(page, 2)
    page.reload()
    decided(page, 2)
    waiting: list[Route] = []
    page.route("**/hold", lambda route: waiting.append(route))
    page.locator("#roll").click()
    expect(page.locator("#roll")).to_have_attribute("data-waiting", "")
    expect(page.locator("#board")).to_have_attribute("data-pending", "")
    before = page.locator("#status").inner_text()
    page.locator("#die-1").click()  # is answered in words
    expect(page.locator("#status")).not_to_have_text(before, use_inner_text=True)
    held(page, 1, False)
    assert len(waiting) == 1
    waiting.pop().continue_()
    decided(page, 3)
    expect(page.locator("#board")).not_to_have_attribute("data-pending", "")
    page.unroute("**/hold")
    fill(first_open(page))
    roll(page, 5)
    page.locator("#die-0").click()
    page.route("**/hold", lambda route: route.abort())
    page.locator("#roll").click()
    expect(page.locator("#status")).to_contain_text("Nothing is lost")
    held(page, 0)
    page.unroute("**/hold")
    roll(page, 6)
    headers = {"Content-Type": "text/plain; charset=utf-8", "Content-Language": "sv"}
    answer = {"status": 503, "headers": headers, "body": "Försök <b>"}
    page.route("**/hold", lambda route: route.fulfill(**answer))
    page.locator("#roll").click()
    for place in ("#status", "#announce"):
        expect(page.locator(place)).to_have_text("Försök <b>")
    held(page, 0)
    page.unroute("**/hold")
    roll(page, 7)
    complaints.expect("htmx:", "ERR_FAILED", "503")


def test_what_lies_there_and_what_is_held_survive_a_reload(page: Page) -> None:
    begin(page)
    labels = [die.get_attribute("aria-label") for die in page.locator(".die").all()]
    places = page.locator(".die__face")
    fell = [face.bounding_box() for face in places.all()]
    page.reload()
    assert [face.bounding_box() for face in places.all()] == fell
    for slot in (0, 3, 0):
        page.locator(f"#die-{slot}").click()
    for address in (page.url, "/"):
        page.goto(address)
        held(page, 3)
        held(page, 0, False)
    die = page.locator("#die-3")
    assert die.get_attribute("aria-label") == f"{labels[3]}, held"
    expect(die.get_by_text("Held")).to_be_visible()
    free = page.locator("#die-1 .die__face").evaluate("e => getComputedStyle(e).backgroundColor")
    expect(die.locator(".die__face")).not_to_have_css("background-color", free)
    for slot in (0, 1, 2, 4):
        page.locator(f"#die-{slot}").click()
    settled(page)
    in_line = [known(face.bounding_box()) for face in places.all()]
    assert len({(box["y"], box["width"], box["height"]) for box in in_line}) == 1
    assert in_line[0]["y"] > max(known(box)["y"] for box in fell)
    for face in places.all():
        face.click()
    page.mouse.move(0, 0)  # a die under the pointer lies straight
    settled(page)
    assert [face.bounding_box() for face in places.all()] == fell
    roll(page, 2)
    page.reload()
    expect(page.locator('.die[aria-pressed="true"]')).to_have_count(0)


# How it lies


def test_nothing_overlaps_from_the_first_throw_to_the_end(page: Page) -> None:
    page.goto("/")
    expect_tidy_everywhere(page)
    roll(page, 1)
    play_turns(page, 4)
    page.locator("#die-1").click()
    expect_tidy_everywhere(page)
    finish(page)
    expect_tidy_everywhere(page)
    ways = page.locator(".tray").locator("a, button").filter(visible=True).all()
    assert len(ways) > 4
    for way in ways:
        way.click(trial=True)


FALL = """fall => document.querySelector(".dice").setAttribute("data-fall", fall)"""
AROUND = ".meta > *, .status b, .actions > *"


def test_a_desk_shows_the_whole_card_and_dice_lie_apart_however_they_fall(page: Page) -> None:
    begin(page)
    for height in (700, 800, 900):
        page.set_viewport_size({"width": 1280, "height": height})
        bottom = page.locator(".card").evaluate("card => card.getBoundingClientRect().bottom")
        assert height - 100 < bottom < height
        foot = page.locator(".tray").evaluate("tray => tray.getBoundingClientRect().bottom")
        links = page.locator(".about").evaluate("about => about.getBoundingClientRect().top")
        assert links == pytest.approx(max(foot, bottom), abs=1)
    for size in (*sizes(), {"width": 667, "height": 375}, {"width": 320, "height": 568}):
        page.set_viewport_size(size)
        (tray,), around = page.evaluate(BOXES, ".tray"), page.evaluate(BOXES, AROUND)
        places = set()
        for fall in range(16):
            page.evaluate(FALL, fall)
            dice = page.evaluate(BOXES, ".die__face")
            assert len(dice) == 5
            pairs = [*combinations(dice, 2), *product(dice, around)]
            assert [pair for pair in pairs if overlap(*pair)] == [], size
            for _name, left, top, right, bottom in dice:
                assert tray[1] < left < right < tray[3], size
                assert tray[2] < top < bottom < tray[4], size
            places.add(str(dice))
        assert len(places) == 16


# How it moves and sounds

STILL = ".die, #roll, .total, .bonus, .status, .meta, .column, .box"


@EVERY
def test_nothing_moves_while_dice_roll_boxes_are_filled_and_the_coach_speaks(
    new_page: NewPage, screen: dict[str, object]
) -> None:
    page = new_page(**screen, reduced_motion="no-preference")
    page.add_init_script(COUNT_SHIFTS)
    page.goto("/")
    page.locator("#level").select_option("live")
    places = [box[1:] for box in page.evaluate(BOXES, STILL)]
    for seq in range(1, 4):
        roll(page, seq)
        assert [box[1:] for box in page.evaluate(BOXES, STILL)] == places
    page.locator("#hint").click()
    expect(page.locator("#take")).to_be_visible()
    page.locator("#status .why").click()
    expect(page.locator(".coach__reason")).to_be_visible()
    page.keyboard.press("Escape")
    page.wait_for_timeout(600)  # motions long after a press count
    for seq in range(4, 24 if exhaustive() else 8):
        if seq % 2:
            page.locator("#roll").click()
        else:
            fill(first_open(page))
        decided(page, seq)
    assert [box[1:] for box in page.evaluate(BOXES, STILL)] == places
    assert page.evaluate(SHIFTS) == 0


# How long after its start each motion ends, and how long each lasts, in milliseconds; and what
# the dice show in each frame.
WATCH = """() => { window.ends = []; window.motions = []; window.shown = [];
    document.addEventListener("animationstart", ({ animationName, target }) => {
        for (const motion of target.getAnimations({ subtree: true })) {
            const { endTime, duration } = motion.effect.getComputedTiming();
            if (target.closest('.die')) ends.push(endTime);
            if (motion.animationName === animationName) motions.push([animationName, duration]);
        } });
    const look = () => { if (document.getElementById("board").dataset.seq === "2") shown.push(
        [...document.querySelectorAll(".die use")].map(use => use.getAttribute("href")).join());
        requestAnimationFrame(look); };
    look(); }"""
MOTION = """() => [...document.querySelectorAll("*")].flatMap(element => {
    const style = getComputedStyle(element);
    const times = text => text.split(", ").map(parseFloat);
    return [...(style.animationName === "none" ? [] : times(style.animationDuration)),
        ...times(style.transitionDuration)];
})"""


def test_dice_show_what_was_thrown_from_the_first_frame_and_rest_within_half_a_second(
    new_page: NewPage,
) -> None:
    page = new_page(reduced_motion="no-preference")
    begin(page)
    page.evaluate(WATCH)
    roll(page, 2)
    expect(page.locator("#die-0 .die__face")).to_have_css("animation-name", "tumble")
    assert 0 < max(page.evaluate(MOTION)) < 0.5
    page.wait_for_timeout(600)
    assert len(page.evaluate("shown")) > 3
    assert set(page.evaluate("shown")) == {",".join(faces(page))}
    assert 0 < max(page.evaluate("ends")) <= 500
    assert page.evaluate("document.getAnimations().length") == 0
    play_turns(page, 14)
    settled(page)
    page.evaluate(WATCH)
    fill(first_open(page))
    expect_phase(page, "over")
    page.wait_for_timeout(700)
    motions = dict(page.evaluate("motions"))
    assert 200 <= motions["landed"] <= 300  # the score, in its box
    assert 200 <= motions["ruled"] <= 300  # the line below the card
    page.emulate_media(reduced_motion="reduce")
    page.reload()
    assert max(page.evaluate(MOTION)) == 0
    ruled = "getComputedStyle(document.querySelector('.total__points'), '::after').transform"
    assert page.evaluate(ruled) == "none"


HEAR = """window.heard = []; window.notes = 0; window.buzzes = 0;
const start = AudioBufferSourceNode.prototype.start;
AudioBufferSourceNode.prototype.start = function (when, ...more) {
    window.heard.push((when ?? 0) - this.context.currentTime);
    return start.call(this, when, ...more);
};
const sing = OscillatorNode.prototype.start;
OscillatorNode.prototype.start = function (...when) {
    window.notes += 1;
    return sing.apply(this, when);
};
navigator.vibrate = () => (window.buzzes += 1);"""
LANDINGS = """() => [...document.querySelectorAll(".die[data-fresh] .die__face")]
    .map(face => parseFloat(getComputedStyle(face).animationDelay))"""
AGAIN = """mark => { const current = document.getElementById("board");
    const [place, name, value] = mark;
    current.querySelector(place).setAttribute(name, value);
    const detail = { dice: current.querySelectorAll(".die[data-fresh]").length, current };
    document.dispatchEvent(new CustomEvent("yatzy:rolled", { detail })); }"""
HEARD = "[heard.length, buzzes]"


def test_dice_are_heard_and_felt_when_they_land_where_that_is_wished_for(new_page: NewPage) -> None:
    page = new_page(reduced_motion="no-preference")
    page.add_init_script(HEAR)
    begin(page)
    page.locator("#die-0").click()
    assert page.evaluate(HEARD) == [0, 0]
    page.goto("/settings/")
    page.get_by_label("Sounds").check()
    page.get_by_label("Vibration").check()
    page.get_by_role("button", name="Save").click()
    expect(page.locator(".message")).to_be_visible()
    page.goto("/")
    page.locator("#die-0").click()
    assert page.evaluate(HEARD) == [1, 1]
    page.evaluate("heard.length = 0")
    roll(page, 2)
    struck, landings = page.evaluate("heard")[::2], page.evaluate(LANDINGS)
    assert len(struck) == len(landings) == 5
    pause = struck[0] - landings[0]
    assert 0.1 < pause < 0.3
    assert [one - pause for one in struck] == pytest.approx(landings, abs=0.02)
    assert page.evaluate(HEARD) == [10, 2]
    assert page.evaluate("notes") == 0
    page.evaluate(AGAIN, [".dice", "data-alike", ""])
    assert page.evaluate("notes") == 3  # a rare event has a motif
    page.evaluate("document.querySelector('.dice').removeAttribute('data-alike')")
    page.evaluate(AGAIN, [".bonus", "data-won", ""])
    assert page.evaluate("notes") == 6
    page.evaluate(AGAIN, [".bonus", "data-won", ""])  # it was won before
    assert page.evaluate("notes") == 6
    heard, buzzes = page.evaluate(HEARD)
    fill(first_open(page))
    decided(page, 3)
    assert page.evaluate(HEARD) == [heard + 2, buzzes + 1]  # two strokes of a pencil


# What is copied

PLAIN_HTTP = "Object.defineProperty(Navigator.prototype, 'clipboard', { get: () => undefined })"
NO_SHARE = "Object.defineProperty(Navigator.prototype, 'share', { get: () => undefined })"
REMEMBER = """
    window.copied = [];
    document.addEventListener("copy", () => window.copied.push(document.activeElement.value));
"""
FORBIDDEN = "document.execCommand = () => false"


@pytest.mark.parametrize("how", ["clipboard", "old way", "by hand"])
def test_a_link_and_a_result_are_copied_or_can_be(new_page: NewPage, how: str) -> None:
    allowed = ["clipboard-read", "clipboard-write"] if how == "clipboard" else []
    page = new_page(permissions=allowed)
    page.add_init_script(NO_SHARE)
    if how != "clipboard":
        page.add_init_script(f"{PLAIN_HTTP};{REMEMBER if how == 'old way' else FORBIDDEN}")
    begin(page)
    copy = page.locator("[data-copy]")
    link = f"{page.evaluate('location.origin')}{copy.get_attribute('data-copy')}"
    page.locator("details:has([data-copy])").evaluate_all(
        "all => all.forEach(one => one.open = true)"
    )
    copy.click()
    expect_copied(page, how, copy, "[data-copied]", link)
    finish(page)
    result = page.locator("#share-result")
    address = known(result.get_attribute("data-share"))
    page.keyboard.press("x")
    page.locator("[name=nickname]").fill(f"Copied {how}")
    result.click()
    expect_copied(page, how, result, "[data-shared]", address)


def expect_copied(page: Page, how: str, button: Locator, field: str, text: str) -> None:
    """If nothing copies, the text stands selected in a field."""
    if how == "by hand":
        expect(page.locator(field)).to_be_focused()
        assert page.locator(field).input_value().endswith(text)
        selected = page.evaluate("getSelection().toString()")
        assert selected == page.locator(field).input_value()
    else:
        expect(button).to_have_text("Copied")
        read = "navigator.clipboard.readText()" if how == "clipboard" else "copied.at(-1)"
        assert page.evaluate(read).endswith(text)
