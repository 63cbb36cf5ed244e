"""Words of the published sources: what each is here, and where it is done.

Every page that a word leads to leads back: `lab/_terms.html` shows what ``terms_here`` finds.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from django import template
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from game.lab.labels import PLAYERS
from game.web.audiences import PAGES, staff
from game.web.visitors import PlayRequest
from solver.study.histograms import KEYS

register = template.Library()


@dataclass(frozen=True, slots=True)
class TermPage:
    """A page on which the thing is done; ``part`` is the place on it."""

    name: str
    title: Promise
    part: str = ""
    player: str = ""

    @property
    def url(self) -> str:
        page = reverse(self.name, args=[self.player] if self.player else [])
        return f"{page}#{self.part}" if self.part else page

    @property
    def for_staff(self) -> bool:
        return PAGES[self.name] is staff

    def is_shown(self, request: HttpRequest) -> bool:
        """By whichever rules."""
        match = request.resolver_match
        return match is not None and (self.name, self.player) == (
            match.view_name,
            match.kwargs.get("player_id", ""),
        )


@dataclass(frozen=True, slots=True)
class Term:
    """``word`` is English, as the sources are; ``study`` says where the study has it, if it has."""

    word: str
    meaning: Promise
    study: str
    command: str
    pages: tuple[TermPage, ...]

    @property
    def id(self) -> str:
        return self.word.lower().replace(" ", "-")

    @property
    def url(self) -> str:
        return f"{reverse('glossary')}#{self.id}"


def _study(part: str) -> TermPage:
    return TermPage("study", _("The study"), part)


def _players(*of: str) -> tuple[TermPage, ...]:
    return tuple(TermPage("lab_player", PLAYERS[one].name, player=one) for one in of)


SAME_DICE = TermPage("same_value", _("On the same dice"))
EXPLORE = TermPage("explore", _("Explore"))

TERMS = (
    Term(
        "Performance test",
        _(
            "A strategy plays 100,000 games alone, and its scores are counted. Here the chance of "
            "every final score is worked out exactly instead; the command plays games as the study "
            "did."
        ),
        "3.3, 4.1, 5.3, A",
        "python -m solver simulate dice-based --games 100000 --seed 1",
        (_study("strategies"), *_players(*KEYS)),
    ),
    Term(
        "Same-value test",
        _(
            "Strategies play the same games: what the dice show is settled beforehand, so that "
            "only decisions differ. Here a die follows from the turn, the throw and its place, "
            "never from what was held."
        ),
        "3.4, 4.3, 5.4",
        "python -m solver same-value --games 5 --seed 1",
        (SAME_DICE, _study("same-dice")),
    ),
    Term(
        "Human trial",
        _(
            "People play, and their scores are held against those of the strategies: in the study "
            "six people and 300 games. Here they are held against perfect play, and the staff of a "
            "site can run trials of its own."
        ),
        "3.5, 4.2, 5.5, B",
        "python manage.py trial_create people --preset study",
        (_study("people"), TermPage("trials", _("Trials"))),
    ),
    Term(
        "Human algorithm",
        _(
            "A strategy that decides as the study takes people to decide: by the card, or by the "
            "dice. Here both are players like all others, with exact scores; no person stands "
            "behind them."
        ),
        "2.3, 4.1, 5.3",
        "python -m solver players",
        (_study("strategies"), *_players("scorecard-based", "dice-based")),
    ),
    Term(
        "Regret",
        _(
            "How many points a decision loses on average against the best one. The pages say cost, "
            "or points lost; none of the sources has the word."
        ),
        "",
        "python -m solver audit",
        (SAME_DICE, TermPage("lab_learners", _("Players that learned")), EXPLORE),
    ),
    Term(
        "Keep",
        _(
            "The dice that stay when the others are thrown again. The pages say hold; the study "
            "also says save, and the exercise on SARSA says fix."
        ),
        "2.2.1, 4.3",
        "python -m solver advise yatzy --dice 5,5,1,6,6 --rolls-left 2",
        (_study("same-dice"), EXPLORE),
    ),
    Term(
        "State graph",
        _(
            "The game as a graph: its nodes are what lies on the table, throws and decisions lead "
            "from one to the next, and each is worth what can be expected from there on. Here only "
            "the cards between turns are stored; a turn is worked out when it is asked for."
        ),
        "2.2",
        "python -m solver solve",
        (_study("graph"), *_players("optimal"), EXPLORE),
    ),
)


@never_cache
@require_safe
def glossary(request: PlayRequest) -> HttpResponse:
    return render(request, "lab/glossary.html", {"terms": TERMS})


@register.simple_tag(takes_context=True)
def terms_here(context: Mapping[str, HttpRequest]) -> list[Term]:
    """What the page that is shown does."""
    request = context["request"]
    return [term for term in TERMS if any(page.is_shown(request) for page in term.pages)]
