"""How pages show a game of a kind: their templates, and their answers to a request.

A kind with other templates or answers has ``PAGES`` in its file, next to its rules.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from django.http import HttpResponse

from game.core.kind import kinds
from game.core.refusals import Refused
from game.models import Game


@dataclass(frozen=True, kw_only=True)
class Presentation:
    over: str = "pages/_over.html"  # the template in place of the dice at the end
    again: str = "pages/_again.html"  # the template of the next step after the end
    about: str = ""  # the template of a text next to the board
    passing: str = ""  # the template for handing on the device
    proof: str = "pages/_verify_seal.html"  # the template of the check of the dice

    # The fields that the browser sends in addition to the form that begins the game.
    sent: Callable[[Any, Any], Mapping[str, Any]] = lambda request, form: {}
    # The answer, with what the browser is to remember of the game that was begun.
    begun: Callable[[Any, Game, HttpResponse], HttpResponse] = lambda request, game, page: page
    # The page on which its player looks for a game that was refused; None is the first page.
    not_begun: Callable[[Any, Any, Refused], HttpResponse | None] = lambda *_: None
    # The answer of a page that has more than this card; None where the game's own page answers.
    elsewhere: Callable[[Any, Game, Refused | None], HttpResponse | None] = lambda *_: None


def pages_of(mode: str) -> Presentation:
    pages: Presentation = getattr(import_module(kinds()[mode].__module__), "PAGES", Presentation())
    return pages
