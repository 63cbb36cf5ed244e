"""While a trial runs nobody sees what its arms do; at its end, or by an act, everybody does."""

import csv
import io
import json
import re
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from django.test import Client
from django.utils import timezone

from game.core.refusals import Refused
from game.trials.design.masking import assign_letters, unblind_trial
from game.trials.design.phases import ArmSettings, derive_list_seed
from game.trials.design.writing import close_trial, describe_allocation, open_trial
from game.trials.exports.files import export_now
from game.trials.exports.public import NotClosed, PublicBundle
from game.trials.exports.tables import list_tables
from game.trials.files import export_table
from game.trials.files.export_table import Column, declare_table
from game.trials.joining.answering import store_questions
from game.trials.joining.presence import log_departure, log_page_state
from game.trials.joining.writing import start_trial_game
from game.trials.models import Trial, TrialEvent
from game.trials.monitor import monitor
from game.trials.results.flow import build_flow
from game.trials.results.results import calculate_results
from tests.game.plans import draft, preregister
from tests.known import known
from tests.play import Answer, score_all, text
from tests.trials import drawn, new_trial

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("yatzy_tables")]
TWO = (ArmSettings("silent"), ArmSettings("taught", coach="after"))


def armed(**settings: Any) -> Trial:
    """Two arms, four places, a game each; masked."""
    wanted: dict[str, Any] = {"places": 4, "games_each": 1, "masked": True} | settings
    return new_trial(arms=TWO, **wanted)


def play(trial: Trial, *numbers: int) -> None:
    for number in numbers:
        participant = drawn(trial, number)
        score_all(start_trial_game(participant=participant), known(participant.player))


def rows(answer: Answer) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(answer.getvalue().decode("utf-8-sig"))))


def fresh(trial: Trial) -> Trial:
    return Trial.objects.get(pk=trial.pk)


def unmaskings(trial: Trial) -> list[dict[str, Any]]:
    found = trial.events.filter(kind=TrialEvent.Kind.UNMASKED)
    return [one.detail for one in found]


# What is masked


def test_letters_are_shuffled_by_the_secret_of_each_trial() -> None:
    trial = armed()
    seen = set()
    for seed in range(40):
        trial.seed = f"{seed}"
        found = assign_letters(trial)
        assert found == assign_letters(trial)
        assert list(found.values()) == ["A", "B"]
        assert sorted(found) == [1, 2]
        seen.add(tuple(found))
    assert seen == {(1, 2), (2, 1)}


def test_a_trial_is_masked_from_its_opening_on_and_a_rehearsal_never() -> None:
    draft = armed(opened=False)
    assert not draft.masked
    assert open_trial(trial=draft).masked
    assert not armed(slug="tried", rehearsal=True).masked


def test_the_monitor_tells_turns_and_letters_and_no_points(staff: Client) -> None:
    trial = armed()
    play(trial, 1)
    start_trial_game(participant=drawn(trial, 2))
    page = text(staff.get("/trials/study/monitor/"))
    for told in ("Mean score so far", ">Mean<", " points"):
        assert told not in page
    row = monitor(fresh(trial)).drawn()[1]
    assert row.card == "turn 1"
    assert row.condition.split(", ")[0] in {"A", "B"}
    assert re.findall(r"<li>(\w+): ", page) == ["silent", "taught"]
    unblind_trial(trial=trial, reason="A complaint.")
    shown = text(staff.get("/trials/study/monitor/"))
    assert "Mean score so far" in shown
    assert "points" in monitor(fresh(trial)).drawn()[1].card


def test_the_results_are_a_flow(staff: Client) -> None:
    play(armed(), 1, 2)
    page = text(staff.get("/trials/study/results/"))
    assert 'id="blinded"' in page
    assert 'class="flow"' in page
    for told in ("Mean score", 'id="phases"', "<figure", "Skill estimate", "silent", "taught"):
        assert told not in page


