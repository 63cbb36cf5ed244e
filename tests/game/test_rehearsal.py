"""Bots take part in a trial by its pages, and what is exported is checked row by row."""

import io
import shutil
from collections.abc import Callable
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from game.models import Decision, Game, Throw
from game.trials.design.consent import store_texts
from game.trials.design.phases import ArmSettings
from game.trials.design.writing import close_trial
from game.trials.exports.files import TABLE_FILES, DoesNotRebuild, export_now
from game.trials.joining.answering import store_questions
from game.trials.models import Answer, Trial
from game.trials.rehearsal import BotPlayer, RehearsalFailed, create_rehearsal, rehearse
from solver.advice import Advisor
from solver.arena.match import make_block_roller, make_random_blocks, play_out
from solver.players.erring import COOLEST, WARMEST, Bot, make_bots
from solver.rules import YATZY
from tests.game.export_reference import every_fault
from tests.game.questions import FILE
from tests.game.table_readers import rows_in
from tests.game.trial_moves import play_game
from tests.known import known
from tests.selection import exhaustive
from tests.trials import joined, new_trial

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("yatzy_tables")]


def run(*arguments: str) -> str:
    out = io.StringIO()
    call_command("trial_rehearse", *arguments, "--verbosity", "0", stdout=out)
    return out.getvalue()


def rehearsed(advisor: Advisor, seed: int = 1, **settings: object) -> Trial:
    wanted: dict[str, Any] = {"title": "Rehearsal", "places": 1, "games_each": 1} | settings
    slug = f"rehearsal-{Trial.objects.count()}"
    trial = create_rehearsal(slug=slug, consent="Bots agree.", **wanted)
    rehearse(trial, advisor, seed)
    trial.refresh_from_db()
    return trial


def lost(bot: Bot, advisor: Advisor, game: int) -> float:
    (block,) = make_random_blocks(1, game, YATZY)
    played = play_out(bot.make_tempered(advisor, game), YATZY, make_block_roller(block))
    return advisor.make_ledger(played.decisions).regret


def test_bots_take_part_by_the_pages_and_everything_is_exported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ["--participants", "1", "--games", "2", "--out", str(tmp_path / "out")]
    call_command("trial_rehearse", *options)
    assert "Every figure was rebuilt and agrees." in capsys.readouterr().out
    trial = Trial.objects.get()
    assert (trial.slug, trial.rehearsal, trial.state) == ("rehearsal", True, "closed")
    for participant in trial.participants.all():
        assert participant.consented_at is not None
        assert participant.answered_at is not None
        numbers = participant.games.filter(game__finished_at__isnull=False)
        assert sorted(numbers.values_list("number", flat=True)) == [1, 2]
    there = {path.name for path in (tmp_path / "out").iterdir()}
    assert there >= {*TABLE_FILES, "report.html", "statistics.json", "charts"}
    assert ",true," in (tmp_path / "out" / "participants.csv").read_text(encoding="utf-8-sig")


