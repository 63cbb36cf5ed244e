"""The flow of people: every one of them is in one box, and whoever never agreed is a number."""

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
from game.trials.exports.tables import TABLES, Standing
from game.trials.joining.open_link_pages import increment_arrivals
from game.trials.joining.withdrawing import withdraw_participant
from game.trials.joining.writing import draw_arm, start_trial_game
from game.trials.models import ArrivalCount, Participant, Recruitment, Trial
from game.trials.reading import query_games_of
from game.trials.results.flow import Flow, build_flow
from game.trials.results.results import calculate_results
from solver.advice import Advisor
from tests.game import flow_reference
from tests.game.plans import preregister
from tests.game.questions import answer, asking
from tests.game.test_arms import finish, play_next
from tests.game.test_lot import GOOD, SCREENED, SCREENING, WRONG, answer_screening
from tests.game.test_recruitment import ANNA, BEN, agree, link, recruiting
from tests.game.test_trial_arms import armed as played_trial
from tests.known import known
from tests.play import Answer, Browser, text
from tests.trials import joined, new_trial, researcher_user

pytestmark = pytest.mark.django_db
TWO = (ArmSettings("quiet"), ArmSettings("taught", coach="after"))


def flow(trial: Trial) -> Flow:
    found = build_flow(trial, timezone.now())
    assert found.facts() == list(flow_reference.flow(trial))
    return found


def at(trial: Trial, moment: datetime) -> dict[str, int]:
    return {step.step: step.people for _arm, step in build_flow(trial, moment).rows()}


def numbers(trial: Trial, arm: str = "") -> dict[str, int]:
    return {step.step: step.people for name, step in flow(trial).rows() if name == arm}


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
    for number, what in {3: SCREENED, 4: WRONG}.items():
        answer_screening(people[number], what)
    for number in range(5, 9):
        answer_screening(people[number], GOOD)
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


@pytest.mark.usefixtures("yatzy_tables")
def test_the_analysis_has_as_many_as_the_results_compare(advisor: Advisor) -> None:
    trial = played_trial(advisor)
    Participant.objects.filter(number=3).update(screened_out_at=timezone.now())
    query_games_of(trial.participants.get(number=1)).filter(trial_game__phase="after").delete()
    (pair,) = known(calculate_results(trial).primary).pairs
    compared = dict(zip((pair.arm, pair.reference), pair.people, strict=True))
    assert {name: numbers(trial, name)["analysed"] for name in compared} == compared
    assert sum(numbers(trial, name).get("screened_out", 0) for name in compared) == 1


def test_whom_a_planned_rule_leaves_out_is_not_in_the_analysis() -> None:
    trial = new_trial(arms=TWO[:1], games_each=1)
    preregister(trial, exclusions={"shared_browser": True})
    for number in (1, 2):
        play_next(joined(trial, number))
    first = trial.participants.get(number=1)
    trial.events.create(kind="shared", participant=first, at=timezone.now())
    lane = numbers(trial, "quiet")
    assert (lane["finished"], lane["left_out"], lane["analysed"]) == (2, 1, 1)


def test_where_everybody_plays_every_arm_the_orders_are_what_the_lot_gives() -> None:
    trial = new_trial(arms=TWO, design="within", places=4, games_each=1)
    for number in range(1, 5):
        draw_arm(participant=joined(trial, number))
    names = [arm.name for arm in flow(trial).arms]
    assert names == ["quiet → taught", "taught → quiet"]
    assert sum(numbers(trial, name)["given"] for name in names) == 4


def test_a_trial_without_arms_has_one_way_and_no_lot() -> None:
    trial = new_trial(games_each=1, places=3)
    finish(start_trial_game(participant=joined(trial, 1)).game)
    joined(trial, 2)
    steps = {"places": 3, "unused": 1, "agreed": 2, "withdrew": 0, "began": 1, "finished": 1}
    assert numbers(trial) == steps | {"analysed": 1}


