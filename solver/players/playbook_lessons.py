"""What the sentences of a playbook are worth: learned one by one, and each forgotten alone."""

from collections.abc import Collection, Iterator
from typing import Any, NamedTuple

from solver.players.playbook_play import BookWorth, PlaybookPlay, worth
from solver.players.playbook_rules import Playbook
from solver.rules import Ruleset


class BookLesson(NamedTuple):
    """``earns`` is what it adds to those learned before it, ``costs`` what goes without it."""

    rule: int
    earns: float
    costs: float


def worth_of(ruleset: Ruleset, book: Playbook, known: Collection[int]) -> BookWorth:
    """Of the rules that are known, each in its place."""
    rules = tuple(rule for number, rule in enumerate(book.rules) if number in known)
    return worth(PlaybookPlay(ruleset, Playbook(rules, book.scratch)))


def lessons(ruleset: Ruleset, book: Playbook) -> Iterator[BookLesson]:
    """The rule that is the dearest to forget is learned first."""
    every = set(range(len(book.rules)))
    best = worth_of(ruleset, book, every).mean
    costs = {rule: best - worth_of(ruleset, book, every - {rule}).mean for rule in every}
    known, so_far = set[int](), worth_of(ruleset, book, ()).mean
    for rule in sorted(every, key=lambda one: -costs[one]):
        known.add(rule)
        now = worth_of(ruleset, book, known).mean
        yield BookLesson(rule, now - so_far, costs[rule])
        so_far = now


def facts(ruleset: Ruleset, book: Playbook) -> dict[str, Any]:
    """As it is kept; the lessons in the order in which they are learned."""
    found = worth_of(ruleset, book, range(len(book.rules)))
    return {
        **found._asdict(),
        **book.as_data(),
        "lessons": [lesson._asdict() for lesson in lessons(ruleset, book)],
    }
