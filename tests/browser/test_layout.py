"""Nothing overlaps, nothing jumps, everything can be reached with a thumb."""

from itertools import combinations, product
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import NewPage
from tests.browser.steps import PHONE, begin, decided, finish, first_open, play_turns
from tests.selection import exhaustive

SCREENS: dict[str, Any] = {
    "320": {"viewport": {"width": 320, "height": 720}, "has_touch": True, "is_mobile": True},
    "360": PHONE,
    "640": {"viewport": {"width": 640, "height": 400}},  # a desk at 200 % zoom
    "700": {"viewport": {"width": 700, "height": 900}},
    "768": {"viewport": {"width": 768, "height": 1024}},
    "1280": {"viewport": {"width": 1280, "height": 800}},
    "4K": {"viewport": {"width": 3840, "height": 2160}},
}
# A phone and a desk with a change, the others nightly.
EVERY = pytest.mark.parametrize(
    "screen",
    [
        pytest.param(screen, id=name, marks=[pytest.mark.nightly] * (name not in {"360", "1280"}))
        for name, screen in SCREENS.items()
    ],
)
FEW = {"320", "700", "1280"}  # a size of each layout, with a change
PARTS = """.brand, .menu-button, .menu > *, .meta > *, .status, .die, .actions > *,
    .over__total, .over__links, .box, .bonus, .total, .about > *"""
TEXTS = ".box__name, .box__hint, .box__points, .meta__mode, .button, .bonus__hint, .total__points"
BOXES = """selector => [...document.querySelectorAll(selector)]
    .filter(element => element.checkVisibility())
    .map(element => { const box = element.getBoundingClientRect();
        return [element.id || element.className, box.left, box.top, box.right, box.bottom]; })"""
CUT = """selector => [...document.querySelectorAll(selector)]
    .filter(element => element.checkVisibility() && element.scrollWidth > element.clientWidth + 1
        && getComputedStyle(element).display !== "inline")
    .map(element => element.textContent.trim())"""


def expect_no_sideways(page: Page) -> None:
    # Not innerWidth: a phone's browser zooms out until everything fits.
    excess = page.evaluate(
        "(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.documentElement)"
    )
    assert excess <= 0, (page.url, page.viewport_size)


def expect_tidy(page: Page) -> None:
    expect_no_sideways(page)
    boxes = page.evaluate(BOXES, PARTS)
    assert len(boxes) > 20
    assert [(a[0], b[0]) for a, b in combinations(boxes, 2) if _overlap(a, b)] == []
    assert page.evaluate(CUT, TEXTS) == []


def _overlap(a: list[float], b: list[float]) -> bool:
    slack = 0.5
    return (
        a[1] < b[3] - slack and b[1] < a[3] - slack and a[2] < b[4] - slack and b[2] < a[4] - slack
    )


def expect_touchable(page: Page) -> None:
    """44 px, but for links within a sentence."""
    boxes = page.evaluate(BOXES, "button, a:not(p > a), summary, select, [type=submit]")
    small = [box for box in boxes if box[3] - box[1] < 43.5 or box[4] - box[2] < 43.5]
    assert [box for box in small if box[0] != "skip"] == []


def sizes() -> list[Any]:
    """Of the screens on which a page is looked at."""
    return [one["viewport"] for name, one in SCREENS.items() if exhaustive() or name in FEW]


def expect_tidy_everywhere(page: Page) -> None:
    for size in sizes():
        page.set_viewport_size(size)
        expect_tidy(page)
        expect_touchable(page)


def test_nothing_overlaps_from_the_first_throw_to_the_end(page: Page) -> None:
    page.goto("/")
    expect_tidy_everywhere(page)
    page.locator("#roll").click()
    decided(page, 1)
    play_turns(page, 4)
    page.locator("#die-1").click()
    expect_tidy_everywhere(page)
    finish(page)
    expect_tidy_everywhere(page)