def test_the_same_seed_types_in_the_same_real_dice_and_corrects_the_same_slips(
    advisor: Advisor, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("game.trials.rehearsal.SLIPS", 0.5)

    def moves(seed: int) -> list[tuple[int | None, str]]:
        trial = rehearsed(advisor, seed, dice=Trial.Dice.REAL)
        decisions = Decision.objects.filter(game__trial_game__participant__trial=trial).order_by(
            "seq"
        )
        return list(decisions.values_list("hold", "category"))

    first = moves(7)
    assert {throw.number for throw in Throw.objects.all()} == {0, 1}
    trial = Trial.objects.get()
    export_now(trial).write(tmp_path)
    assert every_fault(trial, tmp_path) == []
    assert moves(7) == first
    if exhaustive():
        assert moves(8) != first


@pytest.mark.usefixtures("all_tables")
def test_a_rehearsal_like_a_trial_has_its_settings_and_a_name_of_its_own(tmp_path: Path) -> None:
    new_trial(slug="people-rehearsal", rehearsal=True)
    wanted: dict[str, Any] = {"shared_dice": True, "questionnaire": False, "ruleset": "yahtzee"}
    study = new_trial(slug="people", places=5, games_each=9, opened=False, **wanted)
    store_texts(trial=study, texts={"": {"end": "Thanks."}})
    store_questions(trial=study, text=FILE)
    options = ["--participants", "1", "--games", "1", "--out", str(tmp_path / "out")]
    run("--like", "people", *options)
    trial = Trial.objects.get(slug="people-rehearsal-2")
    assert Answer.objects.filter(participant__trial=trial).exists()
    assert trial.question_files.get().text == FILE.strip()
    assert (trial.places, trial.games_each, trial.ruleset) == (1, 1, "yahtzee")
    assert (trial.shared_dice, trial.questionnaire, trial.rehearsal) == (True, False, True)
    assert trial.consents.get().text == study.consents.get().text
    assert trial.texts == {"": {"end": "Thanks."}}
    assert study.participants.filter(consent__isnull=False).count() == 0


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

    monkeypatch.setattr(BotPlayer, "play", interrupted)
    with pytest.raises(CommandError, match=r"stopped|closed"):
        run("--participants", "1", "--games", "1", "--out", str(tmp_path / "out"))
    assert not Trial.objects.exists()
    assert not (tmp_path / "out").exists()


def test_a_page_that_refuses_stops_the_rehearsal(advisor: Advisor) -> None:
    trial = new_trial(places=1)
    close_trial(trial=trial)
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
    cool, warm = make_bots(2, seed=1)
    assert (cool.temperature, warm.temperature) == (COOLEST, WARMEST)
    costs = {
        bot.temperature: fmean(lost(bot, advisor, n) for n in range(1, 13)) for bot in (cool, warm)
    }
    assert 0 < costs[COOLEST] < 15 < costs[WARMEST] < 60
    assert warm.find_temperature(1) == WARMEST
    assert warm.find_temperature(1) > warm.find_temperature(10) > warm.find_temperature(50) > 0


def test_a_bot_without_warmth_plays_perfectly(advisor: Advisor) -> None:
    (bot,) = make_bots(1, seed=1)
    assert lost(Bot(1e-3, bot.random), advisor, 1) < 0.1


def _replace(folder: Path, name: str, old: str, new: str) -> None:
    text = (folder / name).read_text()
    (folder / name).write_text(text.replace(old, new))


DAMAGES: dict[str, Callable[[Path], object]] = {
    "one more": lambda folder: (folder / "notes.txt").write_text("mine"),
    "one less": lambda folder: (folder / "report.html").unlink(),
    "another cell": lambda folder: _replace(folder, "games.csv", ",virtual,", ",real,"),
    "a row less": lambda folder: (folder / "decisions.csv").write_text(
        (folder / "decisions.csv").read_text().rsplit("\n", 2)[0] + "\n"
    ),
}


def test_the_reference_finds_a_damaged_file(tmp_path: Path) -> None:
    trial = new_trial(places=1)
    play_game(joined(trial))
    export_now(trial).write(tmp_path / "whole")
    assert every_fault(trial, tmp_path / "whole") == []
    for name, damage in DAMAGES.items():
        damage(shutil.copytree(tmp_path / "whole", tmp_path / name))
        assert len(every_fault(trial, tmp_path / name)) == 1, name


def test_figures_that_are_not_those_of_the_tables_end_a_rehearsal_with_1(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def differs(folder: Path) -> None:
        raise DoesNotRebuild("scores.mean: it is another")

    monkeypatch.setattr("game.trials.exports.files.rebuild", differs)
    with pytest.raises(CommandError, match="it is another") as raised:
        run("--participants=1", "--games=1", "--out", str(tmp_path / "out"))
    assert raised.value.returncode == 1


def test_strangers_dropouts_and_returns_are_rehearsed(tmp_path: Path) -> None:
    options = ["--participants=1", "--games=2", "--recruit=3", "--dropouts=0.25", "--seed=3"]
    said = run(*options, f"--out={tmp_path}", "--force")
    assert "4 bots joined: 3 played all their games, 1 stopped during a game" in said
    assert "2 left the device" in said
    assert "Every figure was rebuilt and agrees." in said
    trial = Trial.objects.get()
    assert sorted(trial.arrivals.values_list("label", flat=True)) == ["bot-1", "bot-2", "bot-3"]
    assert [row["finished"] for row in rows_in(tmp_path / "games.csv")].count("false") == 1
    events = rows_in(tmp_path / "events.csv")
    left = [row["participant"] for row in events if row["event"] == "left"]
    assert left == ["P01", "R01"]
    flow = {row["step"]: row["people"] for row in rows_in(tmp_path / "flow.csv")}
    assert (flow["declined"], flow["agreed"]) == ("1", "4")


@pytest.mark.nightly
def test_a_follow_up_by_the_open_link_is_rehearsed_too(tmp_path: Path) -> None:
    options = ["--participants=1", "--games=1", "--follow-up=2", "--follow-up-days=3"]
    run(*options, "--recruit=2", "--seed=3", f"--out={tmp_path}", "--force")
    rows = rows_in(tmp_path / "participants.csv")
    assert [row["outcome"] for row in rows] == ["", "complete", "complete"]


def test_bots_that_a_coach_makes_perfect_cost_nothing_from_then_on(advisor: Advisor) -> None:
    arms = [ArmSettings("off"), ArmSettings("after", coach="after")]
    trial = create_rehearsal(
        slug="taught", title="Taught", consent="Yes.", places=2, games_each=1, arms=arms
    )
    rehearse(trial, advisor, 1, effect=1.0)
    lost = {game.coach: known(game.regret) for game in Game.objects.all()}
    assert lost["after"] == pytest.approx(0.0, abs=1e-6)
    assert lost["off"] > 1
