"""Every page: axe finds nothing, it fits, its keys are shown; what it weighs and whom it asks."""

from itertools import pairwise
from zlib import crc32

from playwright.sync_api import Page, ViewportSize, expect

from tests.browser.conftest import DEFAULTS, Complaints, NewPage
from tests.browser.looks import (
    BOTH,
    edge,
    expect_accessible,
    expect_legible,
    expect_no_sideways,
    expect_no_sideways_at_any_size,
    expect_well_made,
)
from tests.browser.steps import (
    PHONE,
    begin,
    decided,
    ended,
    first_open,
    play_best,
    play_turns,
    roll,
    watched,
)
from tests.selection import exhaustive

NARROW: ViewportSize = {"width": 320, "height": 720}
PAGES = (
    *("/", "/?rules=yahtzee", "/daily/", "/daily/yahtzee/", "/you/", "/drill/"),
    *("/drill/history/", "/drill/lists/", "/five/", "/leaders/", "/leaders/?span=all"),
    *("/nickname/", "/learn/", "/explore/", "/lab/"),
    *("/lab/tournament/", "/lab/learners/", "/lab/yahtzee/learners/", "/lab/same-value/"),
    *("/lab/players/optimal/", "/lab/players/dice-based/", "/lab/sources/", "/lab/workbench/"),
    *("/lab/study/", "/lab/study/readings/", "/dice-test/", "/dice-test/?of=study", "/api/"),
    *("/rules/", "/rules/yahtzee/", "/fair/", "/settings/", "/account/signup/"),
    *("/account/login/", "/account/recover/", "/account/delete/", "/offline/"),
)
# Pages that axe meets elsewhere with a change: filled, or the same about other players.
ELSEWHERE = {
    *("/", "/daily/", "/drill/", "/five/", "/leaders/", "/leaders/?span=all", "/you/"),
    *("/learn/", "/lab/yahtzee/learners/", "/lab/players/dice-based/"),
}
BESIDE = {"/daily/", "/rules/", "/settings/", "/lab/"}  # their content begins at one left edge
BY_ITSELF = "/offline/"  # the device stores this page, without the parts of other pages
PASSWORD = "nine dice and a cup"
UNFOLD = "() => document.querySelectorAll('details').forEach(part => { part.open = true; })"
# Elements wider than their place that Tab does not reach, without a name or a button.
UNREACHED = """() => [...document.querySelectorAll("body *")].filter(part => {
    const scrolls = ["auto", "scroll"].includes(getComputedStyle(part).overflowX);
    if (!scrolls || !part.clientWidth || part.scrollWidth <= part.clientWidth + 1) return false;
    const named = part.ariaLabel || part.getAttribute("aria-labelledby");
    return !(part.tabIndex === 0 && named && (part.role || part.matches("section")));
}).map(part => part.outerHTML.slice(0, 200))"""
# Where the text of each heading of a table ends.
HEADS = """() => [...document.querySelectorAll("table:has(thead)")].filter(
    (table) => table.tHead.rows.length === 1).map((table) => {
    const inside = (cell) => {
        const range = document.createRange();
        range.selectNodeContents(cell);
        return range.getBoundingClientRect();
    };
    return [...table.tHead.rows[0].cells].map(inside).filter(box => box.height > 2)
        .map(box => box.bottom);
})"""


def test_every_page_is_accessible_fits_a_phone_and_shows_its_keys(page: Page) -> None:
    """Headings of a table stand on one line; what scrolls sideways does so by keyboard; the menu
    and the content stay at their left edges from page to page."""
    game = ended(page)
    menus, edges = set(), set()
    addresses = [one for one in PAGES if exhaustive() or one not in ELSEWHERE]
    for number, address in enumerate([*addresses, f"{game}verify"]):
        page.set_viewport_size(DEFAULTS["viewport"])
        page.goto(address)
        if address != BY_ITSELF:
            menus.add(tuple(edge(link) for link in page.locator("#menu a").all()))
            if exhaustive() or number % 4 == 0:
                page.evaluate(
                    "document.activeElement.blur()"
                )  # of a field that the user begins to fill
                page.keyboard.press("?")
                dialog = page.locator("dialog#keys")
                expect(dialog).to_be_visible()
                expect(dialog.locator("kbd", has_text="?")).to_be_visible()
                page.keyboard.press("Escape")
                expect(dialog).to_be_hidden()
        if address in BESIDE:
            edges.add(edge(page.locator("main.page > h1").first))
        if exhaustive() or crc32(address.encode()) % 2:
            expect_accessible(page)
            page.set_viewport_size(NARROW)
        else:
            page.set_viewport_size(NARROW)
            expect_accessible(page)
        expect_no_sideways(page)
        for bottoms in page.evaluate(HEADS):
            assert max(bottoms, default=0) - min(bottoms, default=0) < 1.5, address
        page.evaluate(UNFOLD)
        assert page.evaluate(UNREACHED) == [], address
        if exhaustive():
            expect_accessible(page)
            expect_no_sideways_at_any_size(page)
    assert (len(menus), len(edges)) == (1, 1)


