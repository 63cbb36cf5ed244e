"""Planned looks at a masked trial: when one is due, what it is held against, what it tells."""

from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from game.models import Game, Recruitment, Trial, TrialEvent
from game.services import Refused
from game.trials.design.masking import letters
from game.trials.design.phases import ArmSettings
from game.trials.design.writing import trial_close, trial_open
from game.trials.exports.files import export_now
from game.trials.joining.recruiting import recruit_agree, recruitment_set
from game.trials.joining.withdrawing import participant_withdraw
from game.trials.results.arm_results import arm_data
from game.trials.results.looking import look_take, looks_plan
from game.trials.results.looks import look_due, looks_of, people_wanted
from game.trials.results.planned import planned_of
from game.trials.results.preregistration import locked_estimand
from game.trials.results.report import results_of
from game.words.phrases import signed
from solver.advice import Advisor
from solver.players.erring import bots
from solver.statistics.spending import boundaries
from tests.game.conftest import Answer
from tests.game.plans import draft, preregister
from tests.game.trial_games import played_out
from tests.game.trials import drawn, new_trial, researcher_user
from tests.known import known

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("yatzy_tables")]
TWO = (ArmSettings("off"), ArmSettings("coached", coach="after"))
PLACES = 12
HALF = PLACES // 2
BY_T = {"covariate": "none", "test": "welch", "multiplicity": "none"}
BY_LOT = {"covariate": "none"}


def planned(looks: int = 2, spending: str = "pocock", **lock: Any) -> Trial:
    """Locked and opened, with looks at the difference between two arms."""
    trial = new_trial(arms=TWO, places=PLACES, games_each=1, opened=False, masked=True)
    looks_plan(trial=trial, looks=looks, spending=spending)
    preregister(trial, **lock)
    return trial_open(trial=trial)


def play(trial: Trial, advisor: Advisor, *numbers: int, apart: bool = False) -> None:
    """With ``apart`` whoever is coached plays like a master, and the others like beginners."""
    strong = bots(PLACES, 1)
    for number in numbers:
        one = drawn(trial, number)
        coached = known(one.arm).name == "coached"
        bot = strong[number - 1] if not apart else strong[0 if coached else -1]
        game = played_out(one, bot, advisor, 1)
        Game.objects.filter(pk=game.pk).update(arm=one.arm, phase="training")


def fresh(trial: Trial) -> Trial:
    return Trial.objects.get(pk=trial.pk)


def text(answer: Answer) -> str:
    return answer.content.decode()


@pytest.fixture
def staff(client: Client) -> Client:
    client.force_login(researcher_user())
    return client


def first_half(start: int = 1) -> range:
    return range(start, HALF + 1)


# The plan


def test_looks_are_planned_before_anything_is_opened_or_locked(staff: Client) -> None:
    trial = new_trial(arms=TWO, places=PLACES, opened=False, masked=True)
    page = "/trials/study/looks/"
    assert "No look is planned" in text(staff.get(page))
    staff.post(page, {"looks": "3", "spending": "obrien_fleming"})
    assert (fresh(trial).looks, fresh(trial).spending) == (3, "obrien_fleming")
    assert "3.710" in text(staff.get(page))
    staff.post(page, {"looks": "0", "spending": "obrien_fleming"})
    assert (fresh(trial).looks, fresh(trial).spending) == (0, "")
    staff.post(page, {"looks": "3", "spending": "pocock"})
    preregister(fresh(trial))
    locked = known(fresh(trial).preregistration).locked["trial"]
    assert (locked["looks"], locked["spending"]) == (3, "pocock")
    assert "before the trial is opened" in text(
        staff.post(page, {"looks": "2", "spending": "pocock"}, follow=True)
    )
    assert "Save" not in text(staff.get(page)).split("<main")[1]
    assert fresh(trial).looks == 3


