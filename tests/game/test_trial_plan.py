"""The plan of a trial: simulated trials of exactly this plan, and its command."""

import json
from dataclasses import replace
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from game.models import Coach, Game
from game.trials.analysis.power import PlannedTrial, Spread, calculate_half_widths, simulate_power
from game.trials.analysis.primary import A_DECISION, SCORE, Estimand
from game.trials.design.writing import close_trial, open_trial
from game.trials.management.commands.trial_plan import estimate_spread
from game.trials.models import Trial
from game.trials.results.words import describe_power
from solver.advice import Advisor
from solver.rules import PLAYED
from tests.game.trial_games import play_all
from tests.known import known
from tests.trials import new_trial

pytestmark = pytest.mark.django_db
TWO = Estimand(("silent", "taught"), "after")
BOTS = Spread.find_usual("yatzy")


def printed(*options: str) -> dict[str, Any]:
    out = StringIO()
    call_command("trial_plan", "--json", *options, stdout=out)
    found: dict[str, Any] = json.loads(out.getvalue())
    return found


@pytest.mark.parametrize(
    ("games", "before", "effect", "missing", "power"),
    [
        pytest.param(3, 3, 6.0, 0.0, 0.80, marks=pytest.mark.nightly),
        (3, 3, 6.0, 0.1, 0.755),
        (10, 0, 10.0, 0.0, 0.556),
        pytest.param(5, 5, 4.0, 0, 0.55, marks=pytest.mark.nightly),
    ],
)
def test_power_is_that_of_a_trial_in_which_each_persons_change_is_their_own(
    games: int, before: int, effect: float, missing: float, power: float
) -> None:
    found = simulate_power(PlannedTrial(TWO, 60, games, before, BOTS, effect, missing))
    assert found.power == pytest.approx(power, abs=2 * found.calculate_margin(power))
    assert found.false_findings <= 0.05 + found.calculate_margin(0.05)


def test_several_arms_are_found_less_often_each_and_one_falsely_as_seldom() -> None:
    three = Estimand(("a", "b", "c"), "after")
    found = simulate_power(PlannedTrial(three, 60, 3, 3, BOTS, 6.0))
    assert known(found.power) < known(found.any_power) < 0.8
    assert found.false_findings <= 0.05 + found.calculate_margin(0.05)
    assert "at least one arm" in describe_power(found, 6.0)[0]
    both = Estimand(("silent", "taught"), "training", within=True)  # needs fewer people
    found = simulate_power(PlannedTrial(both, 60, 5, 0, BOTS, 3.0), trials=300)
    assert found.power == pytest.approx(0.8, abs=0.1)


def test_arms_of_fewer_than_six_people_get_no_verdict() -> None:
    found = simulate_power(PlannedTrial(TWO, 10, 3, 3, BOTS, 6.0), trials=20)
    assert (found.power, found.false_findings, found.half) == (0.0, 0.0, None)
    assert len(describe_power(found, 6.0)) == 1


@pytest.mark.parametrize("ruleset", PLAYED)
def test_bots_of_every_ruleset_have_played(ruleset: str) -> None:
    cost, score, decision = (Spread.find_usual(ruleset, of) for of in ("cost", SCORE, A_DECISION))
    assert cost.between == score.between > cost.within
    assert score.within > 30
    assert decision.between < 1


# The command


def test_the_command_tells_half_widths_or_simulates_this_very_plan(
    capsys: pytest.CaptureFixture[str],
) -> None:
    found = printed("--people=6", "--games=50")
    assert found["power"] is None
    assert found["people_like_these"] == pytest.approx(18.88, abs=0.01)
    assert calculate_half_widths(60, 5, BOTS) == pytest.approx((0.84, 4.72), abs=0.01)
    assert calculate_half_widths(2, 1, BOTS)[0] is None
    assert "± 18.9 points" in found["sentences"][0]
    assert "38 hours" in found["sentences"][1]
    options = ["--people=60", "--arms=2", "--baseline=3", "--training=6", "--test=3"]
    found = printed(*options, "--effect=6", "--change=12")
    assert found["plan"]["estimand"]["phase"] == "after"
    assert (found["plan"]["games"], found["games"], found["spread"]["change"]) == (3, 12, 12)
    apart = PlannedTrial(TWO, 60, 3, 3, replace(BOTS, change=12.0), 6.0)
    power = known(simulate_power(apart, trials=300).power)
    assert found["power"]["power"] == pytest.approx(power, abs=0.07)
    assert power < 0.6
    maxi = printed("--people=6", "--ruleset=maxi-yatzy")["spread"]
    assert maxi["between"] == Spread.find_usual("maxi-yatzy").between
    call_command("trial_plan", stdout=StringIO())
    assert "6 x 50" in capsys.readouterr().out


@pytest.mark.parametrize(
    "options",
    [
        ["--people=1"],
        ["--games=0"],
        ["--effect=x"],
        ["--between=-3"],
        ["--test=3"],
    ],
)
def test_a_plan_that_makes_no_sense_is_refused(options: list[str]) -> None:
    with pytest.raises(CommandError):
        call_command("trial_plan", *options)


# What closed trials tell


def over(advisor: Advisor, **settings: Any) -> Trial:
    trial = new_trial(**({"places": 6, "games_each": 3} | settings))
    play_all(trial, advisor)
    return close_trial(trial=trial)


@pytest.mark.usefixtures("yatzy_tables")
def test_a_closed_trial_of_people_tells_how_they_differ(advisor: Advisor) -> None:
    trial = over(advisor)
    costs = [
        [place.game.regret or 0.0 for place in one.games.all()] for one in trial.participants.all()
    ]
    own = [sum((cost - sum(of) / 3) ** 2 for cost in of) / 2 for of in costs]
    found = estimate_spread("yatzy", "cost")
    assert found is not None
    assert found[1] == 6
    assert found[0].within ** 2 == pytest.approx(sum(own) / 6)
    asked = printed("--from-trials", "--between=9")
    assert asked["spread"]["within"] == found[0].within
    assert asked["spread"]["between"] == 9
    assert "6 people in closed trials" in " ".join(asked["sentences"])
    Game.objects.filter(trial_game__number=2).update(coach=Coach.AFTER)
    assert estimate_spread("yatzy", "cost") is None, "one game is left of each"


@pytest.mark.usefixtures("yatzy_tables")
@pytest.mark.parametrize(
    "settings", [{}, {"rehearsal": True}, {"places": 5}, {"games_each": 1}], ids=str
)
def test_a_trial_that_says_nothing_about_people_leaves_the_bots(
    advisor: Advisor, settings: dict[str, Any]
) -> None:
    trial = over(advisor, **settings)
    assert estimate_spread("yahtzee", "cost") is None
    if not settings:
        Trial.objects.update(unmasked_at=None)
        assert estimate_spread("yatzy", "cost") is None
        Trial.objects.update(unmasked_at=timezone.now())
        open_trial(trial=trial)
    assert estimate_spread("yatzy", "cost") is None
    assert "spread comes from bots" in " ".join(printed("--from-trials")["sentences"])
