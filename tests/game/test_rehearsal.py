"""Bots take part in a trial by its pages, and what is exported is checked row by row."""

import csv
import io
import json
import re
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db.models import Sum

from game.models import Decision, Game, Participant, Throw, Trial
from game.trials.design.texts import texts_set
from game.trials.design.writing import trial_close
from game.trials.exports import rows as exported_rows
from game.trials.exports.decisions import decisions_in
from game.trials.exports.files import TABLE_FILES, export_now
from game.trials.joining.recruiting import recruitment_set
from game.trials.joining.withdrawing import participant_withdraw
from game.trials.rehearsal import playing
from game.trials.rehearsal.browser import RehearsalFailed
from game.trials.rehearsal.checking import ROUNDING, check_bundle
from game.trials.rehearsal.course import rehearsal_create, rehearse
from game.trials.rehearsal.effects import effects_told
from game.trials.rehearsal.playing import Pupil
from game.trials.rehearsal.strangers import OpenLink, recruiting
from solver.advice import Advisor, position_of
from solver.arena.dice_file import random_blocks
from solver.arena.match import from_block, play_out
from solver.players.advised import action_of
from solver.players.erring import COOLEST, WARMEST, Bot, bots
from solver.rules import YATZY, Hold, play, start
from solver.statistics.arm_figures import ArmDifference
from solver.statistics.inference import Interval
from solver.statistics.randomisation import Randomised
from tests.game.export_reference import every_fault
from tests.game.trial_moves import play_game
from tests.game.trials import joined, new_trial
from tests.known import known
from tests.selection import exhaustive

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("yatzy_tables")]


def run(*arguments: str) -> str:
    out = io.StringIO()
    call_command("trial_rehearse", *arguments, "--verbosity", "0", stdout=out)
    return out.getvalue()


def rehearsed(advisor: Advisor, seed: int = 1, **settings: object) -> Trial:
    wanted: dict[str, Any] = {"title": "Rehearsal", "places": 1, "games_each": 1} | settings
    slug = f"rehearsal-{Trial.objects.count()}"
    trial = rehearsal_create(slug=slug, consent="Bots agree.", **wanted)
    rehearse(trial, advisor, seed)
    trial.refresh_from_db()
    return trial


def lost(bot: Bot, advisor: Advisor, game: int) -> float:
    """What the bot's decisions cost on the dice of one game, played as its game of this number."""
    (block,) = random_blocks(1, game, YATZY)
    played = play_out(bot.in_game(advisor, game), YATZY, from_block(block))
    return advisor.ledger(played.decisions).regret


def test_bots_take_part_by_the_pages_and_everything_is_exported(tmp_path: Path) -> None:
    said = run("--participants", "1", "--games", "2", "--out", str(tmp_path / "out"))
    assert "agrees with the database" in said
    trial = Trial.objects.get()
    assert (trial.slug, trial.rehearsal, trial.state) == ("rehearsal", True, "closed")
    for participant in trial.participants.all():
        assert participant.consented_at is not None
        assert participant.answered_at is not None
        numbers = participant.games.filter(finished_at__isnull=False)
        assert sorted(map(known, numbers.values_list("trial_number", flat=True))) == [1, 2]
    there = {path.name for path in (tmp_path / "out").iterdir()}
    assert there >= {*TABLE_FILES, "report.html", "statistics.json", "charts"}
    bots_told = json.loads((tmp_path / "out" / "participants.json").read_text())
    assert [row["bot"] for row in bots_told] == [True]


def test_the_study_s_tables_are_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--participants", "1", "--games", "1", "--out", str(tmp_path / "out")]
    call_command("trial_rehearse", *arguments, stdout=io.StringIO())
    printed = capsys.readouterr().out
    score = Game.objects.get().final_score
    assert "Statistics" in printed
    assert f"{score}.00" in printed
    assert "100.00%" in printed


