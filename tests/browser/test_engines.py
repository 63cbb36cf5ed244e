"""python -m tests.browser.test_engines FOLDER: a walk through the site in three engines.

Real clicks in Chromium, in Firefox (WebDriver BiDi) and in WebKitGTK (WebDriver, in the window of
a virtual screen), and a picture of every stop, to be looked at.
"""

import json
import subprocess
import sys
import time
from base64 import b64decode
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from playwright.sync_api import sync_playwright
from websockets.sync.client import connect

from tests.browser import chromium, server
from tests.browser.test_first_screens import CUT_NAMES, PHONE

SCREEN = (":97", "8497")  # the virtual screen, and the port of the driver
SEQ = "+document.querySelector('#board').dataset.seq"
TEXT = "document.documentElement.style.fontSize = '{}%'"
SIDEWAYS = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
READY = "Boolean(navigator.serviceWorker.controller)"


class Engine(NamedTuple):
    go: Callable[[str], Any]
    run: Callable[[str], Any]  # the value of an expression
    press: Callable[[str], Any]  # a click on the first element of a selector
    picture: Callable[[], bytes]


@contextmanager
def in_chromium(_folder: Path) -> Iterator[Engine]:
    with sync_playwright() as playwright:
        page = chromium.launch(playwright).new_page(viewport=PHONE, reduced_motion="reduce")
        yield Engine(
            page.goto, page.evaluate, lambda css: page.locator(css).first.click(), page.screenshot
        )


@contextmanager
def in_firefox(folder: Path) -> Iterator[Engine]:
    command = ["firefox-esr", "--headless", "--profile", str(folder), "--remote-debugging-port=0"]
    with started(command, {"HOME": str(folder)}) as firefox:
        lines = (line.decode() for line in firefox.stderr or ())
        address = next(line.split()[-1] for line in lines if "BiDi listening on" in line)
        with connect(f"{address}/session", max_size=None) as socket:

            def ask(method: str, **params: Any) -> Any:
                socket.send(json.dumps({"id": 1, "method": method, "params": params}))
                answer: dict[str, Any] = {}
                while answer.get("id") != 1:
                    answer = json.loads(socket.recv(timeout=60))
                assert answer["type"] == "success", answer
                return answer["result"]

            ask("session.new", capabilities={})
            here = {"context": ask("browsingContext.getTree")["contexts"][0]["context"]}
            ask("browsingContext.setViewport", viewport=PHONE, **here)

            def run(expression: str) -> Any:
                text = f"JSON.stringify({expression})"
                answer = ask("script.evaluate", expression=text, target=here, awaitPromise=True)
                return json.loads(answer["result"].get("value", "null"))

            def press(css: str) -> None:
                run(
                    f"document.querySelector({json.dumps(css)}).scrollIntoView({{block: 'center'}})"
                )
                where = {"type": "css", "value": css}
                node = ask("browsingContext.locateNodes", locator=where, **here)["nodes"][0]
                origin = {"type": "element", "element": {"sharedId": node["sharedId"]}}
                moves = [{"type": "pointerMove", "x": 0, "y": 0, "origin": origin}]
                moves += [{"type": f"pointer{way}", "button": 0} for way in ("Down", "Up")]
                mouse = {"type": "pointer", "id": "mouse", "actions": moves}
                ask("input.performActions", actions=[mouse], **here)

            yield Engine(
                lambda url: ask("browsingContext.navigate", url=url, wait="complete", **here),
                run,
                press,
                lambda: b64decode(ask("browsingContext.captureScreenshot", **here)["data"]),
            )


@contextmanager
def in_webkit(folder: Path) -> Iterator[Engine]:
    screen, port = SCREEN
    around = {"DISPLAY": screen, "HOME": str(folder)}
    with (
        started(["Xvfb", screen, "-screen", "0", "1400x1000x24"], {}),
        started(["WebKitWebDriver", "-p", port], around),
    ):
        time.sleep(2)

        def ask(method: str, way: str, **params: Any) -> Any:
            body = json.dumps(params).encode() if method == "POST" else None
            request = Request(f"http://127.0.0.1:{port}/session{way}", body, method=method)
            try:
                with urlopen(request, timeout=60) as answer:
                    return json.load(answer)["value"]
            except HTTPError as error:
                raise AssertionError(error.read()) from error

        (binary,) = Path("/usr/lib").glob("*/webkit2gtk-4.1/MiniBrowser")
        options = {"binary": str(binary), "args": ["--automation"]}
        wishes = {"alwaysMatch": {"webkitgtk:browserOptions": options}}
        here = "/" + ask("POST", "", capabilities=wishes)["sessionId"]
        ask("POST", f"{here}/window/rect", **PHONE)

        def run(expression: str) -> Any:
            return ask("POST", f"{here}/execute/sync", script=f"return {expression}", args=[])

        def press(css: str) -> None:
            node = ask("POST", f"{here}/element", using="css selector", value=css)
            ask("POST", f"{here}/element/{next(iter(node.values()))}/click")

        try:
            yield Engine(
                lambda url: ask("POST", f"{here}/url", url=url),
                run,
                press,
                lambda: b64decode(ask("GET", f"{here}/screenshot")),
            )
        finally:
            ask("DELETE", here)


