"""Every figure of a trial's results is worked out again from its tables, by scripts beside them."""

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from game.models import Game, Trial
from game.trials.design.phases import ArmSettings
from game.trials.design.writing import trial_close, trial_open
from game.trials.exports.files import export_now
from game.trials.exports.public.files import PublicBundle
from game.trials.exports.rebuilding import FOLDER
from solver.advice import Advisor
from tests.game.plans import preregister
from tests.game.test_trial_arms import TWO, armed
from tests.game.trial_games import play_all
from tests.game.trial_moves import play_game, play_sixes
from tests.play import BOXES, joined, new_trial

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("yatzy_tables")]
PYTHON = [sys.executable, "-S", "-E", "rebuild.py"]  # without whatever is installed
ARMS = ("off", "off", "on", "on")
Told = tuple[int, str]


def run(folder: Path) -> Told:
    ran = subprocess.run(PYTHON, cwd=folder, capture_output=True, text=True, check=False)
    assert ran.stderr == ""
    return ran.returncode, ran.stdout


def agrees(told: Told, figures: int) -> bool:
    """And so many figures at least were compared."""
    ended, text = told
    (compared,) = re.findall(r"(\d+) figures compared", text)
    return ended == 0 and "0 do not agree" in text and int(compared) >= figures


def left(told: Told) -> set[str]:
    return set(re.findall(r"not rebuilt: ([^ \n]+)", told[1]))


def exported(trial: Trial, folder: Path) -> Path:
    export_now(trial).write(folder, ["csv"])
    return folder


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return {}


@pytest.fixture
def folder(advisor: Advisor, tmp_path: Path, kept: dict[str, Path]) -> Path:
    """Of three people with three games each and two that are under way; made once."""
    if "plain" not in kept:
        trial = new_trial(games_each=4)
        play_all(trial, advisor, games=3)
        play_game(trial.participants.get(number=1), turns=4)
        play_game(trial.participants.get(number=2), turns=1)
        kept["plain"] = exported(trial, tmp_path.parent / "plain")
    return Path(shutil.copytree(kept["plain"], tmp_path / "copy"))


def test_figures_are_worked_out_again(folder: Path) -> None:
    assert agrees(run(folder), 220)


def test_no_figure_that_is_printed_is_left_out_but_a_few(folder: Path) -> None:
    assert left(run(folder)) == {
        "taking_part.withdrawn",
        "flow[].people",
        "dice.noticeable_share",
        *(f"study_against_perfect.{name}" for name in ("statistic", "p")),
    }


def test_every_figure_is_compared_or_named(folder: Path) -> None:
    results = json.loads((folder / "statistics.json").read_text())
    results["later"] = {"figure": 1.5, "rows": [{"arm": "off", "p": 0.1}, {"arm": "on", "p": 0.2}]}
    (folder / "statistics.json").write_text(json.dumps(results))
    told = run(folder)
    assert told[0] == 0
    assert {"later.figure", "later.rows[].p"} <= left(told)
    (counts,) = re.findall(r"(\d+) figures compared, (\d+) not rebuilt", told[1])
    settings = {"versions", "conditions", "trial", "made_at"}
    figures = sum(_count(part) for name, part in results.items() if name not in settings)
    assert sum(map(int, counts)) == figures


def _count(facts: Any) -> int:
    if isinstance(facts, dict):
        return sum(map(_count, facts.values()))
    if isinstance(facts, list):
        return sum(map(_count, facts))
    return isinstance(facts, int | float) and not isinstance(facts, bool)


def test_what_the_script_said_lies_beside_it(folder: Path) -> None:
    told = (folder / "rebuild.txt").read_text()
    assert told == f"{run(folder)[1]}It ended with 0.\n"


def changed(path: Path, old: str, new: str) -> None:
    """The first place at which it stands."""
    text = path.read_text(encoding="utf-8-sig")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8-sig")


