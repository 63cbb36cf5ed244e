"""What the tests do and look at."""

import re
from urllib.parse import urlsplit

from playwright.sync_api import Locator, Page, expect

from tests.browser import server

TURNS = 15
PHONE = {"viewport": {"width": 360, "height": 640}, "has_touch": True, "is_mobile": True}


def decided(page: Page, seq: int) -> None:
    """Waits until the page shows the game after so many decisions."""
    expect(page.locator("#board")).to_have_attribute("data-seq", str(seq))


def until(page: Page, promise: str) -> None:
    """Waits for what a promise says, which Playwright's own waiting takes for a truth."""
    for _patience in range(100):
        if page.evaluate(promise):
            return
        page.wait_for_timeout(50)
    raise AssertionError(promise)


def first_open(page: Page) -> Locator:
    return page.locator(".box--open").first


def points(page: Page, selector: str) -> list[int]:
    return [int(text) for text in page.locator(selector).all_text_contents()]


def expect_finished(page: Page, turns: int = TURNS) -> None:
    """The card is full and adds up."""
    expect(page.locator("#board")).to_have_attribute("data-phase", "over")
    boxes = points(page, ".box--used .box__points")
    bonus = page.locator(".bonus[data-won] .bonus__points").all_text_contents()
    total = sum(boxes) + sum(map(int, bonus))
    assert len(boxes) == turns
    assert points(page, ".total__points, .over__points") == [total, total]


def begin(page: Page, ruleset: str = "yatzy") -> None:
    page.goto(f"/?rules={ruleset}")
    page.locator("#roll").click()
    decided(page, 1)


def play_turns(page: Page, turns: int) -> None:
    """Plays on, in the first open box each time, beside the site: quicker than by its pages."""
    address = page.url.split("?")[0]
    move(page, "first_boxes", urlsplit(address).path.split("/")[2], turns)
    page.goto(address)


def play_best(page: Page) -> None:
    """Plays to the end as the coach says."""
    address = page.url.split("?")[0]
    move(page, "best", urlsplit(address).path.split("/")[2])
    page.goto(address)


def move(page: Page, moves: str, *which: str | int) -> None:
    """By the function of this name; a page that is open is not told."""
    site = urlsplit(page.url)
    folder = server.folders[f"{site.scheme}://{site.netloc}"]
    program = f"from tests.browser import moves; moves.{moves}{which!r}"
    server.manage(folder, "shell", "-c", program)


def post(page: Page, address: str, html: str, **form: str | float | bool) -> str:
    form |= {
        "seq": found(r'name="seq" value="(\d+)"', html),
        "csrfmiddlewaretoken": found(r'name="csrfmiddlewaretoken" value="(\w+)"', html),
    }
    # As a script asks: the board alone is sent, and no whole page after a redirect.
    answer = page.request.post(address, form=form, headers={"HX-Request": "true"})
    assert answer.ok, answer.status_text
    return answer.text()


def found(pattern: str, html: str) -> str:
    match = re.search(pattern, html)
    assert match is not None
    return match[1]


def finish(page: Page, turns: int = TURNS) -> None:
    play_turns(page, turns)
    expect_finished(page, turns)


def settled(page: Page) -> None:
    """Waits until nothing moves."""
    page.evaluate("Promise.all(document.getAnimations().map(motion => motion.finished))")
