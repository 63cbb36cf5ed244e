"""The first screen of each of the five ways: few words, short sentences, one black button."""

import pytest
from playwright.sync_api import Page, ViewportSize, expect

from tests.browser.conftest import NewPage
from tests.browser.looks import expect_no_sideways
from tests.browser.steps import ended

PHONE: ViewportSize = {"width": 390, "height": 664}
NARROW: ViewportSize = {"width": 360, "height": 640}
SMALLEST: ViewportSize = {"width": 320, "height": 720}
DESK: ViewportSize = {"width": 1280, "height": 800}
TABLET: ViewportSize = {"width": 1024, "height": 768}
FLAT: ViewportSize = {"width": 667, "height": 375}
WORDS = {"/": 15, "/daily/": 60, "/duels/": 60, "/learn/": 60, "/you/": 60}
LONGEST = 15  # words of a sentence
CONTROLS = 12  # on a desk before the first roll, besides the boxes
ON_SCREEN = """const onScreen = part => {
    const {top, bottom, width} = part.getBoundingClientRect();
    const foot = document.querySelector(".menu").getBoundingClientRect();
    return width > 1 && top < (foot.top > 99 ? foot.top : innerHeight) && bottom > 0;
};
const shown = part => part.checkVisibility({visibilityProperty: true, opacityProperty: true});
"""
# Each text on the screen, without the navigation, the card and what only screen readers get.
TEXTS = """() => { ON_SCREEN
    const texts = [], nodes = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (nodes.nextNode()) {
        const parent = nodes.currentNode.parentElement, range = document.createRange();
        range.selectNodeContents(nodes.currentNode);
        if (parent.closest(".site, .skip, #card, .hidden, script") || !shown(parent)) continue;
        if (onScreen(range)) texts.push(nodes.currentNode.textContent.trim());
    }
    return texts.filter(Boolean);
}""".replace("ON_SCREEN", ON_SCREEN)
CONTROLLED = """() => { ON_SCREEN
    const all = [...document.querySelectorAll("a, button, select, input, summary")];
    return all.filter(one => shown(one) && onScreen(one) && !one.matches(".box, .skip")).length;
}""".replace("ON_SCREEN", ON_SCREEN)
# Buttons that are black and can be pressed from their upper to their lower edge.
BLACK = """() => [...document.querySelectorAll(".button")].filter(one => {
    const {backgroundColor} = getComputedStyle(one), {color} = getComputedStyle(document.body);
    if (backgroundColor !== color) return false;
    const {left, top, width, height} = one.getBoundingClientRect();
    const edges = [top + 2, top + height - 2];
    return edges.every(y => one.contains(document.elementFromPoint(left + width / 2, y)));
}).length"""


CUT_NAMES = """() => [...document.querySelectorAll(".box__name")].filter(name =>
    name.scrollWidth > name.clientWidth).map(name => name.textContent)"""


def one_black_button(page: Page) -> None:
    for size in (PHONE, FLAT, TABLET, DESK):
        page.set_viewport_size(size)
        assert page.evaluate(BLACK) == 1, (page.url, size)


@pytest.mark.parametrize("address", WORDS)
def test_a_first_screen_says_little_and_offers_one_thing(new_page: NewPage, address: str) -> None:
    page = new_page(viewport=PHONE)
    page.goto(address)
    texts = page.evaluate(TEXTS)
    words = [word for text in texts for word in text.split() if any(map(str.isalnum, word))]
    assert 0 < len(words) <= WORDS[address], words
    sentences = [part for text in texts for part in text.split(". ")]
    assert max(len(sentence.split()) for sentence in sentences) <= LONGEST
    one_black_button(page)


def test_a_desk_offers_few_controls_before_the_first_roll(new_page: NewPage) -> None:
    page = new_page(viewport=DESK)
    page.goto("/")
    assert 0 < page.evaluate(CONTROLLED) <= CONTROLS


def test_the_end_and_you_have_one_way_on_above_the_fold(new_page: NewPage) -> None:
    page = new_page(viewport=PHONE)
    ended(page)
    one_black_button(page)
    page.goto("/you/")
    one_black_button(page)


@pytest.mark.parametrize(
    "address",
    [
        *("/", "/duels/", "/learn/", "/you/", "/lab/", "/explore/", "/rules/maxi-yatzy/"),
        *("/?rules=yahtzee-plain", "the end", "its review"),
    ],
)
def test_large_text_cuts_no_name_and_widens_no_page(new_page: NewPage, address: str) -> None:
    page = new_page(viewport=PHONE)
    if address.startswith("/"):
        page.goto(address)
    else:
        ended(page)
    if address == "its review":
        page.locator("#review").click()
        page.wait_for_url("**/review")
    for percent in (125, 200):
        page.evaluate("size => document.documentElement.style.fontSize = size", f"{percent}%")
        for size in (PHONE, NARROW, SMALLEST, FLAT, DESK):
            page.set_viewport_size(size)
            expect_no_sideways(page)
            assert page.evaluate(CUT_NAMES) == [], (percent, size)


def test_a_shared_device_shows_the_next_line_and_its_real_dice_fit(new_page: NewPage) -> None:
    page = new_page(viewport=SMALLEST)
    page.goto("/table/")
    labels = page.locator(".party__line .field__label")
    assert labels.evaluate_all("all => all.map(label => label.offsetWidth > 1).indexOf(false)") == 2
    for number in (0, 1, 2):
        page.locator(f"[name=name_{number}]").fill(f"Player {number}")
        expect(page.locator(".party__line:visible")).to_have_count(number + 2)
    page.locator("[value=real]").check()
    page.locator("main form .button--primary").click()
    page.wait_for_selector("#faces")
    page.evaluate("document.documentElement.style.fontSize = '200%'")
    expect_no_sideways(page)
