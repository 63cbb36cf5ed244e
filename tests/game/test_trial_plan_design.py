"""A plan with arms: its options, its page while it is worked out, and whose games it is from."""

import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client

from game.models import Game, Participant, Trial
from game.trials.design.arm_text import read_arms
from game.trials.design.writing import trial_close
from game.trials.joining.writing import participant_draw
from game.trials.planning import pages, simulation
from game.trials.planning.forms import plan_form, words_of
from game.trials.planning.one_trial import Phases, SimulatedTrial
from game.trials.planning.page import planned
from game.trials.planning.pages import SimulationPage
from game.trials.planning.simulation import AwaitedSimulation, lock_of, path_of, worked_out
from game.trials.planning.stored import known
from solver.advice import Advisor
from solver.tables.maker import only_one
from tests.game.trial_games import play_all
from tests.play import new_trial

pytestmark = pytest.mark.django_db
RULES = Trial().rules
ASKED = {"people": "24", "games": "2", "arms": "2", "effect": "12"}
PLAN = "/trials/new/plan/"
FAILS = [sys.executable, "-c", "raise SystemExit(3)"]
STAYS = ["sleep", "60"]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(simulation, "tables_dir", lambda: tmp_path)
    monkeypatch.setattr(simulation, "LEAST", 5)
    monkeypatch.setattr(pages, "LEAST", 5)
    return tmp_path


@pytest.fixture
def staff(client: Client) -> Client:
    client.force_login(User.objects.create_user("researcher", is_staff=True))
    return client


@dataclass
class Begun:
    """Which options were handed on, and what runs instead of the command."""

    instead: list[str]
    words: list[list[str]] = field(default_factory=list)

    def command(self, words: Sequence[str]) -> list[str]:
        self.words.append(list(words))
        return self.instead


@pytest.fixture
def begun(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Begun]:
    """On a site that works things out: by processes that stay and do nothing."""
    settings.MAKE_TABLES = True
    found = Begun(STAYS)
    monkeypatch.setattr(simulation, "command", found.command)
    yield found
    for process in simulation._running.values():
        process.kill()
        process.wait()
    simulation._running.clear()


def data(**more: str) -> dict[str, Any]:
    form = plan_form(ASKED | more)
    assert form.is_valid(), form.errors
    return form.cleaned_data


def trial_of(**more: str) -> SimulatedTrial:
    trial = planned(data(**more)).simulated
    assert trial is not None
    return trial


def printed(*options: str) -> dict[str, Any]:
    out = StringIO()
    call_command("trial_plan", "--json", "--seconds=1", *options, stdout=out)
    found: dict[str, Any] = json.loads(out.getvalue())
    return found


def html(staff: Client, **more: str) -> str:
    return staff.get(PLAN, ASKED | more).text


def test_the_command_simulates_the_trials_own_design() -> None:
    phases = ("--baseline=1", "--training=2", "--test=1", "--followup=1")
    told = printed("--people=24", "--arms=3", "--effect=12", *phases, "--dropouts=0.1")
    assert told["arms"] == 3
    assert told["phases"] == {"baseline": 1, "training": 2, "test": 1, "followup": 1}
    assert told["games"] == 5
    assert told["minutes"]["each"] == 5 * told["minutes"]["a_game"]
    of = told["simulation"]
    assert of["trials"] > 0
    assert 0 <= of["power"] <= of["power_of_any"] <= 1
    assert of["people_counted"] < 24
    assert of["settings"]["dropouts"] == 0.1


def test_without_arms_nothing_is_simulated() -> None:
    told = printed()
    assert (told["arms"], told["phases"], told["simulation"]) == (None, None, None)


def test_people_read_what_was_simulated() -> None:
    out = StringIO()
    call_command("trial_plan", "--arms=2", "--people=24", "--games=2", "--seconds=1", stdout=out)
    assert "Where no arm makes a difference, one is found in" in out.getvalue()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--arms=1"], "arms: Ensure this value is greater than or equal to 2"),
        (["--arms=13"], "arms: Ensure this value is less than or equal to 12"),
        (["--baseline=2"], "arms: Say how many arms there are"),
        (["--weak-leave"], "arms: Say how many arms there are"),
        (["--design=within"], "arms: Say how many arms there are"),
        (["--arms=2", "--followup=-1"], "followup: Ensure this value is greater"),
        (["--arms=2", "--test=many"], "test: Enter a whole number"),
        (["--arms=2", "--dropouts=2"], "dropouts: Ensure this value is less than or equal to 0.9"),
        (["--arms=2", "--games=900", "--test=200"], "arms: Nobody can be asked to play more than"),
        (["--arms=2", "--people=501", "--games=100"], "arms: Trials of at most 50000 games"),
        (["--arms=2", "--seconds=601"], "seconds: Ensure this value is less than"),
        (["--games=3", "--training=4"], "--games and --training are the same"),
    ],
)
def test_a_design_that_makes_no_sense_is_refused(options: list[str], said: str) -> None:
    with pytest.raises(CommandError, match=said):
        call_command("trial_plan", *options)


