"""The templates and responses with which pages show a kind of game.

If a kind has special templates or responses, its file has ``PAGES`` next to the kind's rules.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from django.http import HttpResponse

from game.core.kind import load_kinds
from game.core.refusals import Refused
from game.models import Game


@dataclass(frozen=True, kw_only=True)
class Presentation:
    over: str = "pages/_over.html"  # the template that replaces the dice at the end
    again: str = "pages/_again.html"  # the template for the next step after the end
    about: str = ""  # the template for a text next to the board
    passing: str = ""  # the template for passing the device to the next player
    proof: str = "pages/_verify_seal.html"  # the template for the check of the dice

    # The arguments from the request that begin the game, in addition to the fields of the form.
    sent: Callable[[Any, Any], Mapping[str, Any]] = lambda request, form: {}
    # The response to a new game, with the cookies that this kind of game sets.
    begun: Callable[[Any, Game, HttpResponse], HttpResponse] = lambda request, game, page: page
    # The page that shows why a new game was refused; None means the first page.
    not_begun: Callable[[Any, Any, Refused], HttpResponse | None] = lambda *_: None
    # The response of another page that shows this game; None means the game has its own page.
    elsewhere: Callable[[Any, Game, Refused | None], HttpResponse | None] = lambda *_: None


def load_pages(mode: str) -> Presentation:
    pages: Presentation = getattr(
        import_module(load_kinds()[mode].__module__), "PAGES", Presentation()
    )
    return pages
