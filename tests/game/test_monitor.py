"""The live monitor of a trial: what it says of people, and how soon."""

import asyncio
import time
from datetime import timedelta

import pytest
from asgiref.sync import sync_to_async
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from game.core.playing import fill_box, hold_dice
from game.models import Decision, Game
from game.trials.joining.withdrawing import withdraw_participant
from game.trials.joining.writing import start_trial_game
from game.trials.models import Participant, Trial
from game.trials.monitor.reading import Monitor, TrialConsumer, format_ago, monitor
from tests.known import known
from tests.play import Viewer, run, score_all
from tests.trials import joined, new_trial, researcher_user

pytestmark = pytest.mark.django_db(transaction=True)


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


# The socket


@pytest.fixture
def researcher() -> Client:
    client = Client()
    client.force_login(researcher_user("boss"))
    return client


async def arrived(viewer: Viewer) -> str:
    return await viewer.board() + await viewer.board()


def test_a_move_is_on_the_monitor_within_a_second(researcher: Client) -> None:
    trial = new_trial()
    participants = [joined(trial, number) for number in (1, 2)]
    games = [start_trial_game(participant=one).game for one in participants]

    async def test() -> None:
        viewer = Viewer("/ws/trials/study/", researcher.cookies)
        assert await viewer.connect()
        html = await arrived(viewer)
        assert 'id="monitor-totals"' in html
        assert 'id="participant-3"' in html
        began = time.monotonic()
        await sync_to_async(fill_box)(
            game_id=games[1].pk, player=participants[1].player, seq=1, category="chance"
        )
        row = await viewer.board()
        assert time.monotonic() - began < 1
        assert 'id="participant-2"' in row
        assert "turn 2, " in row
        assert 'id="participant-1"' not in row
        await viewer.leave()

    run(test)


def test_many_moves_make_one_push(researcher: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """However long they take: the push waits here for the last of them, not for a clock."""
    trial = new_trial()
    participant = joined(trial)
    game = start_trial_game(participant=participant).game

    async def test() -> None:
        moved = asyncio.Event()

        async def gather(_: TrialConsumer) -> None:
            await moved.wait()

        monkeypatch.setattr(TrialConsumer, "gather", gather)
        viewer = Viewer("/ws/trials/study/", researcher.cookies)
        assert await viewer.connect()
        await arrived(viewer)
        for seq in (1, 2):
            await sync_to_async(hold_dice)(
                game_id=game.pk, player=participant.player, seq=seq, slots=0
            )
        await sync_to_async(fill_box)(
            game_id=game.pk, player=participant.player, seq=3, category="chance"
        )
        assert await viewer.receive_nothing(timeout=0.1)
        moved.set()
        assert "turn 2, " in await viewer.board()
        assert await viewer.receive_nothing(timeout=0.6)
        await viewer.leave()

    run(test)


def test_a_move_that_falls_into_a_push_is_shown_soon_after_it(
    researcher: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    trial = new_trial()
    participants = [joined(trial, number) for number in (1, 2)]
    games = [start_trial_game(participant=one).game for one in participants]

    def move(number: int) -> None:
        game, player = games[number], participants[number].player
        fill_box(game_id=game.pk, player=player, seq=1, category="chance")

    def slow_monitor(found: Trial) -> Monitor:
        seen = monitor(found)
        if not Decision.objects.filter(game=games[0], category="chance").exists():
            move(0)
            time.sleep(0.1)
        return seen

    async def test() -> None:
        viewer = Viewer("/ws/trials/study/", researcher.cookies)
        assert await viewer.connect()
        await arrived(viewer)
        monkeypatch.setattr("game.trials.monitor.reading.monitor", slow_monitor)
        await sync_to_async(move)(1)
        assert 'id="participant-2"' in await viewer.board()
        began = time.monotonic()
        assert 'id="participant-1"' in await viewer.board()
        assert time.monotonic() - began < 1
        await viewer.leave()

    run(test)


def test_somebody_who_stops_is_away_by_itself(
    researcher: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("game.trials.monitor.reading.TICK", 0.01)
    start_trial_game(participant=joined(new_trial(idle_minutes=10)))

    def time_passes() -> None:
        earlier = timezone.now() - timedelta(minutes=11)
        Participant.objects.filter(number=1).update(seen_at=earlier)
        Game.objects.update(started_at=earlier)
        Decision.objects.update(created_at=earlier)

    async def test() -> None:
        viewer = Viewer("/ws/trials/study/", researcher.cookies)
        assert await viewer.connect()
        assert "Away" not in (await arrived(viewer)).partition('id="participant-1"')[2]
        await sync_to_async(time_passes)()
        pushed = await viewer.board() + await viewer.board()
        assert "Away" in pushed.partition('id="participant-1"')[2]
        await viewer.leave()

    run(test)


def test_others_of_the_staff_hear_nothing_and_whoever_loses_the_role_no_more(
    researcher: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("game.trials.monitor.reading.TICK", 0.05)
    trial = new_trial(masked=True)
    other = Client()
    other.force_login(User.objects.create_user("other", is_staff=True))

    async def test() -> None:
        refused = Viewer("/ws/trials/study/", other.cookies)
        assert await refused.connect()
        assert await refused.code() == 4403
        viewer = Viewer("/ws/trials/study/", researcher.cookies)
        assert await viewer.connect()
        assert "Mean" not in await arrived(viewer)
        await sync_to_async(trial.team.all().delete)()
        assert await viewer.code() == 4403

    run(test)
