"""A researcher and participants at the running site."""

import re
from collections.abc import Callable, Mapping
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.browser.server import manage

PASSWORD = "a-long-password"


def make_trial(folder: Path, site: str, slug: str, *options: str) -> list[str]:
    who = ("--researcher=Ada", "--contact=ada@example.org", "--ethics=7")
    printed = manage(folder, "trial_create", slug, "--open", f"--site={site}/", *who, *options)
    return [line.split("\t")[1] for line in printed.splitlines() if "\t" in line]


def join(page: Page, link: str) -> None:
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


# Inputs for a trial of a coach against no coach, by screen and label of the road.
COACH_TRIAL: Mapping[str, Mapping[str, str]] = {
    "Question": {"Title": "Does a coach help?", "Hypothesis": "A coach saves points."},
    "People": {"Reward for participants": "10 euros"},
    "Games": {},
    "Consent": {
        "Researcher": "Ada Example, University of Example",
        "Contact": "ada@example.org",
        "Ethics approval": "2026-17",
    },
    "Plan": {"Smallest difference that matters": "6"},
}


def walk_the_road(page: Page, look: Callable[[str], object]) -> int:
    page.goto("/trials/")
    look("list")
    page.get_by_role("button", name="Does a coach make people play better?").click()
    typed = 0
    for screen, answers in COACH_TRIAL.items():
        expect(page.get_by_role("heading", name=re.compile(rf"^\d\. {screen}$"))).to_be_visible()
        look(screen.lower())
        for label, answer in answers.items():
            page.get_by_label(label, exact=True).fill(answer)
            typed += 1
        if answers:
            expect(page.locator("#missing")).to_be_visible()
            page.get_by_role("button", name="Save").click()
        expect(page.locator("#missing")).to_have_count(0)
        page.get_by_role("link", name="Next: ").click()
    look("open")
    page.get_by_role("link", name="Walk through").click()
    look("through")
    page.get_by_role("link", name="Back to step 6").click()
    page.get_by_role("button", name="Lock").click()
    page.get_by_role("button", name="Open", exact=True).click()
    expect(page.locator("header.trial .tag")).to_have_text("Open")
    look("opened")
    page.get_by_role("link", name="Steps").click()
    expect(page.locator('.road [data-state="done"]')).to_have_count(6)
    look("road")
    return typed
