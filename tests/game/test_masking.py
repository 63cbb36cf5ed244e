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
from game.trials.joining.answering import store_questions
from game.trials.joining.writing import log_departure, log_page_state, start_trial_game
from game.trials.models import Trial
from game.trials.monitor import monitor
from game.trials.results.flow import build_flow
from game.trials.results.results import calculate_results
from tests.game.plans import draft, preregister
from tests.game.table_readers import rows_in
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
    return list(trial.events.filter(kind="unmasked").values_list("detail", flat=True))


# What is masked


def test_letters_are_shuffled_by_the_secret_of_each_trial() -> None:
    trial, seen = armed(opened=False), set()
    assert not trial.masked
    assert open_trial(trial=trial).masked
    assert not armed(slug="tried", rehearsal=True).masked
    for seed in range(40):
        trial.seed = f"{seed}"
        found = assign_letters(trial)
        assert list(found.values()) == ["A", "B"]
        assert sorted(found) == [1, 2]
        seen.add(tuple(found))
    assert seen == {(1, 2), (2, 1)}


def test_the_monitor_tells_turns_and_letters_and_no_points(staff: Client) -> None:
    trial = armed()
    play(trial, 1)
    start_trial_game(participant=drawn(trial, 2))
    page = text(staff.get("/trials/study/monitor/"))
    assert not re.search("Mean score so far|>Mean<| points", page)
    row = monitor(fresh(trial)).drawn()[1]
    assert row.card == "turn 1"
    assert row.condition.split(", ")[0] in {"A", "B"}
    assert re.findall(r"<li>(\w+): ", page) == ["silent", "taught"]
    unblind_trial(trial=trial, reason="A complaint.")
    assert "Mean score so far" in text(staff.get("/trials/study/monitor/"))
    assert "points" in monitor(fresh(trial)).drawn()[1].card


@pytest.mark.parametrize("arms", [TWO, ()])
def test_the_results_are_a_flow_with_arms_and_without(
    staff: Client, arms: tuple[ArmSettings, ...]
) -> None:
    play(new_trial(arms=arms, places=2, games_each=1, masked=True), 1, 2)
    page = text(staff.get("/trials/study/results/"))
    assert 'id="blinded"' in page
    assert 'class="flow"' in page
    hidden = "Mean score|id=.phases|<figure|Skill estimate|silent|taught"
    assert not re.search(hidden, page)
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
    page = text(staff.get("/trials/study/results/"))
    flow = page[page.index('class="flow"') : page.index("A script on the page counts")]
    given_to = r"<h3>(.*?)</h3>.*?<dt>Assigned to this arm</dt><dd>(\d+)</dd>"
    shown = re.findall(given_to, flow, re.DOTALL)
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
    # What works figures out again has neither the decisions nor the figures.
    hidden = ("decisions", "arms", "charts", "report", "statistics", "rebuild", "rules")
    assert not [name for name in files if name.startswith(hidden)]
    described = json.loads(archive.read("study/dataset_description.json"))
    assert {part["name"] for part in described["hasPart"]} == files
    assert described["trial"]["masked"] is True
    assert "seed" not in described["trial"]["assignment"]
    codebook = archive.read("study/codebook.csv").decode()
    assert "shared_browser" in codebook
    assert not [name for name in BY_ARM if name in codebook]
    everything = b"".join(archive.read(name) for name in archive.namelist() if ".csv" in name)
    assert b"taught" not in everything


@pytest.mark.parametrize("name", ["masked", "public"])
@pytest.mark.parametrize("flag", ["", "maybe", None])
def test_a_column_that_does_not_say_who_may_see_it_stops_the_program(
    name: str, flag: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There is no default, whatever else the declaration says."""
    lines = rows_in(export_table.FILE)
    lines[-1][name] = flag or ""
    monkeypatch.setattr(export_table, "FILE", tmp_path / "columns.csv")
    with export_table.FILE.open("w", encoding="utf-8", newline="") as file:
        columns = [column for column in lines[0] if flag is not None or column != name]
        writer = csv.DictWriter(file, columns, extrasaction="ignore")
        writer.writeheader()
        writer.writerows(lines)
    row = f"{lines[-1]['table']}.{lines[-1]['name']}"
    fault = name if flag is None else f"{row}: wrong type or flag"
    with pytest.raises((ValueError, KeyError), match=fault):
        export_table.read_declarations.__wrapped__()


def test_masked_files_have_the_columns_that_say_so_and_no_others() -> None:
    trial = store_questions(trial=armed(), text=CHECKS)
    allowed = {
        (table, row["name"])
        for table, rows in export_table.read_declarations().items()
        for row in rows
        if row["masked"] == "yes"
    }
    asked = {("answers_wide", key) for key in ("rules", "minds.fun", "minds.check")}
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
    told = json.loads(staff.get("/trials/study/export/statistics.json").getvalue())["unmasked"]
    assert (told["reason"], told["stopping_rule"]) == ("A complaint.", "none")
    assert "A complaint." in staff.get("/trials/study/export/report.html").getvalue().decode()


# When it ends


@pytest.mark.parametrize(
    ("plan", "people", "rule"), [(None, 1, "none"), (draft, 0, "none"), (preregister, 2, "met")]
)
def test_closing_unmasks_where_no_locked_rule_waits_for_more(
    plan: Callable[..., object] | None, people: int, rule: str
) -> None:
    trial = armed(opened=False)
    if plan is not None:
        plan(trial, stopping="people", stopping_people=2)
    open_trial(trial=trial)
    play(trial, *range(1, people + 1))
    close_trial(trial=trial)
    assert not fresh(trial).masked
    assert unmaskings(trial) == [{"stopping_rule": rule}]
    words = known(calculate_results(fresh(trial)).unmasking).words
    assert ("No stopping rule had been locked" in words) == (rule == "none")


def test_closed_before_its_end_it_stays_masked_until_an_owner_says_why(staff: Client) -> None:
    trial = armed(opened=False)
    preregister(trial, stopping="people", stopping_people=2)
    open_trial(trial=trial)
    play(trial, 1)
    close_trial(trial=trial)
    assert fresh(trial).masked
    assert describe_allocation(fresh(trial))["seed"] == ""
    asked = "/trials/study/unmask"
    for sent in ({"reason": "No more money."}, {"confirm": "on"}, {"reason": " ", "confirm": "on"}):
        staff.post(asked, sent)
        assert fresh(trial).masked
    staff.post(asked, {"reason": "No more money.", "confirm": "on"})
    assert unmaskings(trial) == [{"stopping_rule": "not met", "reason": "No more money."}]
    assert "No more money." in text(staff.get("/trials/study/results/"))
    assert describe_allocation(fresh(trial))["seed"] == derive_list_seed(trial.seed)


def test_it_is_unmasked_once_and_in_no_earlier_export() -> None:
    trial, before = armed(), timezone.now()
    unblind_trial(trial=trial, reason="One.")
    assert calculate_results(fresh(trial), before).unmasking is None
    assert "unmasked" in calculate_results(fresh(trial)).facts()
    with pytest.raises(Refused):
        unblind_trial(trial=trial, reason="Two.")
    close_trial(trial=trial)
    assert unmaskings(trial) == [{"stopping_rule": "none", "reason": "One."}]
    assert not open_trial(trial=fresh(trial)).masked  # what was seen cannot be hidden again
