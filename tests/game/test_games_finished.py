"""How many games are finished, and how many are planned: the monitor and the results agree."""

from random import Random

import pytest
from django.utils import timezone

from game.trials.design.phases import ArmSettings
from game.trials.joining.withdrawing import withdraw_participant
from game.trials.joining.writing import draw_arm
from game.trials.models import Trial
from game.trials.monitor.reading import monitor
from game.trials.results.data import count_people, query_finished_games
from game.trials.results.results import calculate_results
from tests.trials import joined, new_trial, place_game

pytestmark = pytest.mark.django_db
OTHER = ArmSettings("other", ruleset="yahtzee", games_each=1)
SHORT = ArmSettings("short", games_each=1)  # the lot falls after the game that comes before


def made_up(seed: int) -> Trial:
    """People who have not come, were not drawn yet, played some games or all, withdrew, or were
    screened out."""
    random = Random(seed)
    arms = random.choice([(), (ArmSettings("same"), OTHER), (ArmSettings("same"), SHORT)])
    trial = new_trial(slug=f"t{seed}", arms=arms, places=8, games_each=3, games_before=1)
    for number in range(1, 9):
        if random.random() < 0.2:
            continue
        one = joined(trial, number)
        for played in range(random.randint(0, one.games_planned)):
            one = draw_arm(participant=one)
            if played == one.games_planned or random.random() < 0.1:
                break
            began = timezone.now()
            over = random.random() < 0.8
            arm = one.arm if played else None
            place_game(
                one,
                played + 1,
                arm=arm,
                phase="training" if arm else "",
                ruleset=(arm and arm.ruleset) or trial.ruleset,
                seed="1" * 64,
                started_at=began,
                finished_at=began if over else None,
                final_score=200 if over else None,
                bonus=0 if over else None,
            )
            if not over:
                break
        fate = random.random()
        if fate < 0.2:
            withdraw_participant(participant=one)
        elif fate < 0.4:
            trial.participants.filter(pk=one.pk).update(screened_out_at=timezone.now())
    return trial


@pytest.mark.parametrize("seed", range(12))
def test_the_monitor_and_the_results_count_the_same_games(seed: int) -> None:
    trial, now = made_up(seed), timezone.now()
    seen, people = monitor(trial), count_people(trial, now)
    assert query_finished_games(trial, now).count() + people.elsewhere == seen.finished
    to_come = [row for row in seen.rows if row.participant.consent_id is None]
    expected = sum(row.games for row in to_come if row.state != "withdrawn")
    assert seen.planned == people.planned + expected
    assert seen.finished <= seen.planned


def test_arms_with_other_rules_are_among_the_finished_on_both_pages() -> None:
    trial = next(one for one in map(made_up, range(20, 60)) if _elsewhere(one))
    assert len(calculate_results(trial).data.rows) == monitor(trial).finished
    assert calculate_results(trial).games.games < monitor(trial).finished


def _elsewhere(trial: Trial) -> int:
    return count_people(trial, timezone.now()).elsewhere
