"""What a bot writes on a page of questions: anything that a person might, within what is asked."""

import re
from collections.abc import Callable
from decimal import Decimal
from random import Random
from typing import Any

from game.trials.questions.answering import declining_name, field_name
from game.trials.questions.kinds import (
    DECLINED,
    ChoiceQuestion,
    Item,
    LikertQuestion,
    NumberQuestion,
    SeveralQuestion,
    SliderQuestion,
    TextQuestion,
    TrialQuestion,
    written,
)
from game.trials.questions.questionnaire import DuePage

SILENT = 0.1  # of the questions: so many are declined, and so many are left out
MISTAKEN = 0.3  # of the tries at a page with right answers, but for the last one
BUTTONS = (ChoiceQuestion, LikertQuestion)
FAR = Decimal(100)  # the range of a number that has no end
STAMP = re.compile(r'name="stamp" value="([^"]*)"')


def sent_by_bot(due: DuePage, tries_left: int, random: Random, shown: str) -> dict[str, object]:
    """All that the page as it was shown would send; nobody is screened out in a rehearsal."""
    stamp = STAMP.search(shown)
    sent: dict[str, object] = {"page": due.name, "stamp": stamp[1] if stamp else ""}
    mistaken = tries_left > 1 and random.random() < MISTAKEN
    for item in due.page.items:
        sent |= _sent(item, random, mistaken=mistaken)
    return sent


def _sent(item: Item, random: Random, *, mistaken: bool) -> dict[str, object]:
    question, name = item.question, field_name(item.key)
    if question.right and not mistaken:
        return {name: random.choice(sorted(item.expected)).split()}
    chance = random.random()
    if question.may_decline and chance < SILENT:
        buttons = isinstance(question, BUTTONS)
        return {name: DECLINED} if buttons else {declining_name(item.key): "on"}
    if not question.must_answer and chance < 2 * SILENT:
        return {}
    return {name: answer_to(question, random)}


def answer_to(question: TrialQuestion, random: Random) -> list[str]:
    """One of those that the question takes, which does not end the part."""
    return MADE[type(question)](question, random)


def _text(question: TextQuestion, random: Random) -> list[str]:
    return ["A bot has nothing to add."[: question.longest]]


def _number(question: NumberQuestion, random: Random) -> list[str]:
    step = question.step if isinstance(question, SliderQuestion) else Decimal(1)
    least = question.least if question.least is not None else (question.most or FAR) - FAR
    most = question.most if question.most is not None else least + FAR
    return [written(least + step * random.randint(0, int((most - least) / step)))]


def _choice(question: ChoiceQuestion, random: Random) -> list[str]:
    return [random.choice([key for key in question.options if key not in question.screens_out])]


def _several(question: SeveralQuestion, random: Random) -> list[str]:
    most = question.most or len(question.options)
    return random.sample(list(question.options), random.randint(max(1, question.least), most))


def _likert(question: LikertQuestion, random: Random) -> list[str]:
    return [str(random.randint(1, question.points))]


MADE: dict[type[TrialQuestion], Callable[[Any, Random], list[str]]] = {
    TextQuestion: _text,
    NumberQuestion: _number,
    SliderQuestion: _number,
    ChoiceQuestion: _choice,
    SeveralQuestion: _several,
    LikertQuestion: _likert,
}
