"""Answers to questions: what is taken and how it is kept, what is due when."""

from decimal import Decimal

import pytest
from django.utils import translation
from hypothesis import given
from hypothesis import strategies as st

from game.trials.questions.parsing import parse_questionnaire
from game.trials.questions.questionnaire import (
    Asked,
    DuePage,
    NotAnAnswer,
    NumberQuestion,
    Questionnaire,
    Reply,
    format_number,
    read_replies,
)
from tests.game.question_files import ASKED, one, question

pytestmark = pytest.mark.needs("game.trials")

CHOICE = "kind: choice, options: {a: A, b: B}"
LIKERT = "kind: likert, labels: [low, high]"


# Answers


def answer(fields: str, *sent: str) -> str:
    return question(fields).parse_answer(sent)


@pytest.mark.parametrize(
    ("fields", "sent", "kept"),
    [
        ("kind: text", [" a\r\nb "], "a\nb"),
        ("kind: number", [" 1 2 "], "12"),
        ("kind: number, decimals: 2", ["2,50"], "2.5"),
        ("kind: number", ["-0"], "0"),
        ("kind: number", ["−7"], "-7"),
        (CHOICE, ["b"], "b"),
        ("kind: several, options: {a: A, b: B, c: C}", ["c", "a"], "a c"),
        (LIKERT, ["5"], "5"),
        ("kind: slider, labels: [a, b], step: 0.5", ["1.50"], "1.5"),
        ("kind: number", [" "], ""),
        (CHOICE, [], ""),
    ],
)
def test_an_answer_is_kept_in_one_way_of_writing(fields: str, sent: list[str], kept: str) -> None:
    assert answer(fields, *sent) == kept


@pytest.mark.parametrize(
    ("fields", "sent", "told"),
    [
        ("kind: text, longest: 3", ["abcd"], "at most 3 characters; your answer has 4"),
        ("kind: number", ["x"], "type a number"),
        ("kind: number", ["1.5"], "whole number"),
        ("kind: number, decimals: 1", ["1.55"], "at most 1 digits"),
        ("kind: number, from: 18", ["17"], "at least 18"),
        ("kind: number, to: 9.5", ["10"], "at most 9.5"),
        ("kind: number", ["1e5"], "type a number"),
        ("kind: number", ["9" * 400], "type a number"),
        (CHOICE, ["c"], "one of these"),
        (CHOICE, ["a", "b"], "one of these"),
        ("kind: several, options: {a: A, b: B, c: C}, least: 2", ["a"], "at least 2"),
        ("kind: several, options: {a: A, b: B, c: C}, most: 1", ["a", "b"], "at most 1"),
        ("kind: several, options: {a: A, b: B}", ["c"], "from these"),
        (LIKERT, ["6"], "one of these"),
        (LIKERT, ["01"], "one of these"),
        ("kind: slider, labels: [a, b]", ["101"], "at most 100"),
        ("kind: slider, labels: [a, b], step: 5", ["7"], "steps of 5"),
    ],
)
def test_what_does_not_answer_is_told_why(fields: str, sent: list[str], told: str) -> None:
    with pytest.raises(NotAnAnswer, match=told):
        answer(fields, *sent)


@given(st.decimals(-1000, 1000, places=3), st.integers(0, 3))
def test_a_number_is_taken_when_it_lies_in_the_range_and_has_few_enough_decimals(
    number: Decimal, decimals: int
) -> None:
    asked = question(f"kind: number, from: -500, to: 499.5, decimals: {decimals}")
    digits = f"{number:.3f}".split(".")[1].rstrip("0")
    fits = -500 <= number <= Decimal("499.5") and len(digits) <= decimals
    try:
        assert Decimal(asked.parse_answer([f"{number:.3f}"])) == number
        taken = True
    except NotAnAnswer:
        taken = False
    assert taken == fits


@given(st.decimals(-(10**9), 10**9, places=6))
def test_a_written_number_is_the_number_and_has_no_needless_zero(number: Decimal) -> None:
    text = format_number(number)
    assert Decimal(text) == number
    assert "." not in text or text[-1] not in "0."
    assert "E" not in text


def of_page(fields: str, **sent: list[str]) -> Reply:
    page = parse_questionnaire(one(fields)).pages[0]
    named = {name.replace("_", "-"): values for name, values in sent.items()}
    (reply,) = read_replies(page, lambda name: named.get(name, []))
    return reply


def test_an_answer_a_refusal_and_nothing_are_three_things() -> None:
    assert of_page(CHOICE, q_q=["a"]).state == "answered"
    assert of_page(CHOICE, q_q=["-"]).state == "declined"
    assert of_page(CHOICE).state == "skipped"
    number = "kind: number"
    assert of_page(number, q_q=["5"], no_q=["on"]).state == "declined"
    assert (of_page(number, q_q=["-5"]).state, of_page(number).problem) == ("answered", "")


