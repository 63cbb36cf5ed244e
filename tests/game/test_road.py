"""The road of a trial: ten screens, each with what is missing, saved by their forms."""

import re
from typing import Any

import pytest
from django.test import Client

from game.trials.design.writing import COACH, STUDY, close_trial, open_trial
from game.trials.exports.public import may_publish
from game.trials.joining.writing import start_trial_game
from game.trials.models import (
    Participant,
    Preregistration,
    Publication,
    Recruitment,
    Trial,
    TrialEvent,
)
from game.trials.results.preregistration import log_lines
from game.trials.road.form import read_panel
from game.trials.road.screens import SCREENS, Road, create_draft, save_road
from tests.play import Browser, text
from tests.trials import joined, new_trial, researcher_user

pytestmark = pytest.mark.django_db
TYPED: dict[str, dict[str, Any]] = {
    "question": {"title": "Does a coach help?", "hypotheses": "It helps."},
    "people": {"pay": "10 euros"},
    "consent": {"researcher": "Ada", "contact": "ada@x.example", "ethics": "None needed."},
    "plan": {"smallest": "6"},
}


@pytest.fixture
def trial() -> Trial:
    return create_draft(preset=COACH, created_by=researcher_user("rosa"))


@pytest.fixture
def rosa(trial: Trial, client: Client) -> Client:
    client.force_login(trial.team.get().user)
    return client


def sent(trial: Trial, screen: str, **typed: Any) -> dict[str, Any]:
    form = Road(Trial.objects.get(pk=trial.pk)).make_form(SCREENS[screen])
    data = {name: form.get_initial_for_field(field, name) for name, field in form.fields.items()}
    data = {name: value for name, value in data.items() if value not in (None, False)} | typed
    return {name: value for name, value in data.items() if value is not None}


def saved(trial: Trial, screen: str, **typed: Any) -> Trial:
    road = Road(Trial.objects.get(pk=trial.pk))
    form = road.make_form(SCREENS[screen], sent(trial, screen, **typed))
    assert form.is_valid(), form.errors
    return save_road(road, form)


def faults(trial: Trial, screen: str, **typed: Any) -> dict[str, Any]:
    return Road(trial).make_form(SCREENS[screen], sent(trial, screen, **typed)).errors


def missing(trial: Trial) -> list[str]:
    lines = Road(Trial.objects.get(pk=trial.pk)).lines
    return [line.screen.name for line in lines if line.missing]


def test_the_coach_trial_needs_seven_answers_until_it_is_open(trial: Trial, rosa: Client) -> None:
    rest = ["open", "monitor", "close", "results", "publish"]
    assert len(SCREENS) == 10
    assert max(len(screen.fields) for screen in SCREENS.values()) == 6
    assert missing(trial) == [*TYPED, *rest]
    assert sum(map(len, TYPED.values())) == 7
    for done, (screen, typed) in enumerate(TYPED.items(), start=1):
        slug = Trial.objects.get().slug
        answer = rosa.post(f"/trials/{slug}/{screen}/", sent(trial, screen, **typed))
        assert answer.status_code == 302
        assert missing(trial) == [*list(TYPED)[done:], *rest]
    opened = Trial.objects.get()
    assert (opened.slug, opened.places) == ("does-a-coach-help", 60)
    details = [detail for line in log_lines(opened) for detail in line.details]
    assert "Researcher: –, now Ada" in details
    address = f"/trials/{opened.slug}/"
    rosa.post(f"{address}lock")
    rosa.post(f"{address}turn/open")
    assert missing(trial) == rest[1:]
    plan = Preregistration.objects.get()
    assert plan.locked["estimand"]["smallest"] == 6
    assert plan.locked["power"]["power"] == pytest.approx(0.79, abs=0.04)
    assert plan.exclusions == {"failed_attention": True, "shared_browser": True}
    consent = Trial.objects.get().consents.get().text
    for fact in ("Ada", "10 euros", "None needed.", "12 months", "96 minutes", "18 years"):
        assert fact in consent
    close_trial(trial=Trial.objects.get())
    rosa.post(f"{address}unmask", {"reason": "It is over.", "confirm": "on"})
    assert missing(trial) == ["publish"]
    rosa.post(f"{address}publish/", sent(trial, "publish", creators="Ada"))
    assert missing(trial) == []
    assert Publication.objects.get().licence == "CC-BY-4.0"


def test_the_study_needs_three_answers() -> None:
    trial = create_draft(preset=STUDY, created_by=researcher_user())
    assert missing(trial)[:2] == ["consent", "open"]
    trial = saved(trial, "consent", **TYPED["consent"])
    assert missing(trial)[0] == "open"
    assert (trial.places, trial.games_each, trial.dice, trial.round_table) == (6, 50, "real", True)
    assert not trial.arms.exists()
    assert "smallest" not in Road(trial).make_form(SCREENS["plan"]).fields


