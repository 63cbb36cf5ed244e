"""A file of questions: its pages, when each page is due, and which page a participant gets next.

An answer is stored as one line of text in a canonical form: ``7``, ``2.5``, ``books friends``.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Container, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from decimal import Decimal
from typing import ClassVar

from django.utils.functional import cached_property
from django.utils.translation import get_language
from django.utils.translation import gettext as _


class ShownText(str):
    """A text and its language, which may differ from the language of the page."""

    language = ""


class Texts(dict[str, str]):
    """A text by language, in the file's order. The first language replaces a missing one."""

    @property
    def first(self) -> str:
        return next(iter(self.values()))

    def choose_text(self, language: str) -> ShownText:
        known = language if language in self else next(iter(self))
        text = ShownText(self[known])
        text.language = known
        return text

    @property
    def shown(self) -> ShownText:
        """The text in the reader's language."""
        return self.choose_text(get_language() or "en")


DECLINED = "-"  # the value of "rather not say", which no option may have as its name
NUMBER = re.compile(r"[-−+]?\d{1,12}(?:[.,]\d{1,9})?")
SHORT, LONG = 200, 4_000  # default maximum length of a text answer, in characters
TRIES = 3  # default number of tries for questions with a right answer


class NotAnAnswer(ValueError):
    """The error for an invalid answer. Its message tells the participant why it is invalid."""

    def __init__(self, message: str, **facts: object) -> None:
        super().__init__(message % facts)


class Unreadable(ValueError):
    """The error for a faulty part of a file. Its message tells the researcher what is wrong."""


def check_known(name: str, known: Collection[str]) -> None:
    if name not in known:
        choice = f"; use one of: {', '.join(known)}" if any(known) else ""
        raise Unreadable(f"“{name}” is not valid here{choice}.")


def parse_number(text: str) -> Decimal | None:
    if not NUMBER.fullmatch(text):
        return None
    return Decimal(text.replace(",", ".").replace("−", "-"))


def format_number(number: Decimal) -> str:
    """Return the number as text, such as 12, 2.5 or 0, never 12.0, 1E+1 or -0."""
    return "0" if number == 0 else f"{number.normalize():f}"


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


# Answers in a file by the row of a scale; the row is "" for a question without rows.
FileAnswers = Mapping[str, Sequence[str]]
CHECKS = ("right", "attention")


@dataclass(kw_only=True)
class TrialQuestion(ABC):
    """A question; ``expected`` maps the key of an item to the answers that pass its check.
    Contradictory fields raise Unreadable."""

    kind: ClassVar[str]  # the name in the file, such as text or choice
    label: ClassVar[str]  # the name on the researcher's pages
    names: ClassVar[tuple[str, ...]]  # the fields in the file that not every kind has
    together: ClassVar[bool] = False  # true if a list of expected answers is a single answer
    key: str
    ask: Texts
    help: Texts | None = None
    required: bool = False
    declinable: bool = True
    right: FileAnswers = field(default_factory=dict)
    attention: FileAnswers = field(default_factory=dict)
    screen_out: FileAnswers = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.right and self.attention:
            raise Unreadable("Use either “right” or “attention”, not both.")
        self.expected = self._accept(self.right or self.attention)
        self.screens_out = self._accept(self.screen_out).get(self.key, frozenset())

    def _accept(self, given: FileAnswers) -> dict[str, frozenset[str]]:
        """Return the answers in canonical form, by the key of an item."""
        items = {item.key.partition(".")[2]: item.key for item in self.items}
        accepted: dict[str, set[str]] = {}
        for row, values in given.items():
            check_known(row, items)
            for sent in [values] if self.together else [[value] for value in values]:
                answer = ""
                with suppress(NotAnAnswer):
                    answer = self.parse_answer(sent)
                if not answer:
                    typed = " ".join(sent)
                    raise Unreadable(f"“{typed}” is not a possible answer: {self.takes}.")
                accepted.setdefault(items[row], set()).add(answer)
        return {key: frozenset(answers) for key, answers in accepted.items()}

    @property
    def items(self) -> tuple[Item, ...]:
        return (Item(self.key, self.ask, self),)

    @property
    def must_answer(self) -> bool:
        return self.required or bool(self.right)

    @property
    def may_decline(self) -> bool:
        """True if participants may decline to answer. They must answer a question with a check."""
        return self.declinable and not self.expected

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