def test_a_trial_without_arms_hides_its_outcomes_as_well(staff: Client) -> None:
    play(new_trial(places=2, games_each=1, masked=True), 1)
    page = text(staff.get("/trials/study/results/"))
    assert "Played all games" in page
    assert "Mean score" not in page
    assert "Mean score so far" not in text(staff.get("/trials/study/monitor/"))


@pytest.mark.parametrize("first", ["A", "B"])
def test_the_flow_has_letters_in_their_own_order(staff: Client, first: str) -> None:
    """Otherwise the order would show which arm was written down first."""
    trial = armed()
    call_first(trial, first)
    for number in (1, 2, 3):
        drawn(trial, number)
    given = list(trial.participants.values_list("arm__position", flat=True))
    wanted = [(letter, given.count(position)) for position, letter in assign_letters(trial).items()]
    assert wanted[0][1] != wanted[1][1]
    found = build_flow(trial, timezone.now())
    assert [(arm.name, arm.steps[0].people) for arm in found.arms] == wanted
    page = text(staff.get("/trials/study/results/"))
    flow = page[page.index('class="flow"') : page.index("A script on the page counts")]
    shown = re.findall(
        r"<h3>(.*?)</h3>.*?<dt>Assigned to this arm</dt><dd>(\d+)</dd>", flow, re.DOTALL
    )
    assert shown == [(letter, str(people)) for letter, people in wanted]
    unblind_trial(trial=trial, reason="A complaint.")
    unmasked = build_flow(fresh(trial), timezone.now())
    assert [arm.name for arm in unmasked.arms] == ["silent", "taught"]


def call_first(trial: Trial, letter: str) -> None:
    """Gives the trial a secret by which the arm that was written down first is this one."""
    while assign_letters(trial)[1] != letter:
        trial.seed = sha256(trial.seed.encode()).hexdigest()
    trial.save()


@pytest.mark.parametrize("first", ["A", "B"])
def test_the_flow_has_orders_of_arms_as_letters_in_their_own_order(first: str) -> None:
    trial = armed(design=Trial.Kind.WITHIN)
    call_first(trial, first)
    drawn(trial, 1)
    order = trial.participants.get(number=1).order
    played = " → ".join(assign_letters(trial)[arm + 1] for arm in order)
    found = build_flow(trial, timezone.now())
    assert [(arm.name, arm.steps[0].people) for arm in found.arms] == [
        (name, int(name == played)) for name in ("A → B", "B → A")
    ]


CHECKS = """after:
  - questions:
      - key: rules
        kind: number
        ask: How many throws?
        right: 3
      - key: minds
        kind: likert
        ask: How far do you agree?
        labels: [no, yes]
        rows: {fun: It was fun., check: Choose 2.}
        attention: {check: 2}
"""


# The files

BY_ARM = ("seconds_a_decision", "hidden_share", "expert_chance")


def described_parts(archive: ZipFile) -> list[dict[str, str]]:
    found = json.loads(archive.read("study/dataset_description.json"))["hasPart"]
    return list(found)


def test_nothing_is_published_of_a_trial_that_was_closed_and_stays_masked(
    staff: Client, tmp_path: Path
) -> None:
    trial = armed(opened=False)
    preregister(trial)
    open_trial(trial=trial)
    play(trial, 1)
    close_trial(trial=trial)
    assert fresh(trial).masked
    assert "public.zip" not in text(staff.get("/trials/study/publish/"))
    refused = staff.get("/trials/study/public.zip", follow=True)
    assert "closed and unblinded" in text(refused)
    with pytest.raises(NotClosed):
        PublicBundle(export_now(fresh(trial))).write(tmp_path / "public")
    unblind_trial(trial=trial, reason="A complaint.")
    assert "public.zip" in text(staff.get("/trials/study/publish/"))
    PublicBundle(export_now(fresh(trial))).write(tmp_path / "public")


