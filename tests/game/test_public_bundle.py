"""What of a trial goes to everybody: all that was played, and nothing by which anybody is found."""

import csv
import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from statistics import fmean
from typing import Any

import pytest

from game.models import Game
from game.trials.design.people import log_event
from game.trials.design.writing import close_trial
from game.trials.exports.files import export_now
from game.trials.exports.public import DAY, NotClosed, Pseudonyms, PublicBundle, rename_people
from game.trials.exports.tables import Standing
from game.trials.files.export_table import CODEBOOK, AnyTable, Cell, Row
from game.trials.models import Answer, Arrival, Participant, Trial, TrialEvent
from tests.game.questions import asking
from tests.game.trial_moves import play_game
from tests.selection import examples
from tests.trials import joined, new_trial, place_game

pytestmark = [
    pytest.mark.needs("game.trials"),
    pytest.mark.django_db,
    pytest.mark.usefixtures("yatzy_tables"),
]
MONDAY = datetime(2026, 5, 4, 9, tzinfo=UTC)
Named = dict[str, Cell]
PEOPLE, TRIALS = 12, 30  # with a change fewer


@pytest.fixture
def trial() -> Trial:
    """Two people who have played a game each; nobody can play on."""
    trial = new_trial(slug="my-study")
    for number in (1, 2):
        play_game(joined(trial, number), seed=number)
    return close_trial(trial=trial)


def bundle(trial: Trial, folder: Path) -> Path:
    trial.refresh_from_db()
    PublicBundle(export_now(trial)).write(folder)
    return folder


def texts(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): path.read_text(encoding="utf-8-sig")
        for path in folder.rglob("*")
        if path.is_file()
    }


