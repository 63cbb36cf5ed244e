"""What a device keeps: the shell, and no page of a person or a trial."""

import re

import pytest
from django.contrib.auth.models import User
from django.contrib.staticfiles import finders

from game.models import Player
from tests.play import Browser


def kept(browser: Browser) -> list[str]:
    script = browser.get("/service-worker.js")
    assert script.headers["Content-Type"].startswith("text/javascript")
    found = re.search(r"const SHELL = \[(.*?), OFFLINE\]", script.text)
    assert found
    return re.findall(r'"([^"]+)"', found[1])


def test_a_device_keeps_static_files_and_the_offline_page_alone(browser: Browser) -> None:
    files = kept(browser)
    assert files
    files.remove("/offline/facts.json")
    assert all(finders.find(name.removeprefix("/static/")) for name in files)


@pytest.mark.parametrize("address", ["/offline/", "/offline/stored/"])
def test_a_page_without_a_network_is_drawn_with_what_is_kept(
    browser: Browser, address: str
) -> None:
    page = browser.get(address).text
    drawn = set(re.findall(r'(?:src|href)="(/static/[^"]+)"', page))
    assert drawn <= set(kept(browser))


def test_the_offline_page_names_nobody(browser: Browser) -> None:
    before = browser.get("/offline/").content
    browser.force_login(User.objects.create_user("ada", password="x"))
    Player.objects.update_or_create(user=User.objects.get(), defaults={"theme": "dark"})
    browser.start()
    assert browser.get("/offline/").content == before


def test_another_shell_has_another_version(browser: Browser) -> None:
    def version() -> str:
        script = browser.get("/service-worker.js").text
        found = re.search(r'"shell-(\w+)"', script)
        assert found
        return found[1]

    first = version()
    assert version() == first
    browser.cookies["django_language"] = "fi"
    assert version() != first


def test_the_manifest_names_icons_that_are_there(browser: Browser) -> None:
    answer = browser.get("/manifest.webmanifest")
    assert answer.headers["Content-Type"] == "application/manifest+json"
    facts = answer.json()
    assert {one["purpose"] for one in facts["icons"]} == {"any", "maskable"}
    assert all(finders.find(one["src"].removeprefix("/static/")) for one in facts["icons"])
    for address in (facts["start_url"], *(one["url"] for one in facts["shortcuts"])):
        assert browser.get(address).status_code in {200, 202, 503}
