"""python -m tests.browser.measure_line [--rounds 3]: when a page says that it is not connected, and
when it has caught up, after its line was cut or frozen for 1, 8 and 40 seconds.

Somebody watches a game by way of a line; meanwhile a move is made in it. The clock is that of this
machine, for the page and for the line alike, so its load is told beside the figures.
"""

import argparse
import os
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path
from time import sleep, time

from playwright.sync_api import Browser, expect, sync_playwright

from tests.browser import chromium, server
from tests.browser.conftest import DEFAULTS
from tests.browser.proxy import line_to
from tests.browser.steps import begin, connected, decided

SECONDS = (1, 8, 40)
WATCHED = """() => {
    window.noted = {};
    const note = name => { noted[name] ??= Date.now() / 1000; };
    new MutationObserver(() => {
        const gone = document.getElementById("connection").textContent;
        if (gone) note("said");
        if (noted.said && !gone) note("quiet");
        if (document.getElementById("board").dataset.seq === "2") note("shown");
    }).observe(document.body, { childList: true, subtree: true, characterData: true });
}"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    rounds = parser.parse_args().rounds
    say(f"load: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    say("| the line is | for | said after | the move shown after its return | quiet after |")
    say("| --- | --: | --: | --: | --: |")
    with tempfile.TemporaryDirectory(prefix="yatzy-line-") as name, ExitStack() as stack:
        site = stack.enter_context(server.running(Path(name)))
        browser = chromium.launch(stack.enter_context(sync_playwright()))
        for how in ("cut", "frozen"):
            for seconds in SECONDS:
                of_all = [measured(browser, site, how, seconds) for _ in range(rounds)]
                cells = [spread(column) for column in zip(*of_all, strict=True)]
                say(f"| {how} | {seconds} s | {' | '.join(cells)} |")
        browser.close()


def measured(browser: Browser, site: str, how: str, seconds: int) -> tuple[float | None, ...]:
    """Return when the notice comes after the break, and the move shows after the repair."""
    with line_to(site) as line, browser.new_context(base_url=site, **DEFAULTS) as own:
        player = own.new_page()
        begin(player)
        watched = player.locator("#share a").get_attribute("href") or ""
        with browser.new_context(base_url=line.near, **DEFAULTS) as far:
            watcher = far.new_page()
            connected(watcher, watched.replace(site, line.near))
            sleep(1.5)
            watcher.evaluate(WATCHED)
            since = time()
            line.cut() if how == "cut" else line.freeze()
            player.locator("#roll").click()
            sleep(max(0.0, since + seconds - time()))
            back = time()
            line.mend()
            decided(watcher, 2)
            expect(watcher.locator("#connection")).to_be_empty()
            noted = watcher.evaluate("noted")
            said, quiet = noted.get("said"), noted.get("quiet")
            return said and said - since, noted["shown"] - back, quiet and quiet - back


def spread(values: tuple[float | None, ...]) -> str:
    found = sorted(value for value in values if value is not None)
    if not found:
        return "not"
    return f"{found[0]:.1f} to {found[-1]:.1f} s"


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