@BOTH
def test_a_game_its_watchers_and_the_question_before_an_empty_box_are_accessible(
    new_page: NewPage, screen: dict[str, object]
) -> None:
    page = new_page(**screen)
    page.goto("/settings/")
    page.get_by_label("put 0 in a box").check()
    page.get_by_role("button", name="Save").click()
    expect_accessible(page)
    begin(page)
    page.locator("#box-yatzy[data-nothing]").click()
    expect(page.locator("#confirm")).to_be_visible()
    expect_accessible(page)
    page.locator("#choose").click()
    expect(first_open(page)).to_be_visible()
    page.keyboard.press("?")
    expect_accessible(page)
    page.keyboard.press("Escape")
    address = watched(page)
    play_turns(page, 5)
    page.locator("#die-0").click()
    for details in page.locator(".about summary").all():
        details.click()
    expect_accessible(page)
    page.goto(address)
    expect_accessible(page)


def test_a_daily_game_its_ranking_its_result_and_a_flawless_end_are_accessible(page: Page) -> None:
    page.goto("/daily/")
    page.get_by_role("button", name="Play today's game").click()
    decided(page, 1)
    play_turns(page, 15)
    expect_accessible(page)
    page.goto("/daily/")
    expect(page.locator(".mine")).to_be_visible()
    shared = page.locator("#share-result").get_attribute("data-share") or ""
    for address in (page.url, "/leaders/", shared):
        page.goto(address)
        expect_accessible(page)
    begin(page, level="after")
    play_best(page)
    expect(page.locator("[data-moment='flawless']").first).to_be_visible()
    expect_accessible(page)


def test_forms_their_errors_and_pages_of_errors_are_accessible(
    page: Page, complaints: Complaints
) -> None:
    page.goto("/account/signup/")
    page.locator("[name=username]").press("?")  # which is typed, and opens nothing
    expect(page.locator("dialog#keys")).to_be_hidden()
    for first, second in (("short", "other"), (PASSWORD, PASSWORD)):
        page.locator("[name=username]").fill("somebody")
        page.locator("[name=password1]").fill(first)
        page.locator("[name=password2]").fill(second)
        page.locator("main [type=submit]").click()
        if first != second:
            expect(page.locator(".errors").first).to_be_visible()
            expect_accessible(page)
    page.goto("/account/")
    expect(page.get_by_text("somebody").first).to_be_visible()
    expect_accessible(page)
    page.goto("/account/recovery-code/")
    expect_accessible(page)
    page.locator("[name=password]").fill(PASSWORD)
    page.locator("main [type=submit]").click()
    expect(page.locator("#code")).to_be_visible()
    expect_accessible(page)
    page.goto("/nowhere/")
    expect_accessible(page)
    complaints.expect("404")


def test_words_of_charts_are_legible(new_page: NewPage) -> None:
    page = new_page(**PHONE)
    page.goto("/dice-test/?of=study")
    expect_well_made(page)
    expect_legible(page)
    page.goto(f"{ended(page)}review")
    graphs = [(320, 640), (360, 640), (480, 800), (667, 375), (768, 1024), (960, 700), (1280, 800)]
    for width, height in graphs:
        page.set_viewport_size({"width": width, "height": height})
        expect_legible(page, ".course ")


def test_the_theme_can_be_set_against_the_device(page: Page) -> None:
    page.goto("/settings/")
    backgrounds = []
    for device, chosen in (("light", "Dark"), ("dark", "Light"), ("dark", "Dark")):
        page.emulate_media(color_scheme=device)  # type: ignore[arg-type]
        page.get_by_label(chosen).check()
        with page.expect_navigation():
            page.get_by_role("button", name="Save").click()
        background = "getComputedStyle(document.body).backgroundColor"
        backgrounds.append(page.evaluate(background))
    assert all(one != other for one, other in pairwise(backgrounds))


FIRST = 60_000  # bytes; what a game needs later comes with its first throw
LIMIT = 80_000
SHEETS = "[...document.styleSheets].map(sheet => sheet.href.match(/(\\w+)[^/]*$/)[1])"


def transferred(page: Page, address: str) -> dict[str, int]:
    sizes: dict[str, int] = {}
    names: dict[str, str] = {}
    session = page.context.new_cdp_session(page)
    session.send("Network.enable")
    session.send("Network.setCacheDisabled", {"cacheDisabled": True})
    session.on(
        "Network.responseReceived", lambda e: names.update({e["requestId"]: e["response"]["url"]})
    )
    session.on(
        "Network.loadingFinished", lambda e: sizes.update({e["requestId"]: e["encodedDataLength"]})
    )
    page.goto(address, wait_until="networkidle")
    return {names[request]: int(size) for request, size in sizes.items() if request in names}


def test_a_first_page_is_light_and_what_is_needed_later_comes_with_the_first_throw(
    new_page: NewPage,
) -> None:
    """Nothing is inline, and nothing comes from elsewhere."""
    page = new_page()
    fresh = transferred(page, "/")
    assert 8 <= len(fresh) <= 12
    assert sum(fresh.values()) <= FIRST, fresh
    assert {"play"} <= set(page.evaluate(SHEETS)) - {"end"} == set(page.evaluate(SHEETS))
    assert page.locator("[style], style, script:not([src])").count() == 0
    policy = page.request.get("/").headers["content-security-policy"]
    assert "default-src 'self'" in policy
    assert not [word for word in ("unsafe", "http") if word in policy]
    roll(page, 1)
    page.wait_for_function(f"{SHEETS}.includes('end')")
    page = new_page()
    begin(page)
    play_turns(page, 10)
    under_way = transferred(page, page.url)
    assert sum(under_way.values()) <= LIMIT, under_way
