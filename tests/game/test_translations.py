"""What is translated is translated well: with its placeholders, its full stop, in its room.

That every text is translated is asked before a release alone: `./yatzy translations`.
"""

import re
from pathlib import Path

import polib
import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import translation

from game.core.words.labels import CATEGORIES
from game.management.catalogues import list_catalogues
from game.management.commands import translations
from solver.rules import YATZY, Ruleset
from solver.rules.rulesets import MAXI_YATZY

LANGUAGES = [code for code, _ in settings.LANGUAGES if code != settings.LANGUAGE_CODE]
EVERY = pytest.mark.parametrize("language", LANGUAGES)
PLACEHOLDER = re.compile(r"%\(\w+\)[a-z]|%%")
LONGEST_NAME = 18  # characters that a column of boxes on a phone of 360 px has room for


def catalogue(language: str) -> polib.POFile:
    (source,) = (path for path in list_catalogues() if path.parents[1].name == language)
    return polib.pofile(str(source))


def pairs(language: str) -> list[tuple[str, str]]:
    """Yield messages and translations; the first form of a plural translates the singular."""
    return [
        pair
        for entry in catalogue(language).translated_entries()
        for pair in [(entry.msgid, entry.msgstr), *_forms(entry)]
        if pair[1]
    ]


def _forms(entry: polib.POEntry) -> list[tuple[str, str]]:
    forms = entry.msgstr_plural.items()
    return [(entry.msgid_plural if number else entry.msgid, text) for number, text in forms]


@EVERY
def test_the_header_is_filled_in(language: str) -> None:
    facts = catalogue(language).metadata
    assert facts["Language"] == language
    assert "UTF-8" in facts["Content-Type"]
    assert facts["Plural-Forms"].startswith("nplurals=2;")
    assert len(pairs(language)) > 300


@EVERY
def test_placeholders_are_those_of_the_message(language: str) -> None:
    wrong = [pair for pair in pairs(language) if len(set(map(placeholders, pair))) > 1]
    assert wrong == []


def placeholders(text: str) -> str:
    return " ".join(sorted(PLACEHOLDER.findall(text)))


@EVERY
def test_a_text_begins_and_ends_as_its_message_does(language: str) -> None:
    wrong = [
        (source, text)
        for source, text in pairs(language)
        if text != text.strip()
        or source.endswith((".", "?", ":")) != text.endswith((".", "?", ":"))
    ]
    assert wrong == []


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
    html = page.text
    assert f'<html lang="{language}"' in html
    with translation.override(language):
        assert translation.gettext("Go to the content") in html


@pytest.mark.django_db
@EVERY
@pytest.mark.parametrize("rules", [YATZY, MAXI_YATZY], ids=lambda rules: rules.id)
def test_a_page_in_a_language_has_its_boxes(language: str, rules: Ruleset) -> None:
    address = f"/rules/{rules.id}/"
    html = Client().get(address, headers={"Accept-Language": language}).text
    with translation.override(language):
        names = [str(CATEGORIES[category.id]) for category in rules.categories]
    assert [name for name in names if name not in html] == []


def test_a_release_is_told_what_is_missing_unsure_or_left_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = written(
        tmp_path,
        'msgid "Play"\nmsgstr "Spil"',
        'msgid "Throw"\nmsgstr ""',
        '#, fuzzy\nmsgid "Hold"\nmsgstr "Behold"',
        'msgid "Gone"\nmsgstr "Væk"',
        'msgid "five"\nmsgstr "en femmer"',
    )
    said = {"Play", "Throw", "Hold", "New", "five", "number of dice: five"}
    found = [
        "  da: no longer used: 'Gone'",
        "  da: fuzzy: 'Hold'",
        "  da: missing: 'New'",
        "  da: empty: 'Throw'",
        "  da: missing: 'number of dice: five'",
    ]
    assert list(translations.list_unfinished(source, said)) == found
    monkeypatch.setattr(translations, "list_catalogues", lambda: [source])
    monkeypatch.setattr(translations, "find_texts", lambda: said)
    with pytest.raises(CommandError) as refused:
        call_command("translations")
    assert str(refused.value).splitlines()[1:] == found


def written(locale: Path, *entries: str) -> Path:
    source = locale / "da" / "LC_MESSAGES" / "django.po"
    source.parent.mkdir(parents=True)
    header = 'msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\n"'
    source.write_text("\n\n".join((header, *entries)), encoding="utf-8")
    return source


def test_texts_are_found_in_programs_and_templates() -> None:
    said = translations.find_texts()
    assert len(said) > 300
    assert {"Go to the content", "Small straight", "number of dice: five"} <= said
