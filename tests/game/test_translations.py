"""Translations, their catalogues, and times in the reader's zone."""

import gettext
import os
import re
from datetime import UTC, date, datetime
from pathlib import Path

import polib
import pytest
from django.apps import apps
from django.conf import settings
from django.core.management import CommandError, call_command
from django.template import Context, Template
from django.test import Client
from django.utils import translation
from django.utils.translation import override

from game.core.words.labels import CATEGORIES
from game.core.words.times import COOKIE, render_day, render_moment, render_sentence
from game.management.catalogues import LOCALE, compile_catalogues, list_catalogues
from game.management.commands import translations
from game.pages.requests.middleware import use_time_zone
from solver.rules import RULESETS, YATZY, Ruleset
from solver.rules.rulesets import MAXI_YATZY
from tests.game.processes import python
from tests.game.rulesets import finished_game
from tests.play import Browser

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
    for english, translated in pairs(language):
        assert sorted(PLACEHOLDER.findall(english)) == sorted(PLACEHOLDER.findall(translated))


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


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return written(
        tmp_path,
        'msgid "Throw"\nmsgstr "Slå"',
        '#, fuzzy\nmsgid "Hold"\nmsgstr "Behold?"',
        'msgid "%(n)s die"\nmsgid_plural "%(n)s dice"\n'
        'msgstr[0] "%(n)s terning"\nmsgstr[1] "%(n)s terninger"',
    )


def spoken(source: Path) -> gettext.NullTranslations:
    with source.with_suffix(".mo").open("rb") as file:
        return gettext.GNUTranslations(file)


def test_what_is_written_is_said_and_what_is_unsure_stays_english(source: Path) -> None:
    assert compile_catalogues(source.parents[2]) == [source.with_suffix(".mo")]
    assert spoken(source).gettext("Throw") == "Slå"
    assert spoken(source).gettext("Hold") == "Hold"
    assert spoken(source).ngettext("%(n)s die", "%(n)s dice", 3) == "%(n)s terninger"
    assert compile_catalogues(source.parents[2]) == []
    assert sorted(path.name for path in source.parent.iterdir()) == ["django.mo", "django.po"]


@pytest.mark.parametrize("later", [-(10**9), 10**9], ids=["an older release", "an edited file"])
def test_what_changed_is_compiled_again(source: Path, later: int) -> None:
    compile_catalogues(source.parents[2])
    before = source.stat().st_mtime_ns
    source.write_text(source.read_text("utf-8").replace("Slå", "Kast"), encoding="utf-8")
    os.utime(source, ns=(before + later, before + later))
    assert compile_catalogues(source.parents[2])
    assert spoken(source).gettext("Throw") == "Kast"


def test_a_run_that_was_cut_short_leaves_what_there_was(
    source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def cut(descriptor: int) -> None:
        raise KeyboardInterrupt

    compile_catalogues(source.parents[2])
    os.utime(source, ns=(1, 1))
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", cut)
        with pytest.raises(KeyboardInterrupt):
            compile_catalogues(source.parents[2])
    assert spoken(source).gettext("Throw") == "Slå"
    assert compile_catalogues(source.parents[2])


def test_a_process_that_starts_has_them_all() -> None:
    assert len(list_catalogues()) > 3
    assert compile_catalogues(LOCALE) == []


def test_a_checkout_that_cannot_be_written_is_served_all_the_same(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def refused() -> None:
        raise PermissionError("read-only")

    monkeypatch.setattr("game.apps.compile_catalogues", refused)
    apps.get_app_config("game").ready()
    assert "make install" in caplog.text


def test_the_image_compiles_them_before_there_are_settings(tmp_path: Path) -> None:
    done = python(tmp_path, "-m", "game.management.catalogues")
    assert (done.returncode, done.stderr) == (0, "")
    assert list(tmp_path.iterdir()) == []


LATE = datetime(2026, 11, 22, 23, 30, tzinfo=UTC)
PRINTED = re.compile(r"\|(date|time):(?!'(c|Y-m-d|D)')(?!\"(c|D)\")")


def test_a_moment_is_told_in_the_readers_zone() -> None:
    with override("en"), use_time_zone("Europe/Stockholm"):
        assert render_moment(LATE) == (
            '<time datetime="2026-11-22T23:30:00+00:00">23\u00a0Nov\u00a02026, 00:30</time>'
        )
        assert render_day(LATE) == (
            '<time datetime="2026-11-22T23:30:00+00:00">23\u00a0Nov\u00a02026</time>'
        )


def test_a_day_without_an_hour_is_the_same_everywhere() -> None:
    with override("en"), use_time_zone("Pacific/Auckland"):
        assert render_day(date(2026, 11, 22)) == (
            '<time datetime="2026-11-22">22\u00a0Nov\u00a02026</time>'
        )


def test_a_sentence_holds_a_time_and_escapes_everything_else() -> None:
    told = render_sentence("%(who)s & %(when)s", who="<b>", when=render_day(date(2026, 1, 2)))
    assert told.startswith("&lt;b&gt; &amp; <time datetime=")
    shown = Template("{% load numbers %}{{ told }}{{ at|moment }}").render(
        Context({"told": told, "at": LATE})
    )
    assert shown.count("<time ") == shown.count("</time>") == 2


def test_a_page_is_in_the_zone_of_its_cookie(browser: Browser) -> None:
    game = finished_game(browser.start().player, RULESETS["yatzy"])
    game.finished_at = LATE
    game.save()
    pages = {}
    for zone in ("", "Asia/Tokyo"):
        browser.cookies[COOKIE] = zone
        pages[zone] = browser.get(f"/games/{game.pk}/review").text
    assert "22\u00a0Nov\u00a02026</time>" in pages[""]
    assert "23\u00a0Nov\u00a02026</time>" in pages["Asia/Tokyo"]


def test_no_template_prints_a_time_that_is_no_element() -> None:
    root = Path(__file__).parents[2]
    found = {
        str(path.relative_to(root)): line
        for name in ("templates", "game")
        for path in (root / name).rglob("*.html")
        for line in path.read_text(encoding="utf-8").splitlines()
        if PRINTED.search(line)
    }
    assert not found
