"""The bundle proves its claim: its script rebuilds every figure, and notices what was spoilt."""

import csv
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from game.models import Game
from game.trials.design.writing import close_trial, open_trial
from game.trials.exports.files import SOURCE, DoesNotRebuild, Export
from game.trials.exports.public import PublicBundle
from game.trials.models import Trial, calculate_digest, to_canonical_json
from solver.advice import Advisor
from tests.game.table_readers import rows_in
from tests.game.test_trial_results import TWO, armed, play_armed
from tests.game.trial_games import play_all, play_game, play_sixes
from tests.play import BOXES
from tests.trials import joined, new_trial, preregister

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("yatzy_tables")]
Told = tuple[int, str]
Named = dict[str, str]


def run(folder: Path) -> Told:
    asked = [sys.executable, "-E", SOURCE.name]
    ran = subprocess.run(asked, cwd=folder, capture_output=True, text=True, check=False)
    assert ran.stderr == ""
    return ran.returncode, ran.stdout


def agrees(told: Told, figures: int) -> bool:
    ended, text = told
    (compared,) = re.findall(r"(\d+) figures compared, 0 not rebuilt", text)
    return ended == 0 and "0 do not agree" in text and int(compared) >= figures


def exported(trial: Trial, folder: Path) -> Path:
    Export(trial).write(folder)
    return folder


@pytest.fixture(scope="module")
def kept() -> dict[str, Path]:
    return {}


@pytest.fixture
def folder(advisor: Advisor, tmp_path: Path, kept: dict[str, Path]) -> Path:
    if "plain" not in kept:
        trial = new_trial(games_each=4)
        play_all(trial, advisor, games=3)
        play_game(trial.participants.get(number=1), turns=4)
        play_game(trial.participants.get(number=2), turns=1)
        kept["plain"] = exported(trial, tmp_path.parent / "plain")
    return Path(shutil.copytree(kept["plain"], tmp_path / "copy"))


@pytest.fixture
def arms(advisor: Advisor, tmp_path: Path, kept: dict[str, Path]) -> Path:
    """The folder of a closed, locked trial, in which two people stopped and one is left out, with
    the public folder inside."""
    if "arms" not in kept:
        wanted: dict[str, Any] = {"games_before": 1, "games_each": 1, "games_after": 1}
        trial = new_trial(slug="armed", arms=TWO, places=16, opened=False, **wanted)
        preregister(trial, exclusions={"fewer_games": 2}, estimand={"smallest": 40.0})
        open_trial(trial=trial)
        play_armed(trial, advisor)
        stopped = trial.participants.filter(number__in=(5, 6))
        after = Game.objects.filter(trial_game__phase="after")
        after.filter(trial_game__participant__in=stopped).delete()
        nine = Game.objects.filter(trial_game__participant__number=9)
        nine.filter(trial_game__phase__in=("after", "training")).delete()
        after.filter(trial_game__participant__arm__name="coached").update(
            started_at=trial.created_at
        )
        close_trial(trial=trial)
        trial.refresh_from_db()
        kept["arms"] = exported(trial, tmp_path.parent / "arms")
        PublicBundle(trial).write(kept["arms"] / "public")
    return Path(shutil.copytree(kept["arms"], tmp_path / "copy"))


def results_in(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "statistics.json").read_text())
    return found


def test_every_figure_is_rebuilt(folder: Path) -> None:
    assert agrees(run(folder), 130)
    assert (folder / "rebuild.txt").read_text() == f"{run(folder)[1]}The script ended with 0.\n"


def test_arms_are_rebuilt_with_p_ends_and_tipping_point_in_public_too(arms: Path) -> None:
    ours, theirs = run(arms), run(arms / "public")
    assert agrees(ours, 370)
    assert agrees(theirs, 370)
    (pair,) = results_in(arms)["primary"]["pairs"]
    assert pair["p"] is not None
    assert pair["low_90"] is not None
    assert pair["tipping_point"]["filled"] == 2
    assert [one["people"] for one in results_in(arms)["lock"]["left_out"]] == [["P09"]]
    flow = results_in(arms)["flow"]
    assert [row["people"] for row in flow if row["step"] == "left_out"] == [1]


def test_a_figure_that_the_script_does_not_know_is_named(folder: Path) -> None:
    text = SOURCE.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 450
    imported = set(re.findall(r"^(?:import|from) (\w+)", text, re.MULTILINE))
    assert imported <= {*sys.stdlib_module_names, "numpy"}, "nothing of the program"
    results = results_in(folder) | {"later": {"figure": 1.5}}
    (folder / "statistics.json").write_text(json.dumps(results))
    ended, told = run(folder)
    assert ended == 1
    assert "not rebuilt: later.figure" in told
    assert "1 not rebuilt" in told


