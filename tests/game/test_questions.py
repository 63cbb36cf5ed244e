"""Questions of a trial on its pages: asked when they are due, stored at once, and then kept."""

import re
from collections.abc import Callable, Mapping, Sequence

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.db import IntegrityError
from django.test import Client
from django.utils import timezone

from game import services
from game.models import Answer, Game, Participant, Player, QuestionFile, Trial
from game.questions.nodes import BadQuestions
from game.questions.ready import ready_text
from game.selectors.questions import answer_of, page_due
from game.selectors.trials import player_in_trial
from game.services import Refused
from game.trials.links import path_of
from game.trials.monitor import monitor
from tests.game.conftest import Answer as Response
from tests.game.conftest import Browser
from tests.game.trials import joined, new_trial
from tests.known import known

pytestmark = pytest.mark.django_db

FILE = """
language: en
before:
  - title: {en: About you, sv: Om dig}
    questions:
      - key: age
        kind: number
        ask: {en: How old are you?, sv: Hur gammal är du?}
        from: 18
        to: 99
        unit: years
      - {key: pet, kind: choice, ask: A pet?, options: {cat: A cat, no: None}, required: yes}
between:
  - questions:
      - {key: sure, kind: slider, ask: How sure?, labels: [not at all, very]}
after:
  - questions:
      - {key: note, kind: text, long: yes, ask: Anything else?}
"""
QUIZ = """
before:
  - tries: 2
    questions:
      - {key: throws, kind: number, ask: How many throws?, right: 3}
      - {key: bonus, kind: choice, ask: The bonus?, options: {50: Fifty, 35: Less}, right: 50}
"""
GOOD = {"q-age": "30", "q-pet": "cat"}
RIGHT = {"q-throws": "3", "q-bonus": "50"}
WRONG = {"q-throws": "4", "q-bonus": "50"}


def text(response: Response) -> str:
    return response.content.decode()


def asking(file: str = FILE, **settings: object) -> Trial:
    trial = new_trial(opened=False, questionnaire=False, **settings)
    services.trial_ask(trial=trial, text=file)
    return services.trial_open(trial=trial)


def sending(**values: str | Sequence[str]) -> Callable[[str], Sequence[str]]:
    """What a page sends; ``q_age`` is the name q-age."""
    named: Mapping[str, str | Sequence[str]] = {
        name.replace("_", "-", 1): value for name, value in values.items()
    }
    return lambda name: [found] if isinstance(found := named.get(name, []), str) else found


def answer(participant: Participant, **values: str | Sequence[str]) -> services.PageTaken:
    due = known(page_due(participant))
    return services.participant_answer_page(
        participant=participant, page=due.name, sent=sending(**values), seconds=2.5
    )


def finish_game(participant: Participant) -> Game:
    """As if the next game were played."""
    number = participant.games.count() + 1
    return Game.objects.create(
        participant=participant,
        player=known(participant.player),
        mode=Game.Mode.TRIAL,
        trial_number=number,
        seed=f"{number:064x}",
        started_at=timezone.now(),
        finished_at=timezone.now(),
        final_score=200,
        bonus=0,
    )


def states(participant: Participant) -> dict[str, tuple[str, str]]:
    found = participant.answers.order_by("pk")
    return {one.key: (one.state, one.value) for one in found}


@pytest.fixture
def staff(client: Client) -> Client:
    client.force_login(User.objects.create_user("researcher", is_staff=True))
    return client


@pytest.fixture
def visitor(browser: Browser) -> Browser:
    """P01 of a trial with questions, in a browser, agreed."""
    trial = asking()
    browser.get(path_of(trial.participants.get(number=1)))
    browser.post("/take-part/agree", {"version": 1, "agree": "on"})
    return browser


def hidden(response: Response) -> dict[str, str]:
    """What a page sends beside the answers."""
    return dict(re.findall(r'type="hidden" name="(page|stamp)" value="([^"]*)"', text(response)))


def send(browser: Browser, **more: object) -> Response:
    return browser.post("/take-part/page", hidden(browser.get("/take-part/")) | more)


def me() -> Participant:
    return Participant.objects.get(trial__slug="study", number=1)


