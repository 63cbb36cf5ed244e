"""A researcher and participants at the running site."""

from pathlib import Path

from playwright.sync_api import Page, expect

from tests.browser.server import manage

PASSWORD = "a-long-password"


def make_trial(folder: Path, site: str, slug: str, *options: str) -> list[str]:
    """The personal links of an open trial."""
    who = ("--researcher=Ada", "--contact=ada@example.org", "--ethics=7")
    printed = manage(folder, "trial_create", slug, "--open", f"--site={site}/", *who, *options)
    return [line.split("\t")[1] for line in printed.splitlines() if "\t" in line]


def join(page: Page, link: str) -> None:
    """Up to the page from which games are begun."""
    page.goto(link)
    page.get_by_label("I have read this").check()
    page.get_by_role("button", name="Take part").click()
    page.get_by_role("button", name="Go on", exact=True).click()
    expect(page.locator("#next-game")).to_be_visible()


def sign_in_as_staff(page: Page, folder: Path, name: str) -> None:
    mail = f"--email={name}@example.org"
    manage(
        folder,
        "createsuperuser",
        "--no-input",
        f"--username={name}",
        mail,
        DJANGO_SUPERUSER_PASSWORD=PASSWORD,
    )
    page.goto("/account/login/?next=/trials/")
    page.get_by_label("Username").fill(name)
    page.get_by_label("Password").fill(PASSWORD)
    page.locator("main button[type=submit]").click()
    expect(page.get_by_role("heading", name="Trials")).to_be_visible()
