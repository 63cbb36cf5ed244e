"""Trials by other rules than Yatzy: what is agreed to, played, told and exported."""

import io
import json
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client

from game.core.refusals import Refused
from game.models import Game
from game.trials.design.writing import configure_trial, open_trial
from game.trials.joining.links import make_link_path
from game.trials.joining.writing import start_trial_game
from game.trials.models import Trial
from game.trials.results.results import calculate_results
from solver.advice import Advisor
from solver.rules import YATZY
from solver.rules.rulesets import YAHTZEE, YAHTZEE_PLAIN
from tests.game.trial_games import play_all
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
    trial = new_trial(ruleset=rules.id, questionnaire=False, shared_dice=True)
    Trial.objects.filter(pk=trial.pk).update(seed="a" * 64)
    client.get(make_link_path(trial.participants.get(number=1)))
    for what in ("agree", "game"):
        assert f'href="/rules/{rules.id}/"' in text(client.get("/take-part/"))
        client.post(f"/take-part/{what}", {"version": 1, "agree": "on"})
    game = Game.objects.get()
    assert game.rules == rules
    other = "yatzy" if rules == YAHTZEE else "yahtzee"
    trial = new_trial(slug="other", ruleset=other, shared_dice=True)
    Trial.objects.filter(pk=trial.pk).update(seed="a" * 64)
    theirs = start_trial_game(participant=joined(Trial.objects.get(pk=trial.pk))).game
    assert theirs.seed != game.seed, "who knows the dice of one knows none of the other"


def test_results_compare_with_perfect_play_and_a_study_of_the_same_game_alone(
    staff: Client, yahtzee: Advisor, advisor: Advisor
) -> None:
    for coach in (advisor, yahtzee):
        trial = new_trial(slug=coach.rules.id, ruleset=coach.rules.id)
        games = play_all(trial, coach)
        found, page = calculate_results(trial), text(staff.get(f"/trials/{trial.slug}/results/"))
        studied = coach.rules == YATZY
        assert ("The published study&#x27;s people" in page) == studied
        assert ("published study" in found.charts["scores_in_tens"].svg) == studied
    assert found.conditions.value_start == yahtzee.value_start
    assert found.conditions.deviation == pytest.approx(59.61, abs=0.01)
    lost = fmean(game.regret or 0.0 for game in games)
    assert known(found.games.cost).mean == pytest.approx(lost)
    assert known(found.games.scores).chips == fmean(game.chips or 0 for game in games)
    assert "254.6" in page


def test_the_commands_take_any_ruleset(yahtzee: Advisor, tmp_path: Path) -> None:
    said = io.StringIO()
    call_command("trial_create", "chips", ruleset=YAHTZEE.id, places=1, stdout=said)
    assert "play Yahtzee." in Trial.objects.get().consents.get().text
    options = ["--participants=1", "--games=1", "--verbosity=0", f"--out={tmp_path / 'out'}"]
    call_command("trial_rehearse", "--ruleset", YAHTZEE.id, *options, stdout=said)
    rehearsal = Trial.objects.get(rehearsal=True)
    assert rehearsal.rules == YAHTZEE
    game = Game.objects.get()
    assert game.rules == YAHTZEE
    assert "Every figure was rebuilt and agrees." in said.getvalue()
    told = json.loads((tmp_path / "out" / "dataset_description.json").read_text())["versions"]
    assert (told["ruleset_hash"], told["value_start"]) == (YAHTZEE.hash, yahtzee.value_start)