def test_looks_of_an_open_trial_stay_as_they_are() -> None:
    trial = new_trial(arms=TWO, masked=True)
    with pytest.raises(Refused, match="before the trial is opened"):
        looks_plan(trial=trial, looks=2, spending="pocock")


@pytest.mark.parametrize("arms", [(), (*TWO, ArmSettings("third"))])
def test_looks_compare_two_arms(arms: tuple[ArmSettings, ...]) -> None:
    trial = new_trial(arms=arms, opened=False)
    with pytest.raises(Refused, match="Looks compare two arms"):
        looks_plan(trial=trial, looks=2, spending="pocock")
    looks_plan(trial=trial, looks=0, spending="pocock")


# When one is due


def test_a_look_is_due_once_so_many_have_played_and_the_last_one_is_the_end() -> None:
    trial = planned(looks=3)
    assert [look_due(trial, done) for done in (3, 4, 7, 8, 11, 12)] == [0, 1, 1, 2, 2, 0]
    trial.looks = 5  # twelve people are no multiple of it: the next whole person
    assert [look_due(trial, done) for done in (2, 3, 4, 5)] == [0, 1, 1, 2]
    assert looks_of(new_trial(slug="none"), timezone.now()) is None


def test_whoever_is_to_play_is_whom_the_rule_of_stopping_asks_for() -> None:
    assert people_wanted(planned()) == PLACES
    Trial.objects.all().update(slug="other")
    trial = planned(stopping="people", stopping_people=8)
    assert people_wanted(trial) == 8
    assert [look_due(trial, done) for done in (3, 4, 7, 8)] == [0, 1, 1, 0]


def test_places_of_the_open_link_are_among_those_who_are_to_play() -> None:
    trial = planned(stopping="everybody")
    own = people_wanted(trial)
    recruitment_set(trial=trial, open=False, quota=30)
    assert people_wanted(trial) == own
    recruitment_set(trial=trial, open=True, quota=30)
    assert people_wanted(trial) == own + 30
    link = Recruitment.objects.get(trial=trial)
    recruit_agree(recruitment=link, version=1, parameters=dict.fromkeys(link.names, "anna"))
    recruitment_set(trial=trial, open=False)
    assert people_wanted(trial) == own + 30


def test_no_look_is_due_in_a_trial_that_is_closed_or_unmasked(advisor: Advisor) -> None:
    trial = planned(stopping="people", stopping_people=PLACES)
    play(trial, advisor, *first_half())
    assert look_due(fresh(trial), HALF) == 1
    trial_close(trial=trial)
    assert fresh(trial).masked
    assert look_due(fresh(trial), HALF) == 0
    with pytest.raises(Refused, match="No look is due now"):
        look_take(trial=fresh(trial))
    Trial.objects.update(closed_at=None, unmasked_at=timezone.now())
    assert look_due(fresh(trial), HALF) == 0


# What it tells


def test_a_look_tells_the_comparison_beside_its_boundary_and_is_an_event(
    advisor: Advisor, staff: Client
) -> None:
    trial = planned()
    play(trial, advisor, *first_half())
    page = text(staff.get("/trials/study/looks/"))
    assert "Take look 1" in page
    staff.post("/trials/study/look")
    told = trial.events.get(kind=TrialEvent.Kind.LOOKED).detail
    assert (told["look"], told["people"], told["share"]) == (1, HALF, 0.5)
    assert told["bound"] == boundaries([0.5], "pocock")[0].p
    page = text(staff.get("/trials/study/"))
    assert "so the trial goes on" in page.split('id="log"')[1]
    page = text(staff.get("/trials/study/looks/"))
    assert "Take look" not in page
    assert "so the trial goes on" in page
    assert "coached" not in page.split("<main")[1]
    masked = text(staff.get("/trials/study/results/"))
    assert "so the trial goes on" in masked
    assert "Mean score" not in masked
    with pytest.raises(Refused, match="No look is due now"):
        look_take(trial=fresh(trial))


