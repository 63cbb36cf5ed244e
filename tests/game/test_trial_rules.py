"""Trials by other rules than Yatzy: what is agreed to, played, told and exported."""

import io
import json
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from game.core.refusals import Refused
from game.models import Game
from game.trials.design.writing import configure_trial, open_trial
from game.trials.exports.files import export_now
from game.trials.joining.links import make_link_path
from game.trials.joining.writing import start_trial_game
from game.trials.models import Trial
from game.trials.results.results import calculate_results
from solver.advice import Advisor
from solver.rules import YATZY, Ruleset
from solver.rules.rulesets import MAXI_YATZY, YAHTZEE, YAHTZEE_PLAIN, YATZY_SAVED
from tests.conftest import solved
from tests.game.export_reference import every_fault
from tests.game.trial_games import play_all
from tests.game.trial_moves import play_game
from tests.known import known
from tests.play import text
from tests.trials import CONSENT, joined, new_trial

pytestmark = [pytest.mark.django_db, pytest.mark.needs("game.trials")]


def test_the_rules_are_free_until_the_trial_is_opened_and_fixed_from_then_on(staff: Client) -> None:
    trial = new_trial(opened=False)
    configure_trial(trial=trial, consent=CONSENT, ruleset=YAHTZEE.id)
    open_trial(trial=Trial.objects.get())
    with pytest.raises(Refused, match="its rules can no longer change"):
        configure_trial(trial=trial, consent=CONSENT, ruleset=YATZY.id)
    joined(Trial.objects.get())
    with pytest.raises(Refused, match="already begun"):
        configure_trial(trial=trial, consent=CONSENT, ruleset=YATZY.id)
    assert Trial.objects.get().rules == YAHTZEE


@pytest.mark.parametrize("rules", [YATZY, YAHTZEE, YAHTZEE_PLAIN], ids=lambda rules: rules.id)
def test_participants_are_told_what_they_play(client: Client, rules: Any) -> None:
    trial = new_trial(ruleset=rules.id, questionnaire=False)
    client.get(make_link_path(trial.participants.get(number=1)))
    address = f'href="/rules/{rules.id}/"'
    assert address in text(client.get("/take-part/"))
    client.post("/take-part/agree", {"version": 1, "agree": "on"})
    assert address in text(client.get("/take-part/"))
    client.post("/take-part/game")
    game = Game.objects.get()
    assert game.rules == rules


def test_the_dice_of_a_trial_depend_on_its_rules() -> None:
    """Nobody who knows the dice of one knows those of the other."""
    seeds = set()
    for rules in (YATZY, YAHTZEE):
        trial = new_trial(slug=rules.id, shared_dice=True, ruleset=rules.id)
        Trial.objects.filter(pk=trial.pk).update(seed="a" * 64)
        trial.refresh_from_db()
        seeds.add(start_trial_game(participant=joined(trial)).game.seed)
    assert len(seeds) == 2


def test_results_compare_with_perfect_play_of_the_same_game(
    staff: Client, yahtzee: Advisor
) -> None:
    trial = new_trial(ruleset=YAHTZEE.id, shared_dice=True, places=3)
    games = play_all(trial, yahtzee)
    found = calculate_results(trial)
    assert found.conditions.value_start == yahtzee.value_start
    assert found.conditions.deviation == pytest.approx(59.61, abs=0.01)
    lost = fmean(game.regret or 0.0 for game in games)
    assert known(found.games.cost).mean == pytest.approx(lost)
    assert known(found.games.scores).chips == fmean(game.chips or 0 for game in games)
    page = text(staff.get("/trials/study/results/"))
    assert "254.6" in page


def test_the_published_study_stands_beside_trials_of_its_own_game_alone(
    staff: Client, yahtzee: Advisor, advisor: Advisor
) -> None:
    for coach in (advisor, yahtzee):
        trial = new_trial(slug=coach.rules.id, ruleset=coach.rules.id)
        play_all(trial, coach)
        found, page = calculate_results(trial), text(staff.get(f"/trials/{trial.slug}/results/"))
        studied = coach.rules == YATZY
        assert ("The published study&#x27;s people" in page) == studied
        assert ("published study" in found.charts["scores_in_tens"].svg) == studied


def test_an_export_says_its_rules_and_agrees_with_the_database(
    yahtzee: Advisor, tmp_path: Path
) -> None:
    trial = new_trial(ruleset=YAHTZEE.id)
    for number in (1, 2):
        play_game(joined(trial, number), seed=number)
    export_now(trial).write(tmp_path)
    assert every_fault(trial, tmp_path) == []
    told = json.loads((tmp_path / "dataset_description.json").read_text())
    assert told["versions"]["ruleset_hash"] == YAHTZEE.hash
    assert told["versions"]["value_start"] == yahtzee.value_start
    assert "International Yahtzee" in told["description"]
    statistics = json.loads((tmp_path / "statistics.json").read_text())
    assert statistics["trial"]["ruleset"] == YAHTZEE.id
    assert statistics["games"]["scores"]["chips"] == fmean(
        game.chips or 0 for game in Game.objects.all()
    )


def test_the_commands_take_any_ruleset(yahtzee: Advisor, tmp_path: Path) -> None:
    said = io.StringIO()
    call_command("trial_create", "chips", ruleset=YAHTZEE.id, participants=1, stdout=said)
    assert "games of International Yahtzee" in said.getvalue()
    assert "how people play Yahtzee." in Trial.objects.get().consents.get().text
    options = ["--participants=1", "--games=1", "--verbosity=0", f"--out={tmp_path / 'out'}"]
    call_command("trial_rehearse", "--ruleset", YAHTZEE.id, *options, stdout=said)
    rehearsal = Trial.objects.get(rehearsal=True)
    assert rehearsal.rules == YAHTZEE
    game = Game.objects.get()
    assert game.rules == YAHTZEE
    assert "Every figure was rebuilt and agrees." in said.getvalue()
    with pytest.raises(CommandError):
        call_command("trial_create", "maxi", "--ruleset=maxi")


@pytest.mark.nightly
@pytest.mark.parametrize("rules", [MAXI_YATZY, YATZY_SAVED], ids=lambda rules: rules.id)
def test_a_trial_of_a_large_ruleset_is_rehearsed_from_its_start_to_its_files(
    rules: Ruleset, tmp_path: Path
) -> None:
    solved(rules)
    said = io.StringIO()
    arms = "--arms=coach=off,coach=alert;drill=yes,coach=live;dice=real;shared=no"
    options = ["--participants=3", "--games=2", "--shared-dice", "--after=1", arms, "--verbosity=0"]
    folder = tmp_path / "out"
    call_command(
        "trial_rehearse", f"--ruleset={rules.id}", *options, f"--out={folder}", stdout=said
    )
    assert "Every figure was rebuilt and agrees." in said.getvalue()
    assert "0 do not agree" in (folder / "rebuild.txt").read_text()