def test_bots_with_real_dice_type_them_in_and_correct_their_slips(
    advisor: Advisor, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(playing, "SLIPS", 0.5)
    trial = rehearsed(advisor, dice=Trial.Dice.REAL)
    assert {throw.number for throw in Throw.objects.all()} == {0, 1}
    export_now(trial).write(tmp_path)
    assert every_fault(trial, tmp_path) == []


def test_the_same_seed_plays_the_same_games(advisor: Advisor) -> None:
    def moves(seed: int) -> list[tuple[int | None, str]]:
        trial = rehearsed(advisor, seed, dice=Trial.Dice.REAL)
        decisions = Decision.objects.filter(game__participant__trial=trial).order_by("seq")
        return list(decisions.values_list("hold", "category"))

    first = moves(7)
    assert moves(7) == first
    if exhaustive():
        assert moves(8) != first


def test_a_rehearsal_like_a_trial_has_its_settings(tmp_path: Path) -> None:
    study = new_trial(
        slug="people", places=5, games_each=9, shared_dice=True, questionnaire=False, opened=False
    )
    texts_set(trial=study, texts={"": {"end": "Thanks."}})
    options = ["--participants", "1", "--games", "1", "--out", str(tmp_path / "out")]
    run("--like", "people", *options)
    trial = Trial.objects.get(slug="people-rehearsal")
    assert (trial.places, trial.games_each) == (1, 1)
    assert (trial.shared_dice, trial.questionnaire, trial.rehearsal) == (True, False, True)
    assert trial.consents.get().text == study.consents.get().text
    assert trial.texts == {"": {"end": "Thanks."}}
    assert study.participants.filter(consent__isnull=False).count() == 0


def test_a_second_rehearsal_has_a_name_of_its_own(tmp_path: Path) -> None:
    new_trial(slug="rehearsal", rehearsal=True)
    run("--participants", "1", "--games", "1", "--out", str(tmp_path / "out"))
    slugs = Trial.objects.order_by("pk").values_list("slug", flat=True)
    assert list(slugs) == ["rehearsal", "rehearsal-2"]


def test_a_discarded_rehearsal_leaves_its_files_only(tmp_path: Path) -> None:
    run("--participants", "1", "--games", "1", "--out", str(tmp_path / "out"), "--discard")
    assert not Trial.objects.exists()
    assert not Game.objects.exists()
    assert (tmp_path / "out" / "decisions.csv").exists()


@pytest.mark.parametrize("error", [KeyboardInterrupt, RehearsalFailed("P01: closed")])
def test_an_interrupted_rehearsal_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    def interrupted(*_arguments: object) -> None:
        raise error

    monkeypatch.setattr(playing.BotPlayer, "play", interrupted)
    with pytest.raises(CommandError, match=r"stopped|closed"):
        run("--participants", "1", "--games", "1", "--out", str(tmp_path / "out"))
    assert not Trial.objects.exists()
    assert not (tmp_path / "out").exists()


def test_a_page_that_refuses_stops_the_rehearsal(advisor: Advisor) -> None:
    trial = new_trial(places=1)
    trial_close(trial=trial)
    with pytest.raises(RehearsalFailed, match="P01: /take-part/agree answered 4"):
        rehearse(trial, advisor, 1)


@pytest.mark.parametrize(
    "wrong",
    [["--participants", "0"], ["--games", "-1"], ["--like", "nobody"], ["--formats", "spss"]],
)
def test_wrong_options_are_refused_before_anything_is_played(
    wrong: list[str], tmp_path: Path
) -> None:
    with pytest.raises(CommandError) as raised:
        run(*wrong, "--out", str(tmp_path / "out"))
    assert raised.value.returncode == 2
    assert not Trial.objects.exists()


def test_warmer_bots_lose_more_and_all_of_them_learn(advisor: Advisor) -> None:
    cool, warm = bots(2, seed=1)
    assert (cool.temperature, warm.temperature) == (COOLEST, WARMEST)
    costs = {
        bot.temperature: fmean(lost(bot, advisor, n) for n in range(1, 13)) for bot in (cool, warm)
    }
    assert 0 < costs[COOLEST] < 15 < costs[WARMEST] < 60
    assert warm.temperature_in(1) == WARMEST
    assert warm.temperature_in(1) > warm.temperature_in(10) > warm.temperature_in(50) > 0


def test_a_bot_without_warmth_plays_perfectly(advisor: Advisor) -> None:
    (bot,) = bots(1, seed=1)
    assert lost(Bot(1e-3, bot.random), advisor, 1) < 0.1


def _replace(name: str, old: str, new: str) -> Callable[[Path], object]:
    def change(folder: Path) -> None:
        path = folder / name
        text = path.read_text(encoding="utf-8")
        assert old in text
        path.write_text(text.replace(old, new, 1), encoding="utf-8")

    return change


def _cell(name: str, column: str, value: str) -> Callable[[Path], object]:
    """Another value in the first row of a CSV file."""

    def change(folder: Path) -> None:
        with (folder / name).open(encoding="utf-8-sig", newline="") as file:
            rows = list(csv.DictReader(file))
        assert rows[0][column] != value
        rows[0][column] = value
        with (folder / name).open("w", encoding="utf-8-sig", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)

    return change


FAULTS: dict[str, Callable[[Path], object]] = {
    "participants.csv: row 1": _cell("participants.csv", "bot", "true"),
    "decisions.csv: row 1": _cell("decisions.csv", "game", "2"),
    "games.json: row 1": _replace("games.json", '"virtual"', '"real"'),
    "codebook.csv: row 1": _replace("codebook.csv", "column", "colunm"),
    "games.parquet": lambda folder: (folder / "games.parquet").write_bytes(b"PAR1"),
    "decisions.xlsx": lambda folder: (folder / "decisions.xlsx").write_bytes(b""),
    "statistics.json does not": _replace("statistics.json", '"games": 1', '"games": 2'),
    "luck and regret": _replace("dataset_description.json", "248.4399", "254.5877"),
    "other rules": _replace("dataset_description.json", YATZY.hash, "0" * 64),
    "report.html is missing": lambda folder: (folder / "report.html").unlink(),
    "notes.txt is not in": lambda folder: (folder / "notes.txt").write_text("mine"),
    "charts/scores.png is empty": lambda folder: (folder / "charts/scores.png").write_bytes(b""),
}


@pytest.fixture
def exported(tmp_path: Path) -> tuple[Trial, Path]:
    trial = new_trial(places=1)
    play_game(joined(trial))
    export_now(trial).write(tmp_path)
    return trial, tmp_path


def test_every_fault_of_a_bundle_is_found(exported: tuple[Trial, Path]) -> None:
    trial, folder = exported
    assert every_fault(trial, folder) == []
    before = {path: path.read_bytes() for path in folder.rglob("*.*")}
    for words, damage in FAULTS.items():
        damage(folder)
        assert any(words in fault for fault in check_bundle(trial, folder)), words
        (folder / "notes.txt").unlink(missing_ok=True)
        for path, content in before.items():
            path.write_bytes(content)


def test_a_file_that_lacks_a_row_or_has_one_too_many_is_found(
    exported: tuple[Trial, Path],
) -> None:
    trial, folder = exported
    path = folder / "decisions.csv"
    lines = path.read_bytes().splitlines(keepends=True)
    for changed in (lines[:-1], [*lines, lines[-1]]):
        path.write_bytes(b"".join(changed))
        assert any("decisions.csv: row" in fault for fault in check_bundle(trial, folder))


def test_whoever_withdraws_afterwards_makes_an_older_export_wrong(
    exported: tuple[Trial, Path],
) -> None:
    trial, folder = exported
    participant_withdraw(participant=Participant.objects.get(trial=trial))
    assert any("participants.csv: row 1" in fault for fault in check_bundle(trial, folder))


def test_a_fault_of_the_tables_is_found_by_the_sums_of_the_database(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """In the files and in the rows that they are compared with alike."""
    trial = new_trial(places=1)
    play_game(joined(trial))

    def without_the_last(*asked: Any, ended: bool) -> list[Any]:
        return list(decisions_in(*asked, ended=False))[:-1]

    monkeypatch.setattr(exported_rows, "decisions_in", without_the_last)
    monkeypatch.setitem(exported_rows.SMALL, "consents", lambda trial, at: [])
    monkeypatch.setattr(exported_rows.Standing, "ended", lambda standing, game: False)
    export_now(trial).write(tmp_path, ["csv"])
    told = " ".join(check_bundle(trial, tmp_path))
    for words in ("decisions.csv: rows add", "decisions.csv: milliseconds add", "consents.csv"):
        assert words in told
    for name in ("score", "luck", "regret"):
        assert f"games.csv: {name} add up to 0, stored are" in told


# Strangers, dropouts, returns and time-outs


def test_strangers_dropouts_returns_and_time_outs_are_rehearsed(tmp_path: Path) -> None:
    options = ["--participants=1", "--games=2", "--recruit=3", "--dropouts=0.25", "--seed=3"]
    said = run(*options, f"--out={tmp_path}", "--force")
    assert "4 bots came; 2 played all their games, 1 stopped in the middle of one" in said
    assert "1 ran out of time. 2 left the device and went on in another browser." in said
    assert "By the open link came 3, one of them in two windows at once; 1 more declined" in said
    assert "1 found no place left" in said
    assert "agrees with the database" in said
    trial = Trial.objects.get()
    assert sorted(trial.arrivals.values_list("label", flat=True)) == ["bot-1", "bot-2", "bot-3"]
    rows = json.loads((tmp_path / "games.json").read_text())
    assert [row["finished"] for row in rows].count(False) == 1
    late = trial.participants.get(arrival__label="bot-3")
    assert late.games.count() == 1
    events = json.loads((tmp_path / "events.json").read_text())
    left = [row["participant"] for row in events if row["event"] == "left"]
    assert left == ["P01", "R01"]


@pytest.mark.nightly
def test_a_follow_up_by_the_open_link_is_rehearsed_too(tmp_path: Path) -> None:
    options = ["--participants=1", "--games=1", "--follow-up=2", "--follow-up-days=3"]
    said = run(*options, "--recruit=2", "--seed=3", f"--out={tmp_path}", "--force")
    assert "1 ran out of time" in said
    rows = json.loads((tmp_path / "participants.json").read_text())
    assert [row["outcome"] for row in rows] == [None, "complete", "timed_out"]


@pytest.mark.parametrize("wrong", ["no_consent", "full"])
def test_a_page_that_names_another_outcome_stops_the_rehearsal(wrong: str) -> None:
    found = recruiting(new_trial(places=1), quota=1)
    link = OpenLink(found)
    link.decline("first")
    recruitment_set(trial=found.trial, quota=0, ways_out={wrong: "ANOTHER"})
    with pytest.raises(RehearsalFailed, match=f"ANOTHER.*{wrong}"):
        link.decline("second") if wrong == "no_consent" else link.send_away("second")
    assert not Participant.objects.filter(player__isnull=False).exists()


def test_a_stranger_whom_the_full_trial_lets_in_stops_the_rehearsal() -> None:
    link = OpenLink(recruiting(new_trial(places=1), quota=1))
    with pytest.raises(RehearsalFailed, match="late: the page says ''"):
        link.send_away("late")


@pytest.mark.nightly
def test_the_true_effect_stands_beside_the_reported_one(tmp_path: Path) -> None:
    """Bots that a coach makes perfect cost nothing; without it they would cost what they chose."""
    # Of six, blocks of two and four leave at least two people for either arm, and so a range.
    options = ["--participants=6", "--games=1", "--arms=coach=off,coach=after", "--effect=1"]
    said = run(*options, f"--out={tmp_path}", "--force")
    told = known(re.search(r"after beside off: the bots were taught (\S+) points a decision", said))
    assert float(told[1]) < -0.05
    assert re.search(r"people like these \S+ to \S+, which (holds|misses) it", said)
    assert "these people have no range.\n" in said
    coached = Decision.objects.filter(game__arm__name="after")
    assert known(coached.aggregate(cost=Sum("regret"))["cost"]) < ROUNDING


def test_what_a_bot_was_spared_is_its_share_of_what_its_own_choices_cost(advisor: Advisor) -> None:
    state = play(start(YATZY), Hold(0), random_blocks(1, 1, YATZY)[0])
    coached, silent = Game(coach="after", trial_number=3), Game(coach="off", trial_number=4)
    costs = {
        action_of(state, option): option.regret
        for option in advisor.advise(position_of(state)).options
    }
    pupil = Pupil(bots(1, 3)[0], 0.5)
    pupil.choose(advisor, state, silent)
    assert pupil.spared == {}
    own = 0.0
    for _ in range(50):
        own += costs[deepcopy(pupil.bot).choose(advisor, state, 3)]
        pupil.choose(advisor, state, coached)
    assert own > 0
    assert pupil.spared == {3: pytest.approx(own / 2)}
    pupil.choose(advisor, state, silent)
    assert set(pupil.spared) == {3, 4}


def test_an_arm_s_true_difference_is_said_to_be_in_its_range_or_not() -> None:
    found = ArmDifference(
        arm="taught",
        beside="silent",
        people=(9, 9),
        means=(0.3, 0.05),
        difference=-0.25,
        model=Interval(-0.25, -0.4, -0.1, 0.07, 16),
        test=None,
        lot=Randomised(-0.25, 0.01, -0.3, -0.21, 999, listed=False),
    )
    assert list(effects_told([found], {"silent": -0.1, "taught": -0.3})) == [
        "taught beside silent: the bots were taught -0.200 points a decision; reported is -0.250;"
        " people like these -0.400 to -0.100, which holds it;"
        " these people -0.300 to -0.210, which misses it."
    ]
    assert not list(effects_told([found], {}))
