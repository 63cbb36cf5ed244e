"""The flow of people: everybody is in one box, and people who never agreed are a number."""

import json
import re
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client
from django.utils import timezone

from game.models import Player
from game.trials.design.people import yield_participant_outcomes
from game.trials.design.phases import ArmSettings
from game.trials.design.writing import close_trial
from game.trials.exports.files import Export
from game.trials.joining.open_link_pages import increment_arrivals
from game.trials.joining.withdrawing import withdraw_participant
from game.trials.joining.writing import draw_arm, start_trial_game
from game.trials.models import ArrivalCount, Participant, Recruitment, Trial
from game.trials.results.flow import build_flow
from tests.game.questions import (
    FAILS,
    PASSES,
    SCREENED,
    SCREENING,
    answer,
    answer_screening,
    asking,
)
from tests.game.test_recruitment import ANNA, BEN, agree, link, recruiting
from tests.known import known
from tests.play import Answer, Browser, text
from tests.trials import finish, joined, new_trial, play_next, researcher_user

pytestmark = pytest.mark.django_db
TWO = (ArmSettings("quiet"), ArmSettings("taught", coach="after"))


def numbers(trial: Trial, arm: str = "", at: datetime | None = None) -> dict[str, int]:
    rows = build_flow(trial, at or timezone.now()).rows()
    return {step.step: step.people for name, step in rows if name == arm}


def counted() -> dict[str, int]:
    return dict(ArrivalCount.objects.values_list("kind", "people"))


# Everybody who agreed


@pytest.fixture
def trial() -> Trial:
    """Nine places: one unused, one on the way, one screened out, one failed, one withdrew before
    the lot; four are drawn, of whom one withdrew, one plays, and two have finished."""
    found = asking(SCREENING, arms=TWO, places=9, games_each=1, games_after=1)
    people = {number: joined(found, number) for number in range(1, 9)}
    withdraw_participant(participant=people[2])
    for number, what in {3: SCREENED, 4: FAILS}.items():
        answer_screening(people[number], what)
    for number in range(5, 9):
        answer_screening(people[number], PASSES)
        draw_arm(participant=people[number])
    withdraw_participant(participant=people[5])
    start_trial_game(participant=people[6])
    for number in (7, 8):
        play_next(people[number])
        play_next(people[number])
    return found


def test_everybody_is_in_one_box(trial: Trial) -> None:
    before = {"screened_out": 1, "failed_check": 1, "withdrew": 1, "on_the_way": 1, "drawn": 4}
    assert numbers(trial) == {"places": 9, "unused": 1, "agreed": 8} | before
    lanes = [numbers(trial, arm.name) for arm in TWO]
    both = {step: sum(lane[step] for lane in lanes) for step in lanes[0]}
    assert both == {"given": 4, "withdrew": 1, "began": 3, "finished": 2, "analysed": 2}
    for arm, lane in zip(TWO, lanes, strict=True):
        assert lane["given"] == trial.participants.filter(arm__name=arm.name).count()


def test_a_trial_without_arms_has_one_way_and_no_lot() -> None:
    trial = new_trial(games_each=1, places=3)
    finish(start_trial_game(participant=joined(trial, 1)).game)
    joined(trial, 2)
    steps = {"places": 3, "unused": 1, "agreed": 2, "withdrew": 0, "began": 1, "finished": 1}
    assert numbers(trial) == steps | {"analysed": 1}


def test_it_is_told_as_it_stood(trial: Trial) -> None:
    before = timezone.now() - timedelta(days=2)
    increment_arrivals(trial=trial, kind="opened")
    then = numbers(trial, at=before)
    assert (then["places"], then["agreed"], then["drawn"], then.get("opened", 0)) == (9, 2, 0, 0), (
        "who withdrew since"
    )
    Player.objects.filter(participant__number=3).update(created_at=before)
    then = numbers(trial, at=before)  # who is screened out later was on the way before
    assert (then["screened_out"], then["on_the_way"]) == (0, 3), "with two who withdrew since"


def test_who_overlooks_a_check_of_attention_has_failed_none_of_the_rules() -> None:
    asked = """
before:
  - questions:
      - {key: plays, kind: choice, ask: Play?, options: {no: No, yes: Yes}, screen_out: yes}
      - {key: check, kind: choice, ask: Choose A., options: {a: A, b: B}, attention: a}
"""
    found = asking(asked, arms=TWO)
    answer(joined(found), q_plays="yes", q_check="b")
    assert (numbers(found)["screened_out"], numbers(found)["failed_check"]) == (1, 0)


def test_whom_an_answer_screens_out_has_not_failed_the_rules_too() -> None:
    found = asking(SCREENING, arms=TWO)
    one = joined(found)
    answer_screening(one, ("yes", "4"))  # screened out by the first answer; the second is wrong
    ((_one, outcome),) = yield_participant_outcomes(found, timezone.now())
    assert outcome == "screened_out"
    assert (numbers(found)["screened_out"], numbers(found)["failed_check"]) == (1, 0)


