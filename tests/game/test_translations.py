"""Every language says everything, with the same placeholders, and its compiled form is current.

Nothing here needs the gettext tools: catalogues are read in plain Python.
"""

import ast
import re
from dataclasses import dataclass, field
from gettext import GNUTranslations
from pathlib import Path

import pytest
from django.conf import settings
from django.test import Client
from django.utils import translation
from django.utils.translation.template import templatize

from game.words.labels import CATEGORIES

LANGUAGES = [code for code, _ in settings.LANGUAGES if code != settings.LANGUAGE_CODE]
EVERY = pytest.mark.parametrize("language", LANGUAGES)
FOLDER = Path(settings.LOCALE_PATHS[0])
LINE = re.compile(r'(?:(msgctxt|msgid_plural|msgid|msgstr)(?:\[(\d)\])? )?(".*")')
CALL = re.compile(r"""(?:\b_|gettext)\(u?('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")""")
TRANSLATORS = {"_", "gettext", "gettext_lazy", "gettext_noop", "ngettext", "ngettext_lazy"}
MODULES = [
    path
    for name in ("game", "solver", "yatzy_site")
    for path in settings.BASE_DIR.glob(f"{name}/**/*.py")
]
TEMPLATES = [*settings.BASE_DIR.glob("templates/**/*.html")]
PLACEHOLDER = re.compile(r"%\(\w+\)[a-z]|%%")
LONGEST_NAME = 18  # characters that a column of boxes on a phone of 360 px has room for
CONTEXT_END = "\x04"  # between a context and its message, in .mo files


@dataclass
class Entry:
    """A message of a .po file: its texts by keyword, a plural's forms by number."""

    fuzzy: bool = False
    texts: dict[str, str] = field(default_factory=dict)
    forms: dict[int, str] = field(default_factory=dict)

    @property
    def key(self) -> str:
        context = self.texts.get("msgctxt")
        message = self.texts["msgid"]
        return message if context is None else f"{context}{CONTEXT_END}{message}"

    @property
    def sources(self) -> list[str]:
        """What each form translates: the first the singular, the others the plural."""
        rest = self.texts.get("msgid_plural", self.texts["msgid"])
        return [self.texts["msgid"], *[rest] * (len(self.forms) - 1)]

    @property
    def compiled(self) -> dict[str | tuple[str, int], str]:
        if "msgid_plural" not in self.texts:
            return {self.key: self.forms[0]}
        return {(self.key, number): text for number, text in self.forms.items()}


def entry(block: str) -> Entry:
    found = Entry()
    keyword, number = "", 0
    for line in block.splitlines():
        if line.startswith("#,"):
            found.fuzzy = "fuzzy" in line
        match = LINE.fullmatch(line)
        if match is None:
            continue
        if match[1]:
            keyword, number = match[1], int(match[2] or 0)
        text = ast.literal_eval(match[3])
        if keyword == "msgstr":
            found.forms[number] = found.forms.get(number, "") + text
        else:
            found.texts[keyword] = found.texts.get(keyword, "") + text
    return found


def path(language: str, ending: str) -> Path:
    return FOLDER / language / "LC_MESSAGES" / f"django.{ending}"


def header_and_messages(language: str) -> tuple[Entry, list[Entry]]:
    blocks = re.split(r"\n{2,}", path(language, "po").read_text(encoding="utf-8").strip())
    header, *messages = [entry(block) for block in blocks if re.search("^msgid", block, re.M)]
    assert header.texts["msgid"] == ""
    return header, messages


def messages(language: str) -> list[Entry]:
    return header_and_messages(language)[1]


@EVERY
def test_the_header_is_filled_in(language: str) -> None:
    header, _ = header_and_messages(language)
    facts = dict(line.split(": ", 1) for line in header.forms[0].splitlines())
    assert not header.fuzzy
    assert facts["Language"] == language
    assert "UTF-8" in facts["Content-Type"]
    assert facts["Plural-Forms"].startswith("nplurals=2;")


