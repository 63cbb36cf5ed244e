"""Checks of a page's look: axe finds nothing, nothing overlaps, everything can be reached."""

import json
from itertools import combinations
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit
from zlib import crc32

import pytest
from playwright.sync_api import Locator, Page

from tests.browser.steps import PHONE
from tests.known import known
from tests.selection import exhaustive

AXE = (Path(__file__).parent / "axe.min.js").read_text()
# Only violations: JSON of all correct nodes takes longer than the check.
VIOLATIONS = """async (options) => {
    const found = await axe.run({ resultTypes: ["violations"], ...options });
    return found.violations;
}"""
THEMES: tuple[Literal["light"], Literal["dark"]] = ("light", "dark")
ONE_OF_BOTH = pytest.mark.sampled("screen")
BOTH = pytest.mark.parametrize(
    "screen",
    [
        pytest.param({}, id="desk", marks=ONE_OF_BOTH),
        pytest.param(PHONE, id="phone", marks=ONE_OF_BOTH),
    ],
)
SCREENS: dict[str, Any] = {
    "320": {"viewport": {"width": 320, "height": 720}, "has_touch": True, "is_mobile": True},
    "360": PHONE,
    "640": {"viewport": {"width": 640, "height": 400}},  # a desk at 200 % zoom
    "660": {"viewport": {"width": 660, "height": 800}},
    "700": {"viewport": {"width": 700, "height": 900}},
    "768": {"viewport": {"width": 768, "height": 1024}},
    "1280": {"viewport": {"width": 1280, "height": 800}},
    "4K": {"viewport": {"width": 3840, "height": 2160}},
}
# A phone and a desktop run per change, the other sizes nightly.
EVERY = pytest.mark.parametrize(
    "screen",
    [
        pytest.param(screen, id=name, marks=[pytest.mark.nightly] * (name not in {"360", "1280"}))
        for name, screen in SCREENS.items()
    ],
)
FEW = {"320", "700", "1280"}  # one size per layout, run per change
# Without the bar at the foot of a phone: the page scrolls below the bar, and ends above it.
PARTS = """.brand, .meta > *, .status, .die, .actions > *,
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
BEYOND = """[...document.querySelectorAll("body *")]
    .filter(part => part.getBoundingClientRect().right > document.documentElement.clientWidth)
    .map(part => part.outerHTML.slice(0, 100)).slice(0, 5)"""
WORDS = """within => [...document.querySelectorAll(`${within}svg.chart`)]
    .filter(svg => svg.checkVisibility())
    .flatMap(svg => [...svg.querySelectorAll("text")].map(text =>
        parseFloat(getComputedStyle(text).fontSize) * svg.getScreenCTM().a))"""
COUNT_SHIFTS = """window.shifts = 0; new PerformanceObserver(list => {
    for (const entry of list.getEntries()) window.shifts += entry.value;
}).observe({ type: "layout-shift", buffered: true });"""
SHIFTS = (
    """new Promise(done => requestAnimationFrame(() => setTimeout(() => done(window.shifts))))"""
)


def expect_accessible(page: Page) -> None:
    """Playwright evaluates past the page's policy, so axe needs no exception from it.

    With a change in one theme, each address in its own; at night in both.
    """
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE)
    first, second = THEMES if crc32(urlsplit(page.url).path.encode()) % 2 else THEMES[::-1]
    page.emulate_media(color_scheme=first, reduced_motion="reduce")
    expect_no_violation(page, {})
    if exhaustive():
        page.emulate_media(color_scheme=second, reduced_motion="reduce")
        expect_no_violation(page, {"runOnly": ["color-contrast"]})


def expect_no_violation(page: Page, options: dict[str, Any]) -> None:
    violations = page.evaluate(VIOLATIONS, options)
    nodes = [(rule["id"], [node["html"] for node in rule["nodes"]]) for rule in violations]
    assert nodes == [], json.dumps(nodes, indent=1)


def expect_no_sideways(page: Page) -> None:
    # Not innerWidth: a phone's browser zooms out until everything fits.
    excess = page.evaluate(
        "(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.documentElement)"
    )
    assert excess <= 0, (page.url, page.viewport_size, page.evaluate(BEYOND))


def expect_no_sideways_at_any_size(page: Page) -> None:
    for size in sizes():
        page.set_viewport_size(size)
        expect_no_sideways(page)


def expect_tidy(page: Page) -> None:
    expect_no_sideways(page)
    boxes = page.evaluate(BOXES, PARTS)
    assert len(boxes) > 20
    assert [(a[0], b[0]) for a, b in combinations(boxes, 2) if overlap(a, b)] == []
    assert page.evaluate(CUT, TEXTS) == []


def overlap(a: list[float], b: list[float]) -> bool:
    slack = 0.5
    return (
        a[1] < b[3] - slack and b[1] < a[3] - slack and a[2] < b[4] - slack and b[2] < a[4] - slack
    )


def expect_touchable(page: Page) -> None:
    """Everything is 44 px high and wide, except links within a sentence."""
    boxes = page.evaluate(BOXES, "button, a:not(p > a), summary, select, [type=submit]")
    low = [box for box in boxes if box[3] - box[1] < 43.5 or box[4] - box[2] < 43.5]
    small = [box for box in low if box[0] != "skip"]
    assert small == [], (page.url, small)


def expect_well_made(page: Page) -> None:
    expect_accessible(page)
    expect_no_sideways(page)
    expect_touchable(page)


def expect_tidy_everywhere(page: Page) -> None:
    for size in sizes():
        page.set_viewport_size(size)
        expect_tidy(page)
        expect_touchable(page)


def sizes() -> list[Any]:
    return [one["viewport"] for name, one in SCREENS.items() if exhaustive() or name in FEW]


def expect_legible(page: Page, within: str = "") -> None:
    assert min(page.evaluate(WORDS, within)) >= 10.99, (page.url, page.viewport_size)


def edge(element: Locator) -> int:
    return round(known(element.bounding_box())["x"])


def middle(place: Locator) -> tuple[float, float]:
    box = known(place.bounding_box())
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