def test_nothing_is_obligatory_unless_the_file_says_so() -> None:
    assert of_page(CHOICE).problem == ""
    assert "would rather not" in of_page(f"{CHOICE}, required: yes").problem
    assert of_page(f"{CHOICE}, required: yes", q_q=["-"]).problem == ""
    firm = f"{CHOICE}, required: yes, decline: no"
    assert of_page(firm).problem == "Please answer this question."
    assert of_page(firm, q_q=["-"]).problem == "Please choose one of these answers."


def test_a_check_is_passed_or_not_and_cannot_be_declined() -> None:
    assert of_page(f"{CHOICE}, right: a", q_q=["a"]).passed is True
    assert of_page(f"{CHOICE}, right: [a, b]", q_q=["b"]).passed is True
    wrong = of_page(f"{CHOICE}, right: a", q_q=["b"])
    assert (wrong.passed, wrong.wrong) == (False, True)
    assert of_page(f"{CHOICE}, right: a").problem == "Please answer this question."
    assert of_page(f"{CHOICE}, right: a", q_q=["-"]).problem
    unnoticed = of_page(f"{CHOICE}, attention: a", q_q=["b"])
    assert (unnoticed.passed, unnoticed.wrong, unnoticed.problem) == (False, False, "")
    assert of_page(f"{CHOICE}, attention: a").passed is False
    declined = of_page(f"{CHOICE}, attention: a", q_q=["-"])
    assert (declined.state, declined.passed) == ("skipped", False)
    assert of_page(CHOICE, q_q=["a"]).passed is None


def test_several_right_answers_are_right_together_only() -> None:
    pets = "kind: several, options: {cat: C, dog: D, cow: K}, right: [dog, cat]"
    assert of_page(pets, q_q=["cat", "dog"]).passed is True
    assert of_page(pets, q_q=["cat"]).passed is False
    assert of_page(pets, q_q=["cat", "dog", "cow"]).passed is False


def test_a_row_of_a_scale_can_check_attention() -> None:
    page = parse_questionnaire(one(f"{LIKERT}, rows: {{a: A, b: Two}}, attention: {{b: 2}}")).pages[
        0
    ]
    sent = {"q-q.a": ["1"], "q-q.b": ["2"]}
    assert [reply.passed for reply in read_replies(page, lambda name: sent.get(name, []))] == [
        None,
        True,
    ]


def test_an_answer_can_screen_out() -> None:
    assert of_page(f"{CHOICE}, screen_out: b", q_q=["b"]).screens_out
    assert not of_page(f"{CHOICE}, screen_out: b", q_q=["a"]).screens_out
    assert not of_page(f"{CHOICE}, screen_out: b", q_q=["-"]).screens_out


def test_problems_are_told_in_the_participant_s_language() -> None:
    with translation.override("sv"):
        assert (
            of_page(f"{CHOICE}, required: yes, decline: no").problem == "Svara på den här frågan."
        )


# What is asked when


def slow_due(found: Questionnaire, finished: int, done: set[Asked], last: bool) -> list[str]:
    order = [DuePage(page) for page in found.pages if page.moment == "before"]
    for game in range(1, finished + 1):
        for page in found.pages:
            wanted = game in page.games if page.games else game % page.every == 0
            if page.moment == "between" and wanted:
                order.append(DuePage(page, game))
    if last:
        order += [DuePage(page) for page in found.pages if page.moment == "after"]
    return [due.name for due in order if not set(due.asked) & done]


@given(
    st.integers(0, 6),
    st.sets(st.tuples(st.sampled_from(["age", "sure", "tired", "note"]), st.integers(0, 6))),
    st.booleans(),
)
def test_what_is_due_is_the_first_page_that_is_not_answered(
    finished: int, done: set[Asked], last: bool
) -> None:
    found = parse_questionnaire(ASKED)
    due = found.due(finished, done, all_played=last)
    expected = slow_due(found, finished, done, last)
    assert (due.name if due else None) == (expected[0] if expected else None)


def test_pages_come_before_after_some_games_and_at_the_end() -> None:
    found = parse_questionnaire(ASKED)
    asked, done = [], set[Asked]()
    for finished in range(5):
        while (due := found.due(finished, done, all_played=finished == 4)) is not None:
            asked.append((finished, due.asked[0]))
            done |= set(due.asked)
    assert asked == [
        (0, ("age", 0)),
        (1, ("tired", 1)),
        (2, ("sure", 2)),
        (3, ("tired", 3)),
        (4, ("sure", 4)),
        (4, ("note", 0)),
    ]


def test_a_slider_is_a_number() -> None:
    assert isinstance(question("kind: slider, labels: [a, b]"), NumberQuestion)
