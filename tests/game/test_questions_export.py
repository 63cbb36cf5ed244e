"""Answers as files: a row an answer, a column a question, both checked against the database."""

import json
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import cast

import pytest
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from game.trials.exports.files import Export
from game.trials.joining.withdrawing import withdraw_participant
from game.trials.models import Answer, Trial
from game.trials.questions.parsing import parse_questionnaire
from game.trials.questions.questionnaire import DuePage, read_replies
from game.trials.questions.reading import read_ready_text
from game.trials.reading import query_games_of
from game.trials.rehearsal import choose_answer, make_form_data
from tests.game.export_reference import every_fault
from tests.game.questions import FILE, answer, asking
from tests.game.table_readers import rows_in
from tests.trials import joined, new_trial, play_next

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("yatzy_tables", "no_script")]


@pytest.fixture
def answered() -> Trial:
    """P01 answers everything, P02 declines and leaves out, P03 leaves out, P04 only agrees."""
    trial = asking(places=4)
    first, second, third, _fourth = (joined(trial, number) for number in range(1, 5))
    answer(first, q_age="30", q_pet="cat")
    answer(second, no_age="on", q_pet="-")
    answer(third, q_pet="cat")
    return trial


def test_answers_between_games_have_a_row_a_game(tmp_path: Path) -> None:
    trial = asking(FILE.replace("kind: slider", "kind: slider, step: 0.5"))
    participant = joined(trial)
    answer(participant, q_pet="cat")
    for sure in ("40.5", "60"):
        play_next(participant)
        answer(participant, q_sure=sure)
    query_games_of(participant).delete()  # made up, not replayable
    Export(trial).write(tmp_path)
    told = rows_in(tmp_path / "answers_wide.csv")
    assert [(row["game"], row["pet"], row["sure"]) for row in told] == [
        ("", "cat", ""),
        ("1", "", "40.5"),
        ("2", "", "60.0"),
    ]
    assert every_fault(trial, tmp_path) == []


def test_answers_are_a_row_each_and_a_column_a_question_with_their_file_beside_them(
    answered: Trial, tmp_path: Path
) -> None:
    Export(answered).write(tmp_path)
    told = [
        (row["participant"], row["key"], row["state"], row["value"], row["number"])
        for row in rows_in(tmp_path / "answers.csv")
    ]
    assert told == [
        ("P01", "age", "answered", "30", "30.0"),
        ("P01", "pet", "answered", "cat", ""),
        ("P02", "age", "declined", "", ""),
        ("P02", "pet", "declined", "", ""),
        ("P03", "age", "skipped", "", ""),
        ("P03", "pet", "answered", "cat", ""),
    ]
    empty = {"game": "", "sure": "", "note": ""}
    first, second, third = rows_in(tmp_path / "answers_wide.csv")
    assert first == first | empty | {"participant": "P01", "age": "30", "pet": "cat"}
    assert second == second | empty | {"participant": "P02", "age": "", "pet": ""}
    assert third == third | empty | {"participant": "P03", "age": "", "pet": "cat"}
    lines = rows_in(tmp_path / "codebook.csv")
    columns = {row["column"]: row for row in lines if row["table"] == "answers_wide"}
    assert list(columns)[-4:] == ["age", "pet", "sure", "note"]
    age = columns["age"]
    assert age["description"].endswith("How old are you?")
    assert (age["values"], age["unit"]) == ("whole number from 18 to 99", "years")
    assert columns["pet"]["values"] == "cat = A cat; no = None"
    assert columns["sure"]["type"] == "whole number"
    text = (tmp_path / "questions.yaml").read_bytes()
    parse_questionnaire(text.decode())
    described = json.loads((tmp_path / "dataset_description.json").read_text())
    digest = sha256(text).hexdigest()
    file = {"file": "questions.yaml", "version": 1, "sha256": digest}
    assert described["trial"]["questions"] == file
    assert every_fault(answered, tmp_path) == []
    withdraw_participant(participant=answered.participants.get(number=1))
    Export(answered).write(tmp_path)
    for name in ("answers", "answers_wide"):
        assert {row["participant"] for row in rows_in(tmp_path / f"{name}.csv")} == {"P02", "P03"}
    Export(new_trial(slug="silent")).write(tmp_path / "silent")
    assert not list((tmp_path / "silent").glob("answers_wide.*"))


def test_whatever_was_written_is_read_back_from_every_file(tmp_path: Path) -> None:
    texts = ["=1+1", "'=1", "''-", "'", "-5", 'a\nb, "c"', "\x01_x0041_", "ünïcødé 🎲", "null"]
    note = "before: [{questions: [{key: note, kind: text, ask: Anything?}]}]"
    trial = asking(note, places=len(texts))
    for number, written in enumerate(texts, start=1):
        answer(joined(trial, number), q_note=written)
    trial.participants.filter(number=1).update(screened_out_at=timezone.now())
    Export(trial).write(tmp_path)
    stored = Answer.objects.order_by("participant__number").values_list("value", flat=True)
    assert list(stored) == texts
    assert every_fault(trial, tmp_path) == []


# Bots


@given(st.integers(0, 10**6))
def test_a_bot_s_answer_is_one_that_the_question_takes(seed: int) -> None:
    for name in ("experience", "rules_quiz"):
        for item in parse_questionnaire(read_ready_text(name)).items.values():
            sent = choose_answer(item.question, Random(seed))
            value = item.question.parse_answer(sent)
            assert value
            assert value not in item.question.screens_out


@given(st.integers(0, 10**6))
def test_a_bot_is_never_mistaken_in_its_last_try(seed: int) -> None:
    (page,) = parse_questionnaire(read_ready_text("rules_quiz")).pages
    sent = make_form_data(DuePage(page), 1, Random(seed), "")
    found = read_replies(page, lambda name: cast("list[str]", sent.get(name, [])))
    assert not any(reply.wrong for reply in found)