def test_the_files_have_letters_and_no_outcome(staff: Client) -> None:
    trial = armed()
    play(trial, 1, 2)
    called, names = assign_letters(trial), dict(trial.arms.values_list("name", "position"))
    told = rows(staff.get("/trials/study/export/participants.csv"))
    for row in told:
        arm = known(trial.participants.get(number=int(row["participant"][1:])).arm)
        assert row["arm"] == called[names[arm.name]] == row["arm_order"]
        assert not {"games_planned", "drill_attempts", *BY_ARM} & row.keys()
    (game, *_) = rows(staff.get("/trials/study/export/games.csv"))
    assert list(game) == ["participant", "game", "game_id", "phase", "finished"]
    for name in ("decisions.csv", "arms.csv", "report.html", "statistics.json"):
        assert staff.get(f"/trials/study/export/{name}").status_code == 404
        assert f"export/{name}" not in text(staff.get("/trials/study/results/"))
    archive = ZipFile(io.BytesIO(staff.get("/trials/study/export.zip").getvalue()))
    files = {name.partition("/")[2] for name in archive.namelist()}
    assert not [name for name in files if name.startswith(("decisions", "arms", "charts"))]
    assert not {"report.html", "statistics.json"} & files
    # What works figures out again has neither the decisions nor the figures.
    assert not {"rebuild.py", "rebuild.txt", "rules.json"} & files
    assert {part["name"] for part in described_parts(archive)} == files
    described = json.loads(archive.read("study/dataset_description.json"))
    assert described["trial"]["masked"] is True
    assert "seed" not in described["trial"]["assignment"]
    codebook = archive.read("study/codebook.csv").decode()
    assert "shared_browser" in codebook
    assert not [name for name in BY_ARM if name in codebook]
    everything = b"".join(archive.read(name) for name in archive.namelist() if ".csv" in name)
    assert b"taught" not in everything


