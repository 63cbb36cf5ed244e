"""A file of questions: its pages, when each page is due, and which page a participant gets next."""

from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from typing import Literal

from django.utils.functional import cached_property

from game.trials.questions.kinds import Item, Texts, TrialQuestion

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

    def comes_after(self, game: int) -> bool:
        return game in self.games if self.games else game % self.every == 0


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

    @property
    def texts(self) -> Iterator[str]:
        """All texts that participants may read, in all languages."""
        return _yield_texts(self)

    def list_pages(self, moment: Moment) -> Iterator[QuestionPage]:
        return (page for page in self.pages if page.moment == moment)

    def find_page(self, key: str) -> QuestionPage:
        return next(page for page in self.pages if any(item.key == key for item in page.items))

    def due(self, finished: int, done: Container[Asked], *, all_played: bool) -> DuePage | None:
        """Return the first page that is due now and whose first item is not in ``done``."""
        coming = self._yield_pages(finished, all_played=all_played)
        return next((due for due in coming if due.asked[0] not in done), None)

    def _yield_pages(self, finished: int, *, all_played: bool) -> Iterator[DuePage]:
        yield from map(DuePage, self.list_pages("before"))
        for game in range(1, finished + 1):
            for page in self.list_pages("between"):
                if page.comes_after(game):
                    yield DuePage(page, game)
        if all_played:
            yield from map(DuePage, self.list_pages("after"))


def _yield_texts(part: object) -> Iterator[str]:
    if isinstance(part, Texts):
        yield from part.by_language.values()
    elif is_dataclass(part):
        yield from _yield_texts([getattr(part, field.name) for field in fields(part)])
    elif isinstance(part, Mapping):
        yield from _yield_texts(list(part.values()))
    elif isinstance(part, list | tuple):
        for item in part:
            yield from _yield_texts(item)
