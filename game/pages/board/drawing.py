"""Template tags that cache parts of a board.

Boxes, dice and the bonus bar look the same in all games with the same values, and rendering them
takes most of a page's time. A part depends only on the language and its named values, so the cached
HTML is what a new rendering would be.
"""

from collections.abc import Callable, Hashable
from functools import lru_cache
from typing import Any

from django import template
from django.conf import settings
from django.template.loader import get_template
from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.translation import get_language

from game.models import Player
from game.pages.rulesets import make_daily_url
from solver.rules import PLAYED, Ruleset

register = template.Library()
MOST = 8192  # cached parts per process, about a kilobyte each with their keys


@register.simple_tag
def drawn(name: str, **values: Hashable) -> SafeString:
    """Include a template that needs only these values: ``{% drawn "pages/_row.html" row=row
    %}``."""
    return _get_part_renderer()(name, get_language(), tuple(values.items()))


@register.simple_tag
def drawn_each(name: str, **values: Any) -> SafeString:
    """Include a template for each value of the list: ``{% drawn_each "pages/_row.html"
    row=board.upper %}``."""
    draw, language = _get_part_renderer(), get_language()
    (each, several), *others = values.items()
    parts = (draw(name, language, ((each, value), *others)) for value in several)
    return SafeString("".join(parts))


@register.simple_tag(takes_context=True)
def door(context: template.Context, name: str) -> str:
    """Return the address of one of the five main pages, with the ruleset of the current page."""
    usual = (context.get("player") or Player()).ruleset
    shown = context.get("rules") or getattr(context.get("board"), "rules", None)
    rules = shown if isinstance(shown, Ruleset) else PLAYED[usual]
    if name == "daily":
        return make_daily_url(rules)
    return reverse(name) if rules.id == usual else f"{reverse(name)}?rules={rules.id}"


def _get_part_renderer() -> Callable[..., SafeString]:
    """Return the function that renders a part. It caches parts, except in development (DEBUG)."""
    return _render_part.__wrapped__ if settings.DEBUG else _render_part


@lru_cache(maxsize=MOST)
def _render_part(name: str, language: str, values: tuple[tuple[str, Hashable], ...]) -> SafeString:
    return SafeString(get_template(name).render(dict(values)))
