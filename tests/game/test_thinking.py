"""The time of a decision does not depend on the clock of the wall, which is set now and then."""

from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from django.test import Client

from game.core import playing
from game.core.playing import fill_box, hold_dice
from game.models import Game, Player
from game.models.decision import LONGEST
from game.pages.requests.forms import HoldForm, ScoreForm
from game.trials.exports.files import Export
from game.trials.exports.tables import TABLES, Standing
from game.trials.joining.links import make_link_path
from game.trials.joining.writing import start_trial_game
from tests.known import known
from tests.play import NOON, Clock, start_solo
from tests.trials import new_trial

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


# In trials the browser's time is kept too, and exported


@pytest.fixture
def played(client: Client) -> Game:
    participant = new_trial().participants.get(number=1)
    client.get(make_link_path(participant))
    client.post("/take-part/agree", {"version": 1, "agree": "on"})
    return start_trial_game(participant=participant).game


def post(client: Client, game: Game, what: str, **data: Any) -> int:
    return client.post(f"/games/{game.pk}/{what}", data, headers={"HX-Request": "true"}).status_code


def test_the_browsers_time_is_kept_with_the_decision(client: Client, played: Game) -> None:
    assert post(client, played, "hold", seq=1, slot=[0], waited="2345") == 200
    assert post(client, played, "score", seq=2, category="chance", waited="987") == 200
    kept = played.decisions.order_by("seq").values_list("client_milliseconds", flat=True)
    assert list(kept) == [None, 2345, 987]


@pytest.mark.parametrize("told", ["", "-5", "soon", "1e3", "१२", "2.5", "9" * 13, "<b>"])
def test_whatever_a_browser_says_spoils_no_move(client: Client, played: Game, told: str) -> None:
    assert post(client, played, "hold", seq=1, slot=[0], waited=told) == 200
    assert known(played.decisions.get(seq=1)).client_milliseconds is None


def test_a_time_is_never_longer_than_its_column() -> None:
    for form in (HoldForm({"seq": 1, "waited": "9" * 12}), ScoreForm({"waited": "9" * 12})):
        form.is_valid()
        assert form.cleaned_data["waited"] == LONGEST


def test_outside_trials_nothing_of_it_is_kept(player: Player) -> None:
    game = start_solo(player).game
    hold_dice(game_id=game.pk, player=player, seq=1, slots=1, waited=50)
    assert game.decisions.get(seq=1).client_milliseconds is None


def test_the_export_has_both_times_and_the_codebook_says_which_is_which(
    client: Client, played: Game
) -> None:
    post(client, played, "hold", seq=1, slot=[0], waited="2345")
    post(client, played, "hold", seq=2, slot=[0])
    trial = played.trial_game.participant.trial
    at = TABLES["decisions"].names.index("client_milliseconds")
    rows = Standing(trial, Export(trial).at).rows(TABLES["decisions"])
    assert [row[at] for row in rows] == [2345, None]
    meant = {column.name: column.text for column in TABLES["decisions"].columns}
    assert "server's clock" in meant["milliseconds"]
    assert "browser's own clock" in " ".join(meant["client_milliseconds"].split())
