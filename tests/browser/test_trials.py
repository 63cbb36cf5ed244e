"""A trial in real browsers: the participant's phone, the researcher's desk, the dice on a table."""

from pathlib import Path

from playwright.sync_api import Page, expect

from tests.browser.conftest import NewPage
from tests.browser.server import manage
from tests.browser.steps import PHONE, decided, finish, first_open
from tests.browser.test_accessibility import BOTH, expect_accessible
from tests.browser.test_layout import expect_no_sideways, expect_tidy, expect_touchable
from tests.browser.trials import join, make_trial, sign_in_as_staff


def expect_well_made(page: Page) -> None:
    expect_accessible(page)
    expect_no_sideways(page)
    expect_touchable(page)


@BOTH
def test_a_participant_reads_agrees_plays_and_withdraws(
    new_page: NewPage, site: str, site_folder: Path, screen: dict[str, object]
) -> None:
    slug = "phone" if screen else "desk"
    link, *_ = make_trial(site_folder, site, slug, "--participants=1", "--games=2")
    page = new_page(**screen)
    page.goto(link)
    expect_well_made(page)
    join(page, link)
    expect_well_made(page)
    page.locator("#next-game").click()
    decided(page, 1)
    expect_tidy(page)
    expect_accessible(page)
    finish(page)
    expect_accessible(page)
    page.get_by_role("button", name="Next game").click()
    decided(page, 1)
    expect(page.locator(".meta__kind")).to_have_text("Trial game 2 of 2")
    page.get_by_role("link", name="About the trial").click()
    page.get_by_role("link", name="Withdraw from the trial").click()
    expect_well_made(page)
    page.get_by_label("Delete everything").check()
    page.get_by_role("button", name="Withdraw").click()
    expect(page.locator(".messages")).to_contain_text("You have withdrawn")


def test_the_researcher_sees_every_move_within_a_second(
    page: Page, new_page: NewPage, site: str, site_folder: Path
) -> None:
    links = make_trial(site_folder, site, "watched", "--participants=2", "--games=1")
    sign_in_as_staff(page, site_folder, "watcher")
    page.goto("/trials/watched/")
    row = page.locator("#participant-2")
    expect(row).to_contain_text("Not begun")
    participant = new_page(**PHONE)
    join(participant, links[1])
    expect(row).to_contain_text("Playing")
    participant.locator("#next-game").click()
    decided(participant, 1)
    expect(row).to_contain_text("turn 1")
    row.get_by_text("More").click()
    first_open(participant).click()
    expect(row).to_contain_text("turn 2", timeout=1000)
    expect(row.get_by_role("button", name="Withdraw")).to_be_visible()  # still unfolded
    expect(page.locator("#monitor-totals")).to_contain_text("0 / 2")
    expect(page.locator("#participant-1")).to_contain_text("Not begun")


@BOTH
def test_the_pages_of_the_researcher(
    new_page: NewPage, site: str, site_folder: Path, screen: dict[str, object]
) -> None:
    slug = "pages-phone" if screen else "pages-desk"
    make_trial(site_folder, site, slug, "--participants=3", "--games=1")
    page = new_page(**screen)
    sign_in_as_staff(page, site_folder, slug)
    for address in ("", "new/", f"{slug}/", f"{slug}/links/", f"{slug}/settings/"):
        page.goto(f"/trials/{address}")
        expect_well_made(page)


def test_results_on_a_small_phone_need_no_scrolling_to_the_side(
    new_page: NewPage, site: str, site_folder: Path, tmp_path: Path
) -> None:
    wanted = ("--participants=3", "--games=2", "--shared-dice", f"--out={tmp_path / 'out'}")
    manage(site_folder, "trial_rehearse", *wanted, "--formats=csv")
    page = new_page(**PHONE)
    page.set_viewport_size({"width": 360, "height": 740})
    sign_in_as_staff(page, site_folder, "small-phone")
    page.goto("/trials/rehearsal/results/")
    folded = page.locator("main details:not([open]) > summary")
    while folded.count():
        folded.first.click()
    expect_well_made(page)
    wider = page.evaluate(
        """[...document.querySelectorAll("main *")]
        .filter((it) => it.scrollWidth > it.clientWidth + 1
            && getComputedStyle(it).overflowX === "auto")
        .map((it) => it.getAttribute("aria-label") || it.className)"""
    )
    assert wider == []
    page.goto("/trials/rehearsal/quality/")
    expect_well_made(page)


