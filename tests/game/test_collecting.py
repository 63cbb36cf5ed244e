"""Static files are hashed and compressed once, and again only when something changed."""

import os
from collections.abc import Callable
from pathlib import Path
from shutil import rmtree
from typing import Any

import pytest

from game.management.preparing import NOTE, collect
from game.pages.requests.readiness import MANIFEST, list_stale_files
from yatzy_site.static_files import CollectedOrPlain


@pytest.fixture
def source(settings: Any, tmp_path: Path) -> Path:
    folder = tmp_path / "source"
    folder.mkdir()
    (folder / "site.css").write_text("a { color: red }")
    settings.STATICFILES_FINDERS = ["django.contrib.staticfiles.finders.FileSystemFinder"]
    settings.STATICFILES_DIRS = [folder]
    settings.STATIC_ROOT = tmp_path / "collected"
    return folder


def root(source: Path) -> Path:
    return source.parent / "collected"


def test_nothing_is_collected_twice(source: Path) -> None:
    assert collect()
    assert (root(source) / "site.css").read_text() == "a { color: red }"
    before = {path: os.stat(path).st_mtime_ns for path in root(source).iterdir()}
    assert not collect()
    assert {path: os.stat(path).st_mtime_ns for path in root(source).iterdir()} == before


def test_what_pages_name_is_compressed_and_its_copies_are_not(source: Path) -> None:
    for name in ("site.css", "a.js", "a.min.js"):
        (source / name).write_text("a { color: red }\n" * 99)
    collect()
    sheet, script = (CollectedOrPlain().stored_name(name) for name in ("site.css", "a.min.js"))
    names = {path.name for path in root(source).iterdir() if path.suffix in {".br", ".gz"}}
    assert names == {f"{sheet}.br", f"{sheet}.gz", f"{script}.br", f"{script}.gz"}


def change_it(source: Path) -> None:
    (source / "site.css").write_text("a { color: tan }")


def touch_it(source: Path) -> None:
    os.utime(source / "site.css", ns=(1, 1))


def go_back(source: Path) -> None:
    change_it(source)
    touch_it(source)


def add_one(source: Path) -> None:
    (source / "more.css").touch()


def remove_one(source: Path) -> None:
    (source / "site.css").rename(source / "page.css")


def lose_the_manifest(source: Path) -> None:
    (root(source) / MANIFEST).unlink()


def replace_the_manifest(source: Path) -> None:
    with (root(source) / MANIFEST).open("a") as file:
        file.write(" ")


def lose_the_note(source: Path) -> None:
    (root(source) / NOTE).unlink()


def lose_everything(source: Path) -> None:
    rmtree(root(source))


@pytest.mark.parametrize(
    "change",
    [
        change_it,
        touch_it,
        go_back,
        add_one,
        remove_one,
        lose_the_manifest,
        replace_the_manifest,
        lose_the_note,
        lose_everything,
    ],
)
def test_what_changed_is_collected_again(source: Path, change: Callable[[Path], None]) -> None:
    collect()
    change(source)
    assert collect()
    assert not collect()
    shown = {path.name for path in source.iterdir()}
    assert shown <= {path.name for path in root(source).iterdir()}
    assert list_stale_files() == []


def test_another_storage_collects_again(source: Path, settings: Any) -> None:
    collect()
    plain = {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"}
    settings.STORAGES = {**settings.STORAGES, "staticfiles": plain}
    assert collect()


def test_a_run_that_was_cut_short_is_made_again(
    source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def cut(*args: object, **options: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("game.management.preparing.call_command", cut)
        with pytest.raises(KeyboardInterrupt):
            collect()
    assert collect()


def test_an_address_is_put_together_once_and_follows_its_file(
    source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert collect()
    storage = CollectedOrPlain(location=root(source))
    asked: list[str | None] = []
    put_together = CollectedOrPlain._put_together

    def counted(self: CollectedOrPlain, name: str | None, force: bool) -> str:
        asked.append(name)
        return put_together(self, name, force)

    monkeypatch.setattr(CollectedOrPlain, "_put_together", counted)
    first = [storage.url("site.css") for _ in range(3)]
    assert asked == ["site.css"]
    assert len(set(first)) == 1
    storage.hashed_files["site.css"] = "site.0123456789ab.css"
    assert storage.url("site.css").endswith("/site.0123456789ab.css")
