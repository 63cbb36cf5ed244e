"""The texts that a person reads and hears on a page, and where its links lead."""

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from urllib.parse import parse_qs, urldefrag, urljoin, urlsplit

from django.http.response import HttpResponseBase
from django.test import Client

# Attributes that screen readers, fields or search engines use.
SAID = {"alt", "aria-label", "content", "label", "placeholder", "title"}
SILENT = {"script", "style"}


class Reader(HTMLParser):
    def __init__(self, html: str) -> None:
        super().__init__()
        self.texts: list[str] = []
        self.links: list[str] = []
        self._silent = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._silent = tag if tag in SILENT else self._silent
        for name, value in attrs:
            if not value:
                continue
            if name in SAID or name.startswith("data-"):
                self.texts.append(value)
            if tag == "a" and name == "href":
                self.links.append(value)

    def handle_endtag(self, tag: str) -> None:
        self._silent = "" if tag == self._silent else self._silent

    def handle_data(self, data: str) -> None:
        if not self._silent:
            self.texts.append(data)


def text_of(html: str) -> str:
    return " ".join(" ".join(Reader(html).texts).split())


def body_of(answer: HttpResponseBase) -> str:
    return answer.getvalue().decode(errors="replace")


def pages_from(browser: Client, *starts: str) -> Iterator[tuple[str, str]]:
    """The pages of this site that links lead to, from these on: address and HTML. Of those that
    differ only in what is asked for (a day, a month, rules) one is read."""
    waiting, seen = [*starts], {*map(_kind, starts)}
    while waiting:
        address = waiting.pop(0)
        answer = browser.get(address, follow=True)
        if not answer.headers.get("Content-Type", "").startswith("text/html"):
            continue
        html = body_of(answer)
        yield address, html
        for link in Reader(html).links:
            found = urldefrag(urljoin(address, link)).url
            parts = urlsplit(found)
            if parts.netloc or parts.scheme or _kind(found) in seen:
                continue
            seen.add(_kind(found))
            waiting.append(found)


def _kind(address: str) -> tuple[str, ...]:
    parts = urlsplit(address)
    return (parts.path, *sorted(parse_qs(parts.query)))


def words_in(html: str, words: re.Pattern[str]) -> list[str]:
    return sorted({found[0].lower() for found in words.finditer(text_of(html))})
