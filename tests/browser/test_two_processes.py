"""Two server processes with a PostgreSQL and a Redis in common are one site."""

import signal
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser import server
from tests.browser.conftest import DEFAULTS, Complaints
from tests.browser.steps import (
    begin,
    connected,
    decided,
    expect_phase,
    faces,
    fill,
    first_open,
    play_turn,
    table,
)

pytestmark = pytest.mark.shared


@contextmanager
def one_process(folder: Path) -> Iterator[str]:
    process, address = server.start(folder)
    try:
        yield address
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait(timeout=20)


@pytest.fixture(scope="module")
def folder(yatzy_tables: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("two")
    server.prepare(folder)
    return folder


@pytest.fixture(scope="module")
def addresses(folder: Path) -> Iterator[tuple[str, str]]:
    with one_process(folder) as first, one_process(folder) as second:
        yield first, second
    said = (folder / "server.log").read_text()
    assert "Warning" not in said, said
    assert "Traceback" not in said, said


@contextmanager
def opened(browser: Browser, address: str, **options: Any) -> Iterator[Page]:
    complaints = Complaints(address)
    with browser.new_context(base_url=address, **(DEFAULTS | options)) as context:
        complaints.watch(context)
        yield context.new_page()
    assert complaints == []


@pytest.fixture
def pages(browser: Browser, addresses: tuple[str, str]) -> Iterator[list[Page]]:
    with ExitStack() as stack:
        yield [stack.enter_context(opened(browser, address)) for address in addresses]


def test_a_move_at_one_process_is_pushed_to_a_watcher_at_the_other(
    pages: list[Page], addresses: tuple[str, str]
) -> None:
    player, watcher = pages
    begin(player)
    player.locator("#share summary").click()
    shared = player.locator("#share a").get_attribute("href") or ""
    connected(watcher, shared.replace(*addresses))
    assert watcher.url.startswith(addresses[1])
    decided(watcher, 1)
    for seq in (2, 4, 6):
        fill(first_open(player))
        decided(watcher, seq)
        expect(watcher.locator(".box--used")).to_have_count(seq // 2)
        player.locator("#roll").click()
        for page in pages:
            decided(page, seq + 1)
        assert faces(watcher) == faces(player)


def test_two_people_at_two_processes_play_a_duel(
    pages: list[Page], addresses: tuple[str, str]
) -> None:
    first, second = pages
    table(first, second, addresses)
    for turn in (1, 2):
        play_turn(first)
        expect(second.locator("#seats [data-state=played]")).to_have_count(1)
        play_turn(second)
        for page in pages:
            expect_phase(page, "roll")
            expect(page.locator(".meta__turn")).to_contain_text(f"Turn {turn + 1}")


def test_who_was_at_a_process_that_was_killed_goes_on_at_the_other(
    browser: Browser, addresses: tuple[str, str], folder: Path
) -> None:
    with browser.new_context(**DEFAULTS) as context:
        page = context.new_page()
        with one_process(folder) as killed:
            page.goto(killed)
            page.locator("#roll").click()
            decided(page, 1)
            fill(first_open(page))
            decided(page, 2)
            page.locator("#roll").click()
            decided(page, 3)
            dice = faces(page)
        page.goto(page.url.replace(killed, addresses[0]))
        decided(page, 3)
        assert faces(page) == dice
        fill(first_open(page))
        decided(page, 4)
