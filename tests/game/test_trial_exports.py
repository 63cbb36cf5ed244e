"""The export of a trial: all that was played, and nothing that names anybody."""

import csv
import io
import json
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from typing import Any, cast
from zipfile import ZipFile

import pytest
from django.core.management import CommandError, call_command
from django.test import AsyncClient, Client
from django.utils import timezone, translation

from game.models import Decision, Game
from game.trials.design.writing import close_trial, configure_trial
from game.trials.exports import decisions
from game.trials.exports import files as trial_files
from game.trials.exports.decisions import find_best_option
from game.trials.exports.files import Export, SomebodyWithdrew
from game.trials.exports.tables import TABLES, WIDE, Standing
from game.trials.files import export_table
from game.trials.files.export_table import Download
from game.trials.joining.withdrawing import withdraw_participant
from game.trials.models import Participant, Trial
from solver.advice import Advisor
from solver.rules import YATZY
from tests.game.export_reference import differences
from tests.game.table_readers import rows_in
from tests.game.trial_games import play_game, play_sixes
from tests.known import known
from tests.loops import in_a_loop
from tests.play import BOXES
from tests.trials import CONSENT, joined, new_trial, researcher_user, table_rows

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("yatzy_tables", "no_script")]
SIXES = [*(box for box in BOXES if box != "chance"), "chance"]


@pytest.mark.parametrize("dice", ["virtual", "real"])
def test_every_row_is_that_of_the_reference_and_leads_to_no_person(
    dice: str, django_assert_max_num_queries: Any
) -> None:
    """Somebody stopped, somebody withdrew; a game was not judged; a text changed meanwhile."""
    trial = new_trial(dice=dice, places=4)
    for number in (2, 1, 3):
        play_game(joined(trial, number), seed=number)
    people = list(trial.participants.order_by("number"))
    answered = {"answered_at": timezone.now(), "last_played": "year"}  # and nothing else, at first
    trial.participants.filter(number=1).update(experience="declined", **answered)
    trial.participants.filter(number=2).update(strategy="skipped", **answered)
    configure_trial(trial=trial, consent="Another text.")
    for _ in range(2):  # to agree twice to a version is to agree once
        joined(trial, 1)
    play_game(people[0], seed=4, turns=3)
    withdraw_participant(participant=people[2])
    blind = Game.objects.filter(trial_game__participant=people[1])
    Decision.objects.filter(game__in=blind).update(best=None, value=None, regret=None, luck=None)
    blind.update(regret=None, luck=None, free_decisions=None)
    for _ in range(2):
        trial.refresh_from_db()
        assert list(differences(trial)) == []
        with django_assert_max_num_queries(34 if dice == "real" else 33):  # one for its throws
            told = {name: table_rows(trial, name) for name in TABLES if name != WIDE}
        games = [(row["participant"], row["game"], row["finished"]) for row in told["games"]]
        assert games == [("P01", 1, True), ("P01", 2, False), ("P02", 1, True)]
        assert [row["version"] for row in told["consents"]] == [1, 2, 1]
        cells = {str(cell) for found in told.values() for row in found for cell in row.values()}
        secrets = {trial.seed, *Game.objects.values_list("share_token", flat=True)}
        secrets |= {code for one in people for code in (one.code, one.browser) if code}
        secrets |= {one.player.code for one in people[:2] if one.player}
        assert not secrets & cells
        close_trial(trial=trial)  # from then on seeds are shown
    assert any(row["corrections"] for row in told["decisions"]) == (dice == "real")
    found = [(row["table"], row["column"]) for row in told["codebook"]]
    tables = Standing(trial).tables
    assert found == [(table.name, column.name) for table in tables for column in table.columns]


