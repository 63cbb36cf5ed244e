"""The monitor of a trial: what it says of people."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from game.core.playing import fill_box
from game.models import Decision, Game
from game.trials.joining.withdrawing import withdraw_participant
from game.trials.joining.writing import start_trial_game
from game.trials.models import Participant, Trial
from game.trials.monitor import format_ago, monitor
from tests.known import known
from tests.play import score_all
from tests.trials import joined, new_trial

pytestmark = pytest.mark.django_db


def states(trial: Trial) -> list[str]:
    return [row.state for row in monitor(trial).rows]


def play_one(participant: Participant) -> Game:
    played = start_trial_game(participant=participant)
    assert participant.player is not None
    return score_all(played, participant.player).game


def test_everyone_is_in_one_state() -> None:
    trial = new_trial(places=5, games_each=1)
    joined(trial, 1)
    play_one(joined(trial, 2))
    withdraw_participant(participant=joined(trial, 3))
    start_trial_game(participant=joined(trial, 4))
    assert states(trial) == ["playing", "done", "withdrawn", "playing", "invited"]


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


def test_totals_add_up() -> None:
    trial = new_trial(places=3, games_each=2)
    scores = [known(play_one(joined(trial, number)).final_score) for number in (1, 2)]
    seen = monitor(trial)
    assert seen.mean == pytest.approx(sum(scores) / 2)
    assert (seen.finished, seen.planned) == (2, 6)
    assert dict(seen.counts)["Not begun"] == 1


@pytest.mark.parametrize("dice", ["virtual", "real"])
def test_it_costs_six_queries_however_many_play(dice: str) -> None:
    trial = new_trial(places=20, dice=dice)
    for number in range(1, 9):
        start_trial_game(participant=joined(trial, number))
    with CaptureQueriesContext(connection) as captured:
        cards = [row.card for row in monitor(trial).drawn()]
    assert cards == ["turn 1, 0 points"] * 8 + [""] * 12
    assert len(captured) == (6 if dice == "real" else 5)


@pytest.mark.parametrize(
    ("seconds", "told"),
    [
        (20, "just now"),
        (61, "1 minute ago"),
        (59 * 60, "59 minutes ago"),
        (3 * 3600, "3 hours ago"),
        (72 * 3600, "3 days ago"),
    ],
)
def test_times_are_told_in_words(seconds: int, told: str) -> None:
    assert format_ago(timedelta(seconds=seconds)) == told