def enter(page: Page, faces: str) -> None:
    page.keyboard.type(faces)


@BOTH
def test_real_dice_take_a_key_for_each_that_is_thrown(
    new_page: NewPage,
    site: str,
    site_folder: Path,
    screen: dict[str, object],
) -> None:
    slug = "dice-phone" if screen else "dice-desk"
    links = make_trial(site_folder, site, slug, "--participants=1", "--games=1", "--dice=real")
    page = new_page(**screen)
    join(page, links[0])
    page.locator("#next-game").click()
    expect(page.locator("#faces")).to_be_visible()
    expect_tidy(page)
    expect_accessible(page)
    enter(page, "55166")
    decided(page, 1)
    expect(page.locator("#roll")).to_contain_text("Throw the others")
    expect_tidy(page)
    page.locator("#die-0").click()
    page.locator("#die-1").click()
    page.locator("#roll").click()
    expect(page.locator("#status")).to_contain_text("You hold 5, 5.")
    expect(page.locator("#faces")).to_have_attribute("placeholder", "3 4 5")
    enter(page, "123")  # of the three that were thrown the third sends it
    decided(page, 2)
    expect(page.locator("#die-0")).to_have_accessible_name("die 1, shows five, held")
    page.locator("#correction summary").click()
    page.locator("#faces-again").fill("1 1 3")
    page.get_by_role("button", name="Correct it").click()
    expect(page.locator("#die-3")).to_have_accessible_name("die 4, shows one")
    first_open(page).click()
    expect(page.locator("#faces")).to_be_visible()
    for face in (6, 6, 6, 5, 4):
        page.locator(f'[data-face="{face}"]').click()
    expect(page.locator("#roll")).to_be_visible()


def test_real_dice_without_a_script(new_page: NewPage, site: str, site_folder: Path) -> None:
    options = ("--participants=1", "--games=1", "--dice=real")
    links = make_trial(site_folder, site, "dice-plain", *options)
    page = new_page(java_script_enabled=False)
    join(page, links[0])
    page.locator("#next-game").click()
    page.locator("#faces").fill("5 5 1 6 6")
    page.locator("#enter").click()
    page.locator("#die-0").click()
    page.locator("#roll").click()
    page.locator("#faces").fill("1 1 1 1")
    page.locator("#enter").click()
    first_open(page).click()
    expect(page.locator(".box--used")).to_have_count(1)


@BOTH
def test_one_tablet_goes_round_the_table(
    new_page: NewPage, site: str, site_folder: Path, screen: dict[str, object]
) -> None:
    """Handed on with one tap, to whose turn it is; a rest leaves it to the others."""
    slug = "round-phone" if screen else "round-desk"
    options = ("--preset=study", "--participants=2", "--games=1")
    links = make_trial(site_folder, site, slug, *options)
    page = new_page(**screen)
    for link in links:
        join(page, link)
    expect_well_made(page)
    page.get_by_role("button", name="Pass to P01").click()
    for following in ("P02", "P01"):
        expect(page.locator("#faces")).to_be_visible()
        page.wait_for_load_state()  # before that nothing listens to keys
        enter(page, "55166")
        first_open(page).click()
        told = page.get_by_role("region", name="Dice")
        expect(told).to_contain_text(f"Now the dice are for {following}.")
        expect_tidy(page)
        expect_accessible(page)
        page.get_by_role("button", name=f"Pass to {following}").click()
    expect(page.locator(".box--used")).to_have_count(1)
    page.get_by_role("link", name="About the trial").click()
    expect(page.get_by_text("Here sit: P01, P02.")).to_be_visible()
    ways_out = page.get_by_role("region", name="Ways out")
    ways_out.get_by_role("button", name="Leave this device").click()
    expect(page.get_by_text("You take part as P02.")).to_be_visible()
