"""Bots take part in a trial by its pages, and what is exported is checked row by row."""

import io
import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from game.models import Decision, DrillAttempt, Game, Throw
from game.trials.design.consent import store_texts
from game.trials.design.phases import ArmSettings, derive_list_seed
from game.trials.design.reading import make_trial_seal
from game.trials.design.writing import close_trial
from game.trials.exports import files
from game.trials.exports.files import DoesNotRebuild, Export
from game.trials.exports.public import PublicBundle
from game.trials.exports.tables import TABLES, WIDE
from game.trials.joining.answering import store_questions
from game.trials.models import Answer, Trial
from game.trials.questions.reading import read_ready_text
from game.trials.rehearsal import BotPlayer, create_rehearsal, rehearse
from solver.advice import Advisor
from solver.arena.match import make_block_roller, make_random_blocks, play_out
from solver.players.erring import COOLEST, WARMEST, Bot, make_bots
from solver.rules import YATZY
from tests.game.export_reference import every_fault
from tests.game.questions import FILE
from tests.game.table_readers import rows_in
from tests.game.test_rebuild import agrees
from tests.game.test_rebuild import run as run_script
from tests.game.trial_games import play_game
from tests.known import known
from tests.selection import exhaustive
from tests.trials import joined, new_trial

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("yatzy_tables")]


def run(*arguments: str) -> str:
    out = io.StringIO()
    call_command("trial_rehearse", *arguments, "--verbosity", "0", stdout=out)
    return out.getvalue()


@pytest.mark.usefixtures("no_script")
def test_the_same_seed_types_in_the_same_real_dice_and_corrects_the_same_slips(
    advisor: Advisor, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("game.trials.rehearsal.SLIPS", 0.5)

    def moves(seed: int) -> list[tuple[int | None, str]]:
        wanted: dict[str, Any] = {"places": 1, "games_each": 1, "dice": Trial.Dice.REAL}
        slug = f"rehearsal-{Trial.objects.count()}"
        trial = create_rehearsal(slug=slug, consent="Yes.", title="Bots", **wanted)
        rehearse(trial, advisor, seed)
        decisions = Decision.objects.filter(game__trial_game__participant__trial=trial)
        return list(decisions.order_by("seq").values_list("hold", "category"))

    first = moves(7)
    assert {throw.number for throw in Throw.objects.all()} == {0, 1}
    trial = Trial.objects.get()
    Export(trial).write(tmp_path)
    assert every_fault(trial, tmp_path) == []
    assert moves(7) == first
    if exhaustive():
        assert moves(8) != first


@pytest.mark.usefixtures("all_tables")
def test_a_rehearsal_like_a_trial_has_its_settings_a_name_of_its_own_and_answers_every_page(
    tmp_path: Path,
) -> None:
    new_trial(slug="people-rehearsal", rehearsal=True)
    wanted: dict[str, Any] = {"shared_dice": True, "questionnaire": False, "ruleset": "yahtzee"}
    study = new_trial(slug="people", places=5, games_each=9, opened=False, **wanted)
    store_texts(trial=study, texts={"": {"end": "Thanks."}})
    asks = f"{read_ready_text('rules_quiz')}\n{FILE[FILE.index('between:') :]}"
    store_questions(trial=study, text=asks)
    run("--like=people", "--participants=2", "--games=1", "--seed=3", f"--out={tmp_path / 'out'}")
    trial = Trial.objects.get(slug="people-rehearsal-2")
    assert trial.question_files.get().text == asks.strip()
    assert (trial.places, trial.games_each, trial.ruleset) == (2, 1, "yahtzee")
    assert (trial.shared_dice, trial.questionnaire, trial.rehearsal) == (True, False, True)
    assert trial.consents.get().text == study.consents.get().text
    assert trial.texts == {"": {"end": "Thanks."}}
    assert study.participants.filter(consent__isnull=False).count() == 0
    for participant in trial.participants.all():
        keys = list(participant.answers.values_list("key", flat=True))
        assert (participant.screened_out_at, keys[-2:], len(keys)) == (None, ["sure", "note"], 6)
    assert set(Answer.objects.values_list("page_finished", flat=True)) == {True}
    assert Answer.objects.filter(tries__gt=1).exists(), "somebody was mistaken at first"
    assert every_fault(trial, tmp_path / "out") == []


@pytest.mark.parametrize(
    ("where", "error", "message", "status"),
    [
        (BotPlayer, KeyboardInterrupt(), "stopped", 130),
        (BotPlayer, None, "P01: .* answered 4", 1),
        (files, DoesNotRebuild("scores.mean: it is another"), "it is another", 1),
    ],
)
def test_a_rehearsal_that_fails_leaves_nothing(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    where: Any,
    error: Any,
    message: str,
    status: int,
) -> None:
    """It is interrupted, a page refuses because the trial was closed, or figures do not agree."""

    def fail(*arguments: object) -> None:
        if error:
            raise error
        close_trial(trial=Trial.objects.get())
        play(*arguments)  # type: ignore[arg-type]

    play = BotPlayer.play
    monkeypatch.setattr(where, "play" if where is BotPlayer else "rebuild", fail)
    with pytest.raises(CommandError, match=message) as raised:
        run("--participants", "1", "--games", "1", "--out", str(tmp_path / "out"))
    assert raised.value.returncode == status
    assert not Trial.objects.exists()
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    "wrong",
    [["--participants", "0"], ["--games", "-1"], ["--like", "nobody"]],
)
def test_wrong_options_are_refused_before_anything_is_played(
    wrong: list[str], tmp_path: Path
) -> None:
    with pytest.raises(CommandError) as raised:
        run(*wrong, "--out", str(tmp_path / "out"))
    assert raised.value.returncode == 2
    assert not Trial.objects.exists()


