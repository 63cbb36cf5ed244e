"""How long a decision took does not follow the clock of the wall, which is set now and then."""

from datetime import timedelta
from functools import partial

import pytest

from game.core import playing
from game.core.playing import fill_box, hold_dice
from game.models import Player
from game.models.decision import LONGEST
from tests.play import NOON, Clock, start_solo

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("yatzy_tables")]
TWO_DAYS = timedelta(days=2)
between = partial(playing.measure_thinking, "unknown")


@pytest.fixture
def seconds(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    told = [1000.0]
    monkeypatch.setattr(playing, "read_steady_clock", lambda: told[0])
    monkeypatch.setattr(playing, "_steady", type(playing._steady)())
    return told


@pytest.mark.parametrize("jump", [TWO_DAYS, -TWO_DAYS])
def test_a_jump_of_the_clock_is_no_thinking(
    player: Player, clock: Clock, seconds: list[float], jump: timedelta
) -> None:
    game = start_solo(player).game
    seconds[0] += 0.102
    clock(NOON + jump)
    hold_dice(game_id=game.pk, player=player, seq=1, slots=1)
    seconds[0] += 2.5
    clock(NOON)
    fill_box(game_id=game.pk, player=player, seq=2, category="chance")
    taken = game.decisions.order_by("seq").values_list("milliseconds", flat=True)
    assert list(taken) == [0, 102, 2500]


def test_what_another_process_stored_is_measured_by_the_wall(seconds: list[float]) -> None:
    assert between(NOON, NOON + timedelta(seconds=3)) == 3000
    assert between(NOON, NOON - timedelta(seconds=3)) == 0
    assert between(NOON, NOON + timedelta(days=365)) == LONGEST
    playing._steady["unknown", NOON] = seconds[0]  # this process stored one of the two
    assert between(NOON, NOON + timedelta(seconds=3)) == 3000
    assert between(NOON - timedelta(seconds=3), NOON) == 3000


def test_a_process_remembers_the_newest_moments_alone(
    seconds: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(playing, "MOST_MOMENTS", 3)
    for number in range(5):
        playing.record_moment(f"game{number}")
    assert [game for game, _ in playing._steady] == ["game2", "game3", "game4"]
