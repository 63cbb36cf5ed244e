"""The crowd of ``make load`` plays by the rules, and notices what a server loses."""

import json
import subprocess
import sys

import pytest

from game.models import Player
from solver.rules import Action, Hold, Score
from tests.browser.managers import ROOT
from tests.load.stored import compare
from tests.play import BOXES, score_all, start_solo


@pytest.fixture
def finished(player: Player) -> tuple[str, list[Action], int]:
    played = score_all(start_solo(player), player)
    actions = [action for box in BOXES for action in (Hold(0), Score(box))]
    return played.game.pk, actions, played.state.total


def test_what_is_stored_as_it_was_acknowledged_is_in_order(
    finished: tuple[str, list[Action], int],
) -> None:
    game, actions, total = finished
    kept = {"stored": 30, "lost": 0, "unjudged": 0, "wrong": []}
    assert compare({game: actions}, {game: total}) == kept


def test_a_lost_decision_a_wrong_score_and_a_lost_game_are_noticed(
    finished: tuple[str, list[Action], int],
) -> None:
    game, actions, total = finished
    kept = compare({game: [*actions, Hold(3)], "nowhere": [Hold(0)]}, {game: total + 1})
    assert (kept["stored"], kept["lost"]) == (30, 2)
    assert len(kept["wrong"]) == 3
    assert kept["wrong"][0].endswith("other decisions are stored than were acknowledged")
    assert kept["wrong"][1].endswith(f"{total} is stored, {total + 1} was shown")
    assert kept["wrong"][2] == "nowhere: other decisions are stored than were acknowledged"
    other = compare({game: [*actions[:28], Hold(5)]}, {})
    assert (other["stored"], other["lost"]) == (30, 1)


@pytest.mark.nightly
def test_three_people_play_on_a_server_and_nothing_is_lost() -> None:
    command = [sys.executable, "-m", "tests.load", "--people", "3", "--seconds", "4"]
    run = subprocess.run([*command, "--think", "0"], cwd=ROOT, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr
    told = json.loads(run.stdout.splitlines()[-1])
    assert told["errors"] == 0
    assert told["stored"] == told["acknowledged"] > 3
