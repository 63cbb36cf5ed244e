"""Every way out of a trial has a code, makes room for another or not, and is listed for staff."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone

from game.models import Game, Player
from game.trials.design.people import WAYS_OUT, count_outcomes, count_places_left
from game.trials.design.writing import close_trial
from game.trials.joining.answering import store_questions
from game.trials.joining.links import make_link_path
from game.trials.joining.recruiting import Passage, list_ways_out
from game.trials.models import Participant, Recruitment, Trial
from game.trials.results.flow import build_flow
from tests.game.test_recruitment import ANNA, BEN, agree, link, recruiting
from tests.play import Browser, text
from tests.trials import finish, joined, next_game, table_rows

pytestmark = pytest.mark.django_db
CODES = {name: f"CODE-{name.upper()}" for name in WAYS_OUT}
FOLLOWED = {"games_each": 1, "games_follow_up": 2, "follow_up_days": 14}
QUESTIONS = """
before:
  - tries: 1
    questions:
      - key: student
        kind: choice
        ask: Are you a student?
        options: {yes: "Yes", no: "No"}
        screen_out: no
      - key: throws
        kind: number
        ask: How many throws?
        right: 3
      - key: look
        kind: choice
        ask: Choose blue.
        options: {red: Red, blue: Blue}
        attention: blue
      - key: look_again
        kind: choice
        ask: Choose red.
        options: {red: Red, blue: Blue}
        attention: red