def test_warmer_bots_lose_more_and_all_of_them_learn(advisor: Advisor) -> None:
    def lost(bot: Bot, games: int) -> float:
        regrets = []
        for game, block in enumerate(make_random_blocks(games, 1, YATZY), start=1):
            tempered = bot.make_tempered(advisor, game)
            played = play_out(tempered, YATZY, make_block_roller(block))
            regrets.append(advisor.make_ledger(played.decisions).regret)
        return fmean(regrets)

    cool, warm = make_bots(2, seed=1)
    assert (cool.temperature, warm.temperature) == (COOLEST, WARMEST)
    perfect = Bot(1e-3, cool.random)
    assert 0 <= lost(perfect, 1) < 0.1 < lost(cool, 12) < 15 < lost(warm, 12) < 60
    assert warm.find_temperature(1) == WARMEST
    assert warm.find_temperature(1) > warm.find_temperature(10) > warm.find_temperature(50) > 0


def change(folder: Path, name: str, old: str, new: str) -> None:
    text = (folder / name).read_text()
    (folder / name).write_text(text.replace(old, new, 1))


DAMAGES: dict[str, Callable[[Path], object]] = {
    "one more": lambda folder: (folder / "notes.txt").write_text("mine"),
    "one less": lambda folder: (folder / "report.html").unlink(),
    "another cell": lambda folder: change(folder, "games.csv", ",virtual,", ",real,"),
}


@pytest.mark.usefixtures("no_script")
def test_the_reference_finds_a_damaged_file(tmp_path: Path) -> None:
    trial = new_trial(places=1)
    play_game(joined(trial))
    Export(trial).write(tmp_path / "whole")
    assert every_fault(trial, tmp_path / "whole") == []
    for name, damage in DAMAGES.items():
        damage(shutil.copytree(tmp_path / "whole", tmp_path / name))
        assert len(every_fault(trial, tmp_path / name)) == 1, name


def test_arms_strangers_dropouts_and_returns_are_rehearsed(tmp_path: Path) -> None:
    options = ["--participants=1", "--games=1", "--recruit=3", "--dropouts=0.25", "--seed=3"]
    options += ["--arms=coach=before+drill=yes+points=hidden,coach=hint", "--before=1"]
    options += ["--follow-up=1", "--follow-up-days=5"]
    said = run(*options, f"--out={tmp_path}")
    assert re.findall(r"\d+", said.partition("left the device")[0])[-4:] == ["4", "3", "1", "2"]
    assert "Every figure was rebuilt and agrees." in said
    trial = Trial.objects.get()
    assert (trial.slug, trial.rehearsal, trial.state) == ("rehearsal", True, "closed")
    assert sorted(trial.arrivals.values_list("label", flat=True)) == ["bot-1", "bot-2", "bot-3"]
    there = {path.name for path in tmp_path.iterdir()}
    assert there >= {
        *(f"{name}.csv" for name in TABLES if name != WIDE),
        "report.html",
        "statistics.json",
        "charts",
    }
    people = rows_in(tmp_path / "participants.csv")
    assert {(row["bot"], bool(row["answered_at"])) for row in people} == {("true", True)}
    assert [row["finished"] for row in rows_in(tmp_path / "games.csv")].count("false") == 1
    events = rows_in(tmp_path / "events.csv")
    left = [row["participant"] for row in events if row["event"] == "left"]
    assert left == ["P01", "R01"]
    assert [row["coach"] for row in rows_in(tmp_path / "arms.csv")] == ["before", "hint"]
    games = rows_in(tmp_path / "games.csv")
    assert {row["phase"] for row in games} == {"before", "training", "follow_up"}
    described = json.loads((tmp_path / "dataset_description.json").read_text())["trial"]
    sealed = {"seal": make_trial_seal(trial), "seal_version": 2}
    sealed["seed"] = derive_list_seed(trial.seed)
    assert described["assignment"] == described["assignment"] | sealed
    for one in trial.participants.exclude(arm=None):
        drilled = DrillAttempt.objects.filter(card__player=one.player).count()
        assert drilled == known(one.arm).drill
    flow = {row["step"]: row["people"] for row in rows_in(tmp_path / "flow.csv")}
    assert (flow["declined"], flow["agreed"]) == ("1", "4")
    PublicBundle(trial).write(tmp_path / "public")
    for folder in (tmp_path, tmp_path / "public"):
        assert agrees(run_script(folder), 100)


def test_bots_that_a_coach_makes_perfect_cost_nothing_from_then_on(advisor: Advisor) -> None:
    arms = [ArmSettings("off"), ArmSettings("after", coach="after")]
    trial = create_rehearsal(
        slug="taught", title="Taught", consent="Yes.", places=2, games_each=1, arms=arms
    )
    rehearse(trial, advisor, 1, effect=1.0)
    lost = {game.coach: known(game.regret) for game in Game.objects.all()}
    assert lost["after"] == pytest.approx(0.0, abs=1e-6)
    assert lost["off"] > 1
