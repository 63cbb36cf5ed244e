"""The lab's pages that do something: its games, the solver in the browser, values that come."""

import re
from contextlib import suppress
from pathlib import Path

import pytest
from playwright.sync_api import Page, Route, expect
from playwright.sync_api import TimeoutError as Late

from solver.advice import Advisor
from solver.advice.wire import parse_position, serialise_advice
from solver.cli.solve import GOLDEN
from solver.rules import RULESETS
from tests.browser.conftest import NewPage
from tests.browser.looks import BOTH, ONE_OF_BOTH, expect_accessible, expect_tidy, expect_well_made
from tests.browser.steps import begin, decided, fill, finish, first_open, points, roll, until
from tests.game.lab import SEED, keep, same_dice
from tests.selection import exhaustive

# A game of the same-value test, from the page of the players and back to it.
PAGE = f"/lab/same-value/?seed={SEED}&game=2"


@pytest.fixture
def played_by_programs(advisor: Advisor, site_folder: Path) -> None:
    keep(same_dice(advisor), site_folder)


@BOTH
@pytest.mark.usefixtures("played_by_programs")
def test_a_game_is_played_and_compared_when_it_is_over(
    new_page: NewPage, screen: dict[str, object]
) -> None:
    page = new_page(**screen)
    page.goto(PAGE)
    expect(page.locator(".lab__turns")).to_be_hidden()
    expect_well_made(page)
    page.goto(PAGE)
    page.get_by_role("button", name="Play this game yourself").click()
    decided(page, 0)
    roll(page, 1)
    game = page.url
    page.locator("#die-0").click()
    roll(page, 2)
    fill(first_open(page))
    decided(page, 3)
    page.goto(f"{game}verify")
    expect(page.locator(".fallen")).to_have_count(0)
    expect_well_made(page)
    page.goto(PAGE)
    expect(page.locator(".lab__turns")).to_have_count(0)
    page.get_by_role("link", name="Go on playing").click()
    expect(page).to_have_url(game)
    roll(page, 4)
    finish(page)
    expect_tidy(page)
    (total,) = points(page, ".over__points")
    page.get_by_role("link", name="Compare with lab players").click()
    table = page.locator(".lab__turns")
    expect(table).to_be_visible()
    expect(table.get_by_role("columnheader")).to_have_count(5)
    expect(table.locator("tr").last.locator("td").first).to_have_text(str(total))
    expect_well_made(page)


# The whole solver in a browser

PLAIN = "/lab/yahtzee-plain/solve-here/"  # the quickest
TOLD = "#solver-told"


def solve(page: Page, precision: str = "float64") -> None:
    page.locator(f"[data-precision={precision}]").click()
    expect(page.locator(TOLD)).to_have_text("Solved.", timeout=60_000)


def opened(page: Page, address: str = PLAIN) -> Page:
    page.goto(address)
    expect(page.locator("[data-precision=float64]")).to_be_enabled(timeout=60_000)
    return page


@BOTH
@ONE_OF_BOTH
def test_it_solves_without_a_network_answers_and_keeps_it_until_it_is_deleted(
    new_page: NewPage, screen: dict[str, object]
) -> None:
    page = new_page(**screen)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto("/lab/")
    assert not [url for url in asked if "pocket" in url or "facts.json" in url]
    opened(page)
    assert [url for url in asked if url.endswith(".wasm")]
    expect_accessible(page)
    solve(page, "float32")  # shown as far as single numbers hold
    value, _ = GOLDEN["yahtzee-plain"]
    expect(page.locator("[data-of=start]")).to_have_text(f"{value:.2f}")
    expect(page.locator("[data-of=digits]")).to_be_empty()
    page.context.set_offline(True)
    solve(page)
    digits = page.locator("[data-of=digits]").inner_text()
    assert float(digits) == pytest.approx(value, abs=1e-6)
    for bar in page.locator("[data-level]").all():
        assert bar.get_attribute("max") == str(bar.evaluate("bar => bar.value"))
    page.get_by_role("button", name="Roll the dice").click()
    expect(page.locator("#ask .options tbody tr")).to_have_count(6)
    expect(page.locator("#ask .options tbody td").nth(1)).to_have_text("best")
    page.context.set_offline(False)
    expect_well_made(page)
    page.reload()
    expect(page.locator("[data-of=digits]")).to_have_text(digits, timeout=60_000)
    page.locator("#forget").click()
    expect(page.locator(TOLD)).to_have_text("Deleted.")
    opened(page)
    expect(page.locator("#ask")).to_be_hidden()


