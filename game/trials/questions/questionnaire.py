"""A file of questions: its pages, when each page is due, and which page a participant gets next.

An answer is stored as one line of text in a canonical form: ``7``, ``2.5``, ``books friends``.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from decimal import Decimal
from typing import Literal

from django.utils.functional import cached_property
from django.utils.translation import get_language
from django.utils.translation import gettext as _


@dataclass(frozen=True, slots=True)
class ShownText:
    """A text and its language, which may differ from the language of the page."""

    text: str
    language: str

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Texts:
    """A text in several languages, in the file's order. The first replaces a missing language."""

    by_language: Mapping[str, str]

    @property
    def first(self) -> str:
        return next(iter(self.by_language.values()))

    def choose_text(self, language: str) -> ShownText:
        known = language if language in self.by_language else next(iter(self.by_language))
        return ShownText(self.by_language[known], known)

    @property
    def shown(self) -> ShownText:
        """The text in the reader's language."""
        return self.choose_text(get_language() or "en")


DECLINED = "-"  # the value of "rather not say", which no option may have as its name
NUMBER = re.compile(r"[-−+]?\d{1,12}(?:[.,]\d{1,9})?")
SHORT, LONG = 200, 4_000  # default maximum length of a text answer, in characters


class NotAnAnswer(ValueError):
    """The error for an invalid answer. Its message tells the participant why it is invalid."""


@dataclass(frozen=True, slots=True)
class Item:
    """The part of a question with an answer of its own: the question, or a row of its scale."""

    key: str
    ask: Texts
    question: "TrialQuestion"

    @property
    def expected(self) -> frozenset[str]:
        """The answers that pass the question's check; empty if it has no check."""
        return self.question.expected.get(self.key, frozenset())


@dataclass(frozen=True, kw_only=True)
class TrialQuestion(ABC):
    """A question; ``expected`` maps the key of an item to the answers that pass its check."""

    kind = ""  # the name in the file, such as text or choice
    key: str
    ask: Texts
    help: Texts | None = None
    required: bool = False
    declinable: bool = True
    right: bool = False
    attention: bool = False
    expected: Mapping[str, frozenset[str]] = field(default_factory=dict)
    screens_out: frozenset[str] = frozenset()

    @property
    def items(self) -> tuple[Item, ...]:
        return (Item(self.key, self.ask, self),)

    @property
    def must_answer(self) -> bool:
        return self.required or self.right

    @property
    def may_decline(self) -> bool:
        """True if participants may decline to answer. They must answer a question with a check."""
        return self.declinable and not (self.right or self.attention)

    @property
    def range(self) -> str:
        """The valid numbers in words; empty if the question asks for no number."""
        return ""

    @abstractmethod
    def parse_answer(self, sent: Sequence[str]) -> str:
        """Return the answer in canonical form, "" without one; raise NotAnAnswer if it is
        invalid."""

    @property
    @abstractmethod
    def takes(self) -> str:
        """A description of the possible answers, in English, for the codebook."""


@dataclass(frozen=True, kw_only=True)
class TextQuestion(TrialQuestion):
    kind = "text"
    long: bool = False
    longest: int = SHORT

    def parse_answer(self, sent: Sequence[str]) -> str:
        text = "\n".join(" ".join(sent).replace("\x00", "").splitlines()).strip()
        if len(text) > self.longest:
            raise NotAnAnswer(
                _("Please use at most %(most)s characters; your answer has %(n)s.")
                % {"most": self.longest, "n": len(text)}
            )
        return text

    @property
    def takes(self) -> str:
        return f"text of at most {self.longest} characters"


def may_be_free_text(item: Item | None) -> bool:
    """Return whether the answer may be free text. Return True for an unknown question (None)."""
    return item is None or isinstance(item.question, TextQuestion)