def test_the_list_makes_a_draft_by_each_button(rosa: Client) -> None:
    page = text(rosa.get("/trials/"))
    assert re.findall(r'name="preset" value="(\w+)"', page) == ["coach", "study", "empty"]
    for preset in ("coach", "study", "empty"):
        address = rosa.post("/trials/new/", {"preset": preset}).headers["Location"]
        assert rosa.get(address).status_code == 200
    assert Trial.objects.count() == 4
    assert rosa.post("/trials/new/", {"preset": "other"}).headers["Location"] == "/trials/"
    assert rosa.get(address.replace("question", "nothing")).status_code == 404


def test_an_arm_is_changed_added_and_taken_away(trial: Trial) -> None:
    def names() -> list[str]:
        return list(trial.arms.values_list("name", flat=True))

    more = {"arm_3_coach": "live", "arm_2_hidden": "on", "arm_2_words": "Listen."}
    trial = saved(trial, "games", arm_2_coach="before", dice_places="each", **more)
    assert names() == ["off", "before-points-hidden", "live"]
    assert trial.texts == {"before-points-hidden": {"instructions": "Listen."}}
    assert trial.dice_places == ""  # the order belongs to real dice
    trial = saved(trial, "games", arm_3_coach="", arm_2_name="second")
    assert names() == ["off", "second"]
    assert trial.texts == {"second": {"instructions": "Listen."}}
    real = {"dice": "real", "dice_places": "each", "design": "within", "games_each": "4"}
    trial = saved(trial, "games", **real)
    assert (trial.design, trial.games_each, trial.dice_places) == ("within", 4, "each")
    trial = saved(trial, "question", compare="nobody")
    assert names() == []
    trial = saved(trial, "question", compare="arms")
    assert list(trial.arms.values_list("name", "coach")) == [("off", "off"), ("after", "after")]


OPEN_LINK = {"labels", "complete", "timed_out", "panel", "minutes"}
FAULTS = [
    ("question", "slug", "slug=New One"),
    ("question", "slug", "slug=new"),
    ("question", "slug", "slug=study"),
    ("people", "places", "places=0"),
    ("people", "labels", "labels=a a"),
    ("people", "labels", "labels=a&b"),
    ("people", "complete", "complete=javascript://x"),
    ("people", "timed_out", "timed_out=https://"),
    ("people", "panel", "panel=https://"),
    ("people", "minutes", "minutes=0"),
    ("games", "games_before", "games_before=-1"),
    ("games", "__all__", "arm_2_coach=off"),
    ("games", "ruleset", "ruleset=maxi"),
    ("consent", "kept", "kept=0"),
    ("plan", "stopping_people", "stopping=people"),
    ("plan", "stopping_date", "stopping=date"),
    ("plan", "hasty", "hasty=60001"),
    ("plan", "too_good", "too_good=1000001"),
]


@pytest.mark.parametrize(("screen", "field", "typed"), FAULTS)
def test_what_does_not_fit_is_said_at_its_field(
    trial: Trial, screen: str, field: str, typed: str
) -> None:
    new_trial()
    if field in OPEN_LINK:
        saved(trial, "people", come="open")
    name, _, value = typed.partition("=")
    assert list(faults(Trial.objects.get(pk=trial.pk), screen, **{name: value})) == [field]


# People


def opened(trial: Trial, **typed: Any) -> Recruitment:
    saved(trial, "people", come="open")
    saved(trial, "people", **typed)
    return Recruitment.objects.get()


def test_people_come_by_an_open_link_and_by_personal_links_again(
    trial: Trial, rosa: Client
) -> None:
    link = opened(trial, places="30")
    assert (link.open, link.quota, link.labels) == (True, 30, "")
    assert Trial.objects.get().places == Participant.objects.count() == 0
    data = sent(trial, "people", complete="https://panel.example/?p={nobody}")
    refused = rosa.post(f"/trials/{trial.slug}/people/", data)
    assert refused.status_code == 409  # a name that is never filled in
    assert Recruitment.objects.get().ways_out == {}
    for to, lets_in in (("pause", False), ("admit", True)):
        rosa.post(f"/trials/{trial.slug}/turn/{to}")
        assert Recruitment.objects.get().open is lets_in
    saved(trial, "people", come="personal", places="4")
    link.refresh_from_db()
    assert (link.open, Trial.objects.get().places) == (False, 4)
    assert Participant.objects.count() == 4


PROLIFIC = "https://app.prolific.com/submissions/complete?cc=C1X2"
SONA = "https://x.sona-systems.com/webstudy_credit.aspx?experiment_id=7&survey_code=XXXX"


