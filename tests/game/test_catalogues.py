"""Catalogues are compiled, without gettext, if they are missing or older than their source."""

import gettext
import os
from pathlib import Path

import pytest
from django.apps import apps

from game.management.catalogues import LOCALE, compile_catalogues, list_catalogues
from tests.game.processes import python
from tests.game.test_translations import written


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