def _of_results(*keys: str) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        results = json.loads((folder / "statistics.json").read_text())
        *above, last = keys
        part = results
        for key in above:
            part = part[key]
        part[last] += 0.001
        (folder / "statistics.json").write_text(json.dumps(results))

    return change


def _cell(column: str, wanted: Mapping[str, str], new: Callable[[str], str]) -> Any:
    """A change of the first decision that is so."""

    def change(folder: Path) -> None:
        path = folder / "decisions.csv"
        lines = path.read_text(encoding="utf-8-sig").splitlines()
        names = lines[0].split(",")
        for at, line in enumerate(lines[1:], start=1):
            row = dict(zip(names, line.split(","), strict=True))
            if all(row[name] == value for name, value in wanted.items()):
                row[column] = new(row[column])
                lines[at] = ",".join(row.values())
                break
        path.write_text("\n".join(lines) + "\n", encoding="utf-8-sig")

    return change


def _another_box(box: str) -> str:
    return "fours" if box == "fives" else "fives"


CHANGES: Mapping[str, tuple[Callable[[Path], None], str]] = {
    "mean": (_of_results("scores", "mean"), "scores.mean: "),
    "range": (_of_results("raw", "people_like_these", "low"), "raw.people_like_these.low: "),
    "cost": (_of_results("lost", "test", "p"), "lost.test.p: "),
    "slope": (_of_results("learning", "slope", "error"), "learning.slope.error: "),
    "box": (_cell("choice", {"kind": "score"}, _another_box), "decision P01 1 "),
    "dice": (_cell("dice", {"kind": "score", "seq": "3"}, lambda _: "12346"), "decision P01 1 3"),
    "regret": (_cell("regret", {"forced": "false"}, lambda it: str(float(it) + 0.5)), "P01 1 "),
    "luck": (_cell("luck", {"seq": "2"}, lambda it: str(float(it) + 0.5)), "game P01 1 luck: "),
    "hold": (_cell("choice", {"choice": "none"}, lambda _: "1"), "decision P"),
    "best": (_cell("best_choice", {"regret": "0.0", "kind": "hold"}, lambda _: "7"), "nothing was"),
    "forced": (_cell("forced", {"seq": "1"}, lambda _: "true"), "game P01 1 free_decisions: "),
}


@pytest.mark.parametrize("what", CHANGES)
def test_what_was_changed_is_named(folder: Path, what: str) -> None:
    change, name = CHANGES[what]
    change(folder)
    ended, told = run(folder)
    assert ended == 1
    assert name in told


def test_rows_that_are_missing_are_named(folder: Path) -> None:
    games, decisions = folder / "games.csv", folder / "decisions.csv"
    lines = decisions.read_text(encoding="utf-8-sig").splitlines()
    decisions.write_text("\n".join([*lines[:10], *lines[11:]]), encoding="utf-8-sig")
    ended, told = run(folder)
    assert (ended, "decision P01 1 " in told) == (1, True)
    lines = games.read_text(encoding="utf-8-sig").splitlines()
    games.write_text("\n".join([*lines[:2], *lines[3:]]), encoding="utf-8-sig")
    ended, told = run(folder)
    assert (ended, "decision P01 2 1: there is no such game" in told) == (1, True)


@pytest.fixture
def arms(advisor: Advisor, tmp_path: Path, kept: dict[str, Path]) -> Path:
    """Of a closed trial, with the folder for everybody inside."""
    if "arms" not in kept:
        trial = armed(advisor, games_each=3, games_follow_up=1, follow_up_days=0)
        Game.objects.filter(participant__number=5, phase="training", trial_number=3).delete()
        trial_close(trial=trial)
        trial.refresh_from_db()
        kept["arms"] = exported(trial, tmp_path.parent / "arms")
        PublicBundle(export_now(trial)).write(kept["arms"] / "public")
    return Path(shutil.copytree(kept["arms"], tmp_path / "copy"))


