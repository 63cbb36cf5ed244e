"""What is kept of a drawing, or of words, is what would be drawn or said again."""

from random import Random

import pytest
from django.conf import settings
from django.template.loader import render_to_string
from django.urls import set_script_prefix
from django.utils.translation import override

from game.core.accounts import create_player
from game.core.game_queries import Played
from game.core.playing import record_decision
from game.core.words import labels, phrases
from game.models import Coach
from game.pages.board.board import make_game_address
from game.pages.board.drawing import drawn
from game.pages.board.showing import make_played_board
from solver.rules import YATZY, list_legal_actions
from tests.play import start_solo

BONUS = {"sum": 12, "goal": 63, "hint": "51 to go"}


@pytest.fixture
def played(yatzy_tables: None, db: None) -> Played:
    return start_solo(create_player(coach=Coach.LIVE))


def moved(played: Played, random: Random) -> Played:
    game, action = played.game, random.choice(list_legal_actions(played.state))
    return record_decision(
        game_id=game.pk, player=game.player, seq=len(played.actions), action=action
    )


def test_a_board_of_kept_parts_is_the_board_drawn_anew(
    played: Played, monkeypatch: pytest.MonkeyPatch
) -> None:
    random = Random(1)
    while not played.game.over:
        for language in ("en", "sv"):
            with override(language):
                board = {"board": make_played_board(played, viewer=played.game.player)}
                monkeypatch.setattr(settings, "DEBUG", False)
                kept = [render_to_string("pages/_board.html", board) for _ in range(2)]
                monkeypatch.setattr(settings, "DEBUG", True)
                assert kept == [render_to_string("pages/_board.html", board)] * 2
        played = moved(played, random)


def test_every_language_has_drawings_of_its_own() -> None:
    told = {}
    for language in ("en", "sv", "en"):
        with override(language):
            told[language] = drawn("pages/_bonus.html", bonus=0, **BONUS)
    assert "12 of 63" in told["en"]
    assert "12 av 63" in told["sv"]


def test_words_are_remembered_by_language() -> None:
    said = {}
    for language in ("en", "sv", "en"):
        with override(language):
            said[language] = (phrases.format_cost(3.21), labels.describe_boxes(YATZY)[0].name)
    assert said == {
        "en": ("costs 3.2\u00a0points", "Ones"),
        "sv": ("kostar 3,2\u00a0poäng", "Ettor"),
    }


@pytest.mark.parametrize(
    ("regret", "said"),
    [
        (0.0, "best"),
        (1e-12, "best"),
        (0.0499, "costs next to nothing"),
        (0.05, "costs 0.1\u00a0points"),
        (0.149, "costs 0.1\u00a0points"),
        (0.151, "costs 0.2\u00a0points"),
        (12.0, "costs 12.0\u00a0points"),
    ],
)
def test_a_cost_is_told_to_the_tenth(regret: float, said: str) -> None:
    assert phrases.format_cost(regret) == said


def test_an_address_that_is_kept_lies_under_what_the_site_lies_under() -> None:
    try:
        set_script_prefix("/yatzy/")
        under = make_game_address("game_hold", "abc")
    finally:
        set_script_prefix("/")
    assert under == "/yatzy/games/abc/hold"
    assert make_game_address("game_hold", "abc") == "/games/abc/hold"