def rows(folder: Path, table: str) -> list[dict[str, str]]:
    (path,) = folder.glob(f"data/*_description-{table}_data.csv")
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def test_files_for_everybody_are_of_a_closed_trial(tmp_path: Path) -> None:
    with pytest.raises(NotClosed):
        bundle(new_trial(), tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_the_folder_is_laid_out_as_psych_ds_asks(trial: Trial, tmp_path: Path) -> None:
    found = texts(bundle(trial, tmp_path))
    assert {name for name in found if name.startswith("data/")} == {
        f"data/study-mystudy_description-{name}_data.csv"
        for name in ("participants", "arms", "answers", "events", "games", "decisions")
    }
    told = json.loads(found["dataset_description.json"])
    assert (told["@context"], told["@type"]) == ("https://schema.org/", "Dataset")
    assert {part["name"] for part in told["hasPart"]} == set(found)
    columns = {one["name"] for one in told["variableMeasured"]}
    for name in (name for name in found if name.endswith(".csv")):
        assert set(found[name].splitlines()[0].split(",")) <= columns


def test_nothing_in_it_leads_to_a_person(trial: Trial, tmp_path: Path) -> None:
    Arrival.objects.create(
        trial=trial, participant=trial.participants.get(number=1), label="PANEL-7", at=MONDAY
    )
    told = "\n".join(texts(bundle(trial, tmp_path)).values())
    for person in trial.participants.exclude(player=None).select_related("player"):
        assert person.player is not None
        secrets = {person.code, person.player.code, person.label, "PANEL-7"}
        assert not [one for one in secrets if one and one in told]
    for game in Game.objects.all():
        secrets = {game.pk, game.seed, game.commitment, game.share_token}
        assert not [one for one in secrets if one in told]
    assert trial.seed not in told
    years = {str(year) for year in range(2020, 2040)}
    dated = [line for line in told.splitlines() if any(f"{year}-" in line for year in years)]
    assert dated == []


def test_games_and_decisions_are_all_there_under_other_names(trial: Trial, tmp_path: Path) -> None:
    bundle(trial, tmp_path)
    names = {row["participant"] for row in rows(tmp_path, "participants")}
    assert names == {"S01", "S02"}
    scores = sorted(int(row["score"]) for row in rows(tmp_path, "games"))
    assert scores == sorted(game.final_score or 0 for game in Game.objects.all())
    assert len(rows(tmp_path, "decisions")) == sum(
        one.decisions.filter(roll__gt=0).count() for one in Game.objects.all()
    )
    people = json.loads((tmp_path / "statistics.json").read_text())["games"]["people"]
    told = {row["participant"]: int(row["score"]) for row in rows(tmp_path, "games")}
    assert {one["participant"]: one["mean"] for one in people} == told
    assert [one["participant"] for one in people] == ["S01", "S02"]


def test_the_codebook_has_every_column_of_these_tables_and_no_other(
    trial: Trial, tmp_path: Path
) -> None:
    bundle(trial, tmp_path)
    with (tmp_path / "codebook.csv").open(encoding="utf-8-sig", newline="") as file:
        lines = list(csv.DictReader(file))
    games = [line["column"] for line in lines if line["table"] == "games"]
    assert games == list(rows(tmp_path, "games")[0])


def test_a_time_is_told_to_the_second_on_the_first_day_and_then_about() -> None:
    who = Pseudonyms({1: 1}, {1: MONDAY})
    told = {
        timedelta(seconds=-1): 0,
        timedelta(seconds=61.9): 61,
        timedelta(days=1, seconds=-1): DAY - 1,
        timedelta(days=1): DAY,
        timedelta(days=1, hours=23): DAY,
        timedelta(days=6, hours=23): 3 * DAY,
        timedelta(days=800): 365 * DAY,
    }
    assert {after: who.since(1, MONDAY + after) for after in told} == told
    assert who.since(1, None) is None


def test_figures_of_people_come_in_the_order_of_their_new_names() -> None:
    names = {"P01": "S02", "P02": "S01"}
    rows = [{"participant": "P01", "mean": 1.5}, {"participant": "P02", "mean": 2.5}]
    told = {"people": rows, "left_out": ["P01", "P02"], "tens": [3, 2], "unmasked": {"at": "now"}}
    assert rename_people(told, names) == {
        "people": [{"participant": "S01", "mean": 2.5}, {"participant": "S02", "mean": 1.5}],
        "left_out": ["S01", "S02"],
        "tens": [3, 2],
    }


def test_of_what_happened_only_the_page_and_the_device_are_told(
    trial: Trial, tmp_path: Path
) -> None:
    person = trial.participants.get(number=1)
    for kind in ("hidden", "code_refused", "link_issued"):
        log_event(trial, TrialEvent.Kind(kind), person)
    bundle(trial, tmp_path)
    assert [row["event"] for row in rows(tmp_path, "events")] == ["hidden"]


FILE = """\
before:
  - questions:
      - {key: age, kind: number, ask: Age?, age: yes}
      - {key: height, kind: number, ask: Height?}
      - {key: note, kind: text, ask: Note?}
"""


@pytest.fixture
def answered() -> Trial:
    trial = asking(FILE)
    for number, (age, text) in enumerate([("34", "I am Ada"), ("35", "Fine")], start=1):
        for key, value in {"age": age, "height": "180", "note": text}.items():
            Answer.objects.create(
                participant=joined(trial, number),
                key=key,
                moment="before",
                value=value,
                state="answered",
                at=MONDAY,
                page_finished=True,
            )
    return close_trial(trial=trial)


def test_ages_are_bands_and_free_texts_stay_private(answered: Trial, tmp_path: Path) -> None:
    bundle(answered, tmp_path)
    wide = rows(tmp_path, "answerswide")
    told = {(row["age"], row["height"], row["note"]) for row in wide}
    assert told == {("30-34", "180", ""), ("35-39", "180", "")}
    long = {(row["key"], row["value"], row["number"]) for row in rows(tmp_path, "answers")}
    assert long == {
        ("age", "30-34", ""),
        ("age", "35-39", ""),
        ("height", "180", "180.0"),
        ("note", "", ""),
    }
    assert "Ada" not in "\n".join(texts(tmp_path).values())
    assert set(Answer.objects.filter(key="age").values_list("value", flat=True)) == {"34", "35"}


def test_an_answer_whose_question_is_gone_is_a_free_text(answered: Trial, tmp_path: Path) -> None:
    Answer.objects.filter(key="height").update(key="weight")
    bundle(answered, tmp_path)
    told = [row["value"] for row in rows(tmp_path, "answers") if row["key"] == "weight"]
    assert told == ["", ""]


# Somebody who knows when each label came, and would know whose row is whose.


def arrived(number: int) -> Trial:
    random = Random(number)
    trial = new_trial(slug=f"made-up-{number}", places=PEOPLE, games_each=2)
    Trial.objects.filter(pk=trial.pk).update(seed=f"{number:064x}")
    at = MONDAY
    for place in range(1, PEOPLE + 1):
        at += timedelta(minutes=random.expovariate(1 / 300))
        _came(joined(trial, place), at, random)
    trial.refresh_from_db()
    return close_trial(trial=trial)


def _came(person: Participant, at: datetime, random: Random) -> None:
    assert person.player is not None
    type(person.player).objects.filter(pk=person.player.pk).update(created_at=at)
    Participant.objects.filter(pk=person.pk).update(consented_at=at, answered_at=at)
    Arrival.objects.create(trial=person.trial, participant=person, label=f"L{person.number}", at=at)
    for game in (1, 2):
        at += timedelta(minutes=random.expovariate(1 / 900))
        place_game(person, game, seed=random.randbytes(32).hex(), started_at=at)


def _in_order_of(column: str, found: Sequence[Named]) -> list[Cell]:
    told = sorted(found, key=lambda row: (row[column] is not None, row[column] or 0))
    return list(dict.fromkeys(row["participant"] for row in told))


def _hits(tables: Mapping[str, list[Named]], truth: Sequence[str]) -> dict[str, int]:
    """Count whom each way of ordering a table puts at the place at which they came."""
    hits = {}
    for name, found in tables.items():
        for column in found[0] if found else ():
            guess = _in_order_of(column, found)
            hits[f"{name}.{column}"] = sum(
                one == true for one, true in zip(guess, truth, strict=False)
            )
    return hits


def _tables(standing: Standing) -> dict[str, list[Named]]:
    return {
        table.name: _named(table, list(standing.rows(table)))
        for table in standing.tables
        if table is not CODEBOOK and "participant" in table.names
    }


def _named(table: AnyTable, found: list[Row]) -> list[Named]:
    told = [dict(zip(table.names, row, strict=True)) for row in found]
    return [row for row in told if row["participant"] is not None]


def test_whoever_knows_when_each_label_came_does_no_better_than_chance(settings: Any) -> None:
    """Guessing at random finds one person a trial, whatever their number, give or take one."""
    settings.SECRET_KEY = "made up"  # so that every run draws the same
    found: dict[str, list[int]] = {}
    trials = examples(TRIALS)
    for number in range(trials):
        trial = arrived(number)
        public = PublicBundle(export_now(trial))
        came = trial.participants.order_by("arrival__at")
        truth = [public.who.by_label[one.label] for one in came]
        for way, hits in _hits(_tables(public.standing), truth).items():
            found.setdefault(way, []).append(hits)
    assert {"participants.participant", "games.started_at"} <= set(found)
    assert max(fmean(hits) for hits in found.values()) < 1 + 4 / trials**0.5


def test_the_same_knowledge_finds_everybody_in_the_trials_own_tables() -> None:
    trial = arrived(0)
    truth = [one.label for one in trial.participants.order_by("arrival__at")]
    hits = _hits(_tables(Standing(trial, export_now(trial).at)), truth)
    assert hits["participants.consented_at"] == hits["games.participant"] == PEOPLE
