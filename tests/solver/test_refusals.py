"""What commands refuse, and what programs load."""

import subprocess
import sys
from pathlib import Path

import pytest

from solver.rules import YATZY
from tests.solver.conftest import Run

# What stands for a folder of the test, and for a card of Yatzy with two boxes open.
TWO_LEFT = ",".join(YATZY.ids(YATZY.full ^ YATZY.make_mask(["chance", "yatzy"])))
CARD = f"yatzy --filled {TWO_LEFT} --upper 60 --total 219"
FAIR = "--dice-counts 1,1,1,1,1,1"

REFUSED = [
    ("dance", "invalid choice"),
    ("solve kniffel", "unknown ruleset 'kniffel'"),
    ("solve --out /", "folder"),
    (f"solve maxi-yatzy {FAIR}", "not calculated for maxi-yatzy"),
    (f"solve {FAIR} --out x", "--out"),
    (f"solve {FAIR} --force", "--force"),
    (f"solve {FAIR} --explain", "--explain"),
    ("solve --dice-counts 1,2", "6 whole numbers"),
    ("verify --table /nowhere/at/all", "no table /nowhere/at/all: run"),
    ("value", "required: RULESET"),
    ("value yatzy --filled ones --upper 6", "upper total of 6 cannot come from ones"),
    ("value yatzy --filled kings", "no box 'kings'"),
    ("advise yatzy --dice 1,2,3,4,5", "needs --dice and --rolls-left"),
    ("advise yatzy --dice 1,2,3,4,5,6 --rolls-left 2", "5 dice, not 6"),
    ("advise yatzy --dice 1,2,3,4,7 --rolls-left 2", "1 to 6, not 7"),
    ("advise yatzy --dice a,b --rolls-left 2", "'a' is not a die"),
    ("advise yatzy --dice 1,2,3,4,5 --rolls-left 3", "rolls left is 0 to 2"),
    ("advise yatzy --dice 1,2,3,4,5 --rolls-left many", "invalid int value"),
    ("advise yatzy --dice 1,1,1,1,1 --rolls-left 1 --stock 1", "stock"),
    (f"win {CARD}", "either --target or --other-filled"),
    (f"win {CARD} --target 250 --other-filled ones", "either --target or --other-filled"),
    (f"win {CARD} --target 250 --total 10", "--total has the upper points in it"),
    (
        f"win {CARD} --other-filled ones --other-upper 2 --other-total 1",
        "--other-total has the upper",
    ),
    (f"win {CARD} --other-filled ones --other-upper 7 --other-total 9", "the other card"),
    (f"win {CARD} --other-filled ones --other-upper 2 --other-total 2", "14 boxes are open"),
    (f"win {CARD} --target 250 --dice 1,2,3,4,5", "needs --dice and --rolls-left"),
    ("exact yatzy --filled ones --upper 6", "an upper total of 6"),
    ("exact maxi-yatzy-saved", "not calculated for maxi-yatzy-saved"),
    ("certificate yahtzee-plain --out /", "is a folder"),
    ("prepare kings", "unknown ruleset 'kings'"),
    ("prepare yatzy --parts values,gold", "unknown part 'gold'"),
    ("distribution", "required: PLAYER"),
    ("distribution nobody", "unknown player 'nobody'"),
    ("distribution optimal --ruleset chess", "unknown ruleset 'chess'; known: yatzy"),
    ("distribution dice-based --ruleset yahtzee", "plays yatzy only; yahtzee: optimal"),
    ("distribution greedy:best", "has no reading 'best'"),
    ("distribution greedy --ruleset maxi-yatzy", "too many cards for the chance of every score"),
    ("evaluate", "required: PLAYER"),
    ("evaluate nobody", "unknown player"),
    ("evaluate scorecard-based --ruleset yahtzee", "plays yatzy only"),
    ("evaluate optimal --ruleset maxi-yatzy-saved", "not calculated for maxi-yatzy-saved"),
    ("simulate forced-scoring --ruleset yahtzee-plain", "plays yatzy only; yahtzee-plain:"),
    ("simulate random --ruleset yatzy-saved", "its decisions know no saved throws"),
    ("simulate dice-based --ruleset maxi-yatzy", "maxi-yatzy: optimal, greedy, random"),
    ("simulate optimal --games 0", "0 is not from 1"),
    ("simulate optimal --games many", "invalid whole number value"),
    ("simulate optimal --seed -1", "-1 is not from 0"),
    ("simulate greedy --games 10 --csv /", "folder"),
    ("players nobody", "unknown player"),
    ("players optimal --ruleset x", "unknown ruleset"),
    ("mix forced-scoring dice-based --chance half", "no fraction"),
    ("mix forced-scoring dice-based --ruleset yahtzee", "plays yatzy only"),
    ("same-value --ruleset x", "unknown ruleset"),
    ("same-value --ruleset yahtzee --players dice-based,optimal", "plays yatzy only"),
    ("same-value --players ,", "name one to 8 players, not 0"),
    ("same-value --players greedy,greedy", "named twice"),
    ("same-value --players a,b,c,d,e,f,g,h,i", "name one to 8 players, not 9"),
    ("same-value --games 0", "0 is not from 1"),
    ("same-value --games 10001", "10001 is not from 1 to 10,000"),
    ("same-value --dice /nowhere/dice.txt", "cannot be read"),
    ("tournament nobody --games 3", "nobody"),
    ("tournament AcesAndEights --ruleset yatzy --games 3", "yatzy"),
    ("tournament optimal --ruleset yatzy-saved", "a tournament's turns have 3"),
    ("tournament optimal --games 0", "0 is not from 1"),
    ("tournament optimal --stop-early --games 3", "two"),
    ("dice-test --counts 1,2,3", "counts are 6 whole numbers"),
    ("dice-test --counts 0,0,0,0,0,0", "at least one die"),
    ("dice-test --counts 1000000000,1,0,0,0,0", "more than 1,000,000,000 dice"),
    ("dice-test --dice 0", "0 is not from 1"),
    ("dice-test --dice 1000000001", "1000000001 is not from 1 to 1,000,000,000"),
    ("dice-test --file /nowhere/throws.txt", "cannot be read"),
    ("dice-test --places each", "--places says how the throws of a --file stand"),
    ("dice-test --places each --counts 1,1,1,1,1,1", "--places says how the throws of a --file"),
    ("study --out /etc/hostname", "is a file"),
    ("learn sarsa --watch --json", "choose one"),
    ("learn sarsa --load nowhere.npz", "there is no file"),
    ("learn sarsa --out /etc/hostname", "is a file"),
    ("learn sarsa --punishment 1", "is not from"),
    ("learn sarsa --alpha 0", "is not from"),
    ("learn sarsa --epsilon nan", "is not from"),
    ("learn sarsa --categories 3", "invalid choice"),
    ("learn td --ruleset yatzy-saved", "knows no saved throws"),
    ("learn td --ruleset maxi-yatzy --method network", "many GB"),
    ("learn td --games 8 --out /dev/null/run", "/dev/null"),
    ("learn train --games 8 --out /dev/null/run", "/dev/null"),
    ("learn train --out FOLDER --card=nothing", "card must be one of"),
    ("learn train --out FOLDER --games=0", "games is at least 1"),
    ("learn train --out FOLDER --resume", "there is no file"),
    ("learn train --out FOLDER --resume --width=9", "no other choice"),
    ("learn train --out FOLDER --from=missing.npz", "there is no file"),
    ("learn measure FOLDER/none.npz", "cannot be read"),
]


@pytest.mark.usefixtures("yatzy_tables")
@pytest.mark.parametrize(("command", "reason"), REFUSED)
def test_a_refusal_is_one_line(run: Run, tmp_path: Path, command: str, reason: str) -> None:
    status, out, err = run(*command.replace("FOLDER", str(tmp_path)).split())
    assert (status, out) == (2, "")
    assert reason in err
    assert err.count("\n") == 1


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
