"""Forms and questions as the pages themselves offer them: a new one is found by itself."""

from html.parser import HTMLParser
from itertools import chain
from typing import NamedTuple
from urllib.parse import parse_qsl, urljoin, urlsplit

from tests.crawl.addresses import addresses, filled_in
from tests.crawl.asking import get
from tests.crawl.seen import decided
from tests.crawl.world import World

TOKEN = "csrfmiddlewaretoken"
# The roles whose pages are read: together they see every form.
READERS = ("stranger", "guest", "account", "seat", "participant", "superuser")


class Form(NamedTuple):
    role: str
    method: str
    path: str
    fields: tuple[tuple[str, str], ...]

    @property
    def kind(self) -> tuple[object, ...]:
        return self.method, self.path, tuple(sorted({name for name, _ in self.fields}))


class _Reader(HTMLParser):
    def __init__(self, role: str, path: str) -> None:
        super().__init__()
        self.role, self.path = role, path
        self.found: list[Form] = []
        self.form: tuple[str, str] | None = None
        self.fields: list[tuple[str, str]] = []
        self.select = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        facts = {name: value or "" for name, value in attrs}
        name, value = facts.get("name", ""), facts.get("value", "")
        if tag == "form":
            action = urljoin(self.path, facts.get("action", ""))
            self.form, self.fields = (facts.get("method", "get").upper(), action), []
        elif tag == "select":
            self.select = name
        elif tag == "option" and self.select and "selected" in facts:
            self.fields.append((self.select, value))
        elif tag in {"input", "button", "textarea"} and name not in {"", TOKEN}:
            self.fields.append((name, value or "1"))
        elif tag == "a" and "?" in facts.get("href", ""):
            parts = urlsplit(urljoin(self.path, facts["href"]))
            if not parts.netloc:
                fields = tuple(parse_qsl(parts.query, keep_blank_values=True))
                self.found.append(Form(self.role, "GET", parts.path, fields))

    def handle_endtag(self, tag: str) -> None:
        if tag == "form" and self.form is not None:
            self.found.append(Form(self.role, *self.form, tuple(self.fields)))
            self.form = None


def forms(world: World) -> list[Form]:
    found: dict[tuple[object, ...], Form] = {}
    for row in chain.from_iterable(decided(addresses()).values()):
        if "*" in row.address:
            continue
        for role in READERS:
            if row.statuses[role] != "200":
                continue
            for form in _read(world, role, filled_in(row.address, world.values(*row.things))):
                found.setdefault(form.kind, form)
            if len(set(row.statuses.values())) == 1:
                break  # all roles see the same forms
    return list(found.values())


def _read(world: World, role: str, path: str) -> list[Form]:
    answer = get(world, role, path.removeprefix("/"), {}).answer
    if not answer.headers.get("Content-Type", "").startswith("text/html"):
        return []
    reader = _Reader(role, path.partition("?")[0])
    reader.feed(answer.content.decode())
    return reader.found
