"""The template data of a page of questions: its items, the answers so far and their faults."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

from django.core import signing
from django.utils.translation import get_language, ngettext
from django.utils.translation import gettext as _

from game.trials.models import Answer, Participant
from game.trials.questions.answering import Reply, make_declining_name, make_field_name
from game.trials.questions.kinds import (
    Item,
    LikertQuestion,
    NumberQuestion,
    OptionsQuestion,
    ShownText,
    Texts,
    TrialQuestion,
    format_number,
)
from game.trials.questions.questionnaire import DuePage, Questionnaire
from game.trials.questions.reading import map_answers

SALT = "questions"


@dataclass(frozen=True, slots=True)
class ShownOption:
    value: str
    label: str  # number of a point on a scale; empty for an option
    text: ShownText | None
    checked: bool


@dataclass(frozen=True, slots=True)
class ShownItem:
    item: Item
    language: str
    value: str = ""
    declined: bool = False
    problem: str = ""

    @property
    def ask(self) -> ShownText:
        return self.item.ask.choose_text(self.language)

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
            ShownOption(
                value, label, text.choose_text(self.language) if text else None, value in chosen
            )
            for value, label, text in _list_options(self.item.question)
        ]

    @property
    def described_by(self) -> str:
        """The HTML ids of the elements that explain the field, separated by spaces."""
        shown, name = ShownQuestion(self.item.question, self.language, ()), self.name
        parts = {"help": shown.help, "range": shown.range, "problem": self.problem}
        return " ".join(f"{name}-{part}" for part, there in parts.items() if there)


@dataclass(frozen=True, slots=True)
class ShownQuestion:
    question: TrialQuestion
    language: str
    items: Sequence[ShownItem]

    @property
    def template(self) -> str:
        return f"trials/questions/_{self.question.kind}.html"

    @property
    def first(self) -> ShownItem:
        return self.items[0]

    @property
    def ask(self) -> ShownText:
        return self.question.ask.choose_text(self.language)

    @property
    def help(self) -> ShownText | None:
        return self.question.help.choose_text(self.language) if self.question.help else None

    @property
    def unit(self) -> ShownText | None:
        unit = self.question.unit if isinstance(self.question, NumberQuestion) else None
        return unit.choose_text(self.language) if unit else None

    @property
    def range(self) -> str:
        if not isinstance(self.question, NumberQuestion):
            return ""
        least, most = self.question.least, self.question.most
        limits = {"least": _format_decimal(least), "most": _format_decimal(most)}
        if least is not None and most is not None:
            return _("From %(least)s to %(most)s") % limits
        if least is not None:
            return _("At least %(least)s") % limits
        return _("At most %(most)s") % limits if most is not None else ""

    @property
    def least(self) -> str:
        return _format_decimal(getattr(self.question, "least", None))

    @property
    def most(self) -> str:
        return _format_decimal(getattr(self.question, "most", None))

    @property
    def step(self) -> str:
        return _format_decimal(getattr(self.question, "step", None))

    @property
    def ends(self) -> list[ShownText]:
        labels: Sequence[Texts] = getattr(self.question, "labels", ())
        ends = (labels[0], labels[-1]) if labels else ()
        return [label.choose_text(self.language) for label in ends]

    @property
    def all_labelled(self) -> bool:
        question = self.question
        return isinstance(question, LikertQuestion) and len(question.labels) == question.points


@dataclass(frozen=True, slots=True)
class ShownPage:
    due: DuePage
    language: str
    questions: Sequence[ShownQuestion]
    notice: str = ""
    stamp: str = ""

    @property
    def title(self) -> ShownText | None:
        return self.due.page.title.choose_text(self.language) if self.due.page.title else None

    @property
    def text(self) -> ShownText | None:
        return self.due.page.text.choose_text(self.language) if self.due.page.text else None

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
    """Return the page and restart its timer. Tries that the participant has used still count."""
    stored = map_answers(participant, due)
    tries = max((answer.tries for answer in stored.values()), default=0)
    replies = [_restore_reply(item, stored.get(item.key), tries) for item in due.page.items]
    stamp = signing.dumps([due.name, time.time()], salt=SALT)
    return _build_page(due, replies, tries, stamp)


def show_page_again(
    participant: Participant, due: DuePage, sent: Sequence[Reply], stamp: str
) -> ShownPage:
    """Return the page with the sent answers and their faults. ``stamp`` does not change."""
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
    """Add a message to a wrong answer if the participant has used a try."""
    if reply.problem or not (tries and reply.wrong):
        return reply
    return Reply(reply.item, reply.state, reply.value, _("That is not the right answer."))


def _build_page(due: DuePage, replies: Sequence[Reply], tries: int, stamp: str) -> ShownPage:
    language = get_language() or "en"
    items = {
        reply.item.key: ShownItem(
            reply.item, language, reply.value, reply.state == "declined", reply.problem
        )
        for reply in replies
    }
    questions = [
        ShownQuestion(question, language, [items[item.key] for item in question.items])
        for question in due.page.questions
    ]
    return ShownPage(due, language, questions, _format_tries_left(due, tries), stamp)


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


def _format_decimal(value: object) -> str:
    return format_number(value) if isinstance(value, Decimal) else ""