# Those who came and did not agree


def arrive(browser: Browser, page: Answer) -> Answer:
    found = known(re.search(r'data-arrived="(\w+)" data-address="([^"]+)"', text(page)))
    return browser.post(found[2], {"what": found[1]})


@pytest.fixture
def found() -> Recruitment:
    return recruiting(quota=1)


def test_a_visitor_of_the_link_is_counted_once_a_session(found: Recruitment) -> None:
    for count, browser in enumerate((Browser(), Browser()), start=1):
        for _ in range(3):
            page = browser.get(link(found), ANNA)
            assert arrive(browser, page).status_code == 204
        assert counted() == {"opened": count}
    assert ArrivalCount.objects.get().day == timezone.localdate()
    close_trial(trial=found.trial)
    arrive(Browser(), page)
    assert counted() == {"opened": 2}, "a closed trial counts nobody"


@pytest.mark.parametrize("script", [True, False])
def test_who_agrees_has_opened_the_link_once_and_comes_back_without_an_arrival(
    found: Recruitment, script: bool
) -> None:
    browser = Browser()
    if script:
        arrive(browser, browser.get(link(found), ANNA))
    agree(browser, found, ANNA)
    again = link(found, "agree?PROLIFIC_PID=anna&STUDY_ID=s&SESSION_ID=t")
    assert browser.post(again, {"version": 1, "agree": "on"}).status_code == 302
    assert counted() == {"opened": 1}
    assert "data-arrived" not in text(Browser().get(link(found), ANNA))


def test_previews_and_programs_count_for_nobody(found: Recruitment, browser: Browser) -> None:
    browser.get(link(found), ANNA)
    browser.head(link(found), ANNA)
    browser.get(link(found, "no"), ANNA)
    strict = Client(enforce_csrf_checks=True)
    assert strict.post(link(found, "arrived"), {"what": "opened"}).status_code == 403
    for what in ("", "agreed", "opened "):
        assert browser.post(link(found, "arrived"), {"what": what}).status_code == 204
    assert counted() == {}


def test_who_declines_and_who_finds_no_place_are_counted_and_nothing_else_is_stored(
    found: Recruitment,
) -> None:
    one, other, third = Browser(), Browser(), Browser()
    before = (Participant.objects.count(), Player.objects.count())
    arrive(one, one.get(link(found), ANNA))
    arrive(one, one.get(link(found, "no"), ANNA))
    assert (Participant.objects.count(), Player.objects.count()) == before
    agree(other, found, BEN)
    arrive(third, third.get(link(found), ANNA))
    assert counted() == {"opened": 2, "declined": 1, "no_place": 1}
    told = numbers(found.trial)
    assert (told["opened"], told["declined"], told["no_place"]) == (2, 1, 1)
    assert (told["agreed"], told["unanswered"]) == (1, 0)


def test_a_program_counts_no_faster_than_links_are_opened(
    found: Recruitment, settings: Any
) -> None:
    cache.clear()
    settings.PLAYERS_A_MINUTE = 3
    for _ in range(5):
        assert Browser().post(link(found, "arrived"), {"what": "opened"}).status_code == 204
    assert counted() == {"opened": 3}


def test_days_are_added_up_and_the_rest_is_not_told_where_counts_are_missing(
    found: Recruitment,
) -> None:
    for day in (date(2026, 5, 1), date(2026, 5, 2)):
        ArrivalCount.objects.create(trial=found.trial, kind="opened", day=day, people=2)
    assert numbers(found.trial)["opened"] == 4
    assert numbers(found.trial)["unanswered"] == 4
    agree(Browser(), found, ANNA)
    ArrivalCount.objects.all().delete()
    assert "unanswered" not in numbers(found.trial)


# Page and files


def test_page_and_files_have_it_with_every_number(
    trial: Trial, browser: Browser, tmp_path: Path
) -> None:
    browser.force_login(researcher_user("rosa"))
    wanted = list(build_flow(trial, timezone.now()).rows())
    page = text(browser.get("/trials/study/results/"))
    drawn = page[page.index('class="flow"') : page.index("A script on the page counts")]
    shown = re.findall(r"<dt>(.*?)</dt><dd>(\d+)</dd>", drawn)
    assert shown == [(step.words, str(step.people)) for _arm, step in wanted]
    assert re.findall(r"<h3>(.*?)</h3>", drawn) == ["quiet", "taught"]
    export = Export(trial)
    lines = export.write_one("flow.csv", tmp_path).read_text("utf-8-sig").splitlines()
    assert lines[1:] == [f"{arm},{step.step},{step.people}" for arm, step in wanted]
    facts = json.loads(export.write_one("statistics.json", tmp_path).read_text())["flow"]
    assert facts == [{"arm": arm or None, **step._asdict()} for arm, step in wanted]
    assert 'class="flow"' in export.write_one("report.html", tmp_path).read_text()