def test_a_game_that_ended_later_is_as_unfinished_as_it_was_then() -> None:
    participant = joined(new_trial(dice="real"))
    decided = list(play_game(participant).decisions.order_by("seq"))
    then = decided[20].created_at
    trial = participant.trial
    (game,) = table_rows(trial, "games", then)
    assert (game["finished"], game["finished_at"], game["score"]) == (False, None, None)
    made = table_rows(trial, "decisions", then)
    assert len(made) == sum(one.roll > 0 for one in decided[:21])
    assert made[-1]["decided_at"] == then
    assert not any(one["finished"] for one in made)
    (person,) = table_rows(trial, "participants", known(participant.player).created_at)
    assert (person["games_finished"], person["games_unfinished"]) == (0, 0)
    before = then - timedelta(hours=1)
    assert [
        table_rows(trial, table, before) for table in ("games", "decisions", "participants")
    ] == [
        [],
        [],
        [],
    ]


def test_without_a_table_now_the_best_choice_is_unknown_after_a_mistake(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    trial = new_trial(dice=Trial.Dice.REAL)
    play_sixes(joined(trial), SIXES)
    find_best_option.cache_clear()
    monkeypatch.setattr(decisions, "load_advisor", lambda rules: None)
    first, *_others, last = table_rows(trial, "decisions")
    find_best_option.cache_clear()
    assert (first["choice"], first["best_choice"]) == ("ones", None)
    assert (last["choice"], last["best_choice"]) == ("chance", "chance")


# The folder, on the command line and on the site


@pytest.fixture
def trial() -> Trial:
    trial = new_trial(places=2, games_each=1)
    play_game(joined(trial, 1), seed=1)
    return trial


TABLE_FILES = {f"{name}.{form}" for name in TABLES if name != WIDE for form in export_table.FORMATS}


def export(trial: Trial, folder: Path, *options: str) -> str:
    out = io.StringIO()
    call_command("trial_export", trial.slug, "--out", str(folder), *options, stdout=out)
    return out.getvalue()


def refusal(*arguments: str) -> CommandError:
    with pytest.raises(CommandError) as raised:
        call_command("trial_export", *arguments)
    return raised.value


def files(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def test_the_command_writes_everything_and_describes_it(
    trial: Trial, tmp_path: Path, advisor: Advisor
) -> None:
    out = tmp_path / "deep" / "out"
    assert str(out) in export(trial, out)
    found = files(out)
    assert found >= {*TABLE_FILES, "statistics.json", "report.html", "dataset_description.json"}
    charts = {name for name in found if name.startswith("charts/")}
    assert "charts/scores-in-tens.svg" in charts
    assert (out / "consent-1.txt").read_text().strip() == CONSENT
    statistics = json.loads((out / "statistics.json").read_text())
    assert statistics["games"]["games"] == 1
    assert statistics["versions"]["ruleset_hash"] == YATZY.hash
    assert statistics["versions"]["value_start"] == advisor.value_start
    told = json.loads((out / "dataset_description.json").read_text())
    assert told["@type"] == "Dataset"
    assert {part["name"] for part in told["hasPart"]} == found
    with (out / "decisions.csv").open(encoding="utf-8-sig") as file:
        header = [f"#decisions.{name}" for name in next(csv.reader(file))]
    variables = [one["@id"] for one in told["variableMeasured"]]
    assert [name for name in variables if name.startswith("#decisions.")] == header


def test_what_is_finished_during_an_export_is_in_none_of_its_files(
    trial: Trial, tmp_path: Path
) -> None:
    export = Export(trial)
    play_game(joined(trial, 2), seed=3)
    export.write(tmp_path)
    statistics = json.loads((tmp_path / "statistics.json").read_text())
    assert len(rows_in(tmp_path / "games.csv")) == 1 == statistics["games"]["games"]
    assert len(rows_in(tmp_path / "participants.csv")) == 1


def test_the_report_stands_alone_and_is_always_english(trial: Trial, tmp_path: Path) -> None:
    with translation.override("sv"):
        Export(trial).write(tmp_path)
    report = (tmp_path / "report.html").read_text()
    assert all(word in report for word in ("<svg", "<style>", "All games together"))
    assert not any(word in report for word in ("href=", "src=", "<script", "@import", "url("))
    assert "Scores in bands of ten" in (tmp_path / "charts/scores-in-tens.svg").read_text()


def test_without_its_package_there_is_no_parquet(
    trial: Trial, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    export(trial, tmp_path / "both")
    assert {path.suffix for path in (tmp_path / "both").glob("games.*")} == {".parquet", ".csv"}
    monkeypatch.delitem(export_table.FORMATS, "parquet")
    export(trial, tmp_path / "one")
    assert not list((tmp_path / "one").glob("*.parquet"))


def test_mistakes_on_the_command_line_are_told_apart(trial: Trial, tmp_path: Path) -> None:
    a_file = tmp_path / "a-file"
    a_file.write_text("")
    out = str(tmp_path / "out")
    for words, options in (
        ("study", ("nothing", "--out", out)),
        ("is a file", (trial.slug, "--out", str(a_file))),
        ("not empty", (trial.slug, "--out", str(tmp_path))),
    ):
        error = refusal(*options)
        assert (words in str(error), error.returncode) == (True, 2)
    assert files(tmp_path) == {"a-file"}


@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError(28, "No space left on device")])
def test_an_interruption_leaves_no_half_export(
    trial: Trial, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    def interrupted(_folder: Path) -> None:
        raise error

    monkeypatch.setattr(trial_files, "rebuild", interrupted)
    with pytest.raises((KeyboardInterrupt, CommandError)):
        export(trial, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_participant_who_withdraws_during_an_export_is_not_in_it(
    trial: Trial, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def withdrawing(_folder: Path) -> None:
        withdraw_participant(participant=Participant.objects.get(number=1))

    monkeypatch.setattr(trial_files, "rebuild", withdrawing)
    with pytest.raises(SomebodyWithdrew):
        Export(trial).write(tmp_path / "out")
    assert not (tmp_path / "out").exists()


def body(response: object) -> bytes:
    return b"".join(cast(Download, response))


def test_what_is_compressed_is_not_compressed_again(staff: Client, trial: Trial) -> None:
    ask = {"Accept-Encoding": "gzip"}
    packed = body(staff.get(f"/trials/{trial.slug}/export.zip", headers=ask))
    with ZipFile(io.BytesIO(packed)) as archive:
        assert archive.testzip() is None
        names = {name.removeprefix(f"{trial.slug}/") for name in archive.namelist()}
    assert names >= {*TABLE_FILES, "statistics.json", "report.html", "charts/scores-in-tens.svg"}
    table = staff.get(f"/trials/{trial.slug}/export/decisions.csv", headers=ask)
    name = f'attachment; filename="{trial.slug}-decisions.csv"'
    assert table["Content-Disposition"] == name
    assert table["Content-Encoding"] == "gzip"
    assert body(table).startswith(b"\x1f\x8b")


@pytest.mark.parametrize("wrong", [{"final_score": 374}, {"chips": 100}])
def test_a_game_whose_decisions_do_not_add_up_is_not_exported_as_if_they_did(
    staff: Client, trial: Trial, tmp_path: Path, wrong: dict[str, int]
) -> None:
    Game.objects.update(**wrong)
    assert "verify_game" in str(refusal(trial.slug, "--out", str(tmp_path / "out")))
    assert not (tmp_path / "out").exists()
    assert "verify_game" in staff.get(f"/trials/{trial.slug}/export.zip", follow=True).text


@pytest.mark.django_db(transaction=True)
def test_under_asgi_a_file_is_read_in_pieces(trial: Trial, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Download, "block_size", 1000)
    user = researcher_user("researcher")

    async def pieces() -> list[bytes]:
        browser = AsyncClient()
        await browser.aforce_login(user)
        response = await browser.get(f"/trials/{trial.slug}/export/decisions.csv")
        found = [part async for part in cast(AsyncIterator[bytes], response)]
        response.close()
        return found

    found = in_a_loop(pieces())
    assert len(found) > 3
    assert max(map(len, found)) <= 1000
    header = next(csv.reader(b"".join(found).decode("utf-8-sig").splitlines()))
    assert header == TABLES["decisions"].names
