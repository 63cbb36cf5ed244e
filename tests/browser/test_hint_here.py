"""Where a browser has solved the game, a hint is seen before the server's, and is the same."""

from contextlib import suppress

import pytest
from playwright.sync_api import Page, Route, expect
from playwright.sync_api import TimeoutError as Late

from solver.rules import RULESETS
from tests.browser.conftest import NewPage
from tests.browser.steps import decided, first_open, until
from tests.browser.test_solve_here import opened, solve
from tests.selection import exhaustive

MARKS = """() => ({
  dice: [...document.querySelectorAll("#dice .die")].map(
    ({ dataset }) => ["marked", "dropped"].filter(name => name in dataset)),
  box: document.querySelector(".box--open[data-best]")?.id ?? "",
})"""
MARKED = ".die[data-marked], .die[data-dropped], .box--open[data-best]"


def hinted(page: Page) -> bool:
    """Whether the browser knew; two equal options it leaves to the server."""
    held: list[Route] = []
    page.route("**/hint", lambda route: held.append(route), times=1)
    page.locator("#hint").click()
    with suppress(Late):
        page.locator(MARKED).first.wait_for(timeout=5000, state="attached")
    expect(page.locator("#board")).to_have_attribute("data-pending", "")
    here = page.evaluate(MARKS)
    held[0].continue_()
    expect(page.locator("#take")).to_be_visible()
    knew = bool(here["box"] or any(here["dice"]))
    assert not knew or here == page.evaluate(MARKS)
    return knew


@pytest.mark.parametrize("rules", ["yatzy", pytest.param("yahtzee", marks=pytest.mark.nightly)])
def test_a_hint_is_seen_at_once_and_is_the_servers(new_page: NewPage, rules: str) -> None:
    page = new_page()
    solve(opened(page, f"/lab/{rules}/solve-here/"))
    until(page, "Promise.resolve(document.cookie.includes('solved=1'))")
    page.goto(f"/?rules={rules}&coach=after")
    page.locator("#roll").click()
    decided(page, 1)
    found = []
    turns = len(RULESETS[rules].categories) if exhaustive() else 3
    seq = 1
    for _ in range(turns):
        found.append(hinted(page))
        page.locator("#roll").click()
        decided(page, seq + 1)
        found.append(hinted(page))
        first_open(page).click()
        seq += 2
        confirm = page.locator("#confirm")
        if confirm.is_visible():
            confirm.click()
        decided(page, seq)
        if page.locator("#board").get_attribute("data-phase") == "roll":
            page.locator("#roll").click()
            seq += 1
            decided(page, seq)
    assert sum(found) > len(found) / 2


ASKED = """() => {
  window.asked = [];
  const post = Worker.prototype.postMessage;
  Worker.prototype.postMessage = function (message) {
    asked.push(message);
    post.call(this, message);
  };
}"""
FILLED = """points => {
  const place = document.getElementById("box-yahtzee").parentElement;
  place.innerHTML = `<div class="box box--used"><span class="box__points">${points}</span></div>`;
}"""


@pytest.mark.nightly
@pytest.mark.parametrize(("points", "won"), [(50, True), (0, False)])
def test_the_card_is_read_with_what_wins_chips(new_page: NewPage, points: int, won: bool) -> None:
    page = new_page()
    page.add_init_script(f"({ASKED})()")
    solve(opened(page, "/lab/yahtzee/solve-here/"))
    until(page, "Promise.resolve(document.cookie.includes('solved=1'))")
    page.goto("/?rules=yahtzee&coach=after")
    page.locator("#roll").click()
    decided(page, 1)
    until(page, "Promise.resolve(asked.length === 1)")
    page.wait_for_timeout(500)
    page.evaluate(FILLED, points)
    page.locator("#hint").click()
    expect(page.locator("#take")).to_be_visible()
    position = page.evaluate("asked.at(-1).position")
    assert (position["filled"], position["chips_won"]) == (["yahtzee"], won)
    assert (position["upper"], position["rolls_left"]) == (0, 2)


@pytest.mark.parametrize("address", ["/daily/", "/duels/"])
def test_no_page_whose_dice_others_have_asks_for_the_program(
    new_page: NewPage, site: str, address: str
) -> None:
    page = new_page()
    page.context.add_cookies([{"name": "solved", "value": "1", "url": site}])
    asked: list[str] = []
    page.context.on("request", lambda request: asked.append(request.url))
    page.goto(address)
    page.locator("#roll, main button").first.click()
    page.wait_for_load_state("networkidle")
    assert not [one for one in asked if "pocket" in one or "facts.json" in one or "hint" in one]