@pytest.mark.parametrize("first", ["A", "B"])
def test_a_look_says_b_beside_a_whichever_arm_is_written_down_first(
    advisor: Advisor, first: str
) -> None:
    """Else it would tell that A is the first one."""
    trial = planned()
    while letters(trial)[1] != first:
        trial.seed += "0"
    trial.save()
    play(trial, advisor, *first_half(), apart=True)
    look_take(trial=trial)
    told = trial.events.get(kind=TrialEvent.Kind.LOOKED).detail
    assert (told["arm"], told["beside"]) == ("B", "A")
    # The second arm, which is coached, plays like masters: its decisions cost less.
    assert (told["difference"] < 0) == (first == "A")


def test_a_later_look_is_held_against_what_earlier_ones_have_left(advisor: Advisor) -> None:
    trial = planned(looks=3, spending="obrien_fleming")
    play(trial, advisor, *range(1, 6))
    look_take(trial=trial)
    play(trial, advisor, *range(6, 9))
    look_take(trial=trial)
    first, second = (one.detail for one in trial.events.filter(kind=TrialEvent.Kind.LOOKED))
    wanted = boundaries([5 / 12, 8 / 12, 1.0], "obrien_fleming")
    assert [first["bound"], second["bound"]] == [look.p for look in wanted[:2]]
    found = known(looks_of(fresh(trial), timezone.now()))
    assert [line.boundary for line in found.lines] == wanted
    assert [line.last for line in found.lines] == [False, False, True]
    assert found.lines[2].taken is None


def test_a_look_that_was_passed_over_is_not_made_up_for(advisor: Advisor) -> None:
    trial = planned(looks=3)
    play(trial, advisor, *range(1, 9))
    look_take(trial=trial)
    found = known(looks_of(fresh(trial), timezone.now()))
    assert [(line.number, line.people, bool(line.taken)) for line in found.lines] == [
        (2, 8, True),
        (3, 12, False),
    ]
    assert look_due(fresh(trial), 9) == 0


def test_a_boundary_that_is_reached_ends_the_trial(advisor: Advisor) -> None:
    # By t: of the lots of small blocks there may be too few for a p so small.
    trial = planned(stopping="people", stopping_people=PLACES, estimand=BY_T)
    play(trial, advisor, *range(1, 11), apart=True)
    look_take(trial=trial)
    told = trial.events.get(kind=TrialEvent.Kind.LOOKED).detail
    assert told["ends"]
    assert told["p"] <= told["bound"]
    assert "so the trial may be closed" in known(looks_of(trial, timezone.now())).lines[0].words
    trial_close(trial=trial)
    assert not fresh(trial).masked
    found = results_of(fresh(trial))
    assert known(found.unmasking).rule == "met"
    facts = found.facts()["looks"]
    assert [one["look"] for one in facts] == [1, 2]
    assert facts[0]["taken"]["p"] == told["p"]
    assert facts[1]["taken"] is None
    names = known(found.looks).names
    assert sorted(names) == [("A", dict(names)["A"]), ("B", dict(names)["B"])]
    assert set(dict(names).values()) == {"off", "coached"}


def test_what_a_look_saw_is_in_the_report_and_the_bundle(advisor: Advisor, tmp_path: Any) -> None:
    trial = planned()
    play(trial, advisor, *first_half())
    look_take(trial=trial)
    play(trial, advisor, *range(HALF + 1, PLACES + 1))
    trial_close(trial=trial)
    export_now(fresh(trial)).write(tmp_path, ["csv"])
    assert "Planned looks" in (tmp_path / "report.html").read_text()
    assert "looked" in (tmp_path / "events.csv").read_text()


