"""Files of questions: what can be written and is refused, what is asked when, what answers it."""

import re
from contextlib import suppress
from decimal import Decimal
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import CommandError
from hypothesis import example, given
from hypothesis import strategies as st

from game.trials.questions.parsing import BadQuestions, parse_questionnaire
from game.trials.questions.questionnaire import (
    KINDS,
    Asked,
    DuePage,
    NotAnAnswer,
    Questionnaire,
    Reply,
    TrialQuestion,
    format_number,
    read_replies,
)
from game.trials.questions.reading import list_ready_files, read_questions, read_ready_text
from solver.rules import YATZY
from tests.known import known

pytestmark = pytest.mark.needs("game.trials")

PAGE = "before:\n  - questions:\n"
ASKED = """
language: en
before:
  - questions:
      - {key: age, kind: number, ask: How old are you?, from: 18, to: 99}
between:
  - every: 2
    questions:
      - {key: sure, kind: likert, ask: How sure?, labels: [not at all, very]}
  - games: [1, 3]
    questions:
      - {key: tired, kind: slider, ask: How tired?, labels: [not at all, very]}
after:
  - questions:
      - {key: note, kind: text, ask: Anything else?}
"""


def one(fields: str) -> str:
    return f"{PAGE}      - {{key: q, ask: Why?, {fields}}}\n"


def question(fields: str) -> TrialQuestion:
    return parse_questionnaire(one(fields)).pages[0].questions[0]


TEXT = "{key: a, kind: text, ask: Hello}"


CHOICE = "kind: choice, options: {a: A, b: B}"
LIKERT = "kind: likert, labels: [low, high]"
FAULTY = {
    "": "There are no questions here",
    "language: en\n": "There are no questions here",
    "before: 3\n": "before: A list is expected here",
    "- a\n": "Names with values are expected",
    "title: A\nbefor: []\n": "“befor” is not valid here; use one of: language, title",
    "language: xx\n": "language: “xx” is not valid here; use one of: en, sv",
    "title: {sw: Hej}\n": "title: “sw” is not valid here; use one of: en, sv",
    "title: A\ntitle: B\n": 'Line 2: This is not YAML: .* found duplicate key "title"',
    "title: Note: this\n": "Line 1: This is not YAML: mapping values .* Put quotes around a text",
    "title: 'A\n": "This is not YAML: while scanning a quoted scalar",
    "title: \x01\n": "Line 1: This is not YAML: special characters",
    "title: &a [*a]\n": r"References \(&, \*\) cannot",
    "[" * 5000: "is nested too deeply",
    "[\n" * 4000: "Line 13: .* nested too deeply",  # the parser stopped here
    "[" * 50_000: "at most 10,000 lines, lists and list items",
    "[]," * 5_001: "at most 10,000 lines, lists and list items",
    "#\n" * 10_000: "There are no questions here",
    "#\n" * 10_001: "at most 10,000 lines, lists and list items",
    "before:\n" + "  - " * 14 + "a\n": "is nested too deeply",
    "a" * 100_001: "at most 100,000 characters",
    "before:\n  - title: A\n": "before, page 1: “questions” is missing",
    "before:\n  - questions: []\n": "before, page 1: questions: Use 1 or more",
    f"{PAGE}      - hello\n": "question 1: Names with values",
    f"{PAGE}      - {{key: a, ask: Hello}}\n": "“kind” is missing",
    f"{PAGE}      - {{kind: text, ask: Hello}}\n": "“key” is missing",
    f"{PAGE}      - {{key: a, kind: text}}\n": "“ask” is missing",
    f"{PAGE}      - {{key: a, kind: text, ask: }}\n": "This text is empty",
    f"{PAGE}      - {{key: A b, kind: text, ask: C}}\n": "“A b” is not a valid key",
    f"{PAGE}      - {{key: game, kind: text, ask: C}}\n": "“game” is not a valid key",
    f"{PAGE}      - {TEXT}\n      - {TEXT}\n": "question 2: before, page 1 already uses the key",
    f"{PAGE}      - {TEXT}\n    tries: 2\n": "page 1: “tries” needs a question on this page",
    f"{PAGE}      - {TEXT}\n    every: 2\n": "before, page 1: “every” is not valid here",
    f"between:\n  - every: 0\n    questions:\n      - {TEXT}\n": "page 1: every: A whole number",
    f"between:\n  - games: [1, x]\n    questions:\n      - {TEXT}\n": "games: “x” is not a number",
    f"between:\n  - games: 1\n    every: 2\n    questions:\n      - {TEXT}\n": "page 1: Use either",
    one("kind: numbr"): "“numbr” is not valid here; use one of: text, number",
    one("kind: text, required: maybe"): "“maybe” is not valid here; use one of: yes",
    one("kind: text, from: 3"): "“from” is not valid here; use one of: key, kind",
    one("kind: text, longest: 0"): "A whole number from 1 to 10000",
    one("kind: number, from: x"): "“x” is not a number",
    one("kind: number, from: 9, to: 3"): "“to” must be more than “from”",
    one("kind: number, to: 5, right: 7"): "“7” is not a possible answer: whole number to 5",
    one("kind: choice"): "“options” is missing",
    one("kind: choice, options: {a: A}"): "options: Use 2 or more",
    one("kind: choice, options: {a: A, b c: B}"): "“b c” is not a short name",
    one(f"{CHOICE}, right: c"): "“c” is not a possible answer: a = A; b = B",
    one(f"{CHOICE}, screen_out: [a, c]"): "“c” is not a possible answer",
    one(f"{CHOICE}, right: a, attention: a"): "Use either “right” or “attention”",
    one(
        "kind: several, options: {a: A, b: B}, most: 3"
    ): "“least” and “most” must be in order, up to 2",
    one("kind: likert, labels: [low]"): "labels: Use 2 or more",
    one("kind: likert, labels: [a, b, c], points: 5"): "Use labels for both ends or for all",
    one(f"{LIKERT}, rows: {{a: A, b: B}}, attention: {{c: 1}}"): "“c” is not valid here",
    one(f"{LIKERT}, attention: 6"): "“6” is not a possible answer: 1 to 5",
    one("kind: slider, labels: [a, b, c]"): "A slider has two labels",
    one("kind: slider, labels: [a, b], step: 0.3"): "“step” must divide the range from",
}