@dataclass(frozen=True, kw_only=True)
class NumberQuestion(TrialQuestion):
    kind = "number"
    least: Decimal | None = None
    most: Decimal | None = None
    decimals: int = 0
    unit: Texts | None = None
    age: bool = False  # an age in years, which public files replace by an age band

    @property
    def limits(self) -> Mapping[str, str]:
        """The existing limits, and the step of a slider, as numbers with a decimal point."""
        limits = {name: getattr(self, name, None) for name in ("least", "most", "step")}
        return {name: format_number(limit) for name, limit in limits.items() if limit is not None}

    @property
    def range(self) -> str:
        limits = self.limits
        if "least" in limits and "most" in limits:
            return _("From %(least)s to %(most)s") % limits
        if "least" in limits:
            return _("At least %(least)s") % limits
        return _("At most %(most)s") % limits if "most" in limits else ""

    def parse_answer(self, sent: Sequence[str]) -> str:
        text = "".join(" ".join(sent).split())
        if not text:
            return ""
        if not NUMBER.fullmatch(text):
            raise NotAnAnswer(_("Please type a number."))
        number = Decimal(text.replace(",", ".").replace("−", "-"))
        if self.least is not None and number < self.least:
            raise NotAnAnswer(
                _("Please type a number of at least %(least)s.")
                % {"least": format_number(self.least)}
            )
        if self.most is not None and number > self.most:
            raise NotAnAnswer(
                _("Please type a number of at most %(most)s.") % {"most": format_number(self.most)}
            )
        if number != round(number, self.decimals):
            if self.decimals == 0:
                raise NotAnAnswer(_("Please type a whole number."))
            raise NotAnAnswer(
                _("Please type at most %(n)s digits after the decimal point.")
                % {"n": self.decimals}
            )
        return format_number(number)

    @property
    def takes(self) -> str:
        kind = f"number with up to {self.decimals} decimals" if self.decimals else "whole number"
        least = f" from {format_number(self.least)}" if self.least is not None else ""
        return f"{kind}{least}" + (
            f" to {format_number(self.most)}" if self.most is not None else ""
        )


@dataclass(frozen=True, kw_only=True)
class OptionsQuestion(TrialQuestion):
    options: Mapping[str, Texts]

    @property
    def takes(self) -> str:
        return "; ".join(f"{key} = {text.first}" for key, text in self.options.items())


@dataclass(frozen=True, kw_only=True)
class ChoiceQuestion(OptionsQuestion):
    kind = "choice"

    def parse_answer(self, sent: Sequence[str]) -> str:
        value = _read_single(sent)
        if value and value not in self.options:
            raise NotAnAnswer(_("Please choose one of these answers."))
        return value


@dataclass(frozen=True, kw_only=True)
class SeveralQuestion(OptionsQuestion):
    kind = "several"
    least: int = 0
    most: int | None = None

    def parse_answer(self, sent: Sequence[str]) -> str:
        chosen = {value for value in sent if value}
        if not chosen <= set(self.options):
            raise NotAnAnswer(_("Please choose from these answers."))
        if chosen and len(chosen) < self.least:
            raise NotAnAnswer(
                _("Please choose at least %(n)s of these answers.") % {"n": self.least}
            )
        if self.most is not None and len(chosen) > self.most:
            raise NotAnAnswer(_("Please choose at most %(n)s of these answers.") % {"n": self.most})
        return " ".join(key for key in self.options if key in chosen)

    @property
    def takes(self) -> str:
        return f"any of these, separated by spaces: {super().takes}"


@dataclass(frozen=True, kw_only=True)
class LikertQuestion(TrialQuestion):
    """A scale from 1 to ``points``; ``labels`` has a label per point, or only for both ends."""

    kind = "likert"
    points: int
    labels: tuple[Texts, ...]
    rows: Mapping[str, Texts] = field(default_factory=dict)

    @property
    def items(self) -> tuple[Item, ...]:
        if not self.rows:
            return super().items
        return tuple(Item(f"{self.key}.{row}", ask, self) for row, ask in self.rows.items())

    @property
    def all_labelled(self) -> bool:
        return len(self.labels) == self.points

    @property
    def named(self) -> Mapping[int, Texts]:
        if self.all_labelled:
            return dict(enumerate(self.labels, start=1))
        return {1: self.labels[0], self.points: self.labels[-1]}

    def parse_answer(self, sent: Sequence[str]) -> str:
        value = _read_single(sent)
        if value and value not in set(map(str, range(1, self.points + 1))):
            raise NotAnAnswer(_("Please choose one of these answers."))
        return value

    @property
    def takes(self) -> str:
        ends = "; ".join(f"{point} = {label.first}" for point, label in self.named.items())
        return f"1 to {self.points}: {ends}"


@dataclass(frozen=True, kw_only=True)
class SliderQuestion(NumberQuestion):
    kind = "slider"
    least: Decimal = Decimal(0)
    most: Decimal = Decimal(100)
    step: Decimal = Decimal(1)
    labels: tuple[Texts, ...]

    def parse_answer(self, sent: Sequence[str]) -> str:
        text = super().parse_answer(sent)
        if text and (Decimal(text) - self.least) % self.step:
            raise NotAnAnswer(
                _("Please choose a number in steps of %(step)s.")
                % {"step": format_number(self.step)}
            )
        return text

    @property
    def takes(self) -> str:
        low, high = (label.first for label in self.labels)
        least, most = format_number(self.least), format_number(self.most)
        step = format_number(self.step)
        return f"{least} to {most} in steps of {step}: {least} = {low}; {most} = {high}"


