"""The page of a playbook (an ordered list of rules to play by). Its URL contains the rules."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from threading import Lock
from typing import Any, TypeVar

from django import forms
from django.contrib import messages
from django.http import Http404, HttpResponse, QueryDict
from django.shortcuts import render
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from game.core.words import labels, phrases
from game.lab.labels import find_lab_rules, format_percent, make_lab_url
from game.pages.requests.limits import TooMuch, check_rate
from game.pages.requests.visitors import PlayRequest
from game.pages.rulesets import list_rules_choices
from game.practice.lessons import make_lessons_url
from solver.players.playbook import read_stored_books
from solver.players.playbook_play import BookWorth, PlaybookPlay, measure_play
from solver.players.playbook_rules import (
    ALIKE,
    ALWAYS,
    END,
    FIRST,
    HOLDS,
    OWN,
    SCORES,
    SECOND,
    STRAIGHT,
    BookRule,
    Playbook,
    find_alike_box,
    format_sentence,
    list_closing_notes,
)
from solver.rules import RULESETS, Ruleset
from solver.rules.dice import FACES

MOST_RULES = 60
MOST_PLACE = 99  # a higher position in the page's form is changed to this one
T = TypeVar("T")
WHEN = {
    ALWAYS: gettext_lazy("Hold or score after any roll"),
    FIRST: gettext_lazy("Hold only after the first roll"),
    SECOND: gettext_lazy("Hold only after the second roll"),
    END: gettext_lazy("Score only at the end of the turn"),
}


@dataclass(frozen=True, slots=True)
class AskedBook:
    """The playbook that the page's URL describes, including the rules that are switched off."""

    size: str
    lines: list[tuple[BookRule, bool]]  # pairs of a rule and whether it is switched off
    scratch: tuple[str, ...]

    @property
    def book(self) -> Playbook:
        return Playbook(tuple(rule for rule, off in self.lines if not off), self.scratch)


def read_book(query: QueryDict, rules: Ruleset, stored: Mapping[str, Any]) -> AskedBook:
    """Return the playbook in the URL, else the stored one. Raise Http404 if the URL is invalid."""
    size = query.get("size", next(iter(stored), ""))
    if size not in stored or len(query.getlist("rule")) > MOST_RULES:
        raise Http404
    usual = Playbook.from_facts(stored[size])
    try:
        lines = [
            (BookRule.read(text, rules), str(number) in query.getlist("off"))
            for number, text in enumerate(query.getlist("rule"))
        ]
        lines = move_items(lines, _read_places(query, "place"))
        scratch = query.getlist("scratch")
        scratch = move_items(scratch, _read_places(query, "order"))
    except ValueError:
        raise Http404 from None
    if scratch and set(scratch) != set(rules.index):
        raise Http404
    kept = [(rule, False) for rule in usual.rules]
    return AskedBook(size, lines or kept, tuple(scratch) or usual.scratch)


def _read_places(query: QueryDict, name: str) -> list[int]:
    return [min(max(int(place), 0), MOST_PLACE) for place in query.getlist(name)]


def move_items(items: Sequence[T], places: Sequence[int]) -> list[T]:
    """Return the items in a new order: ``places[n]`` is the new position, from 1, of item n."""
    if len(places) != len(items):
        raise ValueError("a place is missing")

    keys = [place + 0.5 * ((place > at) - (place < at)) for at, place in enumerate(places, start=1)]
    return [items[at] for at in sorted(range(len(items)), key=keys.__getitem__)]


class RuleForm(forms.Form):
    do = forms.ChoiceField(label=gettext_lazy("Move to make"), required=False)
    count = forms.IntegerField(
        label=gettext_lazy("Minimum number of dice or points"), initial=1, min_value=0
    )
    low = forms.TypedChoiceField(label=gettext_lazy("Lowest face"), coerce=int, initial=1)
    high = forms.TypedChoiceField(label=gettext_lazy("Highest face"), coerce=int, initial=FACES)
    free = forms.ChoiceField(label=gettext_lazy("While this box is open"), required=False)
    filled = forms.ChoiceField(label=gettext_lazy("Once this box is filled"), required=False)
    when = forms.ChoiceField(label=gettext_lazy("When"), choices=list(WHEN.items()))
    at = forms.IntegerField(label=gettext_lazy("Its place"), initial=1, min_value=1)

    def __init__(self, rules: Ruleset, query: QueryDict | None = None) -> None:
        super().__init__(query if query and query.get("do") else None)
        self.rules = rules
        boxes = [(box.id, labels.find_category_name(box)) for box in rules.categories]
        faces = [(str(face), str(face)) for face in range(1, FACES + 1)]
        moves = [("", _("Nothing"))]
        words = {"count": "…", "box": labels.CATEGORIES[find_alike_box(rules)]}
        for verb, texts in (("hold", HOLDS), ("score", SCORES)):
            moves += [(f"{verb} {name}", capfirst(_(text) % words)) for name, text in texts.items()]
        moves += [(f"score {name}", _("Score in %(box)s") % {"box": text}) for name, text in boxes]
        special = [(OWN, _("The box for the same face")), (STRAIGHT, _("A straight"))]
        choices = {
            "do": moves,
            "low": faces,
            "high": faces,
            "free": [("", _("Any")), *special, *boxes],
            "filled": [("", _("Any")), *boxes],
        }
        for name, offered in choices.items():
            self.fields[name].choices = offered  # type: ignore[attr-defined]


