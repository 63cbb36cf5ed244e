"""Duels as people play them: two browsers, perfect play, a page or a server gone meanwhile."""

import signal
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser import server
from tests.browser.conftest import DEFAULTS, NewPage
from tests.browser.steps import PHONE, TURNS, first_open, move, points
from tests.browser.test_accessibility import BOTH, expect_accessible

BY_HAND = (0, 5, TURNS - 1)  # turns that are played by clicks, and looked at
FIVE = ("optimal", "greedy", "random", "scorecard-based", "dice-based")


def begin(page: Page, *bots: str, people: int = 1, minutes: int = 0, listed: bool = False) -> None:
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
    begin(first, people=2)
    expect(first.locator("#withdraw")).to_be_visible()
    second.goto(first.url.replace(*processes))
    second.locator("#join").click()
    expect_phase(second, "roll")
    expect_phase(first, "roll")


def expect_phase(page: Page, phase: str) -> None:
    expect(page.locator("#board")).to_have_attribute("data-phase", phase)


def throw(page: Page) -> None:
    page.locator("#roll").click()
    expect_phase(page, "decide")


def play_turn(page: Page) -> None:
    throw(page)
    first_open(page).click()
    expect(page.locator("#board")).not_to_have_attribute("data-phase", "decide")


def play_on(turns: int, *pages: Page) -> None:
    """Of everybody, beside the site: the pages are told when they are opened again."""
    move(
        pages[0], "turns_of_all", pages[0].locator("#board").get_attribute("data-game") or "", turns
    )
    for page in pages:
        page.reload()


def totals(page: Page) -> list[int]:
    return points(page, "#cards tbody tr:last-child td")


def test_two_browsers_play_to_the_end_one_of_them_closed_in_the_middle(
    page: Page, new_page: NewPage
) -> None:
    other = new_page(**PHONE)
    table(page, other)
    for turn, done in zip(BY_HAND, (0, *BY_HAND), strict=False):
        if turn:
            play_on(turn - done - 1, page, other)
        play_turn(page)
        if turn == 5:
            throw(other)
            dice = other.locator("#dice .die").evaluate_all("all => all.map(e => e.ariaLabel)")
            address, context = other.url, other.context
            other.close()
            expect(page.locator("#seats .seat__here:not([data-here])")).to_have_count(1)
            other = context.new_page()
            other.goto(address)
            expect_phase(other, "decide")
            again = other.locator("#dice .die").evaluate_all("all => all.map(e => e.ariaLabel)")
            assert again == dice
            expect(page.locator("#seats .seat__here:not([data-here])")).to_have_count(0)
            first_open(other).click()
        else:
            play_turn(other)
        if turn < TURNS - 1:
            expect_phase(page, "roll")
            expect_phase(other, "roll")
    for one in (page, other):
        expect(one.locator("#seats")).to_have_attribute("data-state", "finished")
        expect(one.locator(".seats__verdict")).to_have_text("A draw.")
        expect(one.locator("#announce")).to_have_text("A draw.")
        expect(one).to_have_title("A draw · Duel: Yatzy")
    assert totals(page) == totals(other)
    assert len(set(totals(page))) == 1  # the same dice in the same boxes
    page.locator("#review").click()
    expect(page.locator("h1")).to_be_visible()


@pytest.mark.nightly
def test_against_perfect_play_to_the_end_and_once_more(page: Page) -> None:
    begin(page, "optimal")
    for turn, done in zip(BY_HAND, (0, *BY_HAND), strict=False):
        expect_phase(page, "roll")
        if turn:
            play_on(turn - done - 1, page)
        expect(page.locator(".meta__turn")).to_have_text(f"Turn {turn + 1} of {TURNS}")
        play_turn(page)
    expect(page.locator("#seats")).to_have_attribute("data-state", "finished")
    mine, perfect = totals(page)
    assert perfect > mine
    expect(page.locator(".seats__verdict")).to_contain_text(f"won by {perfect - mine} points")
    mistakes = page.locator("#seats tbody tr td:last-child").all_text_contents()
    assert mistakes[1] == "0.0"
    expect(page.locator(".decided li")).to_have_count(2)
    expect(page.locator(".decided")).to_contain_text("Vera made no mistake.")
    expect(page.locator("#turns tbody tr")).to_have_count(TURNS)
    page.locator("#again").click()
    expect_phase(page, "roll")
    assert totals(page) == [0, 0]


