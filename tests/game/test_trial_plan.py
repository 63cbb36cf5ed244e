"""The plan of a trial: what it starts from, its page for staff, its command."""

import json
import os
from io import StringIO
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client

from game.models import Game, Trial
from game.trials.design.writing import trial_close, trial_open
from game.trials.planning import bots
from game.trials.planning.page import plan_page
from game.trials.planning.stored import LEAST_DICE, known
from solver.advice import Advisor
from solver.rules import PLAYED, RULESETS
from solver.statistics.planning import Design
from tests.game.trial_games import NOW, play_all
from tests.play import new_trial, researcher_user

pytestmark = pytest.mark.django_db
RULES = Trial().rules


def over(advisor: Advisor, **settings: Any) -> Trial:
    """A trial of six people with three games each that has been played and closed."""
    trial = new_trial(**({"places": 6, "games_each": 3} | settings))
    play_all(trial, advisor)
    return trial_close(trial=trial)


def printed(*options: str) -> dict[str, Any]:
    out = StringIO()
    call_command("trial_plan", "--json", *options, stdout=out)
    found: dict[str, Any] = json.loads(out.getvalue())
    return found


# Where the spread is from


def test_where_nobody_has_played_bots_stand_in_and_the_plan_says_so() -> None:
    found = known(RULES, "cost")
    assert (found.source, found.people) == ("bots", 0)
    assert found.minutes == 7.5
    assert "bots stand in" in " ".join(printed()["sentences"])


@pytest.mark.parametrize("ruleset", PLAYED)
def test_bots_of_every_ruleset_have_played(ruleset: str) -> None:
    of = bots.stored(PLAYED[ruleset])
    assert (of["bots"], of["games"]) == (120, 10)
    assert of["cost"]["between"] == of["score"]["between"] > of["cost"]["within"]
    assert of["score"]["within"] > 30


@pytest.mark.usefixtures("yatzy_tables")
def test_a_closed_trial_of_people_goes_before_the_bots_where_it_is_asked(advisor: Advisor) -> None:
    trial = over(advisor)
    Game.objects.update(started_at=NOW.replace(hour=11, minute=48))
    assert known(RULES, "cost").source == "bots"
    found = known(RULES, "cost", from_trials=True)
    assert (found.source, found.trials, found.people, found.games) == ("trials", 1, 6, 18)
    assert (found.minutes, found.timed) == (12.0, True)
    costs = [[game.regret or 0.0 for game in one.games.all()] for one in trial.participants.all()]
    own = [sum((cost - sum(of) / 3) ** 2 for cost in of) / 2 for of in costs]
    assert found.spread.within**2 == pytest.approx(sum(own) / 6)
    assert found.spread.dice == bots.spread_of_bots(RULES, "cost").dice


@pytest.mark.usefixtures("yatzy_tables")
@pytest.mark.parametrize(
    "settings",
    [{"rehearsal": True}, {"places": 5}, {"games_each": 1}],
    ids=["a rehearsal", "five people", "one game each"],
)
def test_what_says_nothing_about_people_leaves_the_bots(
    advisor: Advisor, settings: dict[str, Any]
) -> None:
    over(advisor, **settings)
    assert known(RULES, "cost", from_trials=True).source == "bots"


@pytest.mark.usefixtures("yatzy_tables")
def test_a_trial_that_goes_on_or_is_of_another_game_is_not_asked(advisor: Advisor) -> None:
    trial = over(advisor)
    assert known(RULESETS["yahtzee"], "cost", from_trials=True).source == "bots"
    trial_open(trial=trial)
    assert known(RULES, "cost", from_trials=True).source == "bots"


@pytest.mark.usefixtures("yatzy_tables")
def test_trials_on_shared_dice_tell_what_part_the_dice_have(advisor: Advisor) -> None:
    over(advisor, shared_dice=True, games_each=LEAST_DICE)
    found = known(RULES, "score", from_trials=True).spread.dice
    assert found == pytest.approx(0.45, abs=0.3)
    assert found != bots.spread_of_bots(RULES, "score").dice


@pytest.mark.usefixtures("yatzy_tables")
def test_few_shared_dice_tell_nothing_of_that_part(advisor: Advisor) -> None:
    over(advisor, shared_dice=True)
    found = known(RULES, "score", from_trials=True)
    assert found.source == "trials"
    assert found.spread.dice == bots.spread_of_bots(RULES, "score").dice


# The command


def test_the_command_prints_half_widths_for_programs() -> None:
    many, few = printed("--people=60", "--games=5"), printed("--people=6", "--games=50")
    assert many["like_these"] == pytest.approx(4.7, abs=0.1)
    assert few["like_these"] == pytest.approx(18.8, abs=0.3)
    assert 0 < many["these"] < many["like_these"]
    assert {design.value for design in Design} <= many.keys()
    assert "60 × 5 games tell ± 4.7" in many["sentences"][0]
    assert "6 × 50 games, as much play, tell ± 18.9" in many["sentences"][1]
    assert many["minutes"]["all"] == 60 * 5 * 7.5


