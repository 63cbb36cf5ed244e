"""A first game by rules that nothing is known of yet: it is played, and its coach comes to it."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from solver.making.maker import Notes, lock_path, only_one
from solver.rules import RULESETS
from solver.tables import OUTLOOK, VALUES, table_path
from tests.browser import server
from tests.browser.conftest import DEFAULTS, Complaints
from tests.browser.steps import decided, first_open
from tests.browser.test_accessibility import expect_accessible
from tests.conftest import solved

RULES = RULESETS["yahtzee"]


class Workshop:
    """Stands for the process that makes the tables: it says how far it is, and is done at last."""

    def __init__(self) -> None:
        solved(RULES)
        self.made = {kind: table_path(RULES, kind) for kind in (VALUES, OUTLOOK)}

    @contextmanager
    def at_work(self) -> Iterator[None]:
        with only_one(lock_path(RULES), wait=False) as mine:
            assert mine
            notes = Notes(RULES)
            notes.begin(VALUES)
            yield
            notes.end()

    def finish(self) -> None:
        for kind, source in self.made.items():
            new = table_path(RULES, kind).with_suffix(".new")
            shutil.copyfile(source, new)
            new.replace(table_path(RULES, kind))


@pytest.fixture
def workshop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workshop:
    """Next to it a site without any table."""
    workshop = Workshop()
    monkeypatch.setenv("YATZY_TABLES", str(tmp_path / "tables"))
    (tmp_path / "tables").mkdir()
    return workshop


@pytest.fixture
def bare_site(workshop: Workshop, tmp_path: Path) -> Iterator[str]:
    folder = tmp_path / "site"
    folder.mkdir()
    with server.running(folder) as address:
        yield address


@contextmanager
def opened(browser: Browser, address: str, **options: Any) -> Iterator[Page]:
    complaints = Complaints(address)
    context = browser.new_context(base_url=address, **(DEFAULTS | options))
    complaints.watch(context)
    yield context.new_page()
    context.close()
    assert complaints == []


def begin(page: Page) -> None:
    page.goto(f"/?rules={RULES.id}")
    page.locator("#level").select_option("after")
    page.locator("#roll").click()
    decided(page, 1)


def test_a_first_game_is_played_without_tables_and_its_coach_comes_by_itself(
    browser: Browser, bare_site: str, workshop: Workshop
) -> None:
    with opened(browser, bare_site) as page:
        with workshop.at_work():
            begin(page)
            expect(page.locator("#coach")).to_contain_text("worked out once, in the background")
            expect(page.locator("#coach")).to_contain_text("Now: what every position is worth")
            expect(page.locator("#hint")).to_have_count(0)
            expect_accessible(page)
            first_open(page).click()
            decided(page, 2)
            page.locator("#roll").click()
            decided(page, 3)
            page.locator("#die-1").click()
            workshop.finish()
        expect(page.locator("#hint")).to_be_visible()
        expect(page.locator("#coach .feedback")).to_contain_text("Ones")
        expect(page.locator("#die-1")).to_have_attribute("aria-pressed", "true")
        decided(page, 3)


def test_a_page_that_waits_loads_itself_when_its_table_is_there(
    browser: Browser, bare_site: str, workshop: Workshop
) -> None:
    with opened(browser, bare_site) as page:
        with workshop.at_work():
            page.goto(f"/explore/?rules={RULES.id}")
            expect(page.locator("h1")).to_have_text("The coach is being worked out")
            workshop.finish()
        expect(page.locator("h1")).to_have_text("Explore")


def test_without_a_script_the_coach_is_there_at_the_next_look(
    browser: Browser, bare_site: str, workshop: Workshop
) -> None:
    with opened(browser, bare_site, java_script_enabled=False) as page:
        with workshop.at_work():
            begin(page)
            expect(page.locator("#coach")).to_contain_text("worked out once")
            workshop.finish()
        page.reload()
        expect(page.locator("#hint")).to_be_visible()
