"""Questions of a trial: asked when they are due, stored at once, and then kept."""

import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.db import IntegrityError
from django.test import Client
from django.utils import timezone

from game.core.refusals import Refused
from game.trials.design.writing import close_trial, open_trial
from game.trials.joining.answering import store_page_answers, store_questions
from game.trials.joining.links import make_link_path
from game.trials.joining.writing import start_trial_game
from game.trials.models import Answer, QuestionFile, Trial
from game.trials.monitor import monitor
from game.trials.questions.parsing import BadQuestions
from game.trials.questions.reading import find_due_page, read_ready_text
from game.trials.reading import is_in_trial
from tests.game.questions import (
    FILE,
    GOOD,
    QUIZ,
    WRONG,
    answer,
    asking,
    find_answer,
    finish_game,
    hidden,
    me,
    send,
    sending,
    states,
    text,
)
from tests.known import known
from tests.play import Browser
from tests.trials import joined, new_trial

pytestmark = [pytest.mark.django_db, pytest.mark.needs("game.trials")]


# What is asked, and when


def test_pages_come_before_after_each_game_and_at_the_end() -> None:
    participant = joined(asking())
    assert known(find_due_page(participant)).name == "before-1.0"
    with pytest.raises(Refused, match="answer the questions first"):
        start_trial_game(participant=participant)
    answer(participant, q_age="30", q_pet="no")
    assert find_due_page(participant) is None
    finish_game(participant)
    assert known(find_due_page(participant)).name == "between-1.1"
    answer(participant, q_sure="40")
    finish_game(participant)
    assert known(find_due_page(participant)).name == "between-1.2"
    answer(participant, q_sure="60")
    assert known(find_due_page(participant)).name == "after-1.0"
    answer(participant, q_note="No")
    assert find_due_page(participant) is None
    kept = Answer.objects.values_list("key", "moment", "game", "value")
    assert list(kept.order_by("pk")) == [
        ("age", "before", 0, "30"),
        ("pet", "before", 0, "no"),
        ("sure", "between", 1, "40"),
        ("sure", "between", 2, "60"),
        ("note", "after", 0, "No"),
    ]


# What is stored


def test_answered_declined_left_out_and_not_reached_are_four_things() -> None:
    participant = joined(asking())
    assert find_answer(participant, "age") is None
    answer(participant, no_age="on", q_pet="-")
    assert states(participant) == {"age": ("declined", ""), "pet": ("declined", "")}
    other = joined(participant.trial, 2)
    answer(other, q_pet="cat")
    assert states(other) == {"age": ("skipped", ""), "pet": ("answered", "cat")}
    assert (find_answer(other, "age"), find_answer(other, "pet")) == ("", "cat")


def test_what_is_right_on_a_faulty_page_is_kept_and_may_still_change() -> None:
    participant = joined(asking())
    assert not answer(participant, q_age="30").finished
    assert states(participant) == {"age": ("answered", "30")}
    assert find_answer(participant, "age") is None, "its page is not finished"
    assert answer(participant, q_age="31", q_pet="no").finished
    assert states(participant) == {"age": ("answered", "31"), "pet": ("answered", "no")}
    assert set(participant.answers.values_list("tries", flat=True)) == {1}


def test_a_page_that_is_not_due_cannot_be_answered() -> None:
    participant = joined(asking())
    for page in ("between-1.1", "after-1.0", "", "before-1"):
        with pytest.raises(Refused):
            store_page_answers(participant=participant, page=page, sent=sending())
    assert not Answer.objects.exists()


def test_nobody_answers_before_agreeing_or_after_the_end() -> None:
    trial = asking()
    with pytest.raises(Refused):
        answer(trial.participants.get(number=2), q_pet="cat")
    participant = joined(trial)
    close_trial(trial=trial)
    with pytest.raises(Refused, match="closed"):
        answer(participant, q_pet="cat")
    assert not Answer.objects.exists()


@pytest.mark.parametrize(
    "wrong",
    [
        {"state": "answered", "value": ""},
        {"state": "declined", "value": "x"},
        {"state": "skipped", "moment": "between", "game": 0},
        {"state": "skipped", "moment": "before", "game": 2},
    ],
)
def test_the_database_refuses_answers_that_contradict_themselves(wrong: dict[str, object]) -> None:
    participant = joined(new_trial())
    facts = {"key": "a", "moment": "before", "at": timezone.now()} | wrong
    with pytest.raises(IntegrityError):
        Answer.objects.create(participant=participant, **facts)


