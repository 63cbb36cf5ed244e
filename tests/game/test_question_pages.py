"""Pages of questions: as participants answer them, and as researchers check and preview them."""

import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from game.trials.joining.links import make_link_path
from game.trials.models import Answer, QuestionFile
from tests.game.questions import (
    FILE,
    GOOD,
    QUIZ,
    WRONG,
    asking,
    find_answer,
    finish_game,
    hidden,
    me,
    send,
    states,
    text,
)
from tests.known import known
from tests.play import Browser
from tests.trials import joined, new_trial

pytestmark = pytest.mark.django_db


@pytest.fixture
def visitor(browser: Browser) -> Browser:
    trial = asking()
    browser.get(make_link_path(trial.participants.get(number=1)))
    browser.post("/take-part/agree", {"version": 1, "agree": "on"})
    return browser


# Pages of participants


def test_a_page_asks_in_the_language_of_its_reader(visitor: Browser) -> None:
    visitor.cookies["django_language"] = "sv"
    page = text(visitor.get("/take-part/"))
    assert '<h2 lang="sv">Om dig</h2>' in page
    assert "Hur gammal är du?" in page
    assert '<span lang="en">A pet?</span>' in page, "not translated: in the first language"


def test_what_is_sent_is_stored_and_the_next_page_follows(visitor: Browser) -> None:
    response = send(visitor, **GOOD)
    assert response.headers["Location"] == "/take-part/"
    assert states(me()) == {"age": ("answered", "30"), "pet": ("answered", "cat")}
    assert 'id="next-game"' in text(visitor.get("/take-part/"))
    assert known(me().answers.get(key="age").seconds) >= 0


def test_a_fault_is_told_beside_its_question_and_the_rest_is_kept(visitor: Browser) -> None:
    page = text(send(visitor, **{"q-age": "7"}))
    assert 'href="#q-age"' in page
    assert '<p id="q-age-problem" class="errors">Please type a number of at least 18.</p>' in page
    assert 'value="7"' in page
    assert 'aria-describedby="q-age-range q-age-problem"' in page
    assert "Please answer this question, or choose “I would rather not say”." in page
    assert not Answer.objects.exists()
    again = text(send(visitor, **{"q-age": "33"}))
    assert 'value="33"' in again
    assert 'value="33"' in text(visitor.get("/take-part/")), "a reload loses nothing"


def test_a_page_sent_twice_changes_nothing(visitor: Browser) -> None:
    sent = hidden(visitor.get("/take-part/")) | GOOD
    visitor.post("/take-part/asked", sent)
    response = visitor.post("/take-part/asked", sent | {"q-age": "50"})
    assert response.status_code == 409
    assert "answered these questions already" in text(response)
    assert find_answer(me(), "age") == "30"


def test_a_forged_time_is_not_believed(visitor: Browser) -> None:
    sent = hidden(visitor.get("/take-part/")) | GOOD
    visitor.post("/take-part/asked", sent | {"stamp": sent["stamp"][:-1]})
    assert me().answers.get(key="age").seconds is None


def test_the_time_of_another_page_is_not_believed(visitor: Browser) -> None:
    sent = hidden(visitor.get("/take-part/"))
    visitor.post("/take-part/asked", sent | GOOD)
    finish_game(me())
    send(visitor, **{"q-sure": "5", "stamp": sent["stamp"]})
    assert me().answers.get(key="sure").seconds is None


def test_text_is_shown_as_it_was_written_and_never_run(visitor: Browser) -> None:
    send(visitor, **GOOD)
    for _ in range(2):
        finish_game(me())
        send(visitor, **{"q-sure": "1"})
    long = "<script>alert(1)</script>" * 200
    page = text(send(visitor, **{"q-note": long}))
    assert "use at most 4000 characters" in page
    assert "<script>alert" not in page


def test_a_quiz_says_what_was_wrong_and_how_many_tries_are_left(browser: Browser) -> None:
    browser.get(make_link_path(asking(QUIZ).participants.get(number=1)))
    browser.post("/take-part/agree", {"version": 1, "agree": "on"})
    assert "You have 2 tries." in text(browser.get("/take-part/"))
    for page in (text(send(browser, **WRONG)), text(browser.get("/take-part/"))):
        assert page.count("That is not the right answer.") == 2, (
            "in the summary, and beside the question"
        )
        assert "You have 1 try left." in page
    assert send(browser, **WRONG).status_code == 302
    page = text(browser.get("/take-part/"))
    assert "did not follow the instructions" in page
    assert "next-game" not in page
    assert browser.post("/take-part/game").status_code == 409


def test_the_right_answers_are_nowhere_on_the_page(browser: Browser) -> None:
    browser.get(
        make_link_path(asking(QUIZ.replace("right: 3", "right: 7")).participants.get(number=1))
    )
    browser.post("/take-part/agree", {"version": 1, "agree": "on"})
    page = text(browser.get("/take-part/"))
    form = page[page.index('class="form asked"') :]
    assert "7" not in re.sub(r'value="[^"]{20,}"', "", form[: form.index("</form>")])


# Pages of researchers


def test_researchers_check_preview_and_store_questions(staff: Client) -> None:
    new_trial(opened=False)
    page = staff.post("/trials/study/questions/", {"text": FILE, "language": "sv", "check": ""})
    assert "Hur gammal är du?" in text(page)
    assert "Före spelen" not in text(page), "their own language for what is theirs"
    assert not QuestionFile.objects.exists()
    staff.post("/trials/study/questions/", {"text": FILE, "language": "sv", "save": ""})
    assert QuestionFile.objects.get().version == 1
    assert "How old are you?" in text(staff.get("/trials/study/questions/"))


def test_faults_are_told_to_researchers_by_line(staff: Client) -> None:
    new_trial(opened=False)
    page = staff.post("/trials/study/questions/", {"text": "before:\n  - titel: A", "save": ""})
    assert "Line 2: “titel” is not valid here" in text(page)
    assert not QuestionFile.objects.exists()


def test_a_file_can_be_uploaded_and_stays_in_the_entry(staff: Client) -> None:
    new_trial(opened=False)
    for content, told in ((b"before: 3", "Line 1: A list"), (b"\xff\xfe", "not UTF-8 text")):
        file = SimpleUploadedFile("mine.yaml", content)
        page = text(staff.post("/trials/study/questions/", {"file": file, "check": ""}))
        assert told in page
    file = SimpleUploadedFile("mine.yaml", FILE.encode())
    page = text(staff.post("/trials/study/questions/", {"file": file, "check": ""}))
    assert "{key: sure, kind: slider" in page
    assert "data-slider" in page


def test_files_that_ship_are_offered_to_begin_with(staff: Client) -> None:
    new_trial(opened=False)
    assert "?begin=experience" in text(staff.get("/trials/study/questions/"))
    assert "quiz_throws" in text(staff.get("/trials/study/questions/?begin=rules_quiz"))
    assert staff.get("/trials/study/questions/?begin=../settings").status_code == 200


def test_once_begun_the_page_only_previews(staff: Client) -> None:
    joined(asking())
    page = text(staff.get("/trials/study/questions/"))
    assert 'name="save"' not in page
    staff.post("/trials/study/questions/", {"text": QUIZ, "save": ""})
    assert QuestionFile.objects.count() == 1