@dataclass(kw_only=True)
class TextQuestion(TrialQuestion):
    kind = "text"
    label = "A line of text"
    names = ("long", "longest")
    long: bool = False
    longest: int = 0

    def __post_init__(self) -> None:
        self.longest = self.longest or (LONG if self.long else SHORT)
        super().__post_init__()

    def parse_answer(self, sent: Sequence[str]) -> str:
        text = "\n".join(" ".join(sent).replace("\x00", "").splitlines()).strip()
        if len(text) > self.longest:
            raise NotAnAnswer(
                _("Please use at most %(most)s characters; your answer has %(n)s."),
                most=self.longest,
                n=len(text),
            )
        return text

    @property
    def takes(self) -> str:
        return f"text of at most {self.longest} characters"


def may_be_free_text(item: Item | None) -> bool:
    """Return whether the answer may be free text. Return True for an unknown question (None)."""
    return item is None or isinstance(item.question, TextQuestion)


@dataclass(kw_only=True)
class NumberQuestion(TrialQuestion):
    kind = "number"
    label = "A number"
    names: ClassVar[tuple[str, ...]] = ("from", "to", "decimals", "unit", "age", *CHECKS)
    least: Decimal | None = None
    most: Decimal | None = None
    decimals: int = 0
    unit: Texts | None = None
    age: bool = False  # an age in years, which public files replace by an age band

    def __post_init__(self) -> None:
        if self.least is not None and self.most is not None and self.least >= self.most:
            raise Unreadable("“to” must be more than “from”.")
        super().__post_init__()

    @property
    def limits(self) -> Mapping[str, str]:
        """The existing limits, and the step of a slider, as numbers with a decimal point."""
        limits = {name: getattr(self, name, None) for name in ("least", "most", "step")}
        return {name: format_number(limit) for name, limit in limits.items() if limit is not None}

    @property
    def range(self) -> str:
        limits = self.limits
        if "least" not in limits:
            return _("At most %(most)s") % limits if limits else ""
        text = _("From %(least)s to %(most)s") if "most" in limits else _("At least %(least)s")
        return text % limits

    def parse_answer(self, sent: Sequence[str]) -> str:
        text = "".join(" ".join(sent).split())
        if not text:
            return ""
        number, problem = parse_number(text), ""
        if number is None:
            raise NotAnAnswer(_("Please type a number."))
        if self.least is not None and number < self.least:
            problem = _("Please type a number of at least %(least)s.")
        elif self.most is not None and number > self.most:
            problem = _("Please type a number of at most %(most)s.")
        elif number != round(number, self.decimals):
            problem = _("Please type at most %(n)s digits after the decimal point.")
            if self.decimals == 0:
                problem = _("Please type a whole number.")
        if problem:
            raise NotAnAnswer(problem, **self.limits, n=self.decimals)
        return format_number(number)

    @property
    def takes(self) -> str:
        kind = f"number with up to {self.decimals} decimals" if self.decimals else "whole number"
        ends = {"least": " from {least}", "most": " to {most}"}
        limits = self.limits
        return kind + "".join(ends[name].format(**limits) for name in ends if name in limits)


def choose_option(options: Collection[str], sent: Sequence[str]) -> str:
    """Return the value that radio buttons sent, or "". Raise NotAnAnswer for any other value."""
    values = {value for value in sent if value}
    if len(values) > 1 or not values <= set(options):
        raise NotAnAnswer(_("Please choose one of these answers."))
    return "".join(values)


@dataclass(kw_only=True)
class OptionsQuestion(TrialQuestion):
    options: Mapping[str, Texts]

    @property
    def takes(self) -> str:
        return "; ".join(f"{key} = {text.first}" for key, text in self.options.items())


@dataclass(kw_only=True)
class ChoiceQuestion(OptionsQuestion):
    kind = "choice"
    label = "One of these answers"
    names = ("options", "screen_out", *CHECKS)

    def parse_answer(self, sent: Sequence[str]) -> str:
        return choose_option(self.options, sent)