@contextmanager
def started(command: list[str], more: dict[str, str]) -> Iterator[subprocess.Popen[bytes]]:
    around = {"PATH": "/usr/bin:/bin"} | more
    process = subprocess.Popen(command, env=around, stderr=subprocess.PIPE)
    try:
        yield process
    finally:
        process.terminate()
        process.communicate(timeout=20)


class Stroll:
    """A new visitor, who stops when there is something to look at."""

    def __init__(self, engine: Engine, folder: Path, pictures: Path, name: str) -> None:
        self.engine, self.folder, self.pictures, self.name = engine, folder, pictures, name
        self.process, self.site = server.start(folder)
        self.stops = 0

    def stop(self, name: str) -> None:
        self.stops += 1
        time.sleep(0.5)  # until nothing moves
        path = self.pictures / f"{self.stops:02}-{name}-{self.name}.png"
        path.write_bytes(self.engine.picture())
        assert self.engine.run(SIDEWAYS) <= 0, (name, self.name)
        assert self.engine.run(f"({CUT_NAMES})()") == [], (name, self.name)

    def until(self, expression: str) -> None:
        for _patience in range(150):
            if self.engine.run(expression):
                return
            time.sleep(0.1)
        raise AssertionError((self.name, expression))

    def move(self, css: str) -> None:
        seq = self.engine.run(SEQ)
        self.engine.press(css)
        self.until(f"{SEQ} > {seq} || Boolean(document.querySelector('#confirm'))")
        if self.engine.run("Boolean(document.querySelector('#confirm'))"):
            self.stop("warning")
            self.engine.press("#confirm")
            self.until(f"{SEQ} > {seq}")

    def through(self) -> int:
        go, press = self.engine.go, self.engine.press
        go(f"{self.site}/")
        self.stop("first-visit")
        self.move("#roll")
        self.stop("guided-turn")
        for state in ("true", "false"):
            press("#die-1")
            self.until(f"document.querySelector('#die-1').ariaPressed === '{state}'")
        self.move("[name=category][value=yatzy]")
        self.stop("verdict")
        press("#status .why")
        self.stop("why")
        address = self.engine.run("location.href").split("?")[0]
        game = address.split("/")[-2]
        program = f"from tests.browser import moves; moves.best({game!r})"
        server.manage(self.folder, "shell", "-c", program)
        for page in ("", "review"):
            go(f"{address}{page}")
            self.stop(page or "end")
            self.engine.run(TEXT.format(200))
            self.stop(f"{page or 'end'}-200")
        go(f"{self.site}/duels/")
        self.stop("opponents")
        press("#challenge")
        self.until("Boolean(document.querySelector('#seats'))")
        self.move("#roll")
        self.stop("duel")
        self.until(READY)
        self.process.terminate()
        self.process.wait(timeout=20)
        go(f"{self.site}/")
        self.until("document.querySelector('#board')?.dataset.phase === 'roll'")
        self.move("#roll")
        self.engine.run(TEXT.format(200))
        self.stop("offline-200")
        return self.stops


ENGINES = {"chromium": in_chromium, "firefox": in_firefox, "webkit": in_webkit}
NEEDS = {"chromium": (), "firefox": ("firefox-esr",), "webkit": ("WebKitWebDriver", "Xvfb")}


@pytest.mark.nightly
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.needs(*needs)) for name, needs in NEEDS.items()]
)
def test_a_newcomer_gets_through_the_site(name: str, tmp_path: Path) -> None:
    assert stroll(name, tmp_path) == 12


def stroll(name: str, pictures: Path) -> int:
    with TemporaryDirectory() as site, TemporaryDirectory() as home:
        folder = Path(site)
        server.prepare(folder)
        with ENGINES[name](Path(home)) as engine:
            walk = Stroll(engine, folder, pictures, name)
            try:
                return walk.through()
            finally:
                server.managers.close(folder)
                walk.process.terminate()


if __name__ == "__main__":
    for engine in sys.argv[2:] or ENGINES:
        stroll(engine, Path(sys.argv[1]))
