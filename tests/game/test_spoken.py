"""Whole games as a screen reader says them: the golden file is read in the diff of a change.

SPOKEN=write .venv/bin/python -m pytest tests/game/test_spoken.py      writes tests/game/spoken.txt

The game offline is in tests/browser/spoken.txt.
"""

import os
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import NamedTuple

import pytest

from game.coach import panel
from game.core.game_queries import FIRST_GAMES, Played
from game.core.playing import MEANT, count_hint, record_decision
from game.core.profile_queries import MIDDLE
from game.core.starting import save_and_roll
from game.core.worth.severity import GRADES, Grade
from game.core.worth.tables import load_advisor
from game.duels.duel_board import Onlooker, build_duel_view
from game.duels.duel_ends import settle_duel
from game.models import Coach, Duel, Game, Player
from game.pages.board.board import Board
from game.pages.board.showing import make_played_board
from solver.advice import find_position
from solver.rules import PLAYED, YATZY, Action, Hold, Ruleset, Score
from tests.known import known
from tests.play import card_of, new_duel, play_bots, stands

TEXT = Path(__file__).with_name("spoken.txt")
MOST, MOST_AT_END = 12, 40  # words


class Spoken(NamedTuple):
    """``missing`` is how often the best move is missed, ``finished`` how many games before it."""

    title: str
    coach: str = Coach.AFTER
    missing: float = 0.15
    finished: int = FIRST_GAMES
    seed: str = "cd"
    rules: Ruleset = YATZY
    hints: float = 0.0  # how often one is asked for
    duel: bool = False
    grade: Grade = MIDDLE


GAMES = (
    Spoken("A beginner's first game", missing=0.5, finished=0),
    Spoken("A beginner's second game", missing=0.4, finished=1),
    Spoken("A careful player"),
    Spoken("A grandmaster", missing=0.6, seed="24", grade=GRADES[1]),
    Spoken(
        "A beginner's fourth game, with the same moves", missing=0.6, seed="24", grade=GRADES[-1]
    ),
    Spoken("A player who wants to be warned", Coach.ALERT, 0.3),
    Spoken("A perfect game with the live coach", Coach.LIVE, 0.0),
    Spoken("A game with hints", missing=0.4, hints=0.3),
    Spoken("A game with a Yatzy and the bonus", missing=0.0, seed="02"),
    Spoken("A duel with a bot", missing=0.3, duel=True),
    Spoken("A game of Maxi Yatzy, whose values are not calculated", rules=PLAYED["maxi-yatzy"]),
)


def chosen(played: Played, random: Random, missing: float) -> Action:
    """Return a move by the coach, or without one the box that brings most."""
    state = played.state
    if not state.dice:
        return Hold(0)
    coach = load_advisor(state.rules)
    if coach is None:
        best = max(state.offers, key=lambda box: (state.offers[box], box))
        return Score(state.rules.categories[best].id)
    options = coach.advise(find_position(state)).options
    moves = [option for option in options if len(option.dice) < 5 or option.action == "score"]
    option = random.choice(moves[:10]) if random.random() < missing else moves[0]
    if option.action == "score":
        return Score(option.category)
    return Hold.from_faces(option.dice, state.dice, 0)


def spoken(player: Player, game: Spoken) -> Iterator[list[str]]:
    random, duel = Random(f"{game.coach} {game.missing}"), None
    if game.duel:
        duel = new_duel([player], ["optimal"])
        Game.objects.update(coach=game.coach, seed=game.seed * 32)
        played = decided(player, card_of(duel, player), 0, Hold(0))
    else:
        card = Game(ruleset=game.rules.id, seed=game.seed * 32, coach=game.coach)
        played = save_and_roll(player, card)
    heard = 0  # turns of the bot
    yield read_out(make_played_board(played, viewer=player))
    while not played.state.finished:
        random_hint = random.random() < game.hints
        if random_hint and played.state.dice:
            before = make_played_board(played, viewer=player).events
            played = count_hint(game_id=played.game.pk, player=player)
            hinted = make_played_board(played, viewer=player, hint=True).events
            yield [event.says for event in hinted if event not in before]
        action = chosen(played, random, 0.0 if random_hint else game.missing)
        played = decided(player, played.game, len(played.actions), action)
        if duel is None:
            yield read_out(make_played_board(played, viewer=player))
            continue
        play_bots(duel)
        settle_duel(token=duel.token)
        view = build_duel_view(stands(duel), Onlooker(player, datetime.now(UTC)))
        (other,) = [seat for seat in view.seats if not seat.mine]
        is_new = heard < other.turns < len(game.rules.categories)
        moved = [known(other.event).says] if is_new else []
        heard = max(heard, other.turns)
        yield read_out(known(view.board)) + moved


def decided(player: Player, game: Game, seq: int, action: Action) -> Played:
    return record_decision(game_id=game.pk, player=player, seq=seq, action=action, manner=MEANT)


def read_out(board: Board) -> list[str]:
    verdict = board.verdict.aloud if board.verdict and board.verdict_is_new else ""
    said = [event.says for event in board.events]
    assert (verdict in said) == bool(verdict)
    assert len(verdict.split()) <= MOST
    assert len(set(said)) == len(said)
    if board.phase == "over":
        assert len(" ".join(said).split()) <= MOST_AT_END
    return said


@pytest.mark.django_db
def test_whole_games_are_said_as_in_the_golden_file(
    player: Player, yatzy_tables: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = list[str]()
    for game in GAMES:
        finished = game.finished
        monkeypatch.setattr(panel, "count_earlier_games", lambda _player, n=finished: n)
        monkeypatch.setattr(panel, "grade_before", lambda *_, known=game.grade: known)
        Duel.objects.all().delete()
        Game.objects.all().delete()
        told.append(f"{game.title}\n")
        in_turn = set[str]()
        for lines in spoken(player, game):
            assert not in_turn & set(lines)  # no sentence twice in a turn
            ends = any("roll for turn" in line for line in lines)
            in_turn = set() if ends else in_turn | set(lines)
            told += ["  ".join(lines)]
        told.append("")
    text = "\n".join(told)
    if os.environ.get("SPOKEN") == "write":
        TEXT.write_text(text, encoding="utf-8")
    assert text == TEXT.read_text(encoding="utf-8")
