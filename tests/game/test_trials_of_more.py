"""Trials by rules of six dice and of saved throws: designed, played, told and exported."""

import io
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client

from game.core.playing import fill_box, hold_dice
from game.core.words import labels
from game.core.worth import tables
from game.core.worth.tables import require_advisor
from game.models import Game
from game.trials.design.phases import ArmSettings
from game.trials.exports.files import Export
from game.trials.joining.writing import start_trial_game
from game.trials.models import Trial
from game.trials.results.results import calculate_results
from solver.advice import advisor
from solver.advice.moments import Evaluation, LargeWorth
from solver.players.base import PlayerEntry
from solver.rules import PLAYED, Ruleset
from solver.rules.rulesets import NO_LIMIT
from tests.conftest import solved
from tests.game.export_reference import every_fault
from tests.game.test_rebuild import run
from tests.game.trial_games import play_all, play_game
from tests.known import known
from tests.solver.made_up import SIX_DICE, TWO_DICE
from tests.trials import drawn, joined, new_trial, table_rows

pytestmark = pytest.mark.django_db
SAVED = replace(TWO_DICE, id="two-dice-saved", title="Two dice, saved throws", stock=NO_LIMIT)
FEW_SAVED = replace(SAVED, id="two-dice-few-saved", title="Two dice, one saved throw", stock=1)
MORE = pytest.mark.parametrize("rules", [SAVED, SIX_DICE], ids=lambda rules: rules.id)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("tables")


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """Rulesets that are solved in a moment are played here; each is solved once."""
    monkeypatch.setenv("YATZY_TABLES", str(folder))
    for rules in (TWO_DICE, SAVED, FEW_SAVED, SIX_DICE):
        monkeypatch.setitem(PLAYED, rules.id, rules)
        monkeypatch.setitem(labels.RULES, rules.id, rules.title)
    usual, others = PlayerEntry.plays, {"optimal", "greedy"}
    monkeypatch.setattr(
        PlayerEntry, "plays", lambda one, rules: usual(one, rules) or one.id in others
    )


def of(rules: Ruleset, **settings: Any) -> Trial:
    solved(rules)
    return new_trial(slug=rules.id, ruleset=rules.id, **settings)


def page(client: Client, address: str) -> str:
    response = client.get(address)
    assert response.status_code == 200, address
    return response.text


def decisions_of(trial: Trial) -> list[dict[str, Any]]:
    return table_rows(trial, "decisions")


# Designed


def test_an_arm_may_save_throws_where_the_others_do_not() -> None:
    for rules in (TWO_DICE, SAVED):
        solved(rules)
    arms = (ArmSettings("usual"), ArmSettings("saved", ruleset=SAVED.id))
    trial = new_trial(slug="two", ruleset=TWO_DICE.id, arms=arms, places=4, games_each=1)
    for number in range(1, 5):
        play_game(drawn(trial, number), seed=number, turns=1)
    stocks = {row["ruleset"]: row["stock"] is None for row in decisions_of(trial)}
    assert stocks == {TWO_DICE.id: True, SAVED.id: False}


# Played


@pytest.mark.sampled("rules")
@MORE
def test_bots_take_part_by_the_pages(rules: Ruleset, tmp_path: Path) -> None:
    solved(rules)
    said = io.StringIO()
    options = "--participants=2 --games=1 --arms=coach=off,coach=live --dice=real"
    options += f" --ruleset={rules.id} --verbosity=0 --out={tmp_path / 'out'}"
    call_command("trial_rehearse", *options.split(), stdout=said)
    assert "Every figure was rebuilt and agrees." in said.getvalue()
    assert "0 do not agree" in (tmp_path / "out" / "rebuild.txt").read_text()
    assert {game.rules for game in Game.objects.all()} == {rules}