def test_the_answer_of_the_browser_is_the_servers_and_its_hint_is_seen_at_once(
    page: Page, advisor: Advisor
) -> None:
    """The same JSON, whichever dice were rolled."""
    opened(page, "/lab/solve-here/")
    solve(page)
    told = page.evaluate(
        """() => new Promise((resolve) => {
            const { worker, float64, facts } = document.getElementById("solver").dataset;
            const other = new Worker(worker, { type: "module" });
            const filled = ["ones", "chance"];
            const position = { filled, upper: 3, dice: [2, 2, 4, 6, 6], rolls_left: 1 };
            other.addEventListener("message", ({ data }) => {
                if (data.does === "open") other.postMessage({ does: "answer", position });
                if (data.does === "answer") resolve({ position, answer: data.told });
            });
            const full = (address) => new URL(address, location.href).href;
            other.postMessage({ does: "open", program: full(float64), facts: full(facts),
                                precision: "float64", recall: true });
        })"""
    )
    ours = serialise_advice(advisor.advise(parse_position(advisor.rules, told["position"])))
    answer = told["answer"]
    assert answer["value"] == pytest.approx(ours["value"], abs=1e-11)
    assert len(answer["options"]) == len(ours["options"])
    for theirs, mine in zip(answer["options"], ours["options"], strict=True):
        for name in ("action", "dice", "category"):
            assert theirs.get(name) == mine.get(name)
        assert theirs["value"] == pytest.approx(mine["value"], abs=1e-11)
    until(page, "Promise.resolve(document.cookie.includes('solved=1'))")
    begin(page, "yatzy", "after")
    knew = []
    turns = len(RULESETS["yatzy"].categories) if exhaustive() else 2
    for turn in range(turns):
        knew.append(hinted(page))
        roll(page, 3 * turn + 2)
        knew.append(hinted(page))
        fill(first_open(page))
        decided(page, 3 * turn + 3)
        if turn < turns - 1:
            roll(page, 3 * turn + 4)
    assert sum(knew) > len(knew) / 2


MARKS = """() => ({
  dice: [...document.querySelectorAll("#dice .die")].map(
    ({ dataset }) => ["marked", "dropped"].filter(name => name in dataset)),
  box: document.querySelector(".box--open[data-best]")?.id ?? "",
})"""
MARKED = ".die[data-marked], .die[data-dropped], .box--open[data-best]"


def hinted(page: Page) -> bool:
    """Return whether the browser knew; two equal options it leaves to the server."""
    waiting: list[Route] = []
    page.route("**/hint", lambda route: waiting.append(route), times=1)
    page.locator("#hint").click()
    with suppress(Late):
        page.locator(MARKED).first.wait_for(timeout=5000, state="attached")
    expect(page.locator("#board")).to_have_attribute("data-pending", "")
    here = page.evaluate(MARKS)
    waiting[0].continue_()
    expect(page.locator("#take")).to_be_visible()
    knew = bool(here["box"] or any(here["dice"]))
    assert not knew or here == page.evaluate(MARKS)
    return knew


def test_no_page_whose_dice_others_have_asks_for_the_program(new_page: NewPage, site: str) -> None:
    page = new_page()
    page.context.add_cookies([{"name": "solved", "value": "1", "url": site}])
    asked: list[str] = []
    page.context.on("request", lambda request: asked.append(request.url))
    for address in ("/daily/", "/duels/"):
        page.goto(address)
        page.locator("#roll, main button").first.click()
        page.wait_for_load_state("networkidle")
    assert not [one for one in asked if "pocket" in one or "facts.json" in one or "hint" in one]


def test_a_browser_that_cannot_solve_is_told_so(new_page: NewPage) -> None:
    page = new_page()
    page.route(re.compile(r"/pocket/.*\.wasm"), lambda route: route.fulfill(body="no program"))
    opened(page)
    expect(page.locator(TOLD)).to_contain_text("CompileError")
    page.locator("[data-precision=float64]").click()
    expect(page.locator(TOLD)).to_contain_text("CompileError")
    plain = new_page(java_script_enabled=False)
    plain.goto(PLAIN)
    expect(plain.locator("noscript p")).to_be_visible()
    expect(plain.locator("#solver")).to_be_hidden()
    expect(plain.locator("[data-level]")).to_have_count(14)
