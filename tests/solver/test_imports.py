"""What has to start quickly, or without an extra, loads neither compiler nor framework."""

import subprocess
import sys

import pytest

FRAMEWORKS = "gymnasium pettingzoo torch jax"
PLAINLY = """
import numpy as np
from solver.players import PLAYERS
from solver.players.plain import make_plain
from solver.rules import YATZY, Hold, apply_action, apply_roll, start_state
from solver.rules.rulesets import YAHTZEE
for rules in (YATZY, YAHTZEE):
    state = apply_roll(apply_action(start_state(rules), Hold(0)), (1, 2, 3, 4, 4))
    for player in PLAYERS.values():
        assert len(player.description) >= 80
        if player.plays(rules):
            make_plain(player.open(rules)).choose(state, np.random.default_rng(1))
"""
ADVICE = """
from solver.advice import Advisor, Position
from solver.rules import YATZY
Advisor.open(YATZY).advise(Position(YATZY, 0, 0, (1, 2, 3, 4, 5), 2), outlook=True)
"""
LEARNED = """
from solver.players import find_player
from solver.rules import RULESETS
for name in ("yatzy", "yahtzee"):
    find_player("learned-" + name).open(RULESETS[name])
"""
ENVIRONMENT = "import solver.learning, gymnasium; gymnasium.make('Yatzy-v0').reset(seed=1)"
HELP = """
from contextlib import redirect_stdout, suppress
from io import StringIO
from solver.cli import main
for given in (["--help"], ["no-such-command"], []):
    with redirect_stdout(StringIO()), suppress(SystemExit):
        main(given)
"""
OPTIONS = "from solver.cli import COMMANDS, make_parser; [make_parser(name) for name in COMMANDS]"
WITHOUT = """
import sys
sys.modules["gymnasium"] = sys.modules["pettingzoo"] = None
import solver.learning
from solver.learning.sarsa import Learner
from solver.learning.vectorised import Games
"""


@pytest.mark.usefixtures("all_tables")
@pytest.mark.parametrize(
    ("program", "spared"),
    [
        (ADVICE, "numba"),
        (PLAINLY, "numba"),
        (LEARNED, f"numba solver.learning {FRAMEWORKS}"),
        (ENVIRONMENT, "django numba torch jax pettingzoo"),
        (WITHOUT, ""),
        (HELP, "numba numpy rich django"),
        (OPTIONS, f"numba rich django solver.learning pyarrow {FRAMEWORKS}"),
    ],
    ids=["advice", "players", "learned", "environment", "learning", "help", "options"],
)
def test_a_program_loads_no_more_than_it_needs(program: str, spared: str) -> None:
    code = f"{program}\nimport sys; print(*set({spared.split()!r}) & sys.modules.keys())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stdout.strip()) == (0, ""), done.stderr