@pytest.mark.parametrize("outcome", ["cost", "cost_a_decision", "score"])
@pytest.mark.parametrize("by", [BY_T, BY_LOT])
def test_a_look_and_the_end_carry_out_the_estimand_that_was_locked(
    advisor: Advisor, by: dict[str, str], outcome: str
) -> None:
    trial = planned(estimand=by, outcome=outcome)
    play(trial, advisor, *first_half())
    look_take(trial=trial)
    told = trial.events.get(kind=TrialEvent.Kind.LOOKED).detail
    assert told["outcome"] == outcome
    estimand = known(locked_estimand(known(trial.preregistration)))
    assert (estimand.test, estimand.measure) == (by.get("test", "lot"), outcome)
    (pair,) = known(arm_data(trial, timezone.now())).answered(estimand).pairs
    assert (told["p"], abs(told["difference"])) == (pair.p, abs(known(pair.estimate)))
    digits = 3 if outcome == "cost_a_decision" else 1
    said = known(looks_of(trial, timezone.now())).lines[0].words
    assert signed(told["difference"], digits) in said


def test_at_the_end_arms_are_different_as_the_last_line_of_the_table_says(
    advisor: Advisor,
) -> None:
    trial = planned(estimand=BY_T)
    play(trial, advisor, *first_half())
    look_take(trial=trial)
    play(trial, advisor, *range(HALF + 1, PLACES + 1))
    now = timezone.now()
    last = known(looks_of(trial, now)).lines[-1].boundary.p
    assert last == boundaries([0.5, 1.0], "pocock")[-1].p < 0.03
    found = known(planned_of(trial, now))
    (answer,) = found.answers
    (pair,) = known(arm_data(trial, now)).answered(known(found.estimand), last).pairs
    figures = answer.finding.figures
    assert figures["coached beside off: low"] == pair.low
    assert "(97.2 % range:" in answer.finding.sentences[0].replace("\N{NO-BREAK SPACE}", " ")
    assert "p must be at most 0.02774" in answer.finding.sentences[-1]


def test_looks_ask_in_either_direction(staff: Client) -> None:
    one_side = {"estimand": BY_T | {"direction": "less"}}
    trial = new_trial(arms=TWO, places=PLACES, games_each=1, opened=False, masked=True)
    draft(trial, **one_side)
    with pytest.raises(Refused, match="Looks ask in either direction"):
        looks_plan(trial=trial, looks=2, spending="pocock")
    looks_plan(trial=trial, looks=0, spending="pocock")
    sent = {"hypotheses": "They learn.", "outcome": "cost", "analyses": "between_arms"}
    sent |= {"stopping": "everybody"} | {f"estimand_{name}": of for name, of in BY_T.items()}
    sent["estimand_direction"] = "less"
    page, saved = "/trials/study/preregistration/", "The draft is saved"
    assert saved in text(staff.post(page, sent, follow=True))
    draft(trial, estimand=BY_T)
    looks_plan(trial=trial, looks=2, spending="pocock")
    assert "Planned looks ask in either direction" in text(staff.post(page, sent))
    sent["estimand_direction"] = "two_sided"
    assert saved in text(staff.post(page, sent, follow=True))


def test_whoever_a_rule_leaves_out_is_left_out_of_a_look(advisor: Advisor) -> None:
    trial = planned(exclusions={"fewer_games": 2})
    play(trial, advisor, *first_half())
    with pytest.raises(Refused, match="too few games"):
        look_take(trial=trial)


def test_nothing_is_looked_at_that_was_not_locked_before(advisor: Advisor) -> None:
    trial = planned(analyses=["learning"])
    play(trial, advisor, *first_half())
    with pytest.raises(Refused, match="No comparison of the arms was locked"):
        look_take(trial=trial)


def test_whoever_withdraws_is_no_longer_among_those_who_have_played(advisor: Advisor) -> None:
    trial = planned()
    play(trial, advisor, *first_half())
    participant_withdraw(participant=trial.participants.get(number=1))
    with pytest.raises(Refused, match="No look is due now"):
        look_take(trial=fresh(trial))