@pytest.mark.nightly
def test_a_server_killed_while_a_program_plays_goes_on_where_it_was(
    browser: Browser, yatzy_tables: None, tmp_path: Path
) -> None:
    server.prepare(tmp_path)
    process, address = server.start(tmp_path, DUEL_PACE="400")
    with browser.new_context(**DEFAULTS) as context:
        page = context.new_page()
        begin_at(page, address)
        play_turn(page)
        expect(page.locator("#seats .seat__dice")).to_have_count(1)
        table, card = page.url, page.locator("#card").inner_text()
        process.send_signal(signal.SIGKILL)
        process.wait(timeout=20)
        process, again = server.start(tmp_path)
        try:
            page.goto(table.replace(address, again))
            assert page.locator("#card").inner_text() == card
            expect_phase(page, "roll")
            play_turn(page)
            expect_phase(page, "roll")
            expect(page.locator(".meta__turn")).to_have_text(f"Turn 3 of {TURNS}")
            expect(page.locator("#cards tbody td:nth-child(3):not(:empty)")).not_to_have_count(0)
        finally:
            process.kill()
            process.wait(timeout=20)


def begin_at(page: Page, address: str) -> None:
    """A site of its own, which is not the context's."""
    page.goto(f"{address}/duels/")
    page.locator("#challenge").click()
    expect_phase(page, "roll")


FELL = """() => { window.fell = [];
    const fall = ({ detail }) => fell.push(detail.current.dataset.guest);
    document.addEventListener("yatzy:rolled", fall); }"""
SHOWN = "[...document.querySelectorAll('.tray .die use')].map(use => use.getAttribute('href'))"


def test_dice_of_the_other_fall_on_the_tray_of_who_waits(page: Page, new_page: NewPage) -> None:
    other = new_page(**PHONE)
    table(page, other)
    play_turn(page)
    expect_phase(page, "wait")
    page.evaluate(FELL)
    said = page.locator("#announce").text_content()
    throw(other)
    for number in (1, 2):
        guest = page.locator("#status .slip--guest")
        expect(guest).to_contain_text(f"throw {number}")
        expect(page.locator("#board")).to_have_attribute("data-rolled", "")
        assert page.evaluate(SHOWN) == other.evaluate(SHOWN)
        assert page.locator("button.die").count() == 0
        assert page.locator("#announce").text_content() == said  # moves are told once a turn
        if number == 1:
            expect_accessible(page)
            other.locator("#roll").click()
            expect(other.locator("#board")).to_have_attribute("data-seq", "2")
    assert len(page.evaluate("fell")) == 2
    first_open(other).click()
    expect_phase(page, "roll")
    expect(page.locator(".slip--guest")).to_have_count(0)
    expect(page.locator(".die[data-past]")).to_have_count(5)
    expect(page.locator("#announce")).not_to_have_text(said or "")


def test_a_stranger_follows_and_can_do_nothing(page: Page, new_page: NewPage) -> None:
    other, stranger = new_page(), new_page()
    table(page, other)
    stranger.goto(page.url)
    play_turn(page)
    expect(stranger.locator("#seats [data-state=played]")).to_have_count(1)
    expect(stranger.locator(".seat__dice")).to_have_count(0)
    expect(stranger.locator("#tray .die[data-blank]")).to_have_count(5)
    expect_accessible(stranger)
    expect(stranger.locator("#cards tbody tr:first-child td").first).to_have_text("")
    play_turn(other)
    expect(stranger.locator(".seats__status")).to_contain_text(f"Turn 2 of {TURNS}")
    expect(stranger.locator("#play form[action] button, #board")).to_have_count(0)
    stranger.keyboard.press("Space")
    expect_phase(page, "roll")
    page.locator("#give-up summary").click()
    page.get_by_role("button", name="Give up").click()
    expect(stranger.locator("#announce")).to_contain_text("won:")
    expect(stranger.locator("#tray")).to_be_hidden()


def test_a_challenge_in_the_list_is_joined_and_begins_on_both_pages(
    page: Page, new_page: NewPage
) -> None:
    begin(page, people=2, minutes=5, listed=True)
    expect(page.locator("#withdraw")).to_be_visible()
    token = page.url.split("/")[4]
    other = new_page()
    other.goto("/duels/")
    other.locator(f"form[action*='{token}'] button").click()
    expect_phase(other, "roll")
    expect_phase(page, "roll")
    expect(page.locator("[data-ticking]")).to_have_count(2)
    expect(page.locator("[data-ticking]").first).not_to_have_text("5:00")


