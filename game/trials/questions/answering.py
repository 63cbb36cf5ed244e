"""Parses a page of answers. A reply has an answer, is declined, is skipped, or is faulty."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from django.utils.translation import gettext as _

from game.trials.questions.kinds import DECLINED, Item, NotAnAnswer
from game.trials.questions.questionnaire import QuestionPage

State = Literal["answered", "declined", "skipped"]
Sent = Callable[[str], Sequence[str]]  # returns the values of the form field with this name


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer as sent (``value``). ``problem`` says why it cannot be stored; "" if it can."""

    item: Item
    state: State
    value: str = ""
    problem: str = ""

    @property
    def passed(self) -> bool | None:
        """True if the answer passed its check, False if it failed, None without a check."""
        return self.item.check_answer(self.value)

    @property
    def wrong(self) -> bool:
        return self.item.question.right and not self.passed

    @property
    def screens_out(self) -> bool:
        return self.state == "answered" and self.value in self.item.question.screens_out


def make_field_name(key: str) -> str:
    return f"q-{key}"


def make_declining_name(key: str) -> str:
    return f"no-{key}"


def read_replies(page: QuestionPage, sent: Sent) -> list[Reply]:
    return [_read_reply(item, sent) for item in page.items]


def _read_reply(item: Item, sent: Sent) -> Reply:
    """Return the reply to a question. If the participant declined, ignore other values."""
    question = item.question
    values = [value for value in sent(make_field_name(item.key)) if value.strip()]
    if question.may_decline and (DECLINED in values or sent(make_declining_name(item.key))):
        return Reply(item, "declined")
    try:
        value = question.parse_answer(values)
    except NotAnAnswer as problem:
        return Reply(item, "skipped", " ".join(values), str(problem))
    if value:
        return Reply(item, "answered", value)
    return Reply(item, "skipped", problem=_explain_missing(item))


def _explain_missing(item: Item) -> str:
    if not item.question.must_answer:
        return ""
    if item.question.may_decline:
        return _("Please answer this question, or choose “I would rather not say”.")
    return _("Please answer this question.")
