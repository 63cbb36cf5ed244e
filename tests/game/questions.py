"""Trials that ask questions, and participants who answer them, for tests."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from game.trials.design.writing import open_trial
from game.trials.joining.answering import PageTaken, store_page_answers, store_questions
from game.trials.models import Participant, Trial
from game.trials.questions.reading import find_due_page
from tests.known import known
from tests.play import Answer as Response
from tests.play import Browser, text
from tests.trials import new_trial

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
SCREENING = """
before:
  - tries: 1
    questions:
      - {key: plays, kind: choice, ask: Do you play?, options: {no: No, yes: Yes}, screen_out: yes}
      - {key: throws, kind: number, ask: How many throws?, right: 3}
"""
PASSES, SCREENED, FAILS = ("no", "3"), ("yes", "3"), ("no", "4")
GOOD = {"q-age": "30", "q-pet": "cat"}
WRONG = {"q-throws": "4", "q-bonus": "50"}


def asking(file: str = FILE, **settings: Any) -> Trial:
    trial = new_trial(opened=False, questionnaire=False, **settings)
    store_questions(trial=trial, text=file)
    return open_trial(trial=trial)


def sending(**values: str | Sequence[str]) -> Callable[[str], Sequence[str]]:
    """Return what a page sends; ``q_age`` stands for the name q-age."""
    named: Mapping[str, str | Sequence[str]] = {
        name.replace("_", "-", 1): value for name, value in values.items()
    }
    return lambda name: [found] if isinstance(found := named.get(name, []), str) else found


def answer(participant: Participant, **values: str | Sequence[str]) -> PageTaken:
    due = known(find_due_page(participant))
    return store_page_answers(
        participant=participant, page=due.name, sent=sending(**values), seconds=2.5
    )


def states(participant: Participant) -> dict[str, tuple[str, str]]:
    found = participant.answers.order_by("pk")
    return {one.key: (one.state, one.value) for one in found}


def hidden(response: Response) -> dict[str, str]:
    return dict(re.findall(r'type="hidden" name="(page|stamp)" value="([^"]*)"', text(response)))


def send(browser: Browser, **more: object) -> Response:
    return browser.post("/take-part/asked", hidden(browser.get("/take-part/")) | more)


def me() -> Participant:
    return Participant.objects.get(trial__slug="study", number=1)


def answer_screening(participant: Participant, what: tuple[str, str]) -> None:
    answer(participant, q_plays=what[0], q_throws=what[1])