def test_giving_up_is_told_to_the_other_at_once(page: Page, new_page: NewPage) -> None:
    other = new_page()
    table(page, other)
    other.locator("#give-up summary").click()
    other.get_by_role("button", name="Give up").click()
    expect(other.locator(".seats__verdict")).to_contain_text("You gave up")
    expect(page.locator(".seats__verdict")).to_contain_text("You won")
    expect(page.locator("#board")).to_have_attribute("data-outcome", "won")
    expect(page.locator("#announce")).to_contain_text("You won")
    expect(page).to_have_title("You won · Duel: Yatzy")
    expect(other).to_have_title("You gave up · Duel: Yatzy")
    page.locator("#again").click()
    expect(page.locator("#withdraw")).to_be_visible()
    other.locator("#again", has_text="To the rematch").click()
    expect_phase(other, "roll")
    expect_phase(page, "roll")


def test_moves_of_the_others_are_said_once_when_they_come(page: Page) -> None:
    begin(page, "greedy", "random")
    news = page.locator("#news p")
    expect(news).to_have_count(0)
    for turn in (1, 2):
        play_turn(page)
        expect_phase(page, "roll")
        expect(news).to_have_count(2 * turn)
    told = news.all_text_contents()
    assert sorted(text.split(":")[0] for text in told) == ["Gry", "Gry", "Slump", "Slump"]
    page.reload()
    expect_phase(page, "roll")
    expect(news).to_have_count(0)  # what was there before is no news


def test_an_opponent_is_chosen_by_a_card_or_by_keys(page: Page) -> None:
    page.goto("/duels/")
    first = page.locator(".opponents__first input")
    expect(first).to_be_checked()
    button, name = page.locator("#challenge"), page.locator(".opponents__first b").inner_text()
    expect(button).to_have_text(f"Play {name}", use_inner_text=True)
    page.locator(".opponent", has_text="Gry").click()
    expect(button).to_have_text("Play Gry", use_inner_text=True)
    page.keyboard.press("ArrowDown")
    expect(page.locator("[name=opponent]:checked")).not_to_have_value("greedy")
    page.locator(".opponent", has_text="A friend").click()
    expect(button).to_have_text("Make a link", use_inner_text=True)
    button.click()
    expect(page.locator("#withdraw")).to_be_visible()


@BOTH
def test_cards_of_opponents_can_be_hit_and_fit_the_width(
    new_page: NewPage, screen: dict[str, object]
) -> None:
    page = new_page(**screen)
    page.goto("/duels/")
    for card in page.locator(".opponent, .challenge__more summary, #challenge").all():
        box = card.bounding_box()
        assert box is not None
        assert box["height"] >= 44
    width, screen_width = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    assert width <= screen_width


def test_without_a_script_a_turn_can_be_played(new_page: NewPage) -> None:
    page = new_page(java_script_enabled=False)
    page.goto("/duels/")
    expect(page.locator("#challenge")).to_have_text("Begin", use_inner_text=True)
    begin(page, "optimal")
    page.locator("#roll").click()
    first_open(page).click()
    expect(page.locator("#cards")).to_be_visible()
    for _ in range(20):
        if page.locator("#board").get_attribute("data-phase") == "roll":
            break
        page.reload()
    expect(page.locator(".meta__turn")).to_have_text(f"Turn 2 of {TURNS}")


@BOTH
def test_pages_of_duels_are_accessible(new_page: NewPage, screen: dict[str, object]) -> None:
    page, other = new_page(**screen), new_page(**screen)
    page.goto("/duels/")
    expect_accessible(page)
    begin(page, people=2, minutes=10, listed=True)
    expect(page.locator("#withdraw")).to_be_visible()
    expect_accessible(page)
    other.goto("/duels/")
    expect_accessible(other)
    other.goto(page.url)
    expect_accessible(other)
    other.locator("#join").click()
    expect_phase(page, "roll")
    play_turn(other)
    throw(page)
    for details in page.locator(".about summary").all():
        details.click()
    expect_accessible(page)
    expect_accessible(other)
    page.get_by_role("button", name="Give up").click()
    expect(page.locator("#seats")).to_have_attribute("data-state", "finished")
    expect_accessible(page)


@BOTH
def test_six_at_a_table_fit_the_width(new_page: NewPage, screen: dict[str, object]) -> None:
    page = new_page(**screen)
    begin(page, *FIVE)
    play_turn(page)
    expect(page.locator("#board")).to_have_attribute("data-phase", "roll", timeout=60_000)
    width, screen_width = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    assert width <= screen_width
    dice = page.locator(".tray").bounding_box()
    last = page.locator("#dice .die").last.bounding_box()
    assert dice is not None
    assert last is not None
    assert last["x"] + last["width"] <= dice["x"] + dice["width"]
