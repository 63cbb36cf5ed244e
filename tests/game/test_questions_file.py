"""Files of questions: what can be written, what is refused on which line, what is asked when."""

import re
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import CommandError
from hypothesis import given
from hypothesis import strategies as st
from ruamel.yaml import YAML

from game.trials.questions.parsing import MAKERS, BadQuestions, FileFault, parse_questionnaire
from game.trials.questions.reading import list_ready_files, read_questions, read_ready_text
from solver.rules import YATZY
from tests.game.question_files import ASKED, PAGE, question

TEXT = "{key: a, kind: text, ask: Hello}"


def faults(text: str) -> list[str]:
    with pytest.raises(BadQuestions) as raised:
        parse_questionnaire(text)
    return [str(fault) for fault in raised.value.faults]


def one(fields: str) -> str:
    return f"{PAGE}      - {{key: q, ask: Why?, {fields}}}\n"


CHOICE = "kind: choice, options: {a: A, b: B}"
LIKERT = "kind: likert, labels: [low, high]"
FAULTY = {
    "": "Line 1: There are no questions here",
    "language: en\n": "Line 1: There are no questions here",
    "before: 3\n": "Line 1: A list is expected here",
    "- a\n": "Line 1: Names with values are expected",
    "title: A\nbefor: []\n": "Line 2: “befor” is not valid here; use one of: language, title",
    "language: xx\n": "Line 1: “xx” is not valid here; use one of: en, sv",
    "title: {sw: Hej}\n": "Line 1: “sw” is not valid here; use one of: en, sv",
    "title: A\ntitle: B\n": "Line 2: “title” appears twice",
    "title: Note: this\n": "Line 1: This is not YAML: mapping values .* Put quotes around a text",
    "title: 'A\n": "This is not YAML: while scanning a quoted scalar",
    "title: \x01\n": "Line 1: This is not YAML: special characters",
    "title: &a [*a]\n": r"Line 1: References \(&, \*\) cannot",
    "[" * 5000: "is nested too deeply",
    "[\n" * 4000: "Line 13: This is nested too deeply",  # the parser stopped here
    "[" * 50_000: "at most 10,000 lines, lists and list items",
    "[]," * 5_001: "at most 10,000 lines, lists and list items",
    "#\n" * 10_000: "Line 1: There are no questions here",
    "#\n" * 10_001: "at most 10,000 lines, lists and list items",
    "before:\n" + "  - " * 14 + "a\n": "is nested too deeply",
    "a" * 100_001: "at most 100,000 characters",
    "before:\n  - title: A\n": "Line 2: “questions” is missing",
    "before:\n  - questions: []\n": "Line 2: There are no questions here",
    f"{PAGE}      - hello\n": "Line 3: Names with values",
    f"{PAGE}      - {{key: a, ask: Hello}}\n": "Line 3: “kind” is missing",
    f"{PAGE}      - {{kind: text, ask: Hello}}\n": "Line 3: “key” is missing",
    f"{PAGE}      - {{key: a, kind: text}}\n": "Line 3: “ask” is missing",
    f"{PAGE}      - {{key: a, kind: text, ask: }}\n": "Line 3: This text is empty",
    f"{PAGE}      - {{key: A b, kind: text, ask: C}}\n": "Line 3: “A b” is not a valid key",
    f"{PAGE}      - {{key: game, kind: text, ask: C}}\n": "Line 3: “game” is not a valid key",
    f"{PAGE}      - {TEXT}\n      - {TEXT}\n": "Line 4: Line 3 already uses the key “a”",
    f"{PAGE}      - {TEXT}\n    tries: 2\n": "Line 4: “tries” needs a question on this page",
    f"{PAGE}      - {TEXT}\n    every: 2\n": "Line 4: “every” is not valid here",
    f"between:\n  - every: 0\n    questions:\n      - {TEXT}\n": "Line 2: A whole number from 1",
    f"between:\n  - games: [1, x]\n    questions:\n      - {TEXT}\n": "Line 2: A whole number",
    f"between:\n  - games: 1\n    every: 2\n    questions:\n      - {TEXT}\n": "Line 2: Use either",
    one("kind: numbr"): "Line 3: “numbr” is not valid here; use one of: text, number",
    one("kind: text, required: maybe"): "Line 3: “maybe” is not valid here; use one of: yes",
    one("kind: text, from: 3"): "Line 3: “from” is not valid here; use one of: key, kind",
    one("kind: text, longest: 0"): "Line 3: A whole number from 1 to 10000",
    one("kind: number, from: x"): "Line 3: “x” is not a number",
    one("kind: number, from: 9, to: 3"): "Line 3: “to” must be more than “from”",
    one("kind: number, to: 5, right: 7"): "Line 3: “7” is not a possible answer: whole number to 5",
    one("kind: choice"): "Line 3: “options” is missing",
    one("kind: choice, options: {a: A}"): "Line 3: At least two options are needed",
    one("kind: choice, options: {a: A, b c: B}"): "Line 3: “b c” is not a short name",
    one(f"{CHOICE}, right: c"): "Line 3: “c” is not a possible answer: a = A; b = B",
    one(f"{CHOICE}, screen_out: [a, c]"): "Line 3: “c” is not a possible answer",
    one(f"{CHOICE}, right: a, attention: a"): "Line 3: Use either “right” or “attention”",
    one("kind: several, options: {a: A, b: B}, most: 3"): "Line 3: A whole number from 1 to 2",
    one("kind: likert, labels: [low]"): "Line 3: At least two labels are needed",
    one(
        "kind: likert, labels: [a, b, c], points: 5"
    ): "Line 3: Use labels for both ends or for all",
    one(f"{LIKERT}, rows: {{a: A, b: B}}, attention: {{c: 1}}"): "Line 3: “c” is not valid here",
    one(f"{LIKERT}, attention: 6"): "Line 3: “6” is not a possible answer: 1 to 5",
    one("kind: slider, labels: [a, b, c]"): "Line 3: A slider has two labels",
    one("kind: slider, labels: [a, b], step: 0.3"): "Line 3: “step” must divide the range from",
}


