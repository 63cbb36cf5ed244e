"""The template data of a page of questions: its items, the answers so far and their faults."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.core import signing
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from game.trials.models import Answer, Participant
from game.trials.questions.questionnaire import (
    DuePage,
    Item,
    LikertQuestion,
    OptionsQuestion,
    Questionnaire,
    Reply,
    Texts,
    TrialQuestion,
    make_declining_name,
    make_field_name,
)
from game.trials.questions.reading import map_answers

SALT = "questions"


@dataclass(frozen=True, slots=True)
class ShownOption:
    value: str
    label: str  # number of a point on a scale; empty for an answer option
    text: Texts | None
    checked: bool


@dataclass(frozen=True, slots=True)
class ShownItem:
    item: Item
    value: str = ""
    declined: bool = False
    problem: str = ""

    @property
    def name(self) -> str:
        return make_field_name(self.item.key)

    @property
    def declining(self) -> str:
        return make_declining_name(self.item.key)

    @property
    def options(self) -> list[ShownOption]:
        chosen = self.value.split()
        return [
            ShownOption(value, label, text, value in chosen)
            for value, label, text in _list_options(self.item.question)
        ]

    @property
    def described_by(self) -> str:
        """The HTML ids of the elements that explain the field, separated by spaces."""
        question = self.item.question
        parts = {"help": question.help, "range": question.range, "problem": self.problem}
        return " ".join(f"{self.name}-{part}" for part, there in parts.items() if there)


@dataclass(frozen=True, slots=True)
class ShownQuestion:
    question: TrialQuestion
    items: Sequence[ShownItem]

    @property
    def template(self) -> str:
        return f"trials/questions/_{self.question.kind}.html"

    @property
    def first(self) -> ShownItem:
        return self.items[0]


@dataclass(frozen=True, slots=True)
class ShownPage:
    due: DuePage
    questions: Sequence[ShownQuestion]
    notice: str = ""
    stamp: str = ""

    @property
    def when(self) -> str:
        """The moment at which participants get the page, as text for previews."""
        page = self.due.page
        if page.moment == "before":
            return "Before the games"
        if page.moment == "after":
            return "After the games"
        if page.games:
            return f"After game {', '.join(map(str, page.games))}"
        return "After every game" if page.every == 1 else f"After every {page.every} games"

    @property
    def optional(self) -> bool:
        return not any(shown.question.must_answer for shown in self.questions)

    @property
    def problems(self) -> list[ShownItem]:
        return [item for shown in self.questions for item in shown.items if item.problem]


def show_page(participant: Participant, due: DuePage) -> ShownPage:
    """Return the page and restart its timer. Tries that the participant used before still count."""
    stored = map_answers(participant, due)
    tries = max((answer.tries for answer in stored.values()), default=0)
    replies = [_restore_reply(item, stored.get(item.key), tries) for item in due.page.items]
    stamp = signing.dumps([due.name, time.time()], salt=SALT)
    return _build_page(due, replies, tries, stamp)


def show_page_again(
    participant: Participant, due: DuePage, sent: Sequence[Reply], stamp: str
) -> ShownPage:
    """Return the page with the sent answers and their faults. Its timer (``stamp``) runs on."""
    tries = max((answer.tries for answer in map_answers(participant, due).values()), default=0)
    replies = [_mark_wrong(reply, tries) for reply in sent]
    return _build_page(due, replies, tries, stamp)


def preview_pages(questionnaire: Questionnaire) -> Iterator[ShownPage]:
    for page in questionnaire.pages:
        due = DuePage(page, 1 if page.moment == "between" else 0)
        yield _build_page(due, [Reply(item, "skipped") for item in page.items], 0, "")


def read_seconds_since(stamp: str, page: str) -> float | None:
    """Return the seconds since the server signed ``stamp``; None if it is invalid for this page."""
    try:
        name, shown_at = signing.loads(stamp, salt=SALT)
    except signing.BadSignature:
        return None
    return round(max(0.0, time.time() - shown_at), 1) if name == page else None


def _restore_reply(item: Item, stored: Answer | None, tries: int) -> Reply:
    if stored is None:
        return Reply(item, "skipped")
    reply = Reply(item, "declined" if stored.state == "declined" else "answered", stored.value)
    return _mark_wrong(reply, tries)


def _mark_wrong(reply: Reply, tries: int) -> Reply:
    """Add a message to each wrong answer, once the participant has used a try."""
    if reply.problem or not (tries and reply.wrong):
        return reply
    return Reply(reply.item, reply.state, reply.value, _("That is not the right answer."))


def _build_page(due: DuePage, replies: Sequence[Reply], tries: int, stamp: str) -> ShownPage:
    items = {
        reply.item.key: ShownItem(reply.item, reply.value, reply.state == "declined", reply.problem)
        for reply in replies
    }
    questions = [
        ShownQuestion(question, [items[item.key] for item in question.items])
        for question in due.page.questions
    ]
    return ShownPage(due, questions, _format_tries_left(due, tries), stamp)


def _format_tries_left(due: DuePage, tries: int) -> str:
    left = due.page.tries - tries
    if not due.page.tries:
        return ""
    text = ngettext("You have %(n)s try.", "You have %(n)s tries.", left)
    if tries:
        text = ngettext("You have %(n)s try left.", "You have %(n)s tries left.", left)
    return text % {"n": left}


def _list_options(question: TrialQuestion) -> Iterator[tuple[str, str, Texts | None]]:
    if isinstance(question, OptionsQuestion):
        yield from ((key, "", text) for key, text in question.options.items())
    elif isinstance(question, LikertQuestion):
        for point in range(1, question.points + 1):
            yield str(point), str(point), question.named.get(point)
