"""python -m tests.browser.measure [--throws 50]: what a visitor waits for, on this machine.

The weight of the first page, the time from a click on Roll to painted dice, what shifts meanwhile,
and how long a slow phone would be busy without a pause. The server is the real one with a folder
of its own, the browser that of the tests, and both are on this machine: an idle one gives the
figure, so its load is told beside it.
"""

import argparse
import json
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from statistics import median, quantiles

from playwright.sync_api import Browser, Page, sync_playwright

from solver.cli.solve import read_existing_facts
from solver.rules import YATZY
from solver.tables import find_table_path
from tests.browser import chromium, server
from tests.browser.conftest import DEFAULTS
from tests.browser.looks import COUNT_SHIFTS, SHIFTS
from tests.browser.steps import decided, fill, first_open
from tests.browser.test_pages import transferred

THROWS = 50
SLOW = 4  # a phone is this factor slower than this machine
TRACED = ["devtools.timeline", "disabled-by-default-devtools.timeline"]
# From the event to the first task after the frame in which the new board was drawn.
CLOCK = """window.waits = [];
let pressed = 0;
document.addEventListener("click", event => (pressed = event.timeStamp), true);
document.addEventListener("htmx:afterSwap", () => requestAnimationFrame(() => {
    const painted = new MessageChannel();
    painted.port1.onmessage = () => window.waits.push(performance.now() - pressed);
    painted.port2.postMessage(null);
}));"""

PRESS = """(document.querySelector("#board[data-phase=score] button.box:not([data-nothing])")
    ?? document.querySelector("#board[data-phase=score] button.box")
    ?? document.getElementById("roll")).click()"""

PAINTED = """new Promise(done => {
    const look = () => waits.length ? done(waits[0]) : setTimeout(look, 5);
    look();
})"""


def main() -> None:
    options = parsed()
    if not read_existing_facts(YATZY, find_table_path(YATZY)):
        sys.exit("there is no table yet: ./yatzy solver solve")
    with tempfile.TemporaryDirectory(prefix="yatzy-measure-") as name, ExitStack() as stack:
        site = stack.enter_context(server.running(Path(name)))
        browser = chromium.launch(stack.enter_context(sync_playwright()))
        files = transferred(somebody(browser, site), "/")
        waits, shifts = thrown(somebody(browser, site), options.throws)
        tasks = list(busy(browser, somebody(browser, site)))
        browser.close()
    report(files, waits, shifts, tasks)


def report(files: dict[str, int], waits: list[float], shifts: float, tasks: list[float]) -> None:
    say(f"load: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    say(f"first page: {sum(files.values())} bytes in {len(files)} files, compressed, with headers")
    say(f"click on Roll to painted dice: median {median(waits):.0f} ms of {len(waits)} throws,")
    say(f"    nine of ten within {quantiles(waits, n=10)[-1]:.0f} ms")
    say(f"layout shift in these games, with the live coach: {shifts:.4f}")
    say(f"a phone {SLOW} times slower, by the processor's time: longest task {max(tasks):.0f} ms,")
    say(f"    {sum(one > 50 for one in tasks)} of {len(tasks)} over 50 ms, in one game")


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.browser.measure", description=__doc__)
    parser.add_argument("--throws", type=int, default=THROWS, help=f"how many ({THROWS})")
    return parser.parse_args()


def somebody(browser: Browser, site: str) -> Page:
    wishes = DEFAULTS | {"reduced_motion": "no-preference"}
    return browser.new_context(base_url=site, **wishes).new_page()


def thrown(page: Page, throws: int) -> tuple[list[float], float]:
    """Milliseconds of every throw, and the sum of what shifted in the games they were made in."""
    page.add_init_script(COUNT_SHIFTS)
    page.add_init_script(CLOCK)
    waits: list[float] = []
    shifts = 0.0
    while len(waits) < throws:
        page.goto("/")
        page.locator("#level").select_option("live")
        while len(waits) < throws and phase(page) != "over":
            waits += moved(page)
        shifts += page.evaluate(SHIFTS)
        page.context.clear_cookies()
    return waits, shifts


def moved(page: Page) -> list[float]:
    seq = int(page.locator("#board").get_attribute("data-seq") or 0)
    throwing = phase(page) != "score"
    page.evaluate("waits.length = 0")
    page.locator("#roll").click() if throwing else fill(first_open(page))
    decided(page, seq + 1)
    waited = page.evaluate(PAINTED)
    return [waited] if throwing else []


def busy(browser: Browser, page: Page) -> Iterator[float]:
    """Every task of a game on a phone, in milliseconds of a slower one.

    The processor's time, not the clock's: what else runs on this machine does not count. A click
    is the page's own, for the driver's looks at the whole layout before it clicks.
    """
    page.set_viewport_size({"width": 390, "height": 664})
    page.add_init_script(CLOCK)
    page.goto("/")
    page.locator("#level").select_option("live")
    browser.start_tracing(page=page, categories=TRACED)
    for seq in range(60):
        if phase(page) == "over":
            break
        page.wait_for_timeout(200)
        page.evaluate(PRESS)
        decided(page, seq + 1)
    page.wait_for_timeout(500)
    events = json.loads(browser.stop_tracing())["traceEvents"]
    drawing = Counter(of(event) for event in events if event.get("name") == "UpdateLayoutTree")
    main = drawing.most_common(1)[0][0]
    for event in events:
        if event.get("name") == "RunTask" and of(event) == main:
            yield event.get("tdur", 0) / 1000 * SLOW


def of(event: dict[str, int]) -> tuple[int, int]:
    return event["pid"], event["tid"]


def phase(page: Page) -> str | None:
    return page.locator("#board").get_attribute("data-phase")


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")


if __name__ == "__main__":
    main()
