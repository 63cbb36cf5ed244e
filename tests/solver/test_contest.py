"""The convention of the Yahtzee AI contest: 34 integers in, one number out."""

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from solver.arena.illegal import Disqualified
from solver.arena.match import make_random_roller, play_out
from solver.arena.programs import ContestProgram, Limits
from solver.arena.programs.contest import parse_action, to_integers
from solver.arena.programs.protocol import BadAnswer
from solver.rules import Box, Hold, Score, State, list_legal_actions, start_state
from solver.rules.rulesets import YAHTZEE

PATIENT = Limits(first=120, answer=120, goodbye=60)
THREES = (3, 3, 3, 3, 3)


def state(dice: tuple[int, ...], throws_left: int, chips: int = 0, **boxes: int) -> State:
    card = [Box(boxes[c.id], ()) if c.id in boxes else None for c in YAHTZEE.categories]
    position = replace(start_state(YAHTZEE), boxes=tuple(card), throws_left=throws_left)
    return replace(position, dice=dice, chips=chips)


FIRST = state((1, 3, 4, 5, 6), 2, fours=8, chance=20)
LAST = replace(FIRST, throws_left=0)
OPEN_OWN = state(THREES, 2, fours=8, yahtzee=0)
FILLED_OWN = state(THREES, 2, threes=6, yahtzee=50)
LOWER = {name.id: 0 for name in YAHTZEE.categories[6:]}
NO_LOWER = state(THREES, 2, threes=6, **LOWER)


def test_a_position_is_34_integers_as_the_contest_prints_them() -> None:
    own, other = "-1 -1 -1 8 -1 -1 -1 -1 -1 -1 -1 -1 20 0", " -1" * 13 + " 0"
    assert " ".join(map(str, to_integers(FIRST))) == f"{own}{other} 1 3 4 5 6 1"


def test_bonuses_are_points_and_dice_lie_as_they_fell() -> None:
    told = to_integers(state((6, 1, 5, 2, 2), 0, chips=200, yahtzee=50))
    assert (told[11], told[13], told[28:]) == (50, 200, [6, 1, 5, 2, 2, 3])


@pytest.mark.parametrize(
    ("position", "number", "action"),
    [
        (FIRST, 18, Score("small_straight")),
        (FIRST, 5, Hold(0b10)),
        (FIRST, 45, Hold(0b10110)),
        (FIRST, 1, Hold(0)),
        (FIRST, 63, Hold(31)),
        (FIRST, 0, Score("ones")),
        (FIRST, 22, Score("yahtzee")),
        (OPEN_OWN, 4, Score("threes")),
        (FILLED_OWN, 12, Score("three_of_a_kind")),
        (NO_LOWER, 2, Score("twos")),
    ],
)
def test_a_number_is_a_box_or_a_set_of_dice(position: State, number: int, action: object) -> None:
    assert parse_action(f" {number} ".encode(), position) == action


@pytest.mark.parametrize(
    ("position", "answer", "reason"),
    [
        (LAST, "1", "no throw is left"),
        (FIRST, "-1", "not from 0 to 63"),
        (FIRST, "65", "not from 0 to 63"),
        (FIRST, "26", "there is no box 13"),
        (FIRST, "6", "the box fours is filled already"),
        (OPEN_OWN, "22", "the box yahtzee is filled already"),
        (OPEN_OWN, "0", "must not be scored in ones now"),
        (FILLED_OWN, "2", "must not be scored in twos now"),
        (FIRST, "four", "no whole number"),
        (FIRST, "", "no whole number"),
        (FIRST, "1 2", "no whole number"),
    ],
)
def test_an_illegal_number_is_named(position: State, answer: str, reason: str) -> None:
    with pytest.raises(BadAnswer, match=reason):
        parse_action(answer.encode(), position)


def test_every_legal_action_has_its_number() -> None:
    for position in (FIRST, LAST, OPEN_OWN, FILLED_OWN, NO_LOWER):
        meant = set()
        for number in range(64):
            try:
                meant.add(parse_action(b"%d" % number, position))
            except BadAnswer:
                continue
        assert meant == set(list_legal_actions(position))


BOT = """
import sys
for line in sys.stdin:
    numbers = list(map(int, line.split()))
    assert len(numbers) == 34
    print({move}, flush=True)
"""


def command(folder: Path, move: str) -> str:
    path = folder / "contest_bot.py"
    path.write_text(BOT.format(move=move))
    return f"{sys.executable} -S {path}"


def test_a_program_of_the_contest_plays_games_until_its_input_ends(tmp_path: Path) -> None:
    """It holds the sixes, and fills the boxes from the first to the last."""
    move = "1 + sum(2 << n for n in range(5) if numbers[28 + n] == 6) if numbers[33] < 3 else "
    move += "2 * numbers.index(-1)"
    with ContestProgram(command(tmp_path, move), YAHTZEE, PATIENT) as agent:
        assert agent.name == "contest_bot.py"
        games = [play_out(agent, YAHTZEE, make_random_roller(rng(n)), rng(n)) for n in range(3)]
        assert all(game.end.finished for game in games)
        kept = {a.kept(s.dice) for g in games for s, a in g.decisions if isinstance(a, Hold)}
        assert {face for dice in kept for face in dice} == {6}
        assert agent.close() == 0


def test_its_illegal_move_disqualifies_with_the_position(tmp_path: Path) -> None:
    wrong = pytest.raises(Disqualified)
    with ContestProgram(command(tmp_path, "0"), YAHTZEE, PATIENT) as agent, wrong as ended:
        play_out(agent, YAHTZEE, make_random_roller(rng(1)), rng(1))
    assert "answered 0: the box ones is filled already" in ended.value.reason
    assert '"filled": ["ones"]' in ended.value.reason


def rng(seed: int) -> np.random.Generator:
    return np.random.default_rng(seed)