# What is asked, and when


def test_pages_come_before_after_each_game_and_at_the_end() -> None:
    participant = joined(asking())
    assert known(page_due(participant)).name == "before-1.0"
    answer(participant, q_age="30", q_pet="no")
    assert page_due(participant) is None
    finish_game(participant)
    assert known(page_due(participant)).name == "between-1.1"
    answer(participant, q_sure="40")
    finish_game(participant)
    assert known(page_due(participant)).name == "between-1.2"
    answer(participant, q_sure="60")
    assert known(page_due(participant)).name == "after-1.0"
    answer(participant, q_note="No")
    assert page_due(participant) is None
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
        services.trial_game_start(participant=participant)
    answer(participant, q_pet="cat")
    assert services.trial_game_start(participant=participant).game.trial_number == 1


def test_a_trial_without_a_file_asks_nothing() -> None:
    participant = joined(new_trial())
    assert page_due(participant) is None
    assert services.trial_game_start(participant=participant).game.trial_number == 1


# What is stored


def test_answered_declined_left_out_and_not_reached_are_four_things() -> None:
    participant = joined(asking())
    assert answer_of(participant, "age") is None
    answer(participant, no_age="on", q_pet="-")
    assert states(participant) == {"age": ("declined", ""), "pet": ("declined", "")}
    other = joined(participant.trial, 2)
    answer(other, q_pet="cat")
    assert states(other) == {"age": ("skipped", ""), "pet": ("answered", "cat")}
    assert (answer_of(other, "age"), answer_of(other, "pet")) == ("", "cat")


def test_what_is_right_on_a_faulty_page_is_kept_and_may_still_change() -> None:
    participant = joined(asking())
    assert not answer(participant, q_age="30").finished
    assert states(participant) == {"age": ("answered", "30")}
    assert answer_of(participant, "age") is None, "its page is not finished"
    assert answer(participant, q_age="31", q_pet="no").finished
    assert states(participant) == {"age": ("answered", "31"), "pet": ("answered", "no")}
    assert set(participant.answers.values_list("tries", flat=True)) == {1}


def test_a_finished_page_cannot_be_answered_again() -> None:
    participant = joined(asking())
    answer(participant, q_age="30", q_pet="no")
    with pytest.raises(Refused, match="answered already"):
        services.participant_answer_page(
            participant=participant, page="before-1.0", sent=sending(q_age="50", q_pet="no")
        )
    assert answer_of(participant, "age") == "30"


@pytest.mark.parametrize("page", ["between-1.1", "after-1.0", "", "before-1"])
def test_a_page_that_is_not_due_cannot_be_answered(page: str) -> None:
    participant = joined(asking())
    with pytest.raises(Refused):
        services.participant_answer_page(participant=participant, page=page, sent=sending())
    assert not Answer.objects.exists()


def test_nobody_answers_before_agreeing_or_after_the_end() -> None:
    trial = asking()
    with pytest.raises(Refused):
        answer(trial.participants.get(number=2), q_pet="cat")
    participant = joined(trial)
    services.trial_close(trial=trial)
    with pytest.raises(Refused, match="closed"):
        answer(participant, q_pet="cat")
    assert not Answer.objects.exists()


def test_withdrawing_deletes_every_answer() -> None:
    participant = joined(asking(QUIZ.replace("tries: 2", "tries: 1")))
    answer(participant, q_throws="4", q_bonus="50")
    services.participant_withdraw(participant=participant)
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
    with pytest.raises(Refused, match="cannot play on"):
        services.trial_game_start(participant=participant)
    assert monitor(participant.trial).rows[0].state == "screened_out"
    assert not player_in_trial(known(participant.player))


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
        services.trial_ask(trial=trial, text=file)
    assert list(trial.question_files.values_list("version", flat=True)) == [1, 2, 3, 4]
    services.trial_ask(trial=new_trial(slug="other"), text="")
    assert QuestionFile.objects.count() == 4


def test_the_file_stays_once_somebody_has_agreed() -> None:
    trial = asking()
    joined(trial)
    services.trial_ask(trial=trial, text=FILE)
    with pytest.raises(Refused, match="begun already"):
        services.trial_ask(trial=trial, text=QUIZ)
    assert trial.question_files.count() == 1


