"""A trial's files for everybody: all that was played, and nothing by which anybody is found."""

import io
import json
import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from statistics import fmean
from typing import Any, cast
from zipfile import ZipFile

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from game.models import Decision, Game, Player
from game.trials.design.masking import unblind_trial
from game.trials.design.people import log_event
from game.trials.design.writing import close_trial, open_trial
from game.trials.exports.description import format_citation, format_licence
from game.trials.exports.files import Export
from game.trials.exports.public import NotClosed, PublicBundle, round_time
from game.trials.exports.tables import Standing
from game.trials.files.export_table import Download
from game.trials.models import Answer, Arrival, Participant, Publication, Trial, TrialEvent
from tests.game.questions import asking
from tests.game.table_readers import rows_in
from tests.game.trial_games import play_game
from tests.known import known
from tests.selection import examples
from tests.trials import fresh, joined, new_trial, place_game, preregister

pytestmark = [
    pytest.mark.needs("game.trials"),
    pytest.mark.django_db,
    pytest.mark.usefixtures("yatzy_tables", "no_script"),
]
MONDAY = datetime(2026, 5, 4, 9, tzinfo=UTC)
DAY = 24 * 60 * 60
PEOPLE, TRIALS = 12, 30  # with a change fewer


@pytest.fixture(scope="module")
def played(module_db: None, yatzy_tables: None) -> Trial:
    """Two people who have played a game each; nobody can play on."""
    trial = new_trial(slug="my-study")
    for number in (1, 2):
        play_game(joined(trial, number), seed=number)
    return close_trial(trial=trial)


@pytest.fixture
def trial(played: Trial) -> Trial:
    return fresh(played)


def bundle(trial: Trial, folder: Path) -> Path:
    trial.refresh_from_db()
    PublicBundle(trial).write(folder)
    return folder


def texts(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): path.read_text(encoding="utf-8-sig")
        for path in folder.rglob("*")
        if path.is_file()
    }


def rows(folder: Path, table: str) -> list[dict[str, str]]:
    (path,) = folder.glob(f"data/*_description-{table}_data.csv")
    return rows_in(path)


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
    lines = rows_in(tmp_path / "codebook.csv")
    games = [line["column"] for line in lines if line["table"] == "games"]
    assert games == list(rows(tmp_path, "games")[0])


def test_nothing_in_it_leads_to_a_person(trial: Trial, tmp_path: Path) -> None:
    first = trial.participants.get(number=1)
    Arrival.objects.create(trial=trial, participant=first, label="PANEL-7", at=MONDAY)
    for kind in ("hidden", "code_refused", "link_issued"):
        log_event(trial, TrialEvent.Kind(kind), first)
    told = "\n".join(texts(bundle(trial, tmp_path)).values())
    assert [row["event"] for row in rows(tmp_path, "events")] == ["hidden"]
    secrets = {trial.seed, "PANEL-7"}
    for person in trial.participants.exclude(player=None).select_related("player"):
        secrets |= {person.code, known(person.player).code, person.label}
    for game in Game.objects.all():
        secrets |= {game.pk, game.seed, game.commitment, game.share_token}
    assert not [one for one in secrets if one and one in told]
    assert not re.search(r"20[23]\d-", told), "a date"


def test_games_and_decisions_are_all_there_under_other_names(trial: Trial, tmp_path: Path) -> None:
    bundle(trial, tmp_path)
    people = [row["participant"] for row in rows(tmp_path, "participants")]
    told = {row["participant"]: int(row["score"]) for row in rows(tmp_path, "games")}
    assert sorted(people) == sorted(told) == ["S01", "S02"]
    scores = Game.objects.values_list("final_score", flat=True)
    assert sorted(told.values()) == sorted(map(known, scores))
    decided = Decision.objects.filter(roll__gt=0).count()
    assert len(rows(tmp_path, "decisions")) == decided
    figures = json.loads((tmp_path / "statistics.json").read_text())["games"]["people"]
    assert {one["participant"]: one["mean"] for one in figures} == told


def test_a_time_is_exact_on_the_first_day_and_rounded_afterwards() -> None:
    hour = DAY / 24
    rounded = {-1: 0, 61.9: 61, DAY - 1: DAY - 1, DAY: DAY, 47 * hour: DAY, 167 * hour: 3 * DAY}
    rounded |= {800 * DAY: 365 * DAY}
    assert {n: round_time(timedelta(seconds=n)) for n in rounded} == rounded


def test_figures_of_people_come_in_the_order_of_their_new_names(
    trial: Trial, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [{"participant": "P01", "mean": 1.5}, {"participant": "P02", "mean": 2.5}]
    lock = {"left_out": [{"rule": "hasty", "people": ["P01", "P02"]}], "changed_since": ["title"]}
    figures = {"games": {"people": rows}, "lock": lock, "unmasked": {"at": "now"}}
    monkeypatch.setattr(Export, "figures", lambda _export: figures)
    names = {"P01": ("S02", MONDAY), "P02": ("S01", MONDAY)}
    monkeypatch.setattr(PublicBundle, "people", names)
    people = [{"participant": "S01", "mean": 2.5}, {"participant": "S02", "mean": 1.5}]
    left_out = [{"rule": "hasty", "people": ["S01", "S02"]}]
    assert PublicBundle(trial).figures() == {
        "games": {"people": people},
        "lock": {"left_out": left_out},
    }


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
            facts = {"key": key, "value": value, "moment": "before", "state": "answered"}
            person = joined(trial, number)
            Answer.objects.create(participant=person, at=MONDAY, page_finished=True, **facts)
    return close_trial(trial=trial)


def test_ages_are_bands_and_free_texts_stay_private(answered: Trial, tmp_path: Path) -> None:
    Answer.objects.create(  # its question is gone, so it is a free text
        participant=answered.participants.get(number=1), key="weight", value="80 kg",
        moment="before", state="answered", at=MONDAY, page_finished=True,
    )  # fmt: skip
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
        ("weight", "", ""),
    }
    assert "Ada" not in "\n".join(texts(tmp_path).values())