"""
GOOD = {"q-student": "yes", "q-throws": "3", "q-look": "blue", "q-look_again": "red"}


def coded(**wanted: Any) -> Recruitment:
    return recruiting(**CODES | {"quota": 5} | wanted)


def find_codes(page: str) -> list[str]:
    return [name for name, code in CODES.items() if f">{code}<" in page]


def home(browser: Browser) -> list[str]:
    return find_codes(text(browser.get("/take-part/")))


def later(days: float) -> None:
    back = timedelta(days=days)
    for player in Player.objects.all():
        Player.objects.filter(pk=player.pk).update(created_at=player.created_at - back)
    for game in Game.objects.all():
        ended = game.finished_at and game.finished_at - back
        Game.objects.filter(pk=game.pk).update(started_at=game.started_at - back, finished_at=ended)


def asked(browser: Browser, **answers: str) -> Recruitment:
    wanted = {key: value for key, value in answers.items() if key == "checks"}
    found = coded(trial={"opened": True}, **wanted)
    store_questions(trial=found.trial, text=QUESTIONS)
    agree(browser, found, ANNA)
    changed = {f"q-{key}": value for key, value in answers.items() if key != "checks"}
    browser.post("/take-part/asked", {"page": "before-1.0", **GOOD, **changed})
    return found


# Each by its own code


def test_saying_no_a_full_trial_and_a_closed_link_have_each_their_code() -> None:
    found = coded(quota=1)
    agree(Browser(), found, ANNA)
    assert find_codes(text(Browser().get(link(found, "no"), BEN))) == ["no_consent"]
    assert find_codes(text(Browser().get(link(found), BEN))) == ["full"]
    Recruitment.objects.update(open=False)
    posted = f"{link(found, 'agree')}?PROLIFIC_PID=ben"
    for shut in (
        Browser().get(link(found), BEN),
        Browser().post(posted, {"version": 1, "agree": "on"}),
    ):
        assert (shut.status_code, find_codes(text(shut))) == (403, ["closed"])


@pytest.mark.parametrize(
    ("checks", "missed", "way"),
    [
        ("1", {"look": "red"}, ["failed_check"]),
        ("2", {"look": "red"}, []),
        ("2", {"look": "red", "look_again": "blue"}, ["failed_check"]),
        (None, {"look": "red", "look_again": "blue"}, []),
        (None, {"throws": "4", "student": "no"}, ["screened_out"]),  # more than a failed check
    ],
)
def test_so_many_missed_attention_checks_end_the_part(
    browser: Browser, checks: Any, missed: dict[str, str], way: list[str]
) -> None:
    trial = asked(browser, checks=checks, **missed).trial
    personal = Browser()  # somebody with a personal link misses what they will
    personal.get(make_link_path(trial.participants.get(number=1)))
    personal.post("/take-part/agree", {"version": 1, "agree": "on"})
    personal.post("/take-part/asked", {"page": "before-1.0", **GOOD, "q-look": "red"})
    assert next_game(personal)
    assert home(browser) == way
    assert (browser.post("/take-part/game").status_code == 409) is bool(way)
    (lane,) = build_flow(trial, timezone.now()).arms
    steps = {step.step: step.people for step in lane.steps}
    if "student" not in missed:
        assert (steps.get("failed_check", 0), steps.get("screened_out", 0)) == (len(way), 0)
    browser.post("/take-part/withdraw", {"confirm": "on"})
    assert not Participant.objects.filter(failed_check=True).exists()


@pytest.mark.parametrize("late", [True, False])
def test_a_closed_trial_has_one_code_for_the_finished_and_another_for_the_rest(
    browser: Browser, late: bool
) -> None:
    found, done = coded(minutes=60), Browser()
    agree(browser, found, ANNA)
    agree(done, found, BEN)
    finish(next_game(done))
    if late:
        later(1)
    close_trial(trial=found.trial)
    if not late:  # time passes, but no participant runs out of time any more
        later(1)
        found.trial.closed_at = timezone.now() - timedelta(days=1)
        found.trial.save()
    assert home(browser) == ["timed_out" if late else "closed"]
    assert home(done) == ["complete"]


def test_a_withdrawing_participant_sees_the_code_with_the_labels(browser: Browser) -> None:
    found = coded(withdrawn="https://panel.example/gone?pid={PROLIFIC_PID}")
    agree(browser, found, ANNA)
    gone = 'href="https://panel.example/gone?pid=anna"'
    assert gone in text(browser.post("/take-part/withdraw", {"confirm": "on"}))
    assert gone in text(Browser().get(link(found), ANNA))


# A follow-up


def test_the_first_sitting_has_its_code_until_the_follow_up_completes_the_trial(
    browser: Browser,
) -> None:
    found = coded(trial=FOLLOWED, minutes=60)
    agree(browser, found, ANNA)
    game = next_game(browser)
    assert home(browser) == []
    finish(game)
    waiting = text(browser.get("/take-part/"))
    assert find_codes(waiting) == ["first_sitting"]
    assert 'id="next-game"' not in waiting
    assert 'id="return-code"' in waiting
    later(14)
    back = text(browser.get("/take-part/"))
    assert find_codes(back) == ["first_sitting"]
    assert 'id="next-game"' in back
    assert count_places_left(found) == 4
    for _ in range(2):
        finish(next_game(browser))
    assert home(browser) == ["complete"]
    later(1)
    assert home(browser) == ["complete"]


def test_the_follow_up_has_its_minutes_and_the_days_until_it_are_none(browser: Browser) -> None:
    found, late = coded(trial=FOLLOWED | {"games_follow_up": 3}, minutes=60), Browser()
    agree(late, found, BEN)
    later(1 / 24)
    assert home(late) == ["timed_out"]  # a first sitting that was not done has no follow-up
    agree(browser, found, ANNA)
    finish(next_game(browser))
    later(20)
    finish(next_game(browser))
    assert home(browser) == []  # another is to come, within the hour
    second = next_game(browser)
    later(1 / 24)
    assert home(browser) == []  # a game is under way
    assert next_game(browser) == second
    finish(second)
    page = text(browser.get("/take-part/"))
    assert (find_codes(page), 'id="next-game"' in page) == (["timed_out"], False)
    assert browser.post("/take-part/game").status_code == 409
    assert count_places_left(found) == 5
    assert count_outcomes(found.trial, timezone.now()) == {"timed_out": 2}


@pytest.mark.parametrize(
    ("way", "left"),
    [("screened_out", 1), ("failed_check", 1), ("timed_out", 1), ("", 0), ("complete", 0)],
)
def test_participants_who_play_or_are_done_take_a_place(
    browser: Browser, way: str, left: int
) -> None:
    found = coded(quota=1, minutes=60)
    agree(browser, found, ANNA)
    gone = {"screened_out_at": timezone.now(), "failed_check": way == "failed_check"}
    if way in {"screened_out", "failed_check"}:
        Participant.objects.filter(arrival__isnull=False).update(**gone)
    if way == "complete":
        finish(next_game(browser))
    if way == "timed_out":
        later(1)
    assert count_places_left(found) == left
    page = text(browser.get("/take-part/"))
    assert find_codes(page) == [way] * bool(way)


def test_the_export_has_the_outcome_of_every_visitor_of_the_open_link(browser: Browser) -> None:
    found, other = coded(trial=FOLLOWED | {"places": 2}), Browser()
    agree(browser, found, ANNA)
    agree(other, found, BEN)
    joined(found.trial)
    finish(next_game(other))
    at = timezone.now()
    later(14)
    next_game(other)

    def exported(when: datetime) -> list[Any]:
        return [row["outcome"] for row in table_rows(found.trial, "participants", when)]

    assert exported(at) == [None, "under_way", "first_sitting"]
    assert exported(timezone.now()) == [None, "under_way", "under_way"]


# What staff see of every way out


def by_name(trial: Trial) -> dict[str, Passage]:
    return dict(zip(WAYS_OUT, list_ways_out(Recruitment.objects.get(trial=trial)), strict=True))


def test_an_address_is_filled_in_with_made_up_labels() -> None:
    found = coded(
        labels="id STUDY_ID who",
        expected="STUDY_ID=s7",
        complete="https://panel.example/?p={id}&s={STUDY_ID}",
    )
    shown = by_name(found.trial)["complete"].shown
    assert shown == "https://panel.example/?p=made-up&s=s7"


# What is missing


def test_a_way_out_that_nobody_can_go_is_said_and_not_walked() -> None:
    found = by_name(coded().trial)
    shut = {name for name, one in found.items() if one.shut}
    assert shut == {"first_sitting", "timed_out", "screened_out", "failed_check"}
    assert not any(one.missing or (one.shut and one.shown) for one in found.values())


def test_attention_checks_alone_end_the_part_where_a_number_of_them_does() -> None:
    attentive = QUESTIONS.replace("        right: 3\n", "").replace("  - tries: 1\n    q", "  - q")
    found = coded(trial={"opened": False})
    store_questions(trial=found.trial, text=attentive)
    assert by_name(found.trial)["failed_check"].shut
    Recruitment.objects.update(checks=1)
    assert by_name(found.trial)["failed_check"].shown == CODES["failed_check"]


@pytest.mark.parametrize(
    ("told", "words"),
    [
        ("", "No code or address is set"),
        ("https://panel.example/?p={nobody}", "“{nobody}” is not filled in"),
        ("http://panel.example/", "begin with https"),
    ],
)
def test_what_is_missing_is_said(told: str, words: str) -> None:
    found = coded()
    Recruitment.objects.update(ways_out=CODES | {"full": told})  # as older ones are
    walked = by_name(found.trial)
    assert [name for name, one in walked.items() if one.missing] == ["full"]
    assert words in " ".join(walked["full"].missing)
