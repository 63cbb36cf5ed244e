"""python -m tests.browser.pictures FOLDER [--against FOLDER]: the whole site, photographed.

One walk through it, and at every stop a picture of each size in both themes, and what axe finds.
With --against, what looks otherwise than in the pictures of an earlier walk; with --story, the
first game of somebody new on a phone, its pictures side by side in one file.
"""

import argparse
import sys
import tempfile
import time
from base64 import b64decode, b64encode
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Literal

from playwright.sync_api import Browser, Page, sync_playwright

from solver.cli.solve import read_existing_facts
from solver.rules import YATZY
from solver.tables import find_table_path
from tests.browser import chromium, server
from tests.browser.conftest import DEFAULTS
from tests.browser.looks import AXE, VIOLATIONS
from tests.browser.steps import PHONE, settled
from tests.browser.walk import Scene, Walk

SIZES = ("320x640", "360x640", "390x664", "667x375", "1280x800", "1920x1080")
THEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
FINGERS = 1000  # px: narrower screens have no mouse
SHARE = 0.5  # per cent of a picture that may differ: a name, a day, a clock
SPACED = "--font-render-hinting=none"  # without it, words run together at one pixel per CSS pixel
STORY = ("first-visit", "guided-1", "guided-2", "guided-4", "turn-over", "verdict", "end-first")
STORY_SIZE = "390x664"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.browser.pictures", description=__doc__)
    parser.add_argument("folder", type=Path, help="where the pictures go")
    parser.add_argument("--against", type=Path, help="a folder of earlier pictures")
    parser.add_argument("--share", type=float, default=SHARE, help=f"per cent ({SHARE})")
    parser.add_argument("--sizes", default=",".join(SIZES), help="some of them")
    parser.add_argument("--only", default="", help="names of stops, with commas between them")
    parser.add_argument("--story", type=Path, help="a WebP of the first game")
    parser.add_argument("--no-axe", action="store_true", help="pictures alone")
    options = parser.parse_args()
    if not read_existing_facts(YATZY, find_table_path(YATZY)):
        sys.exit("there is no table yet: ./yatzy solver solve")
    options.folder.mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        browser = chromium.launch(stack.enter_context(sync_playwright()), SPACED)
        violations = list(photographed(browser, options))
        if options.story:
            options.story.write_bytes(story(browser, options.folder))
        changed = list(differing(browser, options)) if options.against else []
    for line in (*violations, *changed):
        say(line)
    return 1 if violations or changed else 0


def photographed(browser: Browser, options: argparse.Namespace) -> Iterator[str]:
    """A walk for all sizes that have a finger, and one for those that have a mouse."""
    sizes = options.sizes.split(",")
    for device in (PHONE, {}):
        its_sizes = [size for size in sizes if (width(size) < FINGERS) == bool(device)]
        if its_sizes:
            began, left = time.monotonic(), set(filter(None, options.only.split(",")))
            for name, page in scenes(browser, DEFAULTS | device):
                if left and name not in left:
                    continue
                walked = page.viewport_size
                for size in its_sizes:
                    wide, high = map(int, size.split("x"))
                    page.set_viewport_size({"width": wide, "height": high})
                    page.mouse.move(0, 0)
                    for theme in THEMES:
                        page.emulate_media(color_scheme=theme, reduced_motion="reduce")
                        settled(page)
                        page.screenshot(
                            path=picture(options.folder, name, size, theme), full_page=True
                        )
                    if not options.no_axe:
                        yield from (f"{name} {size}: {one}" for one in found_by_axe(page))
                if walked:
                    page.set_viewport_size(walked)
                say(f"{time.monotonic() - began:4.0f} s  {name}")
                if left == {name}:
                    break
                left.discard(name)


def scenes(browser: Browser, device: dict[str, Any]) -> Iterator[Scene]:
    with tempfile.TemporaryDirectory(prefix="yatzy-pictures-") as name, ExitStack() as stack:
        folder = Path(name)
        site = stack.enter_context(server.running(folder))
        key = server.surroundings(folder)["SECRET_KEY"]
        yield from Walk(browser, key, **device, base_url=site).scenes()


def width(size: str) -> int:
    return int(size.partition("x")[0])


def picture(folder: Path, name: str, size: str, theme: str) -> Path:
    return folder / f"{name}-{size}-{theme}.png"


def found_by_axe(page: Page) -> Iterator[str]:
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE)
    for theme, wanted in zip(THEMES, ({}, {"runOnly": ["color-contrast"]}), strict=True):
        page.emulate_media(color_scheme=theme, reduced_motion="reduce")
        for rule in page.evaluate(VIOLATIONS, wanted):
            for node in rule["nodes"]:
                yield f"{theme}, {rule['id']}: {node['html'][:160]}"


def data(path: Path) -> str:
    return f"data:image/png;base64,{b64encode(path.read_bytes()).decode()}"


PIXELS = """async ([one, other]) => {
    const drawn = async address => {
        const image = await createImageBitmap(await (await fetch(address)).blob());
        const canvas = new OffscreenCanvas(image.width, image.height);
        const pen = canvas.getContext("2d");
        pen.drawImage(image, 0, 0);
        return pen.getImageData(0, 0, image.width, image.height);
    };
    const [a, b] = [await drawn(one), await drawn(other)];
    if (a.width !== b.width || a.height !== b.height) return 100;
    const [left, right] = [a, b].map(image => new Uint32Array(image.data.buffer));
    let differing = 0;
    for (let at = 0; at < left.length; at++) differing += left[at] !== right[at];
    return 100 * differing / left.length;
}"""


def differing(browser: Browser, options: argparse.Namespace) -> Iterator[str]:
    """Pictures of both folders that are not the same; of another height they differ altogether."""
    page = browser.new_page()
    for path in sorted(options.folder.glob("*.png")):
        before = options.against / path.name
        if not before.exists():
            yield f"{path.name}: new"
        elif path.read_bytes() != before.read_bytes():
            share = page.evaluate(PIXELS, [data(path), data(before)])
            if share > options.share:
                yield f"{path.name}: {share:.1f} % differs"


SIDE_BY_SIDE = """async ([addresses, width, height, gap]) => {
    const canvas = document.createElement("canvas");
    canvas.width = addresses.length * (width + gap) - gap;
    canvas.height = height;
    const pen = canvas.getContext("2d");
    for (const [at, address] of addresses.entries()) {
        const image = await createImageBitmap(await (await fetch(address)).blob());
        pen.drawImage(image, 0, 0, width, height, at * (width + gap), 0, width, height);
    }
    return canvas.toDataURL("image/webp", 0.85).split(",")[1];
}"""


def story(browser: Browser, folder: Path) -> bytes:
    taken = [data(picture(folder, name, STORY_SIZE, "light")) for name in STORY]
    wide, high = map(int, STORY_SIZE.split("x"))
    return b64decode(browser.new_page().evaluate(SIDE_BY_SIDE, [taken, wide, high, 16]))


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
