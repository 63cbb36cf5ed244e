"""A position is changed in place, with a script or without, and its address goes along."""

import re

from playwright.sync_api import Page, expect

from tests.browser.conftest import Complaints, NewPage
from tests.browser.steps import PHONE
from tests.browser.test_accessibility import expect_accessible
from tests.browser.test_layout import expect_touchable


def faces(page: Page) -> list[str | None]:
    return [face.get_attribute("data-face") for face in page.locator(".pick__face:visible").all()]


def test_a_change_is_answered_at_once_and_can_be_shared(new_page: NewPage) -> None:
    page = new_page()
    page.goto("/explore/")
    best = page.locator("#answer-title")
    expect(best).to_have_text("Hold 5 5 6 6")
    assert faces(page) == ["1", "5", "5", "6", "6"]
    page.get_by_label("Die 1").select_option("6")
    expect(page).to_have_url(re.compile(r"dice=55666&left=2$"))
    expect(best).to_have_text("Hold 6 6 6")
    assert faces(page) == ["6", "5", "5", "6", "6"]
    page.get_by_label("Die 1").press("5")
    expect(page).to_have_url(re.compile(r"dice=55566&left=2$"))
    page.locator("[name=left][value='0']").check()
    expect(page.locator(".ranking tbody tr")).to_have_count(15)
    page.get_by_role("checkbox", name="Full house").check()
    page.get_by_role("combobox", name="Sixes").select_option("24")
    expect(page).to_have_url(re.compile(r"filled=sixes.full_house&upper=24&"))
    expect(page.locator(".ranking tbody tr")).to_have_count(13)
    found = best.text_content() or ""
    other = new_page()
    other.goto(page.url)
    expect(other.locator("#answer-title")).to_have_text(found)
    expect(other.get_by_role("combobox", name="Sixes")).to_have_value("24")


def test_without_a_script_the_form_is_sent(new_page: NewPage) -> None:
    page = new_page(java_script_enabled=False, **PHONE)
    page.goto("/explore/")
    page.get_by_label("Die 5").select_option("1")
    page.get_by_role("combobox", name="Ones").select_option("3")
    page.get_by_role("button", name="Rank the options").click()
    expect(page).to_have_url(re.compile(r"filled=ones&upper=3&dice=11556&left=2#answer$"))
    expect(page.locator("#answer-title")).to_be_in_viewport()
    assert faces(page) == ["1", "1", "5", "5", "6"]


def test_what_cannot_be_is_said_and_goes_when_it_is_put_right(
    page: Page, complaints: Complaints
) -> None:
    page.goto("/explore/?dice=12349")
    expect(page.locator("#problems")).to_contain_text("Dice are five numbers")
    expect_accessible(page)
    page.get_by_role("checkbox", name="Pair", exact=True).check()
    expect(page.locator("#answer-title")).to_contain_text("Hold")
    expect(page.locator("#problems")).to_have_text("")
    complaints.expect("422")


def test_a_thumb_finds_everything(new_page: NewPage) -> None:
    page = new_page(**PHONE)
    page.goto("/explore/")
    expect_touchable(page)
    picks = page.locator(".pick").evaluate_all("all => all.map(one => one.offsetHeight)")
    slots = page.locator(".slot").evaluate_all("all => all.map(one => one.offsetHeight)")
    assert min(picks + slots) >= 44