@pytest.mark.parametrize(("text", "message"), FAULTY.items(), ids=range(len(FAULTY)))
def test_the_message_of_a_fault_names_its_place(text: str, message: str) -> None:
    with pytest.raises(BadQuestions, match=message):
        parse_questionnaire(text)


def test_words_that_yaml_takes_for_truths_and_numbers_are_texts() -> None:
    found = question("kind: choice, options: {no: No, yes: Yes, 012: 1e3}")
    assert found.takes == "no = No; yes = Yes; 012 = 1e3"


def test_a_text_that_is_missing_in_a_language_is_shown_in_the_first() -> None:
    texts = known(parse_questionnaire(f"title: {{sv: Hej, en: Hello}}\n{ASKED}").title)
    shown = {code: texts.choose_text(code) for code in ("en", "sv", "fi")}
    assert {code: str(text) for code, text in shown.items()} == {
        "en": "Hello", "sv": "Hej", "fi": "Hej",
    }  # fmt: skip
    assert [text.language for text in shown.values()] == ["en", "sv", "sv"]
    page = parse_questionnaire(ASKED.replace("language: en", "language: da")).pages[0]
    assert page.questions[0].ask.choose_text("fi").language == "da"


@pytest.mark.parametrize("name", list_ready_files())
def test_files_that_ship_are_good_and_whole_in_every_language(name: str) -> None:
    text = read_ready_text(name)
    assert parse_questionnaire(text).pages
    codes = "|".join(code for code, _name in settings.LANGUAGES)
    count = {len(re.findall(rf"\b{code}: ", text)) for code in codes.split("|")}
    assert len(count) == 1
    assert count != {0}


def test_the_quiz_on_the_rules_agrees_with_the_rules() -> None:
    items = parse_questionnaire(read_ready_text("rules_quiz")).items
    right = {
        "quiz_throws": YATZY.throws,
        "quiz_bonus": next(total for total in range(200) if YATZY.bonus(total)),
        "quiz_two_pairs": YATZY.categories[YATZY.index["two_pairs"]].score((1, 3, 3, 5, 5)),
    }
    assert {key: {str(value)} for key, value in right.items()} == {
        key: set(items[key].expected) for key in right
    }


@given(st.data())
def test_a_spoilt_file_is_told_of_or_read_and_never_a_crash(data: st.DataObject) -> None:
    text = data.draw(st.sampled_from([ASKED, read_ready_text("rules_quiz")]))
    at = data.draw(st.integers(0, len(text)))
    gone = data.draw(st.integers(0, 20))
    spoilt = text[:at] + data.draw(st.text(max_size=5)) + text[at + gone :]
    with suppress(BadQuestions):
        parse_questionnaire(spoilt)


# Commands


