"""docs/bots/java-kit: a player in Java sees what one in Python sees, in the published words."""

import json
import shlex
import subprocess
from pathlib import Path

import numpy as np
import pytest

from solver.arena.controller import Category, Controller
from solver.arena.match import make_random_roller, play_out
from solver.arena.programs import JsonProgram
from solver.arena.programs.check import examine_program, make_rare_positions
from solver.rules import Hold, Score, State
from solver.rules.rulesets import YAHTZEE
from tests.test_bots import BOTS, PATIENT

pytestmark = pytest.mark.needs("javac", "java")
PROBE = Path(__file__).with_name("java") / "Probe.java"


@pytest.fixture(scope="module")
def command(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("kit")
    kit = sorted((BOTS / "java-kit").rglob("*.java"))
    build = ["javac", "-Xlint:all", "-Werror", "-d", folder, *kit, PROBE]
    subprocess.run(list(map(str, build)), check=True)
    return f"java -cp {shlex.quote(str(folder))} mego.yahtzee.Play mego.yahtzee.Probe"


def rng(seed: int) -> np.random.Generator:
    return np.random.default_rng(seed)


@pytest.mark.nightly
def test_a_player_of_the_published_interface_keeps_the_protocol(command: str) -> None:
    report = examine_program(lambda: JsonProgram(command, YAHTZEE, PATIENT), YAHTZEE)
    assert [finding for finding in report.findings if not finding.passed] == []
    assert (report.name, report.batch) == ("Probe", False)


def test_it_sees_what_a_player_in_python_sees(command: str) -> None:
    states = [*make_rare_positions(YAHTZEE, 25, rng(3))]
    with JsonProgram(command, YAHTZEE, PATIENT) as agent:
        states += [
            state
            for state, _ in play_out(agent, YAHTZEE, make_random_roller(rng(1)), rng(1)).decisions
        ]
        for state in states[-25:] + states[:25]:
            chosen = agent.choose(state, rng(1), (250, 7))
            told = json.loads(agent.last_words.splitlines()[-1])
            assert told == seen(state, (250, 7))
            if isinstance(chosen, Hold):
                assert set(chosen.kept(state.dice)) <= {6}
            else:
                assert chosen in {Score(state.rules.categories[n].id) for n in range(13)}


def seen(state: State, others: tuple[int, ...]) -> dict[str, object]:
    game = Controller(state, others)
    card, dice = game.scorecard, list(state.dice)
    return {
        "stage": 2 - state.throws_left,
        "score": card.score,
        "bonuses": [card.yahtzee_bonus, card.upper_bonus],
        "upper": card.upper_score,
        "scores": game.scores,
        "free": [category.name for category in card.free_categories],
        "fit": [category.name for category in Category.matching_categories(dice)],
        "points": [category.score(dice) for category in Category],
    }