# Checks


def test_a_wrong_answer_about_the_rules_may_be_tried_again() -> None:
    participant = joined(asking(QUIZ))
    assert not answer(participant, q_throws="4", q_bonus="50").finished
    assert answer(participant, q_throws="3", q_bonus="50").finished
    kept = participant.answers.get(key="throws")
    assert (kept.value, kept.passed, kept.tries, kept.page_finished) == ("3", True, 2, True)
    participant.refresh_from_db()
    assert participant.screened_out_at is None


def test_whoever_has_no_try_left_is_screened_out() -> None:
    participant = joined(asking(QUIZ))
    answer(participant, q_throws="4", q_bonus="50")
    assert answer(participant, q_throws="5", q_bonus="50").finished
    participant.refresh_from_db()
    assert participant.screened_out_at is not None
    kept = participant.answers.get(key="throws")
    assert (kept.value, kept.passed, kept.tries) == ("5", False, 2)
    with pytest.raises(Refused, match="cannot continue"):
        start_trial_game(participant=participant)
    assert monitor(participant.trial).rows[0].state == "screened_out"
    assert not is_in_trial(known(participant.player))


def test_an_unanswered_question_about_the_rules_costs_no_try_and_wins_none_back() -> None:
    participant = joined(asking(QUIZ))
    for _ in range(3):
        assert not answer(participant, q_throws="3").finished
    assert not answer(participant, q_throws="4", q_bonus="50").finished
    answer(participant)
    assert answer(participant, q_throws="4", q_bonus="50").finished
    assert set(participant.answers.values_list("tries", flat=True)) == {2}
    participant.refresh_from_db()
    assert participant.screened_out_at is not None


@pytest.mark.parametrize(("check", "ends"), [("attention: cat", False), ("screen_out: [no]", True)])
def test_an_answer_may_screen_out_and_an_attention_check_says_nothing(
    check: str, ends: bool
) -> None:
    participant = joined(asking(FILE.replace("required: yes", check)))
    assert answer(participant, q_age="30", q_pet="no").finished
    assert participant.answers.get(key="pet").passed is (None if ends else False)
    participant.refresh_from_db()
    assert (participant.screened_out_at is not None) == ends


# The file


def test_a_changed_file_is_a_new_version_and_the_same_is_not() -> None:
    trial = new_trial(opened=False)
    with pytest.raises(BadQuestions):
        store_questions(trial=trial, text="before: 3")
    for file in (FILE, FILE.replace("\n", "\r\n"), QUIZ, "", FILE):
        store_questions(trial=trial, text=file)
    assert list(trial.question_files.values_list("version", flat=True)) == [1, 2, 3, 4]
    store_questions(trial=new_trial(slug="other"), text="")
    assert QuestionFile.objects.count() == 4
    call_command("trial_create", "pilot", "--participants=2", "--questions=rules_quiz")
    kept = QuestionFile.objects.get(trial__slug="pilot")
    assert kept.text == read_ready_text("rules_quiz").strip()


def test_the_file_stays_once_somebody_has_agreed() -> None:
    trial = asking()
    joined(trial)
    store_questions(trial=trial, text=FILE)
    with pytest.raises(Refused, match="already begun"):
        store_questions(trial=trial, text=QUIZ)
    assert trial.question_files.count() == 1


# Pages


def visit(browser: Browser, trial: Trial) -> Browser:
    browser.get(make_link_path(trial.participants.get(number=1)))
    browser.post("/take-part/agree", {"version": 1, "agree": "on"})
    return browser


@pytest.fixture
def visitor(browser: Browser) -> Browser:
    return visit(browser, asking())


def test_what_is_sent_is_stored_and_the_next_page_follows(visitor: Browser) -> None:
    early = hidden(visitor.get("/take-part/"))
    assert send(visitor, **GOOD).headers["Location"] == "/take-part/"
    assert states(me()) == {"age": ("answered", "30"), "pet": ("answered", "cat")}
    assert 'id="next-game"' in text(visitor.get("/take-part/"))
    assert known(me().answers.get(key="age").seconds) >= 0
    for number, stamp in enumerate((early["stamp"], early["stamp"][:-1]), start=1):
        finish_game(me())
        send(visitor, **{"q-sure": "5", "stamp": stamp})  # of another page, and forged
        assert me().answers.get(key="sure", game=number).seconds is None
    page = text(send(visitor, **{"q-note": "<script>alert(1)</script>" * 200}))
    assert "use at most 4000 characters" in page
    assert "<script>alert" not in page


