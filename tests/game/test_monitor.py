"""The monitor of a trial: what it says of people, and of two in one browser."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from game.core.playing import fill_box
from game.models import Decision, Game
from game.trials.exports.tables import PARTICIPANTS, Standing
from game.trials.joining.withdrawing import withdraw_participant
from game.trials.joining.writing import participant_here, start_trial_game
from game.trials.models import Participant, Trial
from game.trials.monitor import format_ago, monitor
from game.trials.results.exclusions import EXCLUSIONS
from tests.game.test_recruitment import agree, recruiting
from tests.game.test_trials import take_part
from tests.play import Browser, score_all, text
from tests.trials import joined, new_trial, researcher_user

pytestmark = pytest.mark.django_db


def states(trial: Trial) -> list[str]:
    return [row.state for row in monitor(trial).rows]


def test_everyone_is_in_one_state_and_totals_add_up() -> None:
    trial = new_trial(places=5, games_each=1)
    for number in (1, 2, 3, 4):
        joined(trial, number)
    played = start_trial_game(participant=trial.participants.get(number=2))
    game = score_all(played, played.game.player).game
    withdraw_participant(participant=trial.participants.get(number=3))
    start_trial_game(participant=trial.participants.get(number=4))
    assert states(trial) == ["playing", "done", "withdrawn", "playing", "invited"]
    seen = monitor(trial)
    assert (seen.mean, seen.finished, seen.planned) == (game.final_score, 1, 4)
    assert dict(seen.counts)["Not begun"] == 1
    times = {20: "just now", 61: "1 minute ago", 3540: "59 minutes ago", 259_200: "3 days ago"}
    assert {n: format_ago(timedelta(seconds=n)) for n in times} == times


def test_who_has_not_moved_for_long_is_away_and_comes_back() -> None:
    trial = new_trial(idle_minutes=10)
    participant = joined(trial)
    start_trial_game(participant=participant)
    long_ago = timezone.now() - timedelta(minutes=11)
    Participant.objects.update(seen_at=long_ago)
    Game.objects.update(started_at=long_ago)
    Decision.objects.update(created_at=long_ago)
    assert states(trial)[0] == "away"
    game = Game.objects.get()
    fill_box(game_id=game.pk, player=participant.player, seq=1, category="chance")
    assert states(trial)[0] == "playing"


@pytest.mark.parametrize("dice", ["virtual", "real"])
def test_it_costs_six_queries_however_many_play(dice: str) -> None:
    trial = new_trial(places=20, dice=dice)
    for number in range(1, 9):
        start_trial_game(participant=joined(trial, number))
    with CaptureQueriesContext(connection) as captured:
        cards = [row.card for row in monitor(trial).drawn()]
    assert cards == ["turn 1, 0 points"] * 8 + [""] * 12
    assert len(captured) == (6 if dice == "real" else 5)


# Two participants in one browser

WORDS = "Browser shared with another participant"


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
    noted = shared.events.filter(kind="shared").order_by("participant__number")
    assert list(noted.values_list("participant__number", "detail")) == [(1, {}), (2, {})]


def test_it_stays_when_they_go_on_elsewhere_and_when_the_other_withdraws(shared: Trial) -> None:
    first, second, third = shared.participants.order_by("number")
    participant_here(participant=first, device="elsewhere")
    withdraw_participant(participant=second)
    assert flagged(shared) == ["P01"]
    other = new_trial(slug="other")  # there browsers are not compared with those of this trial
    for number, device in ((1, ""), (2, ""), (3, third.device)):
        participant_here(participant=joined(other, number), device=device)
    assert (flagged(other), flagged(shared)) == ([], ["P01"])


def test_the_export_and_the_rule_know_it_as_it_stood(shared: Trial) -> None:
    now = timezone.now()
    at = PARTICIPANTS.names.index("shared_browser")
    assert [row[at] for row in Standing(shared, now).rows(PARTICIPANTS)] == [True, True, False]
    finds = EXCLUSIONS["shared_browser"].finds
    assert finds(shared, now, 1) == {one.pk for one in shared.participants.filter(number__lt=3)}
    assert finds(shared, now - timedelta(hours=1), 1) == set()


def test_who_leaves_and_takes_a_second_place_without_a_label_is_flagged(browser: Browser) -> None:
    found = recruiting(labels="", quota=5)
    for _ in range(2):
        agree(browser, found, {})
        browser.post("/take-part/leave")
    assert flagged(found.trial) == ["R01", "R02"]