def test_a_participant_spends_what_was_saved() -> None:
    """The turn is the second; the last throw is not decided on yet."""
    trial = of(SAVED, questionnaire=False, games_each=1)
    participant = joined(trial)
    played = start_trial_game(participant=participant)
    player, game = participant.player, played.game
    played = hold_dice(game_id=game.pk, player=player, seq=0, slots=0)
    played = fill_box(game_id=game.pk, player=player, seq=1, category="chance")
    for seq in range(2, 7):
        played = hold_dice(game_id=game.pk, player=player, seq=seq, slots=0)
    assert (played.state.throws_made, played.state.throws_left) == (5, 0)
    told = [(row["throws_left"], row["stock"]) for row in decisions_of(trial)]
    assert told == [(2, 0), (4, 2), (3, 2), (2, 2), (1, 1)]


# Told


def test_a_mean_score_is_compared_with_the_spread_that_the_report_has(
    staff: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    trial, worth = of(SAVED), LargeWorth(Evaluation(20.0, 4.25, 0.5, 100), 1.0)
    play_all(trial, require_advisor(SAVED))
    names = [line.name for line in calculate_results(trial).comparison]
    assert names == [trial.title, "Perfect play"]  # what is never calculated is not awaited
    assert 'class="waiting"' not in page(staff, f"/trials/{trial.slug}/results/")
    monkeypatch.setattr(advisor, "read_stored_worth", {SAVED: worth}.get)
    found = calculate_results(trial)
    assert found.conditions.deviation == 4.25
    assert [line.deviation for line in found.comparison][1] == "4.25"
    assert known(found.games.against_perfect).degrees is None


def test_a_researcher_is_told_to_wait_for_the_table_and_it_is_made(
    staff: Client, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A table is calculated when somebody asks for it, and making a trial asks for it."""
    monkeypatch.setenv("YATZY_TABLES", str(tmp_path))
    monkeypatch.setattr(tables, "_known", {})
    arms = (ArmSettings("usual", ruleset=SAVED.id), ArmSettings("six", ruleset=SIX_DICE.id))
    trial = new_trial(slug="soon", ruleset=SAVED.id, arms=arms, opened=False)
    told = page(staff, "/trials/soon/open/")
    assert told.count("Let people begin after that") == 2
    assert {name for name, one in tables._known.items() if one.asked} == {SAVED.id, SIX_DICE.id}
    for rules in (SAVED, SIX_DICE):
        solved(rules)
    assert "Let people begin after that" not in page(staff, f"/trials/{trial.slug}/open/")


# Exported


@pytest.mark.sampled("dice")
@pytest.mark.parametrize("rules", [SAVED, FEW_SAVED, SIX_DICE], ids=lambda rules: rules.id)
@pytest.mark.parametrize("dice", ["virtual", "real"])
def test_every_column_is_what_the_rules_make_of_it(
    rules: Ruleset, dice: str, tmp_path: Path, staff: Client
) -> None:
    trial = of(rules, dice=dice)
    for number in (1, 2):
        play_game(joined(trial, number), seed=number)
    play_game(trial.participants.get(number=2), seed=3, turns=1)
    Export(trial).write(tmp_path / "all")
    assert every_fault(trial, tmp_path / "all") == []
    assert "0 do not agree" in (tmp_path / "all" / "rebuild.txt").read_text()
    assert any(row["stock"] for row in decisions_of(trial)) == bool(rules.stock)
    page(staff, f"/trials/{trial.slug}/results/")
    conditions = calculate_results(trial).conditions
    assert conditions.value_start == require_advisor(rules).value_start


def test_a_stock_that_no_decision_made_is_named(tmp_path: Path) -> None:
    trial = of(SAVED)
    play_all(trial, require_advisor(SAVED))
    Export(trial).write(tmp_path / "all")
    path = tmp_path / "all" / "decisions.csv"
    text = path.read_text(encoding="utf-8-sig")
    changed, times = re.subn(r"(,true,\d+,\d+,4,)2,", r"\g<1>1,", text, count=1)
    path.write_text(changed, encoding="utf-8-sig")
    ended, told = run(tmp_path / "all")
    assert times == 1
    assert (ended, told.count("another stock")) == (1, 1)