def read_added_rule(form: RuleForm, rules: int) -> BookRule | None:
    """Return the rule in the form, or None if the form is empty or invalid."""
    if form.is_valid() and rules >= MOST_RULES:
        form.add_error(None, _("A playbook has up to %(most)s rules.") % {"most": MOST_RULES})
    elif form.is_valid():
        try:
            kind, _space, name = form.cleaned_data.get("do", "").partition(" ")
            what = {"hold": name, "score": ALIKE if name == OWN else ""}.get(kind, "")
            box = name if kind == "score" else ""
            seen = [what, *(form.cleaned_data.get(field, "") for field in ("count", "low", "high"))]
            around = [
                box,
                *(form.cleaned_data.get(field, "") for field in ("free", "filled", "when")),
            ]
            return BookRule.read(",".join(map(str, seen + around)), form.rules)
        except ValueError:
            form.add_error(None, _("These settings do not fit together in one rule."))
    return None


DIGITS = 3
_one_at_a_time = Lock()


@dataclass(frozen=True, slots=True)
class RuleRow:
    """A rule on the page. ``learned`` is its number in the order of learning, 0 if not learned."""

    rule: BookRule
    text: str
    off: bool = False
    learned: int = 0
    earns: str = ""
    costs: str = ""


@never_cache
@require_safe
def playbook(request: PlayRequest, ruleset: str = "") -> HttpResponse:
    rules = find_lab_rules(ruleset)
    books = read_stored_books(rules.id)
    reading = read_book(request.GET, rules, books)
    adding = RuleForm(rules, request.GET)
    if rule := read_added_rule(adding, len(reading.lines)):
        at = max(adding.cleaned_data["at"] - 1, 0)
        reading = replace(reading, lines=[*reading.lines[:at], (rule, False), *reading.lines[at:]])
        adding = RuleForm(rules)
    stored, status = books[reading.size], 400 if adding.errors else 200
    every = list_rules_choices(rules, partial(make_lab_url, "playbook"), RULESETS)
    context = {
        "game_name": labels.find_ruleset_name(rules),
        "choices": [choice for choice in every if read_stored_books(choice.id)],
        "sizes": [
            (size, phrases.format_points(book["mean"], DIGITS)) for size, book in books.items()
        ],
        "size": reading.size,
        "otherwise": list_closing_notes(rules, reading.scratch, _),
        "scratch": [(box, labels.CATEGORIES[box]) for box in reading.scratch],
        "lab_url": make_lab_url("lab", rules),
        "url": make_lab_url("playbook", rules),
        "lessons_url": make_lessons_url(rules, reading.size),
        "adding": adding,
    }
    if reading.lines == [(rule, False) for rule in Playbook.from_facts(stored).rules] and (
        list(reading.scratch) == stored["scratch"]
    ):
        numbers = {lesson["rule"]: n for n, lesson in enumerate(stored["lessons"], start=1)}
        rows = []
        for number, (line, _off) in enumerate(reading.lines):
            lesson, text = stored["lessons"][numbers[number] - 1], format_sentence(line, rules, _)
            earns, costs = (phrases.format_points(lesson[name], 2) for name in ("earns", "costs"))
            rows.append(RuleRow(line, text, False, numbers[number], earns, costs))
        context |= {"rows": rows, "stored": True}
        context |= _format_figures(BookWorth(stored["mean"], stored["bonus_probability"]))
        return render(request, "lab/playbook.html", context, status=status)
    context["rows"] = [
        RuleRow(rule, format_sentence(rule, rules, _), off) for rule, off in reading.lines
    ]
    try:
        check_rate(request, "upload")
        worth = _calculate_worth(rules.id, reading.book)
        context |= _format_figures(worth)
        context["more"] = phrases.format_signed(worth.mean - stored["mean"], DIGITS)
    except TooMuch as refusal:
        messages.warning(request, refusal.message)
        status = refusal.status
    return render(request, "lab/playbook.html", context, status=status)


@lru_cache(maxsize=256)
def _calculate_worth(ruleset: str, book: Playbook) -> BookWorth:
    with _one_at_a_time:
        return measure_play(PlaybookPlay(RULESETS[ruleset], book))


def _format_figures(worth: BookWorth) -> dict[str, object]:
    mean, bonus = phrases.format_points(worth.mean, DIGITS), format_percent(worth.bonus_probability)
    return {"mean": mean, "bonus": bonus}
