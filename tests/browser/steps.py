"""Steps of tests in a browser: games, duels and sockets."""

import re
from urllib.parse import urlsplit

from playwright.sync_api import Locator, Page, expect

from tests.browser import server

TURNS = 15
PHONE = {"viewport": {"width": 360, "height": 640}, "has_touch": True, "is_mobile": True}
NOTHING = ".box--open[data-nothing]"  # the box costs points with throws left
LISTEN = """document.addEventListener("htmx:wsOpen", () => {
    document.documentElement.dataset.connected = "yes"; });
document.addEventListener("htmx:wsBeforeMessage", () => {
    document.documentElement.dataset.pushed = "yes"; });"""


def decided(page: Page, seq: int) -> None:
    """Wait until the page shows the game after ``seq`` decisions."""
    expect(page.locator("#board")).to_have_attribute("data-seq", str(seq))


def expect_phase(page: Page, phase: str) -> None:
    expect(page.locator("#board")).to_have_attribute("data-phase", phase)


def until(page: Page, promise: str) -> None:
    """Wait for the value of a promise; Playwright's own waiting takes any promise for true."""
    for _patience in range(100):
        if page.evaluate(promise):
            return
        page.wait_for_timeout(50)
    raise AssertionError(promise)


def settled(page: Page) -> None:
    page.evaluate("Promise.all(document.getAnimations().map(motion => motion.finished))")


def first_open(page: Page) -> Locator:
    return page.locator(".box--open").first


def fill(box: Locator) -> None:
    """Fill the box and answer the question, if it looks like a slip."""
    seq = int(box.page.locator("#board").get_attribute("data-seq") or 0)
    box.click()
    mean_it(box.page, seq)


def mean_it(page: Page, seq: int) -> None:
    """Answer the question about a box that was pressed after ``seq`` decisions, if there is one."""
    expect(page.locator(f"#confirm, #board:not([data-seq='{seq}'])").first).to_be_visible()
    if page.locator("#confirm").count():
        page.locator("#confirm").press("Enter")


def points(page: Page, selector: str) -> list[int]:
    return [int(text) for text in page.locator(selector).all_text_contents()]


def faces(page: Page) -> list[str]:
    hrefs: list[str] = page.locator(".tray .die use").evaluate_all(
        "all => all.map(use => use.getAttribute('href'))"
    )
    return hrefs


def held(page: Page, slot: int, state: bool = True) -> None:
    pressed = "true" if state else "false"
    expect(page.locator(f"#die-{slot}")).to_have_attribute("aria-pressed", pressed)


def expect_finished(page: Page, turns: int = TURNS) -> None:
    expect_phase(page, "over")
    boxes = points(page, ".box--used .box__points")
    bonus = page.locator(".bonus[data-won] .bonus__points").all_text_contents()
    total = sum(boxes) + sum(map(int, bonus))
    assert len(boxes) == turns
    assert points(page, ".total__points, .over__points") == [total, total]


def begin(page: Page, ruleset: str = "yatzy", level: str = "") -> None:
    page.goto(f"/?rules={ruleset}")
    if level:
        page.locator("#level").select_option(level)
    roll(page, 1)


def roll(page: Page, seq: int) -> None:
    page.locator("#roll").click()
    decided(page, seq)


def play_turns(page: Page, turns: int) -> None:
    """Plays on, in the first open box each time, beside the site: quicker than by its pages."""
    address = page.url.split("?")[0]
    move(page, "first_boxes", urlsplit(address).path.split("/")[2], turns)
    page.goto(address)


def play_best(page: Page) -> None:
    address = page.url.split("?")[0]
    move(page, "best", urlsplit(address).path.split("/")[2])
    page.goto(address)


def move(page: Page, moves: str, *which: str | int) -> None:
    """Move by the function of this name; a page that is open is not told."""
    site = urlsplit(page.url)
    folder = server.folders[f"{site.scheme}://{site.netloc}"]
    program = f"from tests.browser import moves; moves.{moves}{which!r}"
    server.manage(folder, "shell", "-c", program)


def finish(page: Page, turns: int = TURNS) -> None:
    play_turns(page, turns)
    expect_finished(page, turns)


def ended(page: Page) -> str:
    begin(page)
    finish(page)
    return page.url.split("?")[0]


def post(page: Page, address: str, html: str, **form: str | float | bool) -> str:
    form |= {
        "seq": group(r'name="seq" value="(\d+)"', html),
        "csrfmiddlewaretoken": group(r'name="csrfmiddlewaretoken" value="(\w+)"', html),
    }
    # Like a script: the server sends only the board, and no whole page after a redirect.
    answer = page.request.post(address, form=form, headers={"HX-Request": "true"})
    assert answer.ok, answer.status_text
    return answer.text()


def group(pattern: str, html: str) -> str:
    match = re.search(pattern, html)
    assert match is not None
    return match[1]


# Sockets


def connected(page: Page, address: str) -> None:
    page.add_init_script(LISTEN)
    page.goto(address)
    expect(page.locator("html")).to_have_attribute("data-connected", "yes")


def expect_push(page: Page) -> None:
    expect(page.locator("html")).to_have_attribute("data-pushed", "yes")


def watched(page: Page) -> str:
    page.locator("#share summary").click()
    return page.locator("#share a").get_attribute("href") or ""


# Duels


def begin_duel(
    page: Page, *bots: str, people: int = 1, minutes: int = 0, listed: bool = False
) -> None:
    page.goto("/duels/")
    page.locator(f"[name=opponent][value={bots[0] if bots else 'friend'}]").check(force=True)
    page.locator(".challenge__more summary").click()
    for bot in bots[1:]:
        page.locator(f"[name=bots][value={bot}]").check()
    page.locator("[name=people]").select_option(str(people))
    page.locator("[name=minutes]").select_option(str(minutes))
    page.locator(f"[name=listed][value={'open' if listed else 'link'}]").check()
    page.locator("#challenge").click()


def table(first: Page, second: Page, processes: tuple[str, str] = ("", "")) -> None:
    """Two people: the one has the link of the other, and opens it at a process of the site."""
    begin_duel(first, people=2)
    expect(first.locator("#withdraw")).to_be_visible()
    second.goto(first.url.replace(*processes))
    second.locator("#join").click()
    expect_phase(second, "roll")
    expect_phase(first, "roll")


def throw(page: Page) -> None:
    page.locator("#roll").click()
    expect_phase(page, "decide")


def play_turn(page: Page) -> None:
    throw(page)
    fill(first_open(page))
    expect(page.locator("#board")).not_to_have_attribute("data-phase", "decide")


def play_on(turns: int, *pages: Page) -> None:
    """Play everybody's turns outside the pages, which show them when they are opened again."""
    game = pages[0].locator("#board").get_attribute("data-game") or ""
    move(pages[0], "turns_of_all", game, turns)
    for page in pages:
        page.reload()


def give_up(page: Page) -> None:
    page.locator("#give-up summary").click()
    page.get_by_role("button", name="Give up").click()