@pytest.mark.sampled("language")
@pytest.mark.parametrize("language", ["sv", "nb", "da", "fi"])
def test_every_language_fits(new_page: NewPage, language: str) -> None:
    page = new_page(locale=language)
    page.goto("/")
    expect(page.locator("html")).to_have_attribute("lang", language)
    expect_tidy_everywhere(page)
    page.locator("#roll").click()
    decided(page, 1)
    expect_tidy_everywhere(page)
    page.locator("#box-chance").click()
    decided(page, 2)
    expect_tidy_everywhere(page)


def test_pages_beside_the_game_never_scroll_sideways(page: Page) -> None:
    begin(page)
    finish(page)
    verify = f"{page.url}verify"
    beside = ("/daily/", "/history/", "/explore/", "/api/", "/rules/", "/fair/", "/settings/")
    for address in (*beside, "/drill/", "/profile/", verify):
        page.goto(address)
        for size in sizes():
            page.set_viewport_size(size)
            expect_no_sideways(page)


def test_a_whole_turn_fits_a_small_phone(new_page: NewPage) -> None:
    page = new_page(**PHONE)
    begin(page)
    for selector in ("#roll", "#die-0", "#die-4", "#box-ones", "#box-yatzy", ".total"):
        expect(page.locator(selector)).to_be_in_viewport(ratio=1)
    rows = [box[4] - box[2] for box in page.evaluate(BOXES, ".box")]
    assert rows == [44] * 15


def test_a_lower_phone_keeps_the_roll_button_under_the_thumb(new_page: NewPage) -> None:
    page = new_page(viewport={"width": 320, "height": 568}, has_touch=True, is_mobile=True)
    page.goto("/")
    expect(page.locator("#roll")).to_be_in_viewport(ratio=1)
    page.locator("#roll").tap()
    decided(page, 1)
    page.locator("#box-yatzy").scroll_into_view_if_needed()
    expect(page.locator("#roll")).to_be_in_viewport(ratio=1)


FALL = """fall => document.querySelector(".dice").setAttribute("data-fall", fall)"""
AROUND = ".meta > *, .status b, .actions > *"


def test_dice_lie_apart_and_on_the_felt_however_a_throw_falls(page: Page) -> None:
    begin(page)
    for size in (*sizes(), {"width": 667, "height": 375}, {"width": 320, "height": 568}):
        page.set_viewport_size(size)
        (tray,), around = page.evaluate(BOXES, ".tray"), page.evaluate(BOXES, AROUND)
        places = set()
        for fall in range(16):
            page.evaluate(FALL, fall)
            dice = page.evaluate(BOXES, ".die__face")
            assert len(dice) == 5
            pairs = [*combinations(dice, 2), *product(dice, around)]
            assert [pair for pair in pairs if _overlap(*pair)] == [], size
            for _name, left, top, right, bottom in dice:
                assert tray[1] < left < right < tray[3], size
                assert tray[2] < top < bottom < tray[4], size
            places.add(str(dice))
        assert len(places) == 16


STILL = ".die, #roll, .total, .bonus, .status, .meta, .column, .box"
COUNT_SHIFTS = """window.shifts = 0; new PerformanceObserver(list => {
    for (const entry of list.getEntries()) window.shifts += entry.value;
}).observe({ type: "layout-shift", buffered: true });"""
SHIFTS = (
    """new Promise(done => requestAnimationFrame(() => setTimeout(() => done(window.shifts))))"""
)


@EVERY
def test_nothing_moves_while_dice_roll_and_boxes_are_filled(
    new_page: NewPage, screen: dict[str, object]
) -> None:
    page = new_page(**screen, reduced_motion="no-preference")
    page.add_init_script(COUNT_SHIFTS)
    page.goto("/")
    places = [box[1:] for box in page.evaluate(BOXES, STILL)]
    for seq in range(1, 4):
        page.locator("#roll").click()
        decided(page, seq)
        assert [box[1:] for box in page.evaluate(BOXES, STILL)] == places
    first_open(page).click()
    decided(page, 4)
    assert [box[1:] for box in page.evaluate(BOXES, STILL)] == places
    assert page.evaluate(SHIFTS) == 0


