"""The commands of the solver and of the lab: what they answer, what they refuse, what they load."""

import io
import json
import re
import runpy
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from solver.advice import Advisor
from solver.cli import output
from solver.cli.bench import measure_lab
from solver.cli.study import MOST_PLAYERS
from solver.players import PLAYERS
from solver.rules import YATZY, Ruleset
from solver.rules.rulesets import YAHTZEE, YAHTZEE_PLAIN
from tests.solver.conftest import Run

pytestmark = pytest.mark.usefixtures("all_tables")


def test_solve_writes_a_table_and_says_what_it_wrote(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "mine.values"
    status, out, _ = run("solve", "yahtzee-plain", "--out", str(path), "--json")
    facts = json.loads(out)
    assert status == 0
    assert set(facts) == {
        "ruleset",
        "value",
        "states",
        "seconds",
        "loading_seconds",
        "bytes",
        "path",
    }
    assert facts["value"] == pytest.approx(245.870775, abs=1e-6)
    assert facts["bytes"] == path.stat().st_size
    assert facts["seconds"] > 0
    assert facts["loading_seconds"] > 0


def test_solve_keeps_a_sound_table_unless_forced(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "mine.values"
    run("solve", "yahtzee-plain", "--out", str(path), "--json")
    written = path.stat().st_mtime_ns
    assert (
        json.loads(run("solve", "yahtzee-plain", "--out", str(path), "--json")[1])["seconds"] == 0
    )
    assert path.stat().st_mtime_ns == written
    run("solve", "yahtzee-plain", "--out", str(path), "--json", "--force")
    assert path.stat().st_mtime_ns > written


def test_solve_mends_a_damaged_table(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "mine.values"
    path.write_bytes(b"nonsense")
    assert run("solve", "yahtzee-plain", "--out", str(path), "--json")[0] == 0
    assert run("verify", "yahtzee-plain", "--table", str(path))[0] == 0


def test_verify_accepts_the_table(run: Run) -> None:
    status, out, _ = run("verify", "--json")
    facts = json.loads(out)
    assert (status, facts["ok"], facts["states_checked"]) == (0, True, 1000)
    assert facts["worst_difference"] < 1e-9


def test_verify_refuses_a_wrong_number_even_under_a_right_checksum(
    run: Run, tmp_path: Path, advisor: Advisor
) -> None:
    from solver.tables import write

    values = advisor.values.read_all().copy()
    values[:, 0] += 1e-6
    path = tmp_path / "wrong.values"
    write(path, YATZY, "values", values, value_start=float(values[0, 0]))
    status, _, err = run("verify", "--table", str(path))
    assert status == 2
    assert "V(start) is 248.439990" in err


def test_value_counts_what_is_still_to_come(run: Run) -> None:
    filled = ",".join(YATZY.ids(YATZY.full ^ YATZY.make_mask(["chance"])))
    status, out, _ = run("value", "yatzy", "--filled", filled, "--upper", "63", "--json")
    assert status == 0
    assert json.loads(out)["value"] == pytest.approx(50 + 23.333, abs=0.01)


def test_advise_answers_with_every_option(run: Run) -> None:
    status, out, _ = run("advise", "yatzy", "--dice", "5,5,1,6,6", "--rolls-left", "2", "--json")
    answer = json.loads(out)
    assert status == 0
    assert answer["best"] == answer["options"][0]
    assert answer["best"]["dice"] == [5, 5, 6, 6]
    assert answer["best"]["action"] == "hold"
    boxes = {o["category"] for o in answer["options"] if o["action"] == "score"}
    assert boxes == set(YATZY.index)
    for option in answer["options"]:
        assert {"points", "value", "regret"} <= set(option)


def test_advise_shows_people_a_table(run: Run) -> None:
    _, out, _ = run("advise", "yatzy", "--dice", "5,5,1,6,6", "--rolls-left", "2")
    assert "hold 5 5 6 6" in out
    assert "0.828" in out


def test_stdin_answers_line_by_line_and_names_the_bad_ones(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = [
        '{"filled": ["ones", "twos"], "upper": 9, "dice": [1, 1, 2, 2, 5], "rolls_left": 2}',
        "",
        "not json",
        "[1, 2]",
        '{"dice": [1, 2, 3, 4, 5], "rolls_left": 1, "colour": "red"}',
        '{"dice": [1, 2, 3, 4, true], "rolls_left": 1}',
        '{"filled": ["ones", "ones"], "dice": [1, 2, 3, 4, 5], "rolls_left": 1}',
        '{"upper": 9, "dice": [1, 2, 3, 4, 5], "rolls_left": 1}',
        '{"dice": [1, 2, 3, 4, 5], "rolls_left": 0}',
    ]
    monkeypatch.setattr("sys.stdin", io.StringIO("\n".join(lines)))
    status, out, _ = run("advise", "yatzy", "--stdin")
    answers = [json.loads(line) for line in out.splitlines()]
    assert status == 0
    assert [answer.get("line") for answer in answers] == [None, 3, 4, 5, 6, 7, 8, None]
    assert "best" in answers[0]
    assert answers[-1]["best"]["category"] == "small_straight"


def test_a_missing_table_is_one_line_too(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("YATZY_TABLES", str(tmp_path))
    status, _, err = run("value", "yatzy")
    assert status == 2
    assert f"{tmp_path}/yatzy.values" in err
    assert "./yatzy solver solve yatzy" in err


def test_audit_lists_the_printed_decisions(run: Run) -> None:
    status, out, _ = run("audit", "--json")
    assert status == 0
    judged = json.loads(out)
    assert len(judged) == 45
    assert list(judged[0])[-2:] == ["best", "cost"]


def test_audit_says_what_the_printed_turns_were_worth_and_which_numbers_fit_them(run: Run) -> None:
    status, out, _ = run("audit")
    told = " ".join(re.sub("[│┃]", " ", out).split())
    assert status == 0
    assert "4.9" in told
    assert "2.00 to 4.84 points." in told
    assert "in Sixes, which cost 8.57 points." in told
    assert "The number of the roll" in told
    assert "4.11 4.7" in told


def test_the_package_is_a_command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["solver", "--help"])
    with pytest.raises(SystemExit) as ended:
        runpy.run_module("solver", run_name="__main__")
    assert ended.value.code == 0
    assert "simulate" in capsys.readouterr().out


def test_without_rich_a_table_is_plain_text_with_its_columns_in_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(output, "find_spec", lambda _name: None)
    output.show_table("Points", ["Box", "Worth"], [["ones", "1"], ["chance", "12.5"]])
    lines = capsys.readouterr().out.splitlines()
    assert lines == ["Points", "Box     Worth", "ones        1", "chance   12.5"]
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    with output.show_progress("Solving", quiet=False) as progress:
        assert progress is None


def test_distribution_answers_with_every_score(run: Run, tmp_path: Path) -> None:
    chart = tmp_path / "chart.svg"
    status, out, _ = run("distribution", "forced-scoring", "--json", "--plot", str(chart))
    facts = json.loads(out)
    assert status == 0
    keys = {"mean", "sd", "median", "mode", "bonus_probability", "quantiles", "probabilities"}
    assert keys | {"states", "seconds"} <= set(facts)
    assert facts["mean"] == pytest.approx(116.13617, abs=6e-6)
    assert facts["quantiles"]["0.5"] == facts["median"] == 112
    assert sum(facts["probabilities"]) == pytest.approx(1)
    ElementTree.parse(chart)


def test_simulate_answers_writes_and_draws(run: Run, tmp_path: Path) -> None:
    files = [tmp_path / name for name in ("games.csv", "scores.svg", "tens.svg")]
    flags = ("--csv", "--plot", "--plot-tens")
    options = [f"{flag}={path}" for flag, path in zip(flags, files, strict=True)]
    status, out, _ = run("simulate", "dice-based", "--games", "2000", "--json", *options)
    facts = json.loads(out)
    assert status == 0
    assert {"mean", "median", "max", "min", "range", "tens", "seconds", "seed"} <= set(facts)
    rows = files[0].read_text().splitlines()
    assert rows[0] == "score,games"
    assert sum(int(row.split(",")[1]) for row in rows[1:]) == 2000
    for chart in files[1:]:
        ElementTree.parse(chart)


def test_people_get_tables_with_the_published_figures(run: Run) -> None:
    status, out, _ = run("simulate", "forced-scoring", "--games", "500")
    assert status == 0
    assert "Games in bands of ten" in out
    assert "published" in out
    assert "263" in out


def test_same_value_says_where_players_differ(run: Run) -> None:
    status, out, _ = run("same-value", "--games", "1", "--players", "greedy,optimal")
    assert status == 0
    assert "Greedy first differs from Perfect play in turn" in out


def test_people_see_the_evaluation_as_a_table(run: Run) -> None:
    status, out, _ = run("evaluate", "greedy", "--ruleset", "yahtzee")
    assert status == 0
    assert "217.30718684" in out
    assert "International Yahtzee" in out


def who_plays(rules: Ruleset) -> list[str]:
    """In the order of the registry; the study's strategies know Yatzy alone."""
    found = [player.id for player in PLAYERS.values() if player.plays(rules)]
    assert {"optimal", "greedy", "random", "AcesAndEights", "DummyPlayer"} <= set(found)
    assert "dice-based" not in found
    return found


def test_players_on_the_same_dice_of_another_ruleset(run: Run, tmp_path: Path) -> None:
    dice, page = tmp_path / "dice.txt", tmp_path / "page.html"
    asked = ("same-value", "--ruleset", "yahtzee", "--json")
    first = run(*asked, "--games", "2", "--write-dice", str(dice))
    facts = json.loads(first[1])
    assert len(dice.read_text().splitlines()) == 2 * 13 * 5
    apart = [player for player in who_plays(YAHTZEE) if not PLAYERS[player].alone]
    assert facts["players"] == apart[:MOST_PLAYERS][::-1]
    assert facts["players"][-2:] == ["greedy", "optimal"]
    assert {len(p["turns"]) for game in facts["games"] for p in game["players"]} == {13}
    assert {"score", "regret", "turns"} <= set(facts["games"][0]["players"][0])
    assert json.loads(run(*asked, "--dice", str(dice), "--html", str(page))[1]) == facts
    assert "Same-value test" in page.read_text()
    assert "holds 2 games, not 3" in run(*asked, "--dice", str(dice), "--games", "3")[2]
    assert "a game is 75" in run("same-value", "--dice", str(dice))[2]


def test_the_players_of_a_ruleset_are_those_that_play_it(run: Run) -> None:
    listed = json.loads(run("players", "--ruleset", "yahtzee-plain", "--json")[1])
    assert [player["id"] for player in listed] == who_plays(YAHTZEE_PLAIN)
    assert all("yahtzee-plain" in player["rulesets"] for player in listed)
    described = json.loads(run("players", "greedy", "--ruleset", "yahtzee-plain", "--json")[1])
    assert described["readings"][0]["mean"] == pytest.approx(211.64914, abs=1e-5)
    assert described["readings"][0]["distance"] is None


def test_dice_test_knows_its_dice_and_yours(run: Run) -> None:
    virtual, real = json.loads(run("dice-test", "--dice", "60000", "--json")[1])
    assert (virtual["dice"], real["dice"], real["degrees"]) == (60_000, 510, 5)
    mine = json.loads(run("dice-test", "--counts", "10,10,10,10,10,10", "--json")[1])
    assert mine[0]["p"] == pytest.approx(1)
    status, out, _ = run("dice-test", "--counts", "10,10,10,10,10,70")
    assert (status, "would hardly ever be this uneven" in out, "70" in out) == (0, True, True)


def test_players_are_listed_and_described(run: Run) -> None:
    listed = json.loads(run("players", "--json")[1])
    assert [player["id"] for player in listed][:2] == ["optimal", "scorecard-based"]
    described = json.loads(run("players", "forced-scoring", "--json")[1])
    assert described["readings"][0]["name"] == "as-printed"
    assert "pseudo code" in run("players", "forced-scoring")[1]


def test_the_bench_measures_the_players_that_play_what_it_measures(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("solver.cli.bench.measure_seconds", lambda *_, **__: 0.5)
    monkeypatch.setattr("solver.cli.bench.run_in_new_process", lambda _: "1.0")
    figures = measure_lab()
    named = {name.removeprefix("100,000 games of ") for name in figures}
    assert {"optimal", "greedy", "random", "dice-based"} <= named
    assert "DummyPlayer" not in named


def test_the_bench_of_a_fresh_checkout_solves_first(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []
    monkeypatch.setattr(
        "solver.cli.bench.solve_where_missing", lambda rules, **_: done.append(rules.id)
    )
    monkeypatch.setattr("solver.cli.bench.measure", lambda: dict.fromkeys(done, (1.0, "s")))
    assert run("bench", "--json") == (0, '{"yatzy": [1.0, "s"]}\n', "")


# What commands refuse, and what programs load.


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
