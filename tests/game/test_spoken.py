"""Whole games as a screen reader says them: the golden file is read in the diff of a change.

SPOKEN=write .venv/bin/python -m pytest tests/game/test_spoken.py      writes tests/game/spoken.txt
"""

import os
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from game.coach import panel
from game.core.game_queries import FIRST_GAMES, Played
from game.core.playing import MEANT, decision_record
from game.core.starting import deal
from game.models import Coach, Game, Player
from game.pages.board.showing import board_played
from solver.advice import Advisor, position_of
from solver.rules import YATZY, Action, Hold, Score

TEXT = Path(__file__).with_name("spoken.txt")
MOST = 12  # words of the coach after a move
# The title of a game, finished games before it, the coach, and how often the best move is missed.
GAMES = (
    ("A beginner's first game", 0, Coach.AFTER, 0.5),
    ("A beginner's second game", 1, Coach.AFTER, 0.4),
    ("A careful player", FIRST_GAMES, Coach.AFTER, 0.15),
    ("A player who wants to be warned", FIRST_GAMES, Coach.ALERT, 0.3),
    ("A perfect game with the live coach", FIRST_GAMES, Coach.LIVE, 0.0),
)


def chosen(coach: Advisor, played: Played, random: Random, missing: float) -> Action:
    state = played.state
    if not state.dice:
        return Hold(0)
    options = coach.advise(position_of(state)).options
    missed = random.random() < missing
    moves = [option for option in options if len(option.dice) < 5 or option.action == "score"]
    option = random.choice(moves[:10]) if missed else moves[0]
    if option.action == "score":
        return Score(option.category)
    return Hold.of(option.dice, state.dice, 0)


def spoken(coach: Advisor, player: Player, level: str, missing: float) -> Iterator[list[str]]:
    """Yield what is said after each action, a line per event."""
    game = Game(mode=Game.Mode.SOLO, ruleset=YATZY.id, seed="cd" * 32, coach=level)
    played, random = deal(player, game), Random(f"{level} {missing}")
    while not played.state.finished:
        action = chosen(coach, played, random, missing)
        played = decision_record(
            game_id=played.game.pk,
            player=player,
            seq=len(played.actions),
            action=action,
            manner=MEANT,
        )
        board = board_played(played, viewer=player)
        lines = [event["says"] for event in board.events]
        verdict = board.verdict.aloud if board.verdict and board.verdict_is_new else ""
        assert (verdict in lines) == bool(verdict)
        assert len(verdict.split()) <= MOST
        assert len(set(lines)) == len(lines)
        yield lines


@pytest.mark.django_db
def test_whole_games_are_said_as_in_the_golden_file(
    player: Player, advisor: Advisor, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = list[str]()
    for title, finished, level, missing in GAMES:
        monkeypatch.setattr(panel, "first_games_finished", lambda _player, number=finished: number)
        told.append(f"{title}\n")
        in_turn = set[str]()
        for lines in spoken(advisor, player, level, missing):
            again = in_turn & set(lines)
            assert not again  # no sentence twice in a turn
            in_turn = set() if "roll for turn" in lines[0] else in_turn | set(lines)
            told += ["  ".join(lines)]
        told.append("")
    text = "\n".join(told)
    if os.environ.get("SPOKEN") == "write":
        TEXT.write_text(text, encoding="utf-8")
    assert text == TEXT.read_text(encoding="utf-8")