def test_a_fault_is_told_beside_its_question_and_the_rest_is_kept(visitor: Browser) -> None:
    visitor.cookies["django_language"] = "sv"
    page = text(visitor.get("/take-part/"))
    assert '<h2 lang="sv">Om dig</h2>' in page
    assert '<span lang="en">A pet?</span>' in page, "not translated: in the first language"
    page = text(send(visitor, **{"q-age": "7"}))
    assert 'href="#q-age"' in page
    assert '<p id="q-age-problem" class="errors">' in page
    assert '<p id="q-pet-problem" class="errors">' in page
    assert 'value="7"' in page
    assert 'aria-describedby="q-age-range q-age-problem"' in page
    assert not Answer.objects.exists()
    again = text(send(visitor, **{"q-age": "33"}))
    assert 'value="33"' in again
    assert 'value="33"' in text(visitor.get("/take-part/")), "a reload loses nothing"


def test_a_page_sent_twice_changes_nothing(visitor: Browser) -> None:
    sent = hidden(visitor.get("/take-part/")) | GOOD
    visitor.post("/take-part/asked", sent)
    response = visitor.post("/take-part/asked", sent | {"q-age": "50"})
    assert response.status_code == 409
    assert find_answer(me(), "age") == "30"


def test_a_quiz_says_what_was_wrong_and_how_many_tries_are_left(browser: Browser) -> None:
    page = text(visit(browser, asking(QUIZ.replace("right: 3", "right: 7"))).get("/take-part/"))
    assert "You have 2 tries." in page
    form = page[page.index('class="form asked"') :]
    form = re.sub(r'value="[^"]{20,}"', "", form[: form.index("</form>")])
    assert "7" not in form, "the right answer"
    for page in (text(send(browser, **WRONG)), text(browser.get("/take-part/"))):
        # It is in the summary, and at the question.
        assert page.count("That is not the right answer.") == 2
        assert "You have 1 try left." in page
    assert send(browser, **WRONG).status_code == 302
    assert 'id="next-game"' not in text(browser.get("/take-part/"))
    assert browser.post("/take-part/game").status_code == 409


def test_researchers_check_preview_and_store_questions(staff: Client) -> None:
    trial, address = new_trial(opened=False), "/trials/study/questions/"
    assert "?begin=experience" in text(staff.get(address))
    assert "quiz_throws" in text(staff.get(f"{address}?begin=rules_quiz"))
    assert staff.get(f"{address}?begin=../settings").status_code == 200
    sent = {"text": FILE, "language": "sv"}
    page = text(staff.post(address, sent | {"check": ""}))
    assert "Hur gammal är du?" in page
    assert "Före spelen" not in page, "their own language for what is theirs"
    page = text(staff.post(address, {"text": "before:\n  - titel: A", "save": ""}))
    assert "before, page 1: “titel”" in page
    assert not QuestionFile.objects.exists()
    staff.post(address, sent | {"save": ""})
    assert QuestionFile.objects.get().version == 1
    assert "How old are you?" in text(staff.get(address))
    joined(open_trial(trial=trial))
    assert 'name="save"' not in text(staff.get(address))
    staff.post(address, {"text": QUIZ, "save": ""})
    assert QuestionFile.objects.count() == 1


def test_a_file_can_be_uploaded_and_stays_in_the_entry(staff: Client) -> None:
    new_trial(opened=False)
    for content, told in ((b"before: 3", "before: A list"), (b"\xff\xfe", "not UTF-8 text")):
        file = SimpleUploadedFile("mine.yaml", content)
        page = text(staff.post("/trials/study/questions/", {"file": file, "check": ""}))
        assert told in page
    file = SimpleUploadedFile("mine.yaml", FILE.encode())
    page = text(staff.post("/trials/study/questions/", {"file": file, "check": ""}))
    assert "{key: sure, kind: slider" in page
    assert "data-slider" in page