@pytest.mark.parametrize(("text", "told"), FAULTY.items(), ids=range(len(FAULTY)))
def test_a_fault_is_told_with_its_line(text: str, told: str) -> None:
    with pytest.raises(BadQuestions, match=told):
        parse_questionnaire(text)


def test_every_fault_is_told_at_once_in_the_order_of_lines() -> None:
    text = f"titel: A\n{PAGE}      - {{key: Q, kind: text, ask: B}}\n      - {{kind: choise}}\n"
    assert [fault.split(":")[0] for fault in faults(text)] == ["Line 1", "Line 4", "Line 5"]


def test_words_that_yaml_takes_for_truths_and_numbers_are_texts() -> None:
    found = question("kind: choice, options: {no: No, yes: Yes, 012: 1e3}")
    assert found.takes == "no = No; yes = Yes; 012 = 1e3"


def test_a_text_that_is_missing_in_a_language_is_shown_in_the_first() -> None:
    texts = parse_questionnaire(f"title: {{sv: Hej, en: Hello}}\n{ASKED}").title
    assert texts is not None
    assert [str(texts.choose_text(code)) for code in ("en", "sv", "fi")] == ["Hello", "Hej", "Hej"]
    assert [texts.choose_text(code).language for code in ("en", "sv", "fi")] == ["en", "sv", "sv"]


def test_texts_without_a_language_are_in_the_file_s() -> None:
    page = parse_questionnaire(ASKED.replace("language: en", "language: da")).pages[0]
    assert page.questions[0].ask.choose_text("fi").language == "da"


def list_mappings(part: object) -> list[dict[str, object]]:
    parts = part.values() if isinstance(part, dict) else part if isinstance(part, list) else []
    below = [each for inner in parts for each in list_mappings(inner)]
    return [part, *below] if isinstance(part, dict) else below


@pytest.mark.parametrize("name", list_ready_files())
def test_files_that_ship_are_good_and_whole_in_every_language(name: str) -> None:
    assert parse_questionnaire(read_ready_text(name)).pages
    tree = YAML(typ="safe").load(read_ready_text(name))
    texts = [set(each) for each in list_mappings(tree) if "en" in each]
    assert texts
    assert all(each == {code for code, _name in settings.LANGUAGES} for each in texts)


def test_the_quiz_on_the_rules_agrees_with_the_rules() -> None:
    items = parse_questionnaire(read_ready_text("rules_quiz")).items
    two_pairs = next(one for one in YATZY.categories if one.id == "two_pairs")
    right = {
        "quiz_throws": YATZY.throws,
        "quiz_bonus": next(total for total in range(200) if YATZY.bonus(total)),
        "quiz_two_pairs": two_pairs.score((1, 3, 3, 5, 5)),
    }
    assert {key: str(value) for key, value in right.items()} == {
        key: next(iter(items[key].expected)) for key in right
    }


@given(st.data())
def test_a_spoilt_file_is_told_of_or_read_and_never_a_crash(data: st.DataObject) -> None:
    text = data.draw(st.sampled_from([ASKED, read_ready_text("rules_quiz")]))
    at = data.draw(st.integers(0, len(text)))
    gone = data.draw(st.integers(0, 20))
    spoilt = text[:at] + data.draw(st.text(max_size=5)) + text[at + gone :]
    found: tuple[FileFault, ...] = ()
    try:
        parse_questionnaire(spoilt)
    except BadQuestions as error:
        found = error.faults
    lines = len(spoilt.splitlines()) + 1
    assert all(1 <= fault.line <= lines for fault in found)


# Commands


def test_a_command_says_which_lines_are_wrong(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("\ufeffbefore:\r\n  - questions:\r\n      - {key: a}\r\n", encoding="utf-8")
    with pytest.raises(CommandError, match=r"mine.yaml:3: “kind” is missing") as raised:
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
    for kind, (_make, names) in MAKERS.items():
        assert f"| `{kind}` |" in text
        assert all(f"`{name}" in text for name in names), kind
