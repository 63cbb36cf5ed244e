"""The play page is light, and everything comes from this server."""

from playwright.sync_api import Page, expect

from tests.browser.conftest import NewPage
from tests.browser.steps import begin, decided, play_turns

FIRST = 60_000  # what a game needs later comes with its first throw
LIMIT = 80_000


def transferred(page: Page, address: str) -> dict[str, int]:
    """Bytes over the wire, headers included, by the file."""
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


def test_a_fresh_card_transfers_at_most_60_kilobytes_and_a_game_under_way_80(
    new_page: NewPage,
) -> None:
    page = new_page()
    fresh = transferred(page, "/")
    assert 8 <= len(fresh) <= 12
    assert sum(fresh.values()) <= FIRST, fresh
    page = new_page()
    begin(page)
    play_turns(page, 10)
    under_way = transferred(page, page.url)
    assert sum(under_way.values()) <= LIMIT, under_way


SHEETS = "[...document.styleSheets].map(sheet => sheet.href.match(/(\\w+)[^/]*$/)[1])"


def test_the_styles_of_the_end_come_with_the_first_throw(page: Page) -> None:
    page.goto("/")
    assert "play" in page.evaluate(SHEETS)
    assert "end" not in page.evaluate(SHEETS)
    page.locator("#roll").click()
    decided(page, 1)
    expect(page.locator('link[href*="css/end"]')).to_be_attached()
    for _patience in range(100):
        if "end" in page.evaluate(SHEETS):
            return
        page.wait_for_timeout(50)
    assert "end" in page.evaluate(SHEETS)


def test_the_policy_allows_nothing_inline_and_nobody_else(page: Page) -> None:
    answer = page.goto("/")
    assert answer is not None
    policy = answer.headers["content-security-policy"]
    assert "default-src 'self'" in policy
    assert "unsafe" not in policy
    assert "http" not in policy
    assert page.locator("[style], style, script:not([src])").count() == 0