@pytest.mark.parametrize("size", [(667, 375), (700, 900), (1280, 800)], ids=str)
def test_what_somebody_new_is_told_lies_over_no_box_and_no_button(
    new_page: NewPage, size: tuple[int, int]
) -> None:
    page = new_page(viewport={"width": size[0], "height": size[1]})
    page.goto("/")
    expect(page.locator("#welcome")).to_be_in_viewport(ratio=1)
    welcome, *others = page.evaluate(BOXES, "#welcome, .box, .bonus, .actions .button")
    assert len(others) > 15
    assert [box[0] for box in others if _overlap(welcome, box)] == []


def test_however_much_the_coach_says_nothing_else_moves(page: Page) -> None:
    page.goto("/")
    page.locator("#level").select_option("live")
    page.locator("#roll").click()
    decided(page, 1)
    around = ".tray, .die, .card, .about, .about > *"
    page.locator("#die-0").click()
    page.locator("#roll").click()
    decided(page, 2)
    places = page.evaluate(BOXES, around)
    page.locator("#coach").evaluate("coach => coach.showPopover()")
    talk = page.locator(".coach__talk")
    height = talk.evaluate("talk => talk.clientHeight")
    talk.evaluate(
        "talk => talk.append(...Array.from({ length: 40 }, () => document.createElement('p')))"
    )
    talk.evaluate("talk => talk.querySelectorAll('p').forEach(one => one.textContent = 'more')")
    assert talk.evaluate("talk => talk.clientHeight") > height + 400
    assert page.evaluate(BOXES, around) == places


@pytest.mark.parametrize("height", [700, 800, 900])
def test_a_desk_shows_the_whole_card_and_leaves_little_below_it(page: Page, height: int) -> None:
    page.set_viewport_size({"width": 1280, "height": height})
    begin(page)
    bottom = page.locator(".card").evaluate("card => card.getBoundingClientRect().bottom")
    assert height - 100 < bottom < height
    foot = page.locator(".tray").evaluate("tray => tray.getBoundingClientRect().bottom")
    links = page.locator(".about").evaluate("about => about.getBoundingClientRect().top")
    assert links == pytest.approx(max(foot, bottom), abs=1)


def test_at_the_end_of_a_game_nothing_lies_over_what_can_be_pressed(page: Page) -> None:
    begin(page)
    finish(page)
    ways = page.locator(".tray").locator("a, button").filter(visible=True).all()
    assert len(ways) > 4
    for way in ways:
        way.click(trial=True)


MOTION = """() => [...document.querySelectorAll("*")].flatMap(element => {
    const style = getComputedStyle(element);
    const times = text => text.split(", ").map(parseFloat);
    return [...(style.animationName === "none" ? [] : times(style.animationDuration)),
        ...times(style.transitionDuration)];
})"""


def test_motion_is_short_and_can_be_switched_off(new_page: NewPage) -> None:
    page = new_page(reduced_motion="no-preference")
    begin(page)
    page.locator("#roll").click()
    decided(page, 2)
    expect(page.locator("#die-0 .die__face")).to_have_css("animation-name", "tumble")
    assert 0 < max(page.evaluate(MOTION)) < 0.5
    page.emulate_media(reduced_motion="reduce")
    assert max(page.evaluate(MOTION)) == 0


def test_the_theme_can_be_set_against_the_device(page: Page) -> None:
    page.emulate_media(color_scheme="light")
    page.goto("/settings/")
    light = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.get_by_label("Dark").check()
    page.get_by_role("button", name="Save").click()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != light
    page.emulate_media(color_scheme="dark")
    page.get_by_label("Light").check()
    page.get_by_role("button", name="Save").click()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == light
