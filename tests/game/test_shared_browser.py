"""Two participants in one browser: noted of both, flagged, exported, left out by a rule."""

from datetime import timedelta

import pytest
from django.utils import timezone

from game.trials.exports.tables import PARTICIPANTS, Standing
from game.trials.joining.presence import participant_here
from game.trials.joining.withdrawing import withdraw_participant
from game.trials.models import Participant, Trial, TrialEvent
from game.trials.monitor import monitor
from game.trials.results.exclusions import EXCLUSIONS
from tests.game.test_recruitment import agree, recruiting
from tests.game.test_trials import take_part
from tests.play import Browser, text
from tests.trials import joined, new_trial, researcher_user

pytestmark = pytest.mark.django_db
WORDS = "Browser shared with another participant"


def noted(trial: Trial) -> list[str]:
    found = trial.events.filter(kind=TrialEvent.Kind.SHARED).order_by("pk")
    return [one.participant.label for one in found if one.participant]


def flagged(trial: Trial) -> list[str]:
    return [row.participant.label for row in monitor(trial).rows if row.shared]


@pytest.fixture
def shared(browser: Browser) -> Trial:
    """The first two in one browser, one after the other; the third in another."""
    trial = new_trial(questionnaire=False)
    for number in (1, 2):
        take_part(browser, trial.participants.get(number=number))
        browser.post("/take-part/leave")
    take_part(Browser(), trial.participants.get(number=3))
    return trial


def test_both_are_flagged_and_nobody_else(shared: Trial, browser: Browser) -> None:
    assert flagged(shared) == ["P01", "P02"]
    browser.force_login(researcher_user("rosa"))
    assert text(browser.get("/trials/study/monitor/")).count(WORDS) == 2


def test_it_is_noted_once_of_each_and_says_of_neither_who_the_other_is(
    shared: Trial, browser: Browser
) -> None:
    take_part(browser, shared.participants.get(number=1))
    browser.post("/take-part/leave")
    take_part(browser, shared.participants.get(number=2))
    assert sorted(noted(shared)) == ["P01", "P02"]
    assert [one.detail for one in shared.events.filter(kind="shared")] == [{}, {}]


def test_it_stays_when_they_go_on_elsewhere_and_when_the_other_withdraws(shared: Trial) -> None:
    first, second = (shared.participants.get(number=number) for number in (1, 2))
    participant_here(participant=first, device="elsewhere")
    withdraw_participant(participant=second)
    assert flagged(shared) == ["P01"]


def test_the_export_and_the_rule_know_it_as_it_stood(shared: Trial) -> None:
    now = timezone.now()
    at = PARTICIPANTS.names.index("shared_browser")
    assert [row[at] for row in Standing(shared, now).rows(PARTICIPANTS)] == [True, True, False]
    finds = EXCLUSIONS["shared_browser"].finds
    assert finds(shared, now, 1) == {one.pk for one in shared.participants.filter(number__lt=3)}
    assert finds(shared, now - timedelta(hours=1), 1) == set()


def test_browsers_are_compared_within_a_trial_alone(browser: Browser) -> None:
    for slug in ("one", "other"):
        trial = new_trial(slug=slug, questionnaire=False)
        take_part(browser, trial.participants.get(number=1))
        browser.post("/take-part/leave")
    assert not TrialEvent.objects.filter(kind=TrialEvent.Kind.SHARED).exists()


def test_who_leaves_and_takes_a_second_place_without_a_label_is_flagged(browser: Browser) -> None:
    found = recruiting(labels="", quota=5)
    for _ in range(2):
        agree(browser, found, {})
        browser.post("/take-part/leave")
    assert flagged(found.trial) == ["R01", "R02"]


def test_nobody_shares_a_browser_that_is_not_known() -> None:
    trial = new_trial()
    one = joined(trial, 1)
    joined(trial, 2)
    participant_here(participant=one, device="mine")
    participant_here(participant=joined(trial, 3), device="")
    assert Participant.objects.filter(device="").count() == 2
    assert noted(trial) == []
