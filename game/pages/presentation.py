"""The templates and responses with which pages show a kind of game.

A kind with templates or responses of its own has ``PAGES`` in its file, next to its rules.
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
    over: str = "pages/_over.html"  # the template in place of the dice at the end
    again: str = "pages/_again.html"  # the template of the next step after the end
    about: str = ""  # the template of a text next to the board
    passing: str = ""  # the template for handing on the device
    proof: str = "pages/_verify_seal.html"  # the template of the check of the dice

    # The arguments from the request that begin the game, in addition to those of the form.
    sent: Callable[[Any, Any], Mapping[str, Any]] = lambda request, form: {}
    # The response to a new game, with the cookies that the kind sets.
    begun: Callable[[Any, Game, HttpResponse], HttpResponse] = lambda request, game, page: page
    # The page that shows the refusal of a new game; None means the first page.
    not_begun: Callable[[Any, Any, Refused], HttpResponse | None] = lambda *_: None
    # The response of another page that shows this game; None means the game's own page.
    elsewhere: Callable[[Any, Game, Refused | None], HttpResponse | None] = lambda *_: None


def load_pages(mode: str) -> Presentation:
    pages: Presentation = getattr(
        import_module(load_kinds()[mode].__module__), "PAGES", Presentation()
    )
    return pages
