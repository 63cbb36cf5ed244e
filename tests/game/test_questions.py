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
    hidden,
    me,
    send,
    sending,
    states,
)
from tests.known import known
from tests.play import Browser, text
from tests.trials import agree_to, joined, new_trial, person, play_next

pytestmark = [pytest.mark.django_db, pytest.mark.needs("game.trials")]


# What is asked, and when


def test_pages_come_before_after_each_game_and_at_the_end() -> None:
    participant = joined(asking())
    assert known(find_due_page(participant)).name == "before-1.0"
    with pytest.raises(Refused, match="answer the questions first"):
        start_trial_game(participant=participant)
    answer(participant, q_age="30", q_pet="no")
    assert find_due_page(participant) is None
    play_next(participant)
    assert known(find_due_page(participant)).name == "between-1.1"
    answer(participant, q_sure="40")
    play_next(participant)
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


# What is sent time after time, and what is kept of it: "" is no answer
TRIES = [
    (["4 50", "3 50"], ("3", True, 2), False),
    (["4 50", "5 50"], ("5", False, 2), True),
    (["3", "3", "3", "4 50", "", "4 50"], ("4", False, 2), True),
]


@pytest.mark.parametrize(("sent", "kept", "out"), TRIES)
def test_a_wrong_answer_about_the_rules_may_be_tried_once_more_and_no_answer_costs_no_try(
    sent: list[str], kept: tuple[str, bool, int], out: bool
) -> None:
    participant = joined(asking(QUIZ))
    finished = [
        answer(
            participant, **dict(zip(("q_throws", "q_bonus"), one.split(), strict=False))
        ).finished
        for one in sent
    ]
    assert finished == [*[False] * (len(sent) - 1), True]
    row = participant.answers.get(key="throws")
    assert (row.value, row.passed, row.tries) == kept
    assert row.page_finished
    participant.refresh_from_db()
    assert (participant.screened_out_at is not None) == out
    assert (monitor(participant.trial).rows[0].state == "screened_out") == out
    assert is_in_trial(known(participant.player)) != out
    if out:
        with pytest.raises(Refused, match="cannot continue"):
            start_trial_game(participant=participant)


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


# Pages


def visit(browser: Browser, trial: Trial) -> Browser:
    agree_to(browser, person(trial))
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
        play_next(me())
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
    assert states(me()) == {"age": ("answered", "33")}
    assert not me().answers.filter(page_finished=True).exists()
    send(visitor, **GOOD)
    assert states(me()) == {"age": ("answered", "30"), "pet": ("answered", "cat")}
    assert set(me().answers.values_list("tries", flat=True)) == {1}


def test_a_page_sent_twice_changes_nothing(visitor: Browser) -> None:
    sent = hidden(visitor.get("/take-part/")) | GOOD
    visitor.post("/take-part/asked", sent)
    response = visitor.post("/take-part/asked", sent | {"q-age": "50"})
    assert response.status_code == 409
    assert me().answers.get(key="age").value == "30"


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
    store_questions(trial=trial, text=FILE)  # the same is no change
    staff.post(address, {"text": QUIZ, "save": ""})
    assert QuestionFile.objects.count() == 1


def test_a_file_can_be_uploaded_and_stays_in_the_entry(staff: Client) -> None:
    new_trial(opened=False)
    for content, fault in ((b"before: 3", "before: A list"), (b"\xff\xfe", "not UTF-8 text")):
        file = SimpleUploadedFile("mine.yaml", content)
        page = text(staff.post("/trials/study/questions/", {"file": file, "check": ""}))
        assert fault in page
    file = SimpleUploadedFile("mine.yaml", FILE.encode())
    page = text(staff.post("/trials/study/questions/", {"file": file, "check": ""}))
    assert "{key: sure, kind: slider" in page
    assert "data-slider" in page