def test_a_faulty_file_is_not_stored() -> None:
    trial = new_trial()
    with pytest.raises(BadQuestions):
        services.trial_ask(trial=trial, text="before: 3")
    assert not QuestionFile.objects.exists()


def test_the_command_makes_a_trial_with_its_questions() -> None:
    call_command("trial_create", "pilot", "--participants=2", "--questions=rules_quiz")
    assert Trial.objects.get().question_files.get().text == ready_text("rules_quiz").strip()


def test_the_command_makes_no_trial_with_faulty_questions(tmp_path: object) -> None:
    with pytest.raises(CommandError, match="cannot be read"):
        call_command("trial_create", "pilot", f"--questions={tmp_path}/none.yaml")
    assert not Trial.objects.exists()


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
    assert '<p id="q-age-problem" class="errors">At least 18, please.</p>' in page
    assert 'value="7"' in page
    assert 'aria-describedby="q-age-range q-age-problem"' in page
    assert "Please answer this, or say that you would rather not." in page
    assert not Answer.objects.exists()
    again = text(send(visitor, **{"q-age": "33"}))
    assert 'value="33"' in again
    assert 'value="33"' in text(visitor.get("/take-part/")), "a reload loses nothing"


def test_a_page_sent_twice_changes_nothing(visitor: Browser) -> None:
    sent = hidden(visitor.get("/take-part/")) | GOOD
    visitor.post("/take-part/page", sent)
    response = visitor.post("/take-part/page", sent | {"q-age": "50"})
    assert response.status_code == 409
    assert "answered already" in text(response)
    assert answer_of(me(), "age") == "30"


def test_a_forged_time_is_not_believed(visitor: Browser) -> None:
    sent = hidden(visitor.get("/take-part/")) | GOOD
    visitor.post("/take-part/page", sent | {"stamp": sent["stamp"][:-1]})
    assert me().answers.get(key="age").seconds is None


def test_the_time_of_another_page_is_not_believed(visitor: Browser) -> None:
    sent = hidden(visitor.get("/take-part/"))
    visitor.post("/take-part/page", sent | GOOD)
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
    assert "At most 4000 characters" in page
    assert "<script>alert" not in page


def test_a_quiz_says_what_was_wrong_and_how_many_tries_are_left(browser: Browser) -> None:
    browser.get(path_of(asking(QUIZ).participants.get(number=1)))
    browser.post("/take-part/agree", {"version": 1, "agree": "on"})
    assert "You have 2 tries." in text(browser.get("/take-part/"))
    for page in (text(send(browser, **WRONG)), text(browser.get("/take-part/"))):
        assert page.count("That is not right.") == 2, "in the summary, and beside the question"
        assert "You have 1 try left." in page
    assert send(browser, **WRONG).status_code == 302
    page = text(browser.get("/take-part/"))
    assert "needs other participants" in page
    assert "next-game" not in page
    assert browser.post("/take-part/game").status_code == 409


def test_the_right_answers_are_nowhere_on_the_page(browser: Browser) -> None:
    browser.get(path_of(asking(QUIZ.replace("right: 3", "right: 7")).participants.get(number=1)))
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
    assert "Line 2: “titel” is not known here" in text(page)
    assert not QuestionFile.objects.exists()


def test_a_file_can_be_uploaded_and_stays_in_the_entry(staff: Client) -> None:
    new_trial(opened=False)
    for content, told in ((b"before: 3", "Line 1: A list"), (b"\xff\xfe", "no text in UTF-8")):
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


def test_only_staff_see_the_questions_of_a_trial(browser: Browser) -> None:
    asking()
    assert browser.get("/trials/study/questions/").status_code != 200


def test_deleting_a_trial_deletes_its_questions_and_answers() -> None:
    trial = asking()
    answer(joined(trial), q_pet="cat")
    services.trial_close(trial=trial)
    services.trial_delete(trial=trial)
    assert not QuestionFile.objects.exists()
    assert not Answer.objects.exists()
    assert not Player.objects.exists()