def test_arms_are_compared_again(arms: Path) -> None:
    told = run(arms)
    assert agrees(told, 700)
    wanted = ("people[]", "means[]", "difference", "model.low", "test.p", "lot.difference")
    again = {f"arms.{of}.comparisons[].{name}" for of in ("main", "phases[]") for name in wanted}
    assert not again & left(told)
    assert of_the_lot("arms.main.comparisons[]") <= left(told)


def of_the_lot(of: str) -> set[str]:
    """What hangs on how the lot might have fallen, which the tables do not tell."""
    return {f"{of}.lot.{name}" for name in ("p", "lots")}


def test_the_usual_estimand_is_estimated_again_and_its_ranges_are_named(arms: Path) -> None:
    usual, names = "arms.usual", left(run(arms))
    assert (
        not {f"{usual}.{name}" for name in ("people", *_of_pairs("people[]", "estimate"))} & names
    )
    assert {f"{usual}.{name}" for name in ("lots", *_of_pairs("p"))} <= names


def _of_pairs(*names: str) -> list[str]:
    return [f"pairs[].{name}" for name in names]


@pytest.fixture
def three(advisor: Advisor, tmp_path: Path, kept: dict[str, Path]) -> Path:
    """Arms of which the last has one person alone who played afterwards."""
    if "three" not in kept:
        warned = ArmSettings("warned", coach="before")
        trial = armed(advisor, arms=(*TWO, warned), places=9)
        trial.participants.filter(number__lt=5).update(stratum="weekly")
        last = trial.participants.filter(arm__name="warned").order_by("number")[1:]
        Game.objects.filter(participant__in=list(last), phase="after").delete()
        kept["three"] = exported(trial, tmp_path.parent / "three")
    return Path(shutil.copytree(kept["three"], tmp_path / "copy"))


def comparisons(folder: Path, phase: str) -> list[dict[str, Any]]:
    results = json.loads((folder / "statistics.json").read_text())
    found = next(one for one in results["arms"]["phases"] if one["phase"] == phase)
    return list(found["comparisons"])


def test_of_three_arms_each_is_compared_as_the_lot_takes_it(three: Path) -> None:
    told = run(three)
    assert agrees(told, 500)
    assert "arms.phases[].comparisons[].lot.difference" not in left(told)
    assert of_the_lot("arms.phases[].comparisons[]") <= left(told)
    assert [len(comparisons(three, phase)) for phase in ("training", "after")] == [2, 2]
    assert [bool(one["lot"]) for one in comparisons(three, "after")] == [True, False]