def test_own_figures_go_before_those_that_are_stored() -> None:
    given = printed("--between=17.9", "--within=6.5", "--minutes=4")
    assert (given["spread"]["between"], given["spread"]["within"]) == (17.9, 6.5)
    assert given["source"]["own"] == ["between", "within"]
    assert given["spread"]["change"] == printed()["spread"]["change"]
    assert "Figures of your own" in " ".join(given["sentences"])
    assert given["minutes"]["each"] == 20


def test_an_effect_has_its_power_and_the_people_that_it_takes() -> None:
    arms = printed("--people=40", "--games=10", "--effect=8")["designs"]["two_arms"]
    assert 0.05 < arms["power"] < 0.8
    enough = printed(f"--people={arms['people_needed']}", "--games=10", "--effect=8")
    assert enough["designs"]["two_arms"]["power"] >= 0.8


def test_scores_tell_less_than_what_decisions_cost() -> None:
    assert printed("--outcome=score")["these"] > 4 * printed("--outcome=cost")["these"]


def test_people_read_tables_and_sentences(capsys: pytest.CaptureFixture[str]) -> None:
    out = StringIO()
    call_command("trial_plan", "--effect=8", stdout=out)
    tables = capsys.readouterr().out
    assert "People" in tables
    assert "half width" in tables
    assert "6 x 50" in tables
    assert "bots stand in" in out.getvalue()


@pytest.mark.parametrize("option", ["--people=1", "--games=0", "--effect=x", "--between=-3"])
def test_a_plan_that_makes_no_sense_is_refused(option: str) -> None:
    with pytest.raises(CommandError, match=option[2:].split("=")[0]):
        call_command("trial_plan", option)


# The page


def test_the_page_tells_what_was_asked_for(staff: Client) -> None:
    html = staff.get("/trials/new/plan/", {"people": 60, "games": 5}).text
    assert "60 × 5 games tell ± 4.7 points a game about people like these." in html
    assert "6 × 50 games, as much play, tell ± 18.9." in html
    assert 'class="chart"' in html
    assert "Power" not in html


def test_with_a_difference_to_be_found_it_tells_the_power(staff: Client) -> None:
    html = staff.get("/trials/new/plan/", {"effect": "8", "shared_dice": "on"}).text
    assert "People for 80 %" in html
    assert "A difference of 8.0 points a game between two arms is found in" in html


def test_what_is_wrong_is_said_beside_the_field_and_nothing_is_worked_out(staff: Client) -> None:
    html = staff.get("/trials/new/plan/", {"people": "many"}).text
    assert "Enter a whole number." in html
    assert "chart" not in html


def test_the_page_is_for_staff_and_linked_from_the_list_of_trials(client: Client) -> None:
    assert client.get("/trials/new/plan/").status_code == 302
    client.force_login(User.objects.create_user("guest", password="five sixes at once"))
    assert client.get("/trials/new/plan/").status_code == 403
    client.force_login(researcher_user("researcher"))
    assert 'href="/trials/new/plan/"' in client.get("/trials/").text


@pytest.mark.parametrize(("people", "games"), [(2, 1), (3, 2), (5000, 1), (2, 1000)])
def test_the_smallest_and_the_largest_plans_are_drawn(people: int, games: int) -> None:
    for shared in (False, True):
        page = plan_page(
            people=people, games=games, outcome="cost", shared_dice=shared, ruleset=RULES.id
        )
        assert page.chart.startswith("<svg")
        assert len(page.lines) == len(Design)


def told(people: int, games: int, **more: Any) -> list[str]:
    usual: dict[str, Any] = {"outcome": "cost", "shared_dice": False, "ruleset": RULES.id}
    return plan_page(people=people, games=games, **(usual | more)).sentences


def test_as_much_play_is_told_by_few_with_fifty_games_or_by_many_with_five() -> None:
    assert told(100, 24)[1].startswith("48 × 50 games, as much play")
    assert told(100, 25)[1].startswith("500 × 5 games, as much play")


def test_one_person_is_no_other_way_to_play_as_much() -> None:
    assert told(15, 5)[1].startswith("2 × 50 games")
    assert told(14, 5)[1].startswith("About these people alone")


def test_hours_have_a_decimal_up_to_a_hundred_games() -> None:
    assert "all together for 12.5 hours" in told(50, 2)[-1]
    assert "all together for 13 hours" in told(51, 2)[-1]


def test_two_who_play_once_find_no_difference_and_are_told_of_none() -> None:
    assert len(told(2, 1)) == len(told(3, 1)) - 1
    assert "between two arms" in told(3, 1)[-2]


def test_the_help_explains_every_half_width(capsys: pytest.CaptureFixture[str]) -> None:
    os.environ.setdefault("COLUMNS", "100")
    with pytest.raises(SystemExit):
        call_command("trial_plan", "--help")
    told = capsys.readouterr().out
    assert all(f"  {design.value} " in told for design in Design)