# Somebody who knows when each label came, and would know whose row is whose.


def arrived(number: int) -> Trial:
    random, at = Random(number), MONDAY
    trial = new_trial(slug=f"made-up-{number}", places=PEOPLE, games_each=2)
    Trial.objects.filter(pk=trial.pk).update(seed=f"{number:064x}")
    for place in range(1, PEOPLE + 1):
        at += timedelta(minutes=random.expovariate(1 / 300))
        person = joined(trial, place)
        Player.objects.filter(participant=person).update(created_at=at)
        Participant.objects.filter(pk=person.pk).update(consented_at=at, answered_at=at)
        Arrival.objects.create(trial=trial, participant=person, label=f"L{place}", at=at)
        began = at
        for game in (1, 2):
            began += timedelta(minutes=random.expovariate(1 / 900))
            place_game(person, game, seed=random.randbytes(32).hex(), started_at=began)
    trial.refresh_from_db()
    return close_trial(trial=trial)


def count_hits(standing: Standing, truth: Sequence[str]) -> dict[str, int]:
    """Count whom each way of ordering a table puts at the place at which they came."""
    hits = {}
    for table in standing.tables:
        if "participant" not in table.names:
            continue
        found = [dict(zip(table.names, row, strict=True)) for row in standing.rows(table)]
        found = [row for row in found if row["participant"] is not None]
        for column in found[0] if found else ():
            order = sorted(found, key=lambda row: (row[column] is not None, row[column] or 0))
            guess = dict.fromkeys(row["participant"] for row in order)
            pairs = zip(guess, truth, strict=False)
            hits[f"{table.name}.{column}"] = sum(one == true for one, true in pairs)
    return hits


def test_knowing_when_each_label_came_is_no_better_than_chance(settings: Any) -> None:
    """Guessing at random finds one person a trial, whatever their number, give or take one."""
    settings.SECRET_KEY = "made up"  # so that every run draws the same
    found: dict[str, list[int]] = {}
    trials = examples(TRIALS)
    for number in range(trials):
        trial = arrived(number)
        public = PublicBundle(trial)
        came = trial.participants.order_by("arrival__at")
        truth = [public.people[one.label][0] for one in came]
        for way, hits in count_hits(public, truth).items():
            found.setdefault(way, []).append(hits)
    assert {"participants.participant", "games.started_at"} <= set(found)
    assert max(fmean(hits) for hits in found.values()) < 1 + 4 / trials**0.5


def test_the_same_knowledge_finds_everybody_in_the_trials_own_tables() -> None:
    trial = arrived(0)
    truth = [one.label for one in trial.participants.order_by("arrival__at")]
    hits = count_hits(Standing(trial), truth)
    assert hits["participants.consented_at"] == hits["games.participant"] == PEOPLE


# The page and the command


def test_creators_and_licence_are_kept(staff: Client) -> None:
    trial = new_trial()
    of = Publication(trial=trial)
    assert format_licence(of).startswith("CC0-1.0\n")
    assert '  - name: "its creators"' in format_citation(of)
    sent = {"creators": "Lovelace, Ada\n\nThe Lab", "licence": "CC-BY-4.0"}
    for more in ({}, {}, {"licence": "mine"}):
        staff.post(f"/trials/{trial.slug}/publish/", sent | more)
    of = Publication.objects.get(trial=trial)
    assert (of.authors, of.licence) == (["Lovelace, Ada", "The Lab"], "CC-BY-4.0")
    cited, licence = format_citation(of), format_licence(of)
    assert 'family-names: "Lovelace"\n    given-names: "Ada"' in cited
    assert '- name: "The Lab"' in cited
    assert "license: CC-BY-4.0" in cited
    assert "by Ada Lovelace; The Lab is licensed" in licence
    assert "https://creativecommons.org/licenses/by/4.0/legalcode" in licence


def test_page_and_command_write_every_file_once_the_trial_is_closed_and_unblinded(
    staff: Client, tmp_path: Path
) -> None:
    trial, out = new_trial(opened=False, masked=True), tmp_path / "out"
    preregister(trial)
    for act in (open_trial, close_trial):
        trial = act(trial=trial)
        assert "public.zip" not in staff.get("/trials/study/publish/").text
        refused = staff.get("/trials/study/public.zip", follow=True)
        assert "closed and unblinded" in refused.text
        with pytest.raises(CommandError, match="closed and unblinded"):
            call_command("trial_export", trial.slug, "--out", str(out), "--public")
        with pytest.raises(NotClosed):
            bundle(trial, out)
        assert not out.exists()
        if trial.is_open:
            joined(trial)  # for whom the locked rule waits
    unblind_trial(trial=trial, reason="A complaint.")
    assert "public.zip" in staff.get("/trials/study/publish/").text
    call_command("trial_export", trial.slug, "--out", str(out), "--public")
    response = staff.get("/trials/study/public.zip")
    with ZipFile(io.BytesIO(b"".join(cast(Download, response)))) as archive:
        names = {name.removeprefix("study-public/") for name in archive.namelist()}
        described = json.loads(archive.read("study-public/dataset_description.json"))
    assert {part["name"] for part in described["hasPart"]} == names == set(texts(out))
    assert {"LICENSE", "CITATION.cff", "README.md"} <= names