@dataclass(kw_only=True)
class SeveralQuestion(OptionsQuestion):
    kind = "several"
    label = "Any of these answers"
    names = ("options", "least", "most", *CHECKS)
    together = True
    least: int = 0
    most: int = 0

    def __post_init__(self) -> None:
        self.most = self.most or len(self.options)
        if not self.least <= self.most <= len(self.options):
            raise Unreadable(f"“least” and “most” must be in order, up to {len(self.options)}.")
        super().__post_init__()

    def parse_answer(self, sent: Sequence[str]) -> str:
        chosen = {value for value in sent if value}
        if not chosen <= set(self.options):
            raise NotAnAnswer(_("Please choose from these answers."))
        if chosen and len(chosen) < self.least:
            raise NotAnAnswer(_("Please choose at least %(n)s of these answers."), n=self.least)
        if len(chosen) > self.most:
            raise NotAnAnswer(_("Please choose at most %(n)s of these answers."), n=self.most)
        return " ".join(key for key in self.options if key in chosen)

    @property
    def takes(self) -> str:
        return f"any of these, separated by spaces: {super().takes}"


@dataclass(kw_only=True)
class LikertQuestion(TrialQuestion):
    """A scale from 1 to ``points``; ``labels`` has a label per point, or only for both ends."""

    kind = "likert"
    label = "A scale: two ends, or a label for each point"
    names = ("points", "labels", "rows", "attention")
    points: int = 0
    labels: Sequence[Texts]
    rows: Mapping[str, Texts] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.points = self.points or (len(self.labels) if len(self.labels) > 2 else 5)
        if len(self.labels) not in (2, self.points):
            raise Unreadable(f"Use labels for both ends or for all {self.points} points.")
        super().__post_init__()

    @property
    def items(self) -> tuple[Item, ...]:
        if not self.rows:
            return super().items
        return tuple(Item(f"{self.key}.{row}", ask, self) for row, ask in self.rows.items())

    @property
    def all_labelled(self) -> bool:
        return len(self.labels) == self.points

    @property
    def options(self) -> Mapping[str, Texts | None]:
        between = () if self.all_labelled else (None,) * (self.points - 2)
        labels = (*self.labels[:-1], *between, self.labels[-1])
        return {str(point): label for point, label in enumerate(labels, start=1)}

    def parse_answer(self, sent: Sequence[str]) -> str:
        return choose_option(self.options, sent)

    @property
    def takes(self) -> str:
        named = (f"{point} = {label.first}" for point, label in self.options.items() if label)
        return f"1 to {self.points}: {'; '.join(named)}"


@dataclass(kw_only=True)
class SliderQuestion(NumberQuestion):
    kind = "slider"
    label = "A slider between two ends"
    names = ("from", "to", "step", "unit", "labels", "attention")
    least: Decimal = Decimal(0)
    most: Decimal = Decimal(100)
    step: Decimal = Decimal(1)
    labels: Sequence[Texts]

    def __post_init__(self) -> None:
        if self.step <= 0 or (self.most - self.least) % self.step:
            raise Unreadable("“step” must divide the range from “from” to “to” evenly.")
        if len(self.labels) != 2:
            raise Unreadable("A slider has two labels, one for each end.")
        self.decimals = len(format_number(self.step).partition(".")[2])
        super().__post_init__()

    def parse_answer(self, sent: Sequence[str]) -> str:
        text = super().parse_answer(sent)
        if text and (Decimal(text) - self.least) % self.step:
            raise NotAnAnswer(_("Please choose a number in steps of %(step)s."), **self.limits)
        return text

    @property
    def takes(self) -> str:
        low, high = (label.first for label in self.labels)
        text = "{least} to {most} in steps of {step}: {least} = {low}; {most} = {high}"
        return text.format(**self.limits, low=low, high=high)


NUMERIC = (NumberQuestion, LikertQuestion)  # kinds of questions whose answers are numbers
KINDS: Mapping[str, type[TrialQuestion]] = {
    kind.kind: kind
    for kind in (
        TextQuestion, NumberQuestion, ChoiceQuestion, SeveralQuestion, LikertQuestion,
        SliderQuestion,
    )
}  # fmt: skip


MOMENTS = {
    "before": "Before the first game",
    "between": "After each game",
    "after": "After the last game",
}
Asked = tuple[str, int]  # the key of an item, and the number of the game before it (0: no game)


