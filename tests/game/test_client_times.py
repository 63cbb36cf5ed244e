"""How long a decision took in the browser: kept in trials beside the server's time, exported."""

from typing import Any

import pytest
from django.test import Client

from game.core.playing import hold_dice
from game.models import Game, Player
from game.models.decision import LONGEST
from game.pages.requests.forms import HoldForm, ScoreForm
from game.trials.exports.decisions import DECISIONS
from game.trials.exports.files import export_now
from game.trials.exports.tables import Standing
from game.trials.joining.links import make_link_path
from game.trials.joining.writing import start_trial_game
from tests.known import known
from tests.play import start_solo
from tests.trials import new_trial

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("yatzy_tables")]


@pytest.fixture
def playing(client: Client) -> Game:
    participant = new_trial().participants.get(number=1)
    client.get(make_link_path(participant))
    client.post("/take-part/agree", {"version": 1, "agree": "on"})
    return start_trial_game(participant=participant).game


def post(client: Client, game: Game, what: str, **data: Any) -> int:
    return client.post(f"/games/{game.pk}/{what}", data, headers={"HX-Request": "true"}).status_code


def test_the_browsers_time_is_kept_with_the_decision(client: Client, playing: Game) -> None:
    assert post(client, playing, "hold", seq=1, slot=[0], waited="2345") == 200
    assert post(client, playing, "score", seq=2, category="chance", waited="987") == 200
    kept = playing.decisions.order_by("seq").values_list("client_milliseconds", flat=True)
    assert list(kept) == [None, 2345, 987]


@pytest.mark.parametrize("told", ["", "-5", "soon", "1e3", "१२", "2.5", "9" * 13, "<b>"])
def test_whatever_a_browser_says_spoils_no_move(client: Client, playing: Game, told: str) -> None:
    assert post(client, playing, "hold", seq=1, slot=[0], waited=told) == 200
    assert known(playing.decisions.get(seq=1)).client_milliseconds is None


def test_a_time_is_never_longer_than_its_column() -> None:
    for form in (HoldForm({"seq": 1, "waited": "9" * 12}), ScoreForm({"waited": "9" * 12})):
        form.is_valid()
        assert form.cleaned_data["waited"] == LONGEST


def test_outside_trials_nothing_of_it_is_kept(player: Player) -> None:
    game = start_solo(player).game
    hold_dice(game_id=game.pk, player=player, seq=1, slots=1, waited=50)
    assert game.decisions.get(seq=1).client_milliseconds is None


def test_the_export_has_both_times_and_the_codebook_says_which_is_which(
    client: Client, playing: Game
) -> None:
    post(client, playing, "hold", seq=1, slot=[0], waited="2345")
    post(client, playing, "hold", seq=2, slot=[0])
    trial = playing.trial_game.participant.trial
    at = DECISIONS.names.index("client_milliseconds")
    rows = Standing(trial, export_now(trial).at).rows(DECISIONS)
    assert [row[at] for row in rows] == [2345, None]
    meant = {column.name: column.text for column in DECISIONS.columns}
    assert "server's clock" in meant["milliseconds"]
    assert "browser's own clock" in " ".join(meant["client_milliseconds"].split())
