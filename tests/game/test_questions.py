"""Questions of a trial: asked when they are due, stored at once, and then kept."""

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError
from django.utils import timezone

from game.core.refusals import Refused
from game.trials.design.writing import close_trial
from game.trials.joining.answering import store_page_answers, store_questions
from game.trials.joining.withdrawing import withdraw_participant
from game.trials.joining.writing import start_trial_game
from game.trials.models import Answer, QuestionFile, Trial
from game.trials.monitor import monitor
from game.trials.questions.parsing import BadQuestions
from game.trials.questions.reading import find_due_page, read_ready_text
from game.trials.reading import is_in_trial
from tests.game.questions import (
    FILE,
    QUIZ,
    answer,
    asking,
    find_answer,
    finish_game,
    sending,
    states,
)
from tests.known import known
from tests.trials import joined, new_trial

pytestmark = [pytest.mark.django_db, pytest.mark.needs("game.trials")]


# What is asked, and when


def test_pages_come_before_after_each_game_and_at_the_end() -> None:
    participant = joined(asking())
    assert known(find_due_page(participant)).name == "before-1.0"
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


def test_no_game_is_dealt_while_a_page_waits() -> None:
    participant = joined(asking())
    with pytest.raises(Refused, match="answer the questions first"):
        start_trial_game(participant=participant)
    answer(participant, q_pet="cat")
    assert start_trial_game(participant=participant).game.trial_game.number == 1


def test_a_trial_without_a_file_asks_nothing() -> None:
    participant = joined(new_trial())
    assert find_due_page(participant) is None
    assert start_trial_game(participant=participant).game.trial_game.number == 1


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


@pytest.mark.parametrize("page", ["between-1.1", "after-1.0", "", "before-1"])
def test_a_page_that_is_not_due_cannot_be_answered(page: str) -> None:
    participant = joined(asking())
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


def test_withdrawing_deletes_every_answer() -> None:
    participant = joined(asking(QUIZ.replace("tries: 2", "tries: 1")))
    answer(participant, q_throws="4", q_bonus="50")
    withdraw_participant(participant=participant)
    participant.refresh_from_db()
    assert not Answer.objects.exists()
    assert participant.screened_out_at is None


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


def test_an_unanswered_question_about_the_rules_costs_no_try() -> None:
    participant = joined(asking(QUIZ))
    for _ in range(3):
        assert not answer(participant, q_throws="3").finished
    assert not answer(participant, q_throws="4", q_bonus="50").finished
    assert answer(participant, q_throws="3", q_bonus="50").finished
    assert set(participant.answers.values_list("tries", flat=True)) == {2}


def test_tries_cannot_be_won_back_by_sending_nothing() -> None:
    participant = joined(asking(QUIZ))
    answer(participant, q_throws="4", q_bonus="50")
    answer(participant)
    assert answer(participant, q_throws="4", q_bonus="50").finished
    participant.refresh_from_db()
    assert participant.screened_out_at is not None


def test_an_attention_check_is_marked_and_says_nothing() -> None:
    file = FILE.replace("required: yes", "attention: cat")
    participant = joined(asking(file))
    assert answer(participant, q_age="30", q_pet="no").finished
    assert participant.answers.get(key="pet").passed is False
    participant.refresh_from_db()
    assert participant.screened_out_at is None


def test_an_answer_that_screens_out_ends_the_part() -> None:
    participant = joined(asking(FILE.replace("required: yes", "screen_out: [no]")))
    answer(participant, q_age="30", q_pet="no")
    participant.refresh_from_db()
    assert participant.screened_out_at is not None


# The file


def test_a_changed_file_is_a_new_version_and_the_same_is_not() -> None:
    trial = new_trial(opened=False)
    for file in (FILE, FILE.replace("\n", "\r\n"), QUIZ, "", FILE):
        store_questions(trial=trial, text=file)
    assert list(trial.question_files.values_list("version", flat=True)) == [1, 2, 3, 4]
    store_questions(trial=new_trial(slug="other"), text="")
    assert QuestionFile.objects.count() == 4


def test_the_file_stays_once_somebody_has_agreed() -> None:
    trial = asking()
    joined(trial)
    store_questions(trial=trial, text=FILE)
    with pytest.raises(Refused, match="already begun"):
        store_questions(trial=trial, text=QUIZ)
    assert trial.question_files.count() == 1


def test_a_faulty_file_is_not_stored() -> None:
    trial = new_trial()
    with pytest.raises(BadQuestions):
        store_questions(trial=trial, text="before: 3")
    assert not QuestionFile.objects.exists()


def test_the_command_makes_a_trial_with_its_questions() -> None:
    call_command("trial_create", "pilot", "--participants=2", "--questions=rules_quiz")
    assert Trial.objects.get().question_files.get().text == read_ready_text("rules_quiz").strip()


def test_the_command_makes_no_trial_with_faulty_questions(tmp_path: object) -> None:
    with pytest.raises(CommandError, match="cannot be read"):
        call_command("trial_create", "pilot", f"--questions={tmp_path}/none.yaml")
    assert not Trial.objects.exists()