@dataclass
class QuestionPage:
    """A page of questions. It comes after each game in ``games``. If ``games`` is empty, it comes
    again after every ``every`` games."""

    name: str  # a unique name in the file, such as before-1
    moment: str  # a key of MOMENTS
    questions: Sequence[TrialQuestion]
    title: Texts | None = None
    text: Texts | None = None
    tries: int = 0  # number of tries for questions with a right answer
    every: int = 0
    games: Sequence[int] = ()

    def __post_init__(self) -> None:
        checked = any(question.right for question in self.questions)
        if self.tries and not checked:
            raise Unreadable("“tries” needs a question on this page that has a right answer.")
        if self.every and self.games:
            raise Unreadable("Use either “every” or “games”, not both.")
        self.tries = self.tries or (TRIES if checked else 0)
        self.every = self.every or 1

    @cached_property
    def items(self) -> tuple[Item, ...]:
        return tuple(item for question in self.questions for item in question.items)

    def comes_after(self, game: int) -> bool:
        """Return whether the page comes after this game; 0 means before the first game."""
        if self.moment != "between":
            return self.moment == "before" and game == 0
        return game in self.games if self.games else game > 0 and game % self.every == 0

    @property
    def when(self) -> str:
        if self.games:
            return f"After game {', '.join(map(str, self.games))}"
        return f"After every {self.every} games" if self.every > 1 else MOMENTS[self.moment]


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
    pages: Sequence[QuestionPage]
    language: str
    texts: Sequence[str]  # every text that participants may read, in all languages
    title: Texts | None = None

    @cached_property
    def items(self) -> dict[str, Item]:
        return {item.key: item for page in self.pages for item in page.items}

    def due(self, finished: int, done: Container[Asked], *, all_played: bool) -> DuePage | None:
        """Return the first page that is due after ``finished`` games and whose first item is not
        in ``done``."""
        coming = [
            DuePage(page, game)
            for game in range(finished + 1)
            for page in self.pages
            if page.comes_after(game)
        ]
        if all_played:
            coming += [DuePage(page) for page in self.pages if page.moment == "after"]
        return next((page for page in coming if page.asked[0] not in done), None)


Sent = Callable[[str], Sequence[str]]  # returns the values of the form field with this name


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer as sent (``value``). ``problem`` says why it cannot be stored; "" if it can."""

    item: Item
    state: str = "skipped"  # answered, declined or skipped
    value: str = ""
    problem: str = ""

    @property
    def passed(self) -> bool | None:
        """True if the answer passed its check, False if it failed, None without a check."""
        expected = self.item.expected
        return self.value in expected if expected else None

    @property
    def wrong(self) -> bool:
        return bool(self.item.question.right) and self.passed is False

    @property
    def screens_out(self) -> bool:
        return self.state == "answered" and self.value in self.item.question.screens_out

    @property
    def name(self) -> str:
        return make_field_name(self.item.key)

    @property
    def declining(self) -> str:
        return make_declining_name(self.item.key)

    @property
    def described_by(self) -> str:
        """The HTML ids of the elements that explain the field, separated by spaces."""
        question = self.item.question
        parts = {"help": question.help, "range": question.range, "problem": self.problem}
        return " ".join(f"{self.name}-{part}" for part, there in parts.items() if there)


def make_field_name(key: str) -> str:
    return f"q-{key}"


def make_declining_name(key: str) -> str:
    return f"no-{key}"


def read_replies(page: QuestionPage, sent: Sent) -> list[Reply]:
    return [read_reply(item, sent) for item in page.items]


def read_reply(item: Item, sent: Sent) -> Reply:
    """Return the reply to an item. If the participant declined, ignore other values."""
    question = item.question
    values = [value for value in sent(make_field_name(item.key)) if value.strip()]
    if question.may_decline and (DECLINED in values or sent(make_declining_name(item.key))):
        return Reply(item, "declined")
    try:
        value = question.parse_answer(values)
    except NotAnAnswer as error:
        return Reply(item, "skipped", " ".join(values), str(error))
    if value or not question.must_answer:
        return Reply(item, "answered" if value else "skipped", value)
    problem = _("Please answer this question.")
    if question.may_decline:
        problem = _("Please answer this question, or choose “I would rather not say”.")
    return Reply(item, "skipped", "", problem)
