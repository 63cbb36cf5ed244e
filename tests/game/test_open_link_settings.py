"""What cannot be meant of an open link is refused, and a stopping rule out of reach is said."""

from datetime import date, timedelta
from typing import Any

import pytest
from django.utils import timezone

from game.core.refusals import Refused
from game.trials.design.masking import format_stopping_warning, is_rule_met
from game.trials.design.writing import close_trial
from game.trials.joining.recruiting import recruit_agree, store_recruitment
from game.trials.models import Arrival, Participant, Preregistration, Recruitment, Trial
from tests.game.test_arms import play_next
from tests.game.test_preregistration import locked
from tests.game.test_recruitment import ANNA, BEN, recruiting
from tests.play import Browser, text
from tests.trials import joined, new_trial, researcher_user

pytestmark = pytest.mark.django_db
ADDRESS = "/trials/study/open-link/"
FOLLOWED = {"games_follow_up": 1, "follow_up_days": 7}


@pytest.fixture
def researcher(browser: Browser) -> Browser:
    browser.force_login(researcher_user("rosa"))
    return browser


def refused(settings: dict[str, Any]) -> str:
    trial = Trial.objects.get()
    before = Recruitment.objects.values().first()
    with pytest.raises(Refused) as refusal:
        store_recruitment(trial=trial, **settings)
    assert Recruitment.objects.values().first() == before
    return refusal.value.message


def test_what_is_planned_but_not_locked_refuses_nothing() -> None:
    trial = new_trial(places=3)
    locked(trial, stopping="people", stopping_people=10)
    trial.preregistration.locked_at = None
    trial.preregistration.document = trial.preregistration.digest = ""
    trial.preregistration.save()
    assert store_recruitment(trial=trial, quota=1)
    assert format_stopping_warning(Trial.objects.get()) == ""


# The stopping rule


@pytest.fixture
def ruled() -> Recruitment:
    """Four people are to play; there is one personal link, and three places by the open one."""
    found = recruiting(quota=3)
    locked(found.trial, stopping="people", stopping_people=4)
    return found


def reach(found: Recruitment) -> str:
    return format_stopping_warning(Trial.objects.get(pk=found.trial_id))


def test_a_rule_is_in_reach_as_long_as_places_are_free_or_kept(ruled: Recruitment) -> None:
    for number in range(3):
        labels = ANNA | {"PROLIFIC_PID": str(number)}
        recruit_agree(recruitment=ruled, version=1, parameters=labels)
        assert reach(ruled) == ""
    Participant.objects.filter(arrival__label="0").update(screened_out_at=timezone.now())
    assert reach(ruled) == ""  # another may come
    Recruitment.objects.update(open=False)
    assert "only 3 can" in reach(ruled)


def test_an_open_trial_whose_link_lets_nobody_in_cannot_count_on_its_places(
    ruled: Recruitment,
) -> None:
    Recruitment.objects.update(open=False)
    assert "only 1 can" in reach(ruled)
    Trial.objects.update(opened_at=None)
    assert reach(ruled) == ""


def test_a_personal_place_that_was_screened_out_is_out_of_reach() -> None:
    trial = new_trial(places=2)
    locked(trial, stopping="people", stopping_people=2)
    assert format_stopping_warning(trial) == ""
    first = joined(trial)
    Participant.objects.filter(pk=first.pk).update(screened_out_at=timezone.now())
    assert "only 1 can" in format_stopping_warning(trial)


def met(trial: Trial) -> bool:
    found = Preregistration.objects.select_related("trial").get(trial=trial)
    return is_rule_met(found, timezone.now())


def test_everybody_has_played_when_nobody_is_waited_for_any_more() -> None:
    """A participant by the open link is one of them; one who left by it is not."""
    found = recruiting(quota=2)
    trial = found.trial
    locked(trial, stopping="everybody")
    people = [joined(trial)]
    for labels in (ANNA, BEN):
        assert not met(trial)
        people.append(recruit_agree(recruitment=found, version=1, parameters=labels))
    for one in people[:2]:
        play_next(one)
        assert not met(trial)
    gone = Participant.objects.filter(pk=people[2].pk)
    gone.update(screened_out_at=timezone.now())
    assert not met(trial)  # its place is free again
    Recruitment.objects.update(open=False)
    assert met(trial)
    gone.update(screened_out_at=None)
    close_trial(trial=trial)
    assert not met(Trial.objects.get())


def test_people_have_played_all_when_the_follow_up_is_played_too() -> None:
    trial = new_trial(games_each=1, games_follow_up=1)
    locked(trial, stopping="people", stopping_people=1)
    one = joined(trial)
    play_next(one)
    assert not met(trial)
    play_next(one)
    assert met(trial)
    found = Preregistration.objects.select_related("trial").get()
    assert not is_rule_met(found, timezone.now() - timedelta(minutes=1))


@pytest.mark.parametrize(("days", "warned"), [(-1, True), (0, False), (1, False)])
def test_a_day_that_is_over_is_out_of_reach(days: int, warned: bool) -> None:
    trial = new_trial()
    day: date = timezone.localdate() + timedelta(days=days)
    locked(trial, stopping="date", stopping_date=day)
    assert bool(format_stopping_warning(trial)) is warned


# Labels of another study


@pytest.mark.parametrize(
    ("study", "status"), [("s1", 200), ("s2", 200), ("s3", 403), ("", 403), ("s1 s2", 403)]
)
def test_a_label_that_is_not_expected_is_refused_with_a_page_that_says_so(
    browser: Browser, study: str, status: int
) -> None:
    found = recruiting(expected="STUDY_ID=s1 STUDY_ID=s2")
    page = browser.get(f"/join/{found.token}/", ANNA | {"STUDY_ID": study})
    assert page.status_code == status
    assert ("address belongs to another study" in text(page)) is (status == 403)
    browser.post(
        f"/join/{found.token}/agree?PROLIFIC_PID=anna&STUDY_ID={study}",
        {"version": 1, "agree": "on"},
    )
    assert Arrival.objects.count() == (status == 200)