def format_number(number: Decimal) -> str:
    """Return the number as text, such as 12, 2.5 or 0, never 12.0, 1E+1 or -0."""
    text = f"{number.normalize() + 0:f}"
    return "0" if number == 0 else text


def _read_single(sent: Sequence[str]) -> str:
    """Return the value that radio buttons sent, or "". Raise NotAnAnswer for several values."""
    values = {value for value in sent if value}
    if len(values) > 1:
        raise NotAnAnswer(_("Please choose one of these answers."))
    return next(iter(values), "")


NUMERIC = (NumberQuestion, LikertQuestion)  # kinds of questions whose answers are numbers


Moment = Literal["before", "between", "after"]
MOMENTS: tuple[Moment, ...] = ("before", "between", "after")
Asked = tuple[str, int]  # the key of an item, and the number of the game before it (0: no game)


@dataclass(frozen=True)
class QuestionPage:
    """A page of questions. It comes after each game in ``games``. If ``games`` is empty, it comes
    again after every ``every`` games."""

    name: str  # a unique name in the file, such as before-1
    moment: Moment
    questions: tuple[TrialQuestion, ...]
    title: Texts | None = None
    text: Texts | None = None
    tries: int = 0  # number of tries for questions with a right answer
    every: int = 1
    games: tuple[int, ...] = ()

    @cached_property
    def items(self) -> tuple[Item, ...]:
        return tuple(item for question in self.questions for item in question.items)


@dataclass(frozen=True, slots=True)
class DuePage:
    """A page that is due after game ``game``; 0 means before the first or after the last."""

    page: QuestionPage
    game: int = 0

    @property
    def name(self) -> str:
        return f"{self.page.name}.{self.game}"

    @property
    def asked(self) -> list[Asked]:
        return [(item.key, self.game) for item in self.page.items]


@dataclass(frozen=True)
class Questionnaire:
    pages: tuple[QuestionPage, ...]
    language: str
    title: Texts | None = None

    @cached_property
    def items(self) -> dict[str, Item]:
        return {item.key: item for page in self.pages for item in page.items}

    def list_pages(self, moment: Moment) -> Iterator[QuestionPage]:
        return (page for page in self.pages if page.moment == moment)

    def due(self, finished: int, done: Container[Asked], *, all_played: bool) -> DuePage | None:
        """Return the first page that is due after ``finished`` games and whose first item is not
        in ``done``."""
        coming = [DuePage(page) for page in self.list_pages("before")]
        coming += (
            DuePage(page, game)
            for game in range(1, finished + 1)
            for page in self.list_pages("between")
            if (game in page.games if page.games else game % page.every == 0)
        )
        if all_played:
            coming += map(DuePage, self.list_pages("after"))
        return next((page for page in coming if page.asked[0] not in done), None)


def yield_texts(part: object) -> Iterator[str]:
    """Yield all texts in the questionnaire, or in a part of it, in all languages."""
    if isinstance(part, Texts):
        yield from part.by_language.values()
    elif is_dataclass(part):
        yield from yield_texts([getattr(part, field.name) for field in fields(part)])
    elif isinstance(part, Mapping):
        yield from yield_texts(list(part.values()))
    elif isinstance(part, list | tuple):
        for item in part:
            yield from yield_texts(item)


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
        expected = self.item.expected
        return self.value in expected if expected else None

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
    """Return a reply per item of the page. If the participant declined, ignore other values."""
    replies = []
    for item in page.items:
        question = item.question
        values = [value for value in sent(make_field_name(item.key)) if value.strip()]
        if question.may_decline and (DECLINED in values or sent(make_declining_name(item.key))):
            replies.append(Reply(item, "declined"))
            continue
        try:
            value = question.parse_answer(values)
        except NotAnAnswer as error:
            replies.append(Reply(item, "skipped", " ".join(values), str(error)))
            continue
        problem = ""
        if question.must_answer and not value:
            problem = _("Please answer this question.")
            if question.may_decline:
                problem = _("Please answer this question, or choose “I would rather not say”.")
        replies.append(Reply(item, "answered" if value else "skipped", value, problem))
    return replies