@pytest.mark.parametrize(
    ("address", "labels", "complete"),
    [
        (PROLIFIC, "PROLIFIC_PID STUDY_ID SESSION_ID", PROLIFIC),
        (SONA, "survey_code", SONA.replace("XXXX", "{survey_code}")),
    ],
)
def test_a_panel_s_address_sets_its_ids_and_where_people_go_back_to(
    trial: Trial, address: str, labels: str, complete: str
) -> None:
    link = opened(trial, panel=address)
    assert (link.labels, link.ways_out["complete"]) == (labels, complete)
    assert link.panel
    read = read_panel("https://site.example/join/x/?who={{who}}&study=65f0")
    assert read == {"panel": "", "labels": "who study", "expected": "study=65f0"}


def test_who_only_sees_the_trial_reads_no_code_and_changes_nothing(
    trial: Trial, rosa: Client
) -> None:
    opened(trial, complete="SECRET-7", labels="pid")
    trial.team.update(role="view")
    for screen in ("people", "open", "plan"):
        page = text(rosa.get(f"/trials/{trial.slug}/{screen}/"))
        assert "SECRET-7" not in page
        assert "/join/" not in page
    assert " disabled" in text(rosa.get(f"/trials/{trial.slug}/people/"))


# Consent


def test_the_usual_text_follows_its_facts_and_ones_own_stays(trial: Trial) -> None:
    def consent() -> str:
        return Trial.objects.get(pk=trial.pk).consents.latest("version").text

    saved(trial, "consent", law="public", kept="6", published="results")
    assert "a task in the public interest" in consent()
    assert "For 6 months after the study is closed" in consent()
    assert "but not anyone's games and answers" in consent()
    saved(trial, "games", games_after="1")
    assert "about 80 minutes in all" in consent()
    saved(trial, "consent", consent="You play.")
    saved(trial, "people", pay="nothing")
    assert consent() == "You play."
    saved(trial, "consent", consent=None)
    saved(trial, "question", language="sv")
    assert "Du får inget." in consent()
    assert "I 6 månader efter att studien stängts" in consent()


def test_line_ends_of_a_browser_change_no_text_of_an_open_trial() -> None:
    trial = new_trial(opened=False)
    saved(trial, "consent", end="Thank you.\r\nGoodbye.\r\n")
    trial = open_trial(trial=Trial.objects.get())
    trial = saved(trial, "consent", end="Thank you.\r\nGoodbye.", kept="6")
    assert trial.texts == {"": {"end": "Thank you.\nGoodbye."}}
    assert trial.facts == {"kept": 6}
    for published in ("results", "coded"):  # files for everyone only where the consent says so
        Trial.objects.update(facts={"published": published}, closed_at=trial.opened_at)
        assert may_publish(Trial.objects.get()) is (published == "coded")


# Plan, open


def test_a_locked_plan_and_an_open_design_take_no_change(trial: Trial, rosa: Client) -> None:
    for screen, typed in TYPED.items():
        if screen != "plan":  # without its title, or with words in brackets, it does not open
            rosa.post(f"/trials/{trial.slug}/turn/open")
            assert Trial.objects.get().opened_at is None
        trial = saved(trial, screen, **typed)
    address = f"/trials/{trial.slug}"
    assert rosa.get(f"{address}/lock").status_code == 405
    rosa.post(f"{address}/lock")
    assert " disabled" in text(rosa.get(f"{address}/plan/"))
    rosa.post(f"{address}/plan/", {"smallest": "9"})
    assert Preregistration.objects.get().estimand["smallest"] == 6
    rosa.post(f"{address}/turn/open")
    answer = rosa.post(f"{address}/games/", sent(trial, "games", games_after="1"))
    assert answer.status_code == 409
    assert Trial.objects.get().games_after == 3


def test_a_trial_that_was_not_made_on_the_road_is_planned_and_locked(staff: Client) -> None:
    trial = new_trial(opened=False)
    staff.post(f"/trials/{trial.slug}/lock")
    assert Preregistration.objects.get().is_locked
    other = new_trial(slug="begun")
    joined(other)
    staff.post(f"/trials/{other.slug}/lock")
    assert not Preregistration.objects.filter(trial=other).exists()


def test_walking_through_shows_every_page_and_stores_no_participant(
    trial: Trial, rosa: Client
) -> None:
    opened(trial, complete="DONE-7")
    before = Participant.objects.count()
    page = text(rosa.get(f"/trials/{trial.slug}/through/"))
    assert page.count('class="preview"') == 6
    assert all(part in page for part in ("DONE-7", "a coach next to your card", "id_experience"))
    assert Participant.objects.count() == before


# Closing


def test_the_page_to_close_names_the_games_under_way(researcher: Browser) -> None:
    trial = new_trial()
    start_trial_game(participant=joined(trial))
    assert "P01: turn 1, 0 points" in text(researcher.get("/trials/study/close/"))
    researcher.post("/trials/study/turn/close")
    trial.refresh_from_db()
    assert trial.state == "closed"
    assert trial.events.get(kind=TrialEvent.Kind.CLOSED).detail == {"games_under_way": 1}