def test_what_columns_made_of_each_other_tell_is_left_to_the_program(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Here the games before tell no more than the strata."""
    monkeypatch.syspath_prepend(str(FOLDER))
    arms = import_module("rebuilding.arms")
    strata = {"P01": "daily", "P02": "never", "P03": "daily", "P04": "never"}
    of = SimpleNamespace(arm_of=dict(zip(strata, ARMS, strict=True)), stratum_of=strata)
    values = {who: [number**2.0] for number, who in enumerate(strata)}
    before = {who: float(len(stratum)) + (stratum == "never") for who, stratum in strata.items()}
    assert arms._by_lot(["off", "on"], of, values, before) == {"on": arms.SKIPPED}
    assert arms._by_lot(["off", "on"], of, values, {}) == {"on": pytest.approx(6.0)}


def test_the_files_for_everybody_have_the_same_figures(arms: Path) -> None:
    ours, theirs = run(arms), run(arms / "public")
    assert agrees(theirs, 700)
    assert ours[1].splitlines()[-2:] == theirs[1].splitlines()[-2:]
    assert left(ours) == left(theirs)


@pytest.mark.parametrize("figure", [("model", "high"), ("lot", "difference")], ids=".".join)
def test_a_changed_difference_of_arms_is_named(arms: Path, figure: tuple[str, str]) -> None:
    part, name = figure
    results = json.loads((arms / "statistics.json").read_text())
    results["arms"]["main"]["comparisons"][0][part][name] += 0.001
    (arms / "statistics.json").write_text(json.dumps(results))
    ended, told = run(arms)
    assert ended == 1
    assert f"arms.main.comparisons[coached,off].{part}.{name}: " in told


def test_jokers_score_as_the_rules_say(tmp_path: Path) -> None:
    """Thirteen rolls of sixes: a chip for each after the first, and joker points below."""
    trial = new_trial(ruleset="yahtzee", dice=Trial.Dice.REAL, games_each=1)
    lower = ["three_of_a_kind", "full_house", "small_straight", "large_straight", "chance"]
    upper = ["ones", "twos", "threes", "fours", "fives"]
    play_sixes(joined(trial), ["yahtzee", "sixes", *lower, "four_of_a_kind", *upper])
    assert Game.objects.get().chips == 1200
    assert run(exported(trial, tmp_path))[0] == 0


def test_on_shared_dice_ranges_are_named_and_the_rest_agrees(
    advisor: Advisor, tmp_path: Path
) -> None:
    trial = new_trial(shared_dice=True, games_each=2)
    play_all(trial, advisor)
    told = run(exported(trial, tmp_path))
    assert agrees(told, 150)
    assert "raw.these_people.low" in left(told)
    assert not {"people[].against_others.low", "people[].against_perfect.low"} & left(told)


def test_planned_analyses_are_done_again(advisor: Advisor, tmp_path: Path) -> None:
    trial = new_trial(games_each=2, opened=False)
    analyses = ["these_people", "people_like_these", "against_perfect", "learning"]
    preregister(trial, analyses=analyses, exclusions={"fewer_games": 2})
    trial_open(trial=trial)
    play_all(trial, advisor)
    Game.objects.filter(participant__number=2, trial_number=2).delete()
    told = run(exported(trial, tmp_path))
    results = json.loads((tmp_path / "statistics.json").read_text())
    assert [one["people"] for one in results["planned"]["left_out"]] == [["P02"]]
    assert all(one["finding"]["figures"] for one in results["planned"]["analyses"])
    assert agrees(told, 100)
    assert not [name for name in left(told) if name.startswith("planned.")]


def test_of_whoever_was_ruled_out_only_what_was_played_was_to_be_played(
    advisor: Advisor, tmp_path: Path
) -> None:
    trial = new_trial(games_each=3)
    play_all(trial, advisor, games=2)
    out = trial.participants.filter(number__gt=1)
    out.update(screened_out_at=trial.created_at)
    assert run(exported(trial, tmp_path))[0] == 0
    results = json.loads((tmp_path / "statistics.json").read_text())
    assert results["taking_part"]["games_planned"] == 3 + 2 * 2


def test_a_trial_that_nobody_played_has_nothing_to_work_out(tmp_path: Path) -> None:
    assert run(exported(new_trial(opened=False), tmp_path))[0] == 0


def test_every_box_of_yatzy_is_replayed(tmp_path: Path) -> None:
    trial = new_trial(dice=Trial.Dice.REAL, games_each=1)
    play_sixes(joined(trial), [*(box for box in BOXES if box != "chance"), "chance"])
    assert run(exported(trial, tmp_path))[0] == 0


@pytest.mark.parametrize("places", ["first", "each"])
def test_dice_are_counted_again_one_by_one(
    advisor: Advisor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, places: str
) -> None:
    """Their p too, where the program takes the tail of chi-squared."""
    trial = new_trial(dice=Trial.Dice.REAL, dice_places=places, games_each=1)
    play_all(trial, advisor)
    told = run(exported(trial, tmp_path / "few"))
    assert agrees(told, 100)
    assert {name for name in left(told) if name.startswith("dice.apart")} == {
        f"dice.apart[].{name}" for name in ("p", "p_of_several")
    }
    monkeypatch.setattr("solver.statistics.chi_squared.MOST_EXACT", 0)
    many = exported(trial, tmp_path / "many")
    script = many / "rebuilding" / "dice.py"
    script.write_text(script.read_text().replace("MOST_EXACT = 400", "MOST_EXACT = 0"))
    told = run(many)
    assert agrees(told, 100)
    assert not [name for name in left(told) if name.startswith("dice.apart")]
