"""A form adds, moves and removes questions; the rest of the file stays as it was."""

from collections.abc import Sequence

import pytest
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st

from game.trials.design.writing import open_trial
from game.trials.models import QuestionFile, Trial
from game.trials.questions.editing import (
    CHOICES,
    QuestionForm,
    add_question,
    move_question,
    remove_question,
)
from game.trials.questions.parsing import parse_questionnaire
from game.trials.questions.questionnaire import MOMENTS, Questionnaire
from game.trials.questions.reading import list_ready_files, read_ready_text
from tests.trials import joined, new_trial

WORDS = st.text(
    st.characters(exclude_categories=["C", "Z"], exclude_characters="\x85"), min_size=1, max_size=20
)


def filled(
    moment: str, kind: str, ask: str, lines: Sequence[str], *, required: bool
) -> QuestionForm:
    answers = "\n".join(lines)
    data = {"moment": moment, "kind": kind, "ask": ask, "answers": answers, "required": required}
    return QuestionForm(data)


@given(
    st.sampled_from([*MOMENTS]),
    st.sampled_from([*CHOICES]),
    st.lists(WORDS, min_size=2, max_size=2, unique=True),
    WORDS,
    st.booleans(),
)
def test_what_the_form_says_is_what_the_file_asks(
    moment: str, kind: str, lines: list[str], ask: str, required: bool
) -> None:
    form = filled(moment, kind, ask, lines, required=required)
    assert form.is_valid(), form.errors
    text = ""
    for number in (1, 2):  # the same question twice has two keys
        text = add_question(text, moment, form.facts, "sv")
        page = parse_questionnaire(text).pages[-1]
        assert len(page.questions) == number
        made = page.questions[-1]
        assert (page.moment, made.kind) == (moment, "text" if kind == "long" else kind)
        assert (made.ask.first, made.required) == (ask, required)
        labels = getattr(made, "labels", None) or getattr(made, "options", {}).values()
        given = lines if {"options", "labels"} & {*made.names} else []
        assert [each.first for each in labels] == given
    assert parse_questionnaire(text).language == "sv"


def keys(questionnaire: Questionnaire) -> list[list[str]]:
    return [[each.key for each in page.questions] for page in questionnaire.pages]


@pytest.mark.parametrize("name", list_ready_files())
def test_moving_there_and_back_and_adding_and_removing_changes_nothing(name: str) -> None:
    text = read_ready_text(name)
    before = parse_questionnaire(text)
    for page in before.pages:
        for number, question in enumerate(page.questions):
            moved = move_question(text, question.key, 1)
            order = [each.key for each in page.questions]
            order.insert(number + 1, order.pop(number))
            assert order in keys(parse_questionnaire(moved))
            if number + 1 < len(order):
                assert parse_questionnaire(move_question(moved, question.key, -1)) == before
    form = filled("after", "number", "How old are you?", [], required=False)
    assert form.is_valid()
    added = add_question(text, "after", form.facts, "")
    (new,) = {*parse_questionnaire(added).items} - {*before.items}
    assert parse_questionnaire(remove_question(added, new)) == before
    assert text.split("\n")[0] in added  # the comment at the top


def test_a_scale_has_a_point_for_each_of_several_labels() -> None:
    form = filled("after", "likert", "How was it?", ["bad", "fair", "good"], required=False)
    assert form.is_valid()
    (page,) = parse_questionnaire(add_question("", "after", form.facts, "")).pages
    assert getattr(page.questions[0], "points", None) == 3


def test_what_the_form_does_not_know_stays_and_the_ends_of_a_page_stay_there() -> None:
    text = """\
language: en
before:
  - title: 'A "quoted" title'  # a comment
    questions:
      - key: one
        kind: text
        ask: "First: who?"
      - key: two
        kind: text
        ask: Second?
      - key: three
        kind: text
        ask: Third?
"""
    assert move_question(text, "one", -1) == move_question(text, "three", 1) == text
    assert move_question(move_question(text, "one", 1), "one", -1) == text


@pytest.mark.parametrize(("kind", "lines"), [("choice", ["one"]), ("slider", ["a", "b", "c"])])
def test_too_few_or_too_many_answers_are_refused(kind: str, lines: list[str]) -> None:
    form = filled("before", kind, "Which?", lines, required=False)
    assert "answers" in form.errors


@pytest.mark.django_db
def test_the_page_adds_moves_and_removes(staff: Client) -> None:
    trial = new_trial(opened=False)
    url = f"/trials/{trial.slug}/questions/"
    for ask in ("First?", "Second?"):
        staff.post(url, {"add": "", "moment": "before", "kind": "text", "ask": ask})
    assert keys(stored()) == [["first", "second"]]
    staff.post(url, {"up": "second"})
    assert keys(stored()) == [["second", "first"]]
    staff.post(url, {"remove": "second"})
    assert keys(stored()) == [["first"]]
    refused = staff.post(url, {"add": "", "moment": "before", "kind": "choice", "ask": "Which?"})
    assert b'name="ask" value="Which?"' in refused.content
    joined(open_trial(trial=Trial.objects.get()))  # once begun the questions stay
    staff.post(url, {"add": "", "moment": "before", "kind": "text", "ask": "Late?"})
    assert keys(stored()) == [["first"]]
    assert remove_question(QuestionFile.objects.latest("version").text, "first") == ""


def stored() -> Questionnaire:
    file = QuestionFile.objects.latest("version")
    return parse_questionnaire(file.text)
