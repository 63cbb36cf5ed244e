"""A browser, a running site, and pages on which every complaint is an error."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from tests.browser import chromium, server
from tests.conftest import unwaited_folder

NewPage = Callable[..., Page]
# Motion costs a quarter of a second per click; tests of motion switch it on.
DEFAULTS: dict[str, Any] = {
    "viewport": {"width": 1280, "height": 800},
    "locale": "en",
    "reduced_motion": "reduce",
    "service_workers": "block",  # a page then loads only the files that it requests
}
expect.set_options(timeout=10_000)
# A page's random numbers follow from the test's name and from the tab's earlier random numbers.
LUCK = """crypto.getRandomValues = into => {
    for (let at = 0; at < into.length; at++) {
        const drawn = sessionStorage.drawn = Number(sessionStorage.drawn || SEED) + 1 >>> 0;
        into[at] = Math.imul(Math.imul(drawn, 0x9e3779b1) ^ drawn >>> 15, 0x85ebca6b) >>> 8;
    }
    return into;
}"""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "tests/browser/" in item.nodeid:
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = chromium.launch(playwright)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def site_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Return the folder of the site next to its database: a test may put files there."""
    with unwaited_folder(tmp_path_factory, "site") as folder:
        yield folder


@pytest.fixture(scope="session")
def site(browser: Browser, yatzy_tables: None, site_folder: Path) -> Iterator[str]:
    with server.running(site_folder) as address:
        yield address


class Complaints(list[str]):
    """Errors, refused content and requests to other hosts: no page may cause them."""

    def __init__(self, site: str) -> None:
        super().__init__()
        self.site = site
        self.expected: list[str] = []

    def expect(self, *texts: str) -> None:
        """Allow complaints with one of these texts, also those that arrive later."""
        self.expected.extend(texts)
        self[:] = [text for text in self if not self._is_expected(text)]

    def watch(self, context: BrowserContext) -> None:
        context.on("console", lambda message: self._said(message.type, message.text))
        context.on("weberror", lambda error: self._add(str(error.error)))
        context.on("request", lambda request: self._asked(request.url))

    def _said(self, kind: str, text: str) -> None:
        # Every page registers a service worker; only the tests of the worker allow it.
        if kind in {"error", "warning"} and not text.startswith("Service Worker registration"):
            self._add(text)

    def _asked(self, url: str) -> None:
        if not url.startswith((self.site, "data:")):
            self._add(f"third-party request: {url}")

    def _add(self, text: str) -> None:
        if not self._is_expected(text):
            self.append(text)

    def _is_expected(self, text: str) -> bool:
        return any(part in text for part in self.expected)


@pytest.fixture
def complaints(site: str) -> Complaints:
    """Collect complaints; a test that provokes one calls `expect`."""
    return Complaints(site)


@pytest.fixture
def new_page(
    browser: Browser, site: str, complaints: Complaints, request: pytest.FixtureRequest
) -> Iterator[NewPage]:
    contexts: list[BrowserContext] = []
    luck = LUCK.replace("SEED", str(crc32(request.node.nodeid.encode())))

    def opened(**options: Any) -> Page:
        context = browser.new_context(base_url=site, **(DEFAULTS | options))
        context.add_init_script(luck)
        complaints.watch(context)
        contexts.append(context)
        return context.new_page()

    yield opened
    for context in contexts:
        context.close()
    assert complaints == []


@pytest.fixture
def page(new_page: NewPage) -> Page:
    return new_page()
