"""Every pattern that leads to a view, found by walking the resolver: a new one is noticed."""

import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple
from urllib.parse import quote

from django.urls import URLResolver, get_resolver

from yatzy_site.urls import websocket_urlpatterns

PARAMETER = re.compile(r"<(?:\w+:)?(\w+)>")
GROUP = re.compile(r"\(\?P(<\w+>)[^)]*\)")


class Address(NamedTuple):
    route: str  # as it is written: games/<slug:game_id>/
    kinds: dict[str, str]  # of its parameters: {"game_id": "SlugConverter"}
    name: str


def addresses() -> list[Address]:
    return list(_walk(get_resolver().url_patterns, "", {}))


def sockets() -> list[Address]:
    """The last pattern takes whatever is left."""
    return list(_walk(websocket_urlpatterns[:-1], "", {}))


def _walk(patterns: Iterable[Any], before: str, known: dict[str, str]) -> Iterator[Address]:
    for one in patterns:
        kinds = {name: type(kind).__name__ for name, kind in one.pattern.converters.items()}
        route = before + GROUP.sub(r"\1", str(one.pattern)).strip("^$")
        if isinstance(one, URLResolver):
            yield from _walk(one.url_patterns, route, known | kinds)
        else:
            yield Address(route, known | kinds, one.name or "")


def escaped(text: str) -> str:
    return quote(text, safe="", errors="surrogatepass")


def filled_in(address: str, values: dict[str, str]) -> str:
    return "/" + PARAMETER.sub(lambda found: escaped(values[found[1]]), address)