@pytest.mark.parametrize("name", ["masked", "public"])
@pytest.mark.parametrize("said", ["", "maybe", None])
def test_a_column_that_does_not_say_who_may_see_it_stops_the_program(
    name: str, said: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There is no default, whatever else the declaration says."""
    with export_table.FILE.open(encoding="utf-8", newline="") as file:
        lines = list(csv.DictReader(file))
    assert export_table.read_declarations()  # whole, as it is
    columns = [column for column in lines[0] if said is not None or column != name]
    lines[-1][name] = said or ""
    monkeypatch.setattr(export_table, "FILE", tmp_path / "columns.csv")
    with export_table.FILE.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, columns, extrasaction="ignore")
        writer.writeheader()
        writer.writerows(lines)
    row = f"{lines[-1]['table']}.{lines[-1]['name']}"
    told = name if said is None else f"{row}: wrong type or flag"
    with pytest.raises((ValueError, KeyError), match=told):
        export_table.read_declarations.__wrapped__()


def test_a_column_in_code_says_who_may_see_it() -> None:
    with pytest.raises(TypeError, match="masked"):
        Column("regret", "number", "What it cost.", float, public=True)  # type: ignore[call-arg]
    with pytest.raises(ValueError, match="declare different columns of games"):
        declare_table("games", "One row per game.", {"regret": float})


def test_masked_files_have_the_columns_that_say_so_and_no_others() -> None:
    trial = store_questions(trial=armed(), text=CHECKS)
    allowed = {
        (table, row["name"])
        for table, rows in export_table.read_declarations().items()
        for row in rows
        if row["masked"] == "yes"
    }
    asked = {
        ("answers_wide", "rules"),
        ("answers_wide", "minds.fun"),
        ("answers_wide", "minds.check"),
    }
    masked = [(table.name, name) for table in list_tables(trial) for name in table.names]
    assert set(masked) == allowed | asked
    assert not {"arms", "decisions"} & {table for table, _name in masked}


def test_hidden_pages_are_in_no_masked_file(staff: Client) -> None:
    trial = armed()
    one = drawn(trial, 1)
    for state in ("hidden", "shown"):
        log_page_state(participant=one, state=state)
    log_departure(participant=one)
    address = "/trials/study/export/events.csv"
    masked = [row["event"] for row in rows(staff.get(address))]
    assert masked == ["opened", "left"]
    unblind_trial(trial=trial, reason="A complaint.")
    unmasked = [row["event"] for row in rows(staff.get(address))]
    assert unmasked == ["opened", "hidden", "shown", "left", "unmasked"]


def test_unmasked_the_files_are_whole(staff: Client) -> None:
    trial = armed()
    play(trial, 1)
    unblind_trial(trial=trial, reason="A complaint.")
    names = {table.name for table in list_tables(fresh(trial))}
    assert {"arms", "decisions", "games"} <= names
    (row,) = rows(staff.get("/trials/study/export/participants.csv"))
    assert row["arm"] in {"silent", "taught"}
    assert "expert_chance" in row
    told = json.loads(staff.get("/trials/study/export/statistics.json").getvalue())
    assert told["unmasked"]["reason"] == "A complaint."
    assert told["unmasked"]["stopping_rule"] == "none"
    assert "A complaint." in staff.get("/trials/study/export/report.html").getvalue().decode()


# When it ends


@pytest.mark.parametrize(
    ("plan", "people", "rule", "words"),
    [
        (None, 1, "none", "when the trial was closed. No stopping rule had been locked."),
        (draft, 0, "none", "when the trial was closed. No stopping rule had been locked."),
        (preregister, 2, "met", "as its preregistration says"),
    ],
)
def test_closing_unmasks_where_no_locked_rule_waits_for_more(
    plan: Callable[..., object] | None, people: int, rule: str, words: str
) -> None:
    trial = armed(opened=False)
    if plan is not None:
        plan(trial, stopping="people", stopping_people=2)
    open_trial(trial=trial)
    play(trial, *range(1, people + 1))
    close_trial(trial=trial)
    assert not fresh(trial).masked
    assert unmaskings(trial) == [{"stopping_rule": rule}]
    assert words in known(calculate_results(fresh(trial)).unmasking).words


def test_closed_before_its_end_it_stays_masked_until_an_owner_says_why(staff: Client) -> None:
    trial = armed(opened=False)
    preregister(trial, stopping="people", stopping_people=2)
    open_trial(trial=trial)
    play(trial, 1)
    close_trial(trial=trial)
    assert fresh(trial).masked
    assert describe_allocation(fresh(trial))["seed"] == ""
    assert 'data-trial="closed"' in text(staff.get("/trials/study/results/"))
    asked = "/trials/study/unmask"
    for sent in ({"reason": "No more money."}, {"confirm": "on"}, {"reason": " ", "confirm": "on"}):
        staff.post(asked, sent)
        assert fresh(trial).masked
    staff.post(asked, {"reason": "No more money.", "confirm": "on"})
    assert unmaskings(trial) == [{"stopping_rule": "not met", "reason": "No more money."}]
    page = text(staff.get("/trials/study/results/"))
    assert "The reason: No more money." in page
    assert describe_allocation(fresh(trial))["seed"] == derive_list_seed(trial.seed)


def test_it_is_unmasked_once() -> None:
    trial = armed()
    unblind_trial(trial=trial, reason="One.")
    with pytest.raises(Refused):
        unblind_trial(trial=trial, reason="Two.")
    close_trial(trial=trial)
    assert unmaskings(trial) == [{"stopping_rule": "none", "reason": "One."}]
    assert not open_trial(trial=fresh(trial)).masked  # what was seen cannot be hidden again


def test_what_was_unmasked_later_is_in_no_earlier_export() -> None:
    trial = armed()
    play(trial, 1)
    before = timezone.now()
    unblind_trial(trial=trial, reason="One.")
    assert calculate_results(fresh(trial), before).unmasking is None
    assert "unmasked" in calculate_results(fresh(trial)).facts()