def test_a_command_says_which_questions_are_wrong(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("\ufeffbefore:\r\n  - questions:\r\n      - {key: a}\r\n      - {}", "utf-8")
    with pytest.raises(
        CommandError, match=r"mine.yaml: .* question 1: “kind” (.*\n)*.* question 2:"
    ) as raised:
        read_questions(str(path))
    assert raised.value.returncode == 2
    with pytest.raises(CommandError, match="cannot be read"):
        read_questions(str(tmp_path / "none.yaml"))


# The documentation


def blocks(language: str) -> list[str]:
    text = (settings.BASE_DIR / "docs" / "trials.md").read_text(encoding="utf-8")
    return re.findall(rf"```{language}\n(.*?)```", text, re.S)


def test_the_documented_example_is_a_good_file() -> None:
    (example,) = blocks("yaml")
    found = parse_questionnaire(example)
    kinds = {item.question.kind for item in found.items.values()}
    assert kinds == {"number", "choice", "slider", "likert", "text"}
    assert [page.moment for page in found.pages] == ["before", "before", "between", "after"]


def test_the_documented_faults_are_those_of_the_spoilt_example(tmp_path: Path) -> None:
    (example,) = blocks("yaml")
    (told,) = blocks("text")
    spoilt = example.replace("title: {en: About", "titel: {en: About").replace("to: 99", "to: 9")
    path = tmp_path / "my.yaml"
    path.write_text(spoilt.replace("key: view", "key: sure"), encoding="utf-8")
    with pytest.raises(CommandError) as raised:
        read_questions(str(path))
    assert str(raised.value).replace(str(path), "my.yaml") == told.strip()


def test_every_kind_and_field_is_documented() -> None:
    text = (settings.BASE_DIR / "docs" / "trials.md").read_text(encoding="utf-8")
    for kind in KINDS.values():
        assert f"| `{kind.kind}` |" in text
        assert all(f"`{name}" in text for name in kind.names), kind


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


REQUIRED, FIRM = f"{CHOICE}, required: yes", f"{CHOICE}, required: yes, decline: no"
RIGHT, NOTICED = f"{CHOICE}, right: a", f"{CHOICE}, attention: a"
PETS = "kind: several, options: {cat: C, dog: D, cow: K}, right: [dog, cat]"
# What is sent, and: its state, whether it has a problem, whether it passed, whether it screens out
REPLIES = [
    (CHOICE, "a", "answered", False, None, False),
    (CHOICE, "-", "declined", False, None, False),
    (CHOICE, "", "skipped", False, None, False),
    ("kind: number", "-5", "answered", False, None, False),
    (REQUIRED, "", "skipped", True, None, False),
    (REQUIRED, "-", "declined", False, None, False),
    (FIRM, "", "skipped", True, None, False),
    (FIRM, "-", "skipped", True, None, False),
    (RIGHT, "a", "answered", False, True, False),
    (f"{CHOICE}, right: [a, b]", "b", "answered", False, True, False),
    (RIGHT, "b", "answered", False, False, False),
    (RIGHT, "", "skipped", True, False, False),
    (RIGHT, "-", "skipped", True, False, False),
    (PETS, "cat dog", "answered", False, True, False),
    (PETS, "cat", "answered", False, False, False),
    (PETS, "cat dog cow", "answered", False, False, False),
    (NOTICED, "b", "answered", False, False, False),
    (NOTICED, "", "skipped", False, False, False),
    (NOTICED, "-", "skipped", True, False, False),
    (f"{CHOICE}, screen_out: b", "b", "answered", False, None, True),
    (f"{CHOICE}, screen_out: b", "a", "answered", False, None, False),
    (f"{CHOICE}, screen_out: b", "-", "declined", False, None, False),
]


@pytest.mark.parametrize(("fields", "sent", "state", "problem", "passed", "out"), REPLIES)
def test_a_reply_is_an_answer_a_refusal_or_nothing_and_passes_its_check(
    fields: str, sent: str, state: str, problem: bool, passed: bool | None, out: bool
) -> None:
    found = of_page(fields, q_q=sent.split())
    assert (found.state, bool(found.problem), found.screens_out) == (state, problem, out)
    assert found.passed is passed
    assert found.wrong == (passed is False and "right" in fields)


def test_a_refusal_counts_more_than_an_answer_beside_it() -> None:
    assert of_page("kind: number", q_q=["5"], no_q=["on"]).state == "declined"


def test_a_row_of_a_scale_can_check_attention() -> None:
    (page,) = parse_questionnaire(
        one(f"{LIKERT}, rows: {{a: A, b: Two}}, attention: {{b: 2}}")
    ).pages
    sent = {"q-q.a": ["1"], "q-q.b": ["2"]}
    replies = read_replies(page, lambda name: sent.get(name, []))
    assert [reply.passed for reply in replies] == [None, True]


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
@example(2, {("age", 0), ("tired", 1), ("sure", 2)}, False)
@example(4, {("age", 0), ("tired", 1), ("sure", 2), ("tired", 3)}, True)
def test_what_is_due_is_the_first_page_that_is_not_answered(
    finished: int, done: set[Asked], last: bool
) -> None:
    found = parse_questionnaire(ASKED)
    due = found.due(finished, done, all_played=last)
    expected = slow_due(found, finished, done, last)
    assert (due.name if due else None) == (expected[0] if expected else None)