def test_a_folder_that_does_not_agree_is_not_offered(
    advisor: Advisor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run(exported(new_trial(opened=False), tmp_path / "empty"))[0] == 0
    trial = new_trial(slug="played", games_each=1)
    play_all(trial, advisor)
    figures = Export.figures
    monkeypatch.setattr(Export, "figures", lambda self: figures(self) | {"more": 1})
    with pytest.raises(DoesNotRebuild, match="not rebuilt: more"):
        exported(trial, tmp_path / "out")
    assert not (tmp_path / "out").exists()


# Spoilt


def _rows(table: str, new: Callable[[list[Named]], list[Named]]) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        rows = new(rows_in(folder / f"{table}.csv"))
        with (folder / f"{table}.csv").open("w", encoding="utf-8-sig", newline="") as file:
            writer = csv.DictWriter(file, rows[0])
            writer.writeheader()
            writer.writerows(rows)

    return change


def _table(table: str, column: str, wanted: Named, new: Callable[[str], str]) -> Any:
    def changed(rows: list[Named]) -> list[Named]:
        row = next(one for one in rows if wanted.items() <= one.items())
        row[column] = new(row[column])
        return rows

    return _rows(table, changed)


def _swap_values(rows: list[Named]) -> list[Named]:
    rows[0]["value"], rows[1]["value"] = rows[1]["value"], rows[0]["value"]
    return rows


def _result(*keys: Any) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        results = results_in(folder)
        part: Any = results
        for key in keys[:-1]:
            part = part[key]
        part[keys[-1]] += 0.001 if isinstance(part[keys[-1]], float) else 1
        (folder / "statistics.json").write_text(json.dumps(results))

    return change


def _another_lock(folder: Path) -> None:
    path = folder / "preregistration.json"
    told = json.loads(path.read_text(encoding="utf-8"))
    told["document"]["estimand"]["direction"] = "less"
    told["sha256"] = calculate_digest(to_canonical_json(told["document"]))
    path.write_text(json.dumps(told), encoding="utf-8")


def _more(by: float) -> Callable[[str], str]:
    return lambda figure: f"{float(figure) + by:.12g}"


PAIR = ("primary", "pairs", 0)
# What is spoilt at once, and what is named of it; no other spoils what is named of one.
SPOILT: Mapping[str, Mapping[str, Callable[[Path], None]]] = {
    "results": {
        "primary.pairs.0.p:": _result(*PAIR, "p"),
        "primary.pairs.0.high:": _result(*PAIR, "high"),
        "flow.": _result("flow", -1, "people"),  # the last step: analysed
        "tipping_point.estimate": _result(*PAIR, "tipping_point", "estimate"),
        "games.cost.these_people.low": _result("games", "cost", "these_people", "low"),
    },
    "tables": {
        "game P01 1 score": _table("games", "score", {}, _more(1)),
        "decision P": _table("decisions", "choice", {"choice": "none"}, lambda _: "1"),
        "game P02 1 luck": _table(
            "decisions", "luck", {"participant": "P02", "seq": "2"}, _more(0.5)
        ),
        "another regret": _table(
            "decisions", "regret", {"participant": "P03", "forced": "false"}, _more(0.5)
        ),
    },
    "arm": {
        "primary.pairs.0.means": _table("participants", "arm", {"arm": "off"}, lambda _: "coached")
    },
    "game": {"there is no such game": _rows("games", lambda rows: rows[:2] + rows[3:])},
    "value": {"participant P01 value": _rows("participants", _swap_values)},
    "exclusion": {
        "tipping_point.filled": _table(
            "participants", "left_out", {"participant": "P09"}, lambda _: ""
        )
    },
    "lock": {"lock.sha256": _another_lock},
}


@pytest.mark.parametrize("what", SPOILT)
def test_what_was_spoilt_is_named(arms: Path, what: str) -> None:
    for spoil in SPOILT[what].values():
        spoil(arms)
    ended, told = run(arms)
    assert ended == 1
    assert [name for name in SPOILT[what] if name not in told] == []
    if what == "results":
        assert "5 do not agree" in told


# Other trials


def test_jokers_and_every_box_of_yatzy_score_as_the_rules_say(tmp_path: Path) -> None:
    """Rolls of sixes: jokers with chips, and a last box that is as good as any hold."""
    trial = new_trial(ruleset="yahtzee", dice=Trial.Dice.REAL, games_each=1)
    lower = ["three_of_a_kind", "full_house", "small_straight", "large_straight", "chance"]
    upper = ["ones", "twos", "threes", "fours", "fives"]
    play_sixes(joined(trial), ["yahtzee", "sixes", *lower, "four_of_a_kind", *upper])
    assert Game.objects.get().chips == 1200
    assert run(exported(trial, tmp_path / "jokers"))[0] == 0
    won = [row["chips_won"] for row in rows_in(tmp_path / "jokers" / "decisions.csv")]
    assert won == ["false", *["true"] * 12]
    trial = new_trial(slug="yatzy", dice=Trial.Dice.REAL, games_each=1)
    play_sixes(joined(trial), [*(box for box in BOXES if box != "chance"), "chance"])
    assert run(exported(trial, tmp_path / "boxes"))[0] == 0


THREE = (*TWO, TWO[1].__class__("third", coach="before"))
OTHERS: Mapping[str, dict[str, Any]] = {
    "three arms, the same dice": {"arms": THREE, "places": 18, "shared_dice": True},
    "both arms": {"arms": TWO, "design": "within", "places": 12, "dice": "real"},
    "phases": {"games_before": 1, "games_after": 1, "places": 4, "dice": "real"},
}
PLACES_OF_DICE = {
    "both arms": "each",
    "phases": "first",
}  # trials whose real dice have a place each


@pytest.mark.parametrize("which", OTHERS)
def test_other_dice_and_designs_are_rebuilt(advisor: Advisor, tmp_path: Path, which: str) -> None:
    usual: dict[str, Any] = {"games_before": 0, "games_after": 0, "arms": ()}
    usual["dice_places"] = PLACES_OF_DICE.get(which, "")
    trial = armed(advisor, **usual | OTHERS[which])
    assert agrees(run(exported(trial, tmp_path)), 100)