def test_it_is_told_as_it_stood(trial: Trial) -> None:
    before = timezone.now() - timedelta(days=2)
    increment_arrivals(trial=trial, kind="opened")
    assert build_flow(trial, before).facts()[0] == {"arm": None, "step": "places", "people": 9}
    then = at(trial, before)
    assert (then["agreed"], then["drawn"], then.get("opened", 0)) == (2, 0, 0), "who withdrew since"
    Player.objects.filter(participant__number=3).update(created_at=before)
    then = at(trial, before)  # who is screened out later was on the way before
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


def test_whoever_opens_the_link_is_counted_once_a_session(
    found: Recruitment, new_browser: type[Browser]
) -> None:
    for count, browser in enumerate((new_browser(), new_browser()), start=1):
        for _ in range(3):
            page = browser.get(link(found), ANNA)
            assert arrive(browser, page).status_code == 204
        assert counted() == {"opened": count}
    assert ArrivalCount.objects.get().day == timezone.localdate()
    close_trial(trial=found.trial)
    arrive(new_browser(), page)
    assert counted() == {"opened": 2}, "a closed trial counts nobody"


@pytest.mark.parametrize("script", [True, False])
def test_who_agrees_has_opened_the_link_once_and_comes_back_without_an_arrival(
    found: Recruitment, new_browser: type[Browser], script: bool
) -> None:
    browser = new_browser()
    if script:
        arrive(browser, browser.get(link(found), ANNA))
    agree(browser, found, ANNA)
    again = link(found, "agree?PROLIFIC_PID=anna&STUDY_ID=s&SESSION_ID=t")
    assert browser.post(again, {"version": 1, "agree": "on"}).status_code == 302
    assert counted() == {"opened": 1}
    assert "data-arrived" not in text(new_browser().get(link(found), ANNA))


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
    found: Recruitment, new_browser: type[Browser]
) -> None:
    one, other, third = new_browser(), new_browser(), new_browser()
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
    found: Recruitment, new_browser: type[Browser], settings: Any
) -> None:
    cache.clear()
    settings.PLAYERS_A_MINUTE = 3
    for _ in range(5):
        assert new_browser().post(link(found, "arrived"), {"what": "opened"}).status_code == 204
    assert counted() == {"opened": 3}


def test_days_are_added_up_and_the_rest_is_not_told_where_counts_are_missing(
    found: Recruitment, new_browser: type[Browser]
) -> None:
    for day in (date(2026, 5, 1), date(2026, 5, 2)):
        ArrivalCount.objects.create(trial=found.trial, kind="opened", day=day, people=2)
    assert numbers(found.trial)["opened"] == 4
    assert numbers(found.trial)["unanswered"] == 4
    agree(new_browser(), found, ANNA)
    ArrivalCount.objects.all().delete()
    assert "unanswered" not in numbers(found.trial)


# Page and files


def test_page_and_files_have_it_with_every_number(
    trial: Trial, browser: Browser, tmp_path: Path
) -> None:
    browser.force_login(researcher_user("rosa"))
    page = text(browser.get("/trials/study/results/"))
    drawn = page[page.index('class="flow"') : page.index("A script on the page counts")]
    shown = re.findall(r"<dt>(.*?)</dt><dd>(\d+)</dd>", drawn)
    assert shown == [(step.words, str(step.people)) for _arm, step in flow(trial).rows()]
    assert re.findall(r"<h3>(.*?)</h3>", drawn) == ["quiet", "taught"]
    export = Export(trial)
    wanted = [(arm or None, step.step, step.people) for arm, step in flow(trial).rows()]
    assert list(Standing(trial, timezone.now()).rows(TABLES["flow"])) == wanted
    csv = export.write_one("flow.csv", tmp_path).read_text("utf-8-sig").splitlines()
    assert csv[1:] == [f"{arm or ''},{step},{people}" for arm, step, people in wanted]
    facts = json.loads(export.write_one("statistics.json", tmp_path).read_text())["flow"]
    assert [(one["arm"], one["step"], one["people"]) for one in facts] == wanted
    assert 'class="flow"' in export.write_one("report.html", tmp_path).read_text()
