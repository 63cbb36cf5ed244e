"""The whole solver in a browser: it solves, with its network cut, answers, keeps, and deletes."""

import re

import pytest
from playwright.sync_api import Page, expect

from solver.advice import Advisor
from solver.advice.wire import advice_json, parse_position
from solver.cli.solve import GOLDEN
from tests.browser.conftest import NewPage
from tests.browser.test_accessibility import BOTH, ONE_OF_BOTH, expect_accessible
from tests.browser.test_layout import expect_no_sideways, expect_touchable

PLAIN = "/lab/yahtzee-plain/solve-here/"  # the quickest
KEPT = "This browser had kept what it solved before."


def solve(page: Page, precision: str = "float64") -> None:
    page.locator(f"[data-precision={precision}]").click()
    expect(page.locator("#solver-told")).to_have_text("Solved.", timeout=60_000)


def opened(page: Page, address: str = PLAIN) -> Page:
    """Once nothing that was kept is looked for any more."""
    page.goto(address)
    expect(page.locator("[data-precision=float64]")).to_be_enabled(timeout=60_000)
    return page


@BOTH
@ONE_OF_BOTH
def test_it_solves_without_a_network_and_answers(
    new_page: NewPage, screen: dict[str, object]
) -> None:
    page = opened(new_page(**screen))
    expect_accessible(page)
    page.context.set_offline(True)
    solve(page)
    value, _ = GOLDEN["yahtzee-plain"]
    expect(page.locator("[data-of=start]")).to_have_text(f"{value:.2f}")
    assert float(page.locator("[data-of=digits]").inner_text()) == pytest.approx(value, abs=1e-6)
    for bar in page.locator("[data-level]").all():
        assert bar.get_attribute("max") == str(bar.evaluate("bar => bar.value"))
    page.get_by_role("button", name="Throw the dice").click()
    expect(page.locator("#ask .options tbody tr")).to_have_count(6)
    expect(page.locator("#ask .options tbody td").nth(1)).to_have_text("best")
    page.context.set_offline(False)
    expect_accessible(page)
    expect_no_sideways(page)
    expect_touchable(page)


def test_what_was_solved_is_kept_until_it_is_deleted(page: Page) -> None:
    solve(opened(page))
    shown = page.locator("[data-of=digits]").inner_text()
    page.reload()
    expect(page.locator("#solver-told")).to_have_text(KEPT, timeout=60_000)
    expect(page.locator("[data-of=digits]")).to_have_text(shown)
    solve(page)  # anew, whatever is kept
    page.locator("#forget").click()
    expect(page.locator("#solver-told")).to_have_text("Deleted.")
    opened(page)
    expect(page.locator("#ask")).to_be_hidden()


def test_single_numbers_are_shown_as_far_as_they_hold(page: Page) -> None:
    opened(page)
    solve(page, "float32")
    expect(page.locator("[data-of=start]")).to_have_text("245.87")
    expect(page.locator("[data-of=digits]")).to_be_empty()


def test_the_answer_of_the_browser_is_the_servers(page: Page, advisor: Advisor) -> None:
    """The same JSON, of whatever was thrown."""
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
    ours = advice_json(advisor.advise(parse_position(advisor.rules, told["position"])))
    answer = told["answer"]
    assert answer["value"] == pytest.approx(ours["value"], abs=1e-11)
    assert len(answer["options"]) == len(ours["options"])
    for theirs, mine in zip(answer["options"], ours["options"], strict=True):
        assert theirs["action"] == mine["action"]
        assert theirs.get("dice") == mine.get("dice")
        assert theirs.get("category") == mine.get("category")
        assert theirs["value"] == pytest.approx(mine["value"], abs=1e-11)


def test_a_browser_that_cannot_is_told_so(page: Page) -> None:
    page.route(re.compile(r"/pocket/.*\.wasm"), lambda route: route.fulfill(body="no program"))
    opened(page)
    expect(page.locator("#solver-told")).to_contain_text("This browser cannot do it: CompileError")
    page.locator("[data-precision=float64]").click()
    expect(page.locator("#solver-told")).to_contain_text("CompileError")


def test_without_a_script_the_page_says_what_it_would_do(new_page: NewPage) -> None:
    page = new_page(java_script_enabled=False)
    page.goto(PLAIN)
    expect(page.locator("noscript p")).to_be_visible()
    expect(page.locator("#solver")).to_be_hidden()
    expect(page.locator("[data-level]")).to_have_count(14)


def test_the_program_is_fetched_by_that_page_alone(page: Page) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    for address in ("/", "/lab/", "/rules/"):
        page.goto(address)
    assert not [url for url in asked if "pocket" in url or "facts.json" in url]
    opened(page)
    assert [url for url in asked if url.endswith(".wasm")]