@EVERY
def test_every_message_is_translated(language: str) -> None:
    entries = messages(language)
    assert len(entries) > 300
    assert [one.key for one in entries if one.fuzzy] == []
    assert [one.key for one in entries if not all(map(str.strip, one.forms.values()))] == []
    plurals = [one for one in entries if "msgid_plural" in one.texts]
    assert [one.key for one in plurals if sorted(one.forms) != [0, 1]] == []


@EVERY
def test_every_text_of_the_pages_is_a_message(language: str) -> None:
    """What fails here is new: run makemessages, translate it, and run compilemessages."""
    said = set().union(*map(texts_of_module, MODULES), *map(texts_of_template, TEMPLATES))
    assert len(said) > 300
    assert said - {one.texts["msgid"] for one in messages(language)} == set()


def texts_of_module(module: Path) -> set[str]:
    """The first argument of every call of gettext or a relative of it."""
    calls = [
        node
        for node in ast.walk(ast.parse(module.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and node.args
    ]
    return {
        str(call.args[0].value)
        for call in calls
        if isinstance(call.func, ast.Name)
        and call.func.id in TRANSLATORS
        and isinstance(call.args[0], ast.Constant)
    }


def texts_of_template(template: Path) -> set[str]:
    """Django writes a template as calls of gettext, with everything else blotted out."""
    calls = CALL.findall(templatize(template.read_text(encoding="utf-8")))
    return {ast.literal_eval(text) for text in calls}


@EVERY
def test_placeholders_are_those_of_the_message(language: str) -> None:
    wrong = [
        (source, text)
        for one in messages(language)
        for source, text in zip(one.sources, one.forms.values(), strict=True)
        if placeholders(source) != placeholders(text)
    ]
    assert wrong == []


def placeholders(text: str) -> list[str]:
    return sorted(PLACEHOLDER.findall(text))


@EVERY
def test_a_text_begins_and_ends_as_its_message_does(language: str) -> None:
    """A sentence stays a sentence, and a label stays without a full stop."""
    wrong = [
        (source, text)
        for one in messages(language)
        for source, text in zip(one.sources, one.forms.values(), strict=True)
        if text != text.strip()
        or source.endswith((".", "?", ":")) != text.endswith((".", "?", ":"))
    ]
    assert wrong == []


@EVERY
def test_what_is_compiled_is_what_is_written(language: str) -> None:
    written: dict[str | tuple[str, int], str] = {}
    for one in messages(language):
        written |= one.compiled
    with path(language, "mo").open("rb") as file:
        compiled = dict(GNUTranslations(file)._catalog)  # type: ignore[attr-defined]
    del compiled[""]
    assert compiled == written


@EVERY
def test_boxes_have_short_names_of_their_own(language: str) -> None:
    with translation.override(language):
        names = [str(name) for name in CATEGORIES.values()]
    assert len(set(names)) == len(names)
    assert [name for name in names if len(name) > LONGEST_NAME] == []


@pytest.mark.django_db
@pytest.mark.parametrize("address", ["/", "/daily/", "/rules/", "/settings/", "/account/login/"])
@pytest.mark.parametrize("language", ["en", *LANGUAGES])
def test_pages_answer_in_the_language_that_is_asked_for(language: str, address: str) -> None:
    page = Client().get(address, headers={"Accept-Language": f"{language},en;q=0.5"})
    assert page.headers["Content-Language"] == language
    html = page.content.decode()
    assert f'<html lang="{language}"' in html
    with translation.override(language):
        assert translation.gettext("Go to the content") in html


@pytest.mark.django_db
@EVERY
def test_a_page_in_a_language_has_its_boxes(language: str) -> None:
    html = Client().get("/rules/", headers={"Accept-Language": language}).content.decode()
    with translation.override(language):
        names = [str(name) for box, name in CATEGORIES.items() if box != "yahtzee"]
    assert [name for name in names if name not in html] == []


@pytest.mark.django_db
def test_a_language_that_is_not_spoken_here_gets_english() -> None:
    page = Client().get("/", headers={"Accept-Language": "qu,ay;q=0.5"})
    assert page.headers["Content-Language"] == "en"
