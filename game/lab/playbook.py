"""The playbook: sentences to play by with what each is worth, and a bench for one's own.

What a book of one's own is worth is worked out while its reader waits: about a second, without
the compiler, one book at a time.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from threading import Lock
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from game.core.words import labels, phrases
from game.lab.addresses import lab_rules, lab_url
from game.lab.playbook_forms import AskedBook, RuleForm, added, asked_book
from game.lab.players import percent
from game.pages.board.choices import choices
from game.pages.requests.limits import TooMuch, check_upload
from game.pages.requests.visitors import PlayRequest
from game.practice.lesson_board import lessons_url
from solver.players.playbook import stored_books
from solver.players.playbook_play import BookWorth, PlaybookPlay, worth
from solver.players.playbook_rules import BookRule, Playbook
from solver.players.playbook_words import JOKER, OTHERWISE, scratching, sentence
from solver.rules import RULESETS, Ruleset

DIGITS = 3
_one_at_a_time = Lock()


@dataclass(frozen=True, slots=True)
class RuleRow:
    """``learned`` says when to learn it; of a book of one's own only the whole is known."""

    rule: BookRule
    text: str
    off: bool = False
    learned: int = 0
    earns: str = ""
    costs: str = ""


@never_cache
@require_safe
def playbook(request: PlayRequest, ruleset: str = "") -> HttpResponse:
    rules = lab_rules(ruleset)
    books = stored_books(rules.id)
    asked = asked_book(request.GET, rules, books)
    adding = RuleForm(rules, request.GET)
    if rule := added(adding, len(asked.lines)):
        asked = asked.with_rule(rule, adding.cleaned_data["at"])
        adding = RuleForm(rules)
    stored, status = books[asked.size], 400 if adding.errors else 200
    context = _about(rules, books, asked) | {"adding": adding}
    if asked.lines == [(rule, False) for rule in Playbook.of(stored).rules] and (
        list(asked.scratch) == stored["scratch"]
    ):
        context |= {"rows": list(_stored_rows(rules, stored)), "stored": True}
        context |= _figures(BookWorth(stored["mean"], stored["bonus_probability"]))
        return render(request, "lab/playbook.html", context, status=status)
    context["rows"] = [RuleRow(rule, sentence(rule, rules, _), off) for rule, off in asked.lines]
    try:
        check_upload(request)
        found = _worth(rules.id, asked.book)
        context |= _figures(found)
        context["more"] = phrases.signed(found.mean - stored["mean"], DIGITS)
    except TooMuch as refusal:
        messages.warning(request, refusal.message)
        status = refusal.status
    return render(request, "lab/playbook.html", context, status=status)


@lru_cache(maxsize=256)
def _worth(ruleset: str, book: Playbook) -> BookWorth:
    with _one_at_a_time:
        return worth(PlaybookPlay(RULESETS[ruleset], book))


def _about(rules: Ruleset, books: Mapping[str, Any], asked: AskedBook) -> dict[str, object]:
    otherwise = [_(OTHERWISE), scratching(asked.scratch, _)]
    every = choices(rules, partial(lab_url, "playbook"), RULESETS)
    return {
        "game_name": labels.ruleset_name(rules),
        "choices": [one for one in every if stored_books(one.id)],
        "sizes": [(size, phrases.points(of["mean"], DIGITS)) for size, of in books.items()],
        "size": asked.size,
        "otherwise": [*otherwise, _(JOKER)] if rules.joker else otherwise,
        "scratch": [(box, labels.CATEGORIES[box]) for box in asked.scratch],
        "lab_url": lab_url("lab", rules),
        "url": lab_url("playbook", rules),
        "lessons_url": lessons_url(rules, asked.size),
    }


def _figures(found: BookWorth) -> dict[str, object]:
    mean, bonus = phrases.points(found.mean, DIGITS), percent(found.bonus_probability)
    return {"mean": mean, "bonus": bonus}


def _stored_rows(rules: Ruleset, stored: Mapping[str, Any]) -> Iterator[RuleRow]:
    places = {one["rule"]: place for place, one in enumerate(stored["lessons"], start=1)}
    for number, rule in enumerate(Playbook.of(stored).rules):
        lesson = stored["lessons"][places[number] - 1]
        earns, costs = (phrases.points(lesson[name], 2) for name in ("earns", "costs"))
        yield RuleRow(rule, sentence(rule, rules, _), False, places[number], earns, costs)