def test_the_largest_trial_is_simulated() -> None:
    assert plan_form({"arms": "2", "people": "500", "games": "100"}).is_valid()


def test_training_is_another_name_for_games() -> None:
    same = printed("--arms=2", "--people=24", "--games=2", "--training=2")
    assert same["phases"]["training"] == printed("--arms=2", "--people=24", "--training=2")["games"]


def test_own_figures_are_those_of_simulated_people() -> None:
    trial = trial_of(between="3", change="1", within="4", shared_dice="on", outcome="score")
    assert (trial.spread.between, trial.spread.change, trial.spread.within) == (3.0, 1.0, 4.0)
    assert trial.shared_dice
    assert trial.outcome == "score"


def test_a_design_is_what_was_asked_for() -> None:
    trial = trial_of(
        design="within",
        baseline="3",
        test="1",
        multiplicity="none",
        screened="0.1",
        weak_leave="on",
    )
    assert trial.phases == Phases(3, 2, 1, 0)
    assert (trial.within, trial.together, trial.weak_leave) == (True, False, True)
    assert trial.screened == 0.1
    usual = trial_of()
    assert (usual.within, usual.together, usual.weak_leave) == (False, True, False)


# The page


def test_a_page_has_it_worked_out_by_the_command_with_the_same_options(
    staff: Client, begun: Begun, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = html(staff, baseline="1", shared_dice="on")
    assert "It is worked out in the background" in page
    assert 'hx-trigger="every 2s"' in page
    assert '<noscript><meta http-equiv="refresh"' in page
    (words,) = begun.words
    asked: list[SimulatedTrial] = []

    def noted(trial: SimulatedTrial, seconds: float, progress: Any = None) -> Any:
        asked.append(trial)
        return simulation.so_far(trial)

    monkeypatch.setattr("game.management.commands.trial_plan.worked_out", noted)
    call_command("trial_plan", "--json", *words, stdout=StringIO())
    assert asked == [trial_of(baseline="1", shared_dice="on")]


def test_one_is_worked_out_at_a_time(staff: Client, begun: Begun) -> None:
    for people in ("24", "24", "26"):
        assert "It is worked out in the background" in html(staff, people=people)
    assert len(begun.words) == 1


def test_nothing_is_begun_while_another_process_is_at_it(staff: Client, begun: Begun) -> None:
    with only_one(lock_of(trial_of()), wait=True):
        assert "It is worked out in the background" in html(staff)
    assert not begun.words


def test_what_is_there_is_shown_and_asks_for_nothing(staff: Client, begun: Begun) -> None:
    found = simulation.so_far(trial_of())
    while found.trials < simulation.LEAST:
        found = found.further()
    worked_out(trial_of(), 0.001)  # which makes the folder
    simulation._store(found)
    page = html(staff, seconds="1").replace("&amp;", "&")
    assert f"So say {found.trials} simulated trials" in page  # as far as it is, while it goes on
    assert "Simulated so far" in page
    path = path_of(trial_of())
    told = json.loads(path.read_text()) | {"seconds": 1.5}
    path.write_text(json.dumps(told))
    page = html(staff, seconds="1")
    assert "The time was over before that was known more closely" in page
    assert "hx-trigger" not in page.split('id="simulation"')[1]
    assert 'http-equiv="refresh"' not in page
    assert "The time was over" not in html(staff, seconds="30")


def test_figures_are_told_from_some_trials_on_and_whatever_there_is_at_the_end() -> None:
    few = simulation.so_far(trial_of()).further()
    told = [
        SimulationPage(AwaitedSimulation(few, over=over), ()).sentences for over in (False, True)
    ]
    assert told[0] == []
    assert "The time was over" in told[1][-1]


def test_what_is_precise_enough_asks_for_no_more_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(simulation, "LEAST", 1)
    monkeypatch.setattr(simulation, "PRECISE", {"none": 2.0})
    found = AwaitedSimulation(simulation.so_far(trial_of()).further(), over=True)
    assert "The time was over" not in SimulationPage(found, ()).sentences[-1]


def test_a_process_that_fails_is_told_and_not_begun_again_at_once(
    staff: Client, begun: Begun
) -> None:
    begun.instead = FAILS
    html(staff)
    (process,) = simulation._running.values()
    process.wait()
    page = html(staff)
    assert "It could not be worked out." in page
    assert "hx-trigger" not in page.split('id="simulation"')[1]
    assert len(begun.words) == 1
    assert "It is worked out in the background" in html(staff)
    assert len(begun.words) == 2


def test_what_ended_well_is_forgotten(staff: Client, begun: Begun) -> None:
    begun.instead = ["true"]
    html(staff)
    (process,) = simulation._running.values()
    process.wait()
    assert "It could not be worked out." not in html(staff)
    assert len(begun.words) == 2


def test_a_process_that_cannot_be_begun_costs_the_page_nothing(
    staff: Client, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.MAKE_TABLES = True

    def refuses(command: list[str]) -> None:
        raise OSError("no more processes")

    monkeypatch.setattr(simulation, "begun", refuses)
    assert "This server works nothing out by itself" in html(staff)


def test_a_server_that_works_nothing_out_names_the_command(staff: Client) -> None:
    page = html(staff, weak_leave="on", dropouts="0.2")
    assert "This server works nothing out by itself" in page
    command = page.split("<code>")[1].split("</code>")[0]
    assert command.startswith("./yatzy trial_plan --people=24 --games=2")
    assert command.endswith("--seconds=60")
    assert " --weak-leave " in command
    assert "--dropouts=0.2" in command
    assert not simulation._running


def test_a_plan_without_arms_has_nothing_to_wait_for(staff: Client) -> None:
    page = staff.get(PLAN).text
    assert 'id="simulation"' not in page
    assert "Arms and phases: try the trial out" in page


def test_what_is_wrong_with_a_design_is_said_beside_its_field(staff: Client) -> None:
    page = staff.get(PLAN, {"baseline": "2"}).text
    assert "Say how many arms there are." in page
    assert 'id="simulation"' not in page


def test_every_option_that_says_something_is_in_the_command() -> None:
    assert words_of({"people": 3, "effect": None, "weak_leave": False, "shared_dice": True}) == [
        "--people=3",
        "--shared-dice",
    ]
    assert words_of({"baseline": 0}) == []


# People of closed trials


def closed(advisor: Advisor, arms: str, before: int, slug: str = "silent") -> Trial:
    trial = new_trial(
        slug=slug,
        places=6,
        games_each=2,
        games_before=before,
        arms=read_arms(arms),
        design="between",
    )
    play_all(trial, advisor, games=before + 2)
    for one in Participant.objects.filter(trial=trial):
        participant_draw(participant=one)
        one.refresh_from_db()
        for game in one.games.all():
            phase = "before" if (game.trial_number or 0) <= before else "training"
            Game.objects.filter(pk=game.pk).update(phase=phase, arm=one.arm)
    return trial_close(trial=trial)


def test_games_from_the_first_coached_one_on_say_nothing_of_people_alone(advisor: Advisor) -> None:
    closed(advisor, "coach=off\ncoach=off + points=hidden", 2)
    assert known(RULES, "cost", from_trials=True).games == 24
    trial = closed(advisor, "coach=off\ncoach=after", 2, slug="coached")
    coached = trial.participants.filter(arm__coach="after").count()
    assert 0 < coached < 6
    assert known(RULES, "cost", from_trials=True).games == 48 - 2 * coached


def test_trials_are_asked_only_where_they_are_to_be(advisor: Advisor, staff: Client) -> None:
    closed(advisor, "coach=off\ncoach=off + points=hidden", 2)
    assert printed()["source"]["source"] == "bots"
    assert printed("--from-trials")["source"] == {
        "source": "trials",
        "own": [],
        "trials": 1,
        "people": 6,
        "games": 24,
    }
    told = staff.get(PLAN, {"from_trials": "on"}).text
    assert "in games that no coach came before" in told
    assert "bots stand in" in staff.get(PLAN).text


def test_where_trials_were_to_be_asked_and_there_are_none_it_says_so(staff: Client) -> None:
    told = staff.get(PLAN, {"from_trials": "on"}).text
    assert "No trial with at least six people has been closed here" in told
