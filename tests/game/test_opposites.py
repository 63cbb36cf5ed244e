"""Guards, each with the input that it is there for: too many, too new, gone, with a suffix."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from game.core.coach_lock import MOST, BrowserMark, parse_mark
from game.duels.duel_rounds import Course, DuelRounds
from solver.arena.chunks import Seat, apply_answer
from solver.arena.contestants import Contestant
from solver.arena.illegal import Disqualified, Where
from solver.players import files
from solver.rules import Action, Hold, Score, State, apply_action, apply_roll, start_state
from solver.rules.rulesets import YAHTZEE

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


def test_a_browser_remembers_its_newest_trials() -> None:
    mark = BrowserMark("device")
    for pk in range(1, MOST + 6):
        mark = mark.with_trial(pk)
    assert mark.trials == tuple(range(6, MOST + 6))
    assert mark.with_trial(6).trials == (*range(7, MOST + 6), 6)
    assert parse_mark(mark.signed) == mark


def test_a_player_who_left_sees_what_a_watcher_sees() -> None:
    ahead, behind = Course(finished=(NOON, NOON)), Course(finished=(NOON,))
    left = Course(finished=(NOON, NOON, NOON), left_at=NOON)
    rounds = DuelRounds([ahead, behind, left], NOON, 15)
    assert [rounds.seen(viewer) for viewer in (None, 0, 1, 2)] == [1, 2, 1, 1]


@pytest.mark.parametrize("version", [files.FORMAT - 1, files.FORMAT + 1])
def test_a_file_of_another_format_is_refused(tmp_path: Path, version: int) -> None:
    path = tmp_path / "learned.npz"
    about = json.dumps({"format": version, "kind": "network"})
    np.savez(path, allow_pickle=False, **{files.ABOUT: np.array(about)})
    with (
        pytest.raises(files.BadLearned, match=f"format {version}"),
        files.open_learned(path, "network"),
    ):
        pass


class Generous:
    def choose_many(self, states: Sequence[State], rng: np.random.Generator) -> list[Action]:
        return [Score("ones")] * (len(states) + 1)

    def choose(self, state: State, rng: np.random.Generator, others: object = ()) -> Action:
        return Score("ones")


def test_more_answers_than_questions_put_a_player_out() -> None:
    seat = Seat(Contestant("generous", Generous()), np.random.default_rng(1))
    assert seat.at_once
    faces = np.ones((2, YAHTZEE.throws, YAHTZEE.dice), dtype=np.uint8)
    with pytest.raises(Disqualified, match="3 answers to 2 questions"):
        seat.play_turn(1, [start_state(YAHTZEE)] * 2, faces, [()] * 2)


def test_a_truth_value_is_no_hold() -> None:
    state = apply_roll(apply_action(start_state(YAHTZEE), Hold(0)), [1, 2, 3, 4, 5])
    where = Where.of(1, state)
    assert apply_answer(state, Hold(1), where).held == 1
    with pytest.raises(Disqualified, match="wrong type"):
        apply_answer(state, Hold(True), where)
