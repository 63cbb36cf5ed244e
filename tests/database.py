"""The database of a test run: made once, copied for each process, and emptied after a test."""

import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from typing import Any

import django

ROOT = Path(__file__).resolve().parents[1]


def make_empty_database() -> Path:
    """Return the file of a migrated database, and make it if a migration has changed."""
    settings = os.environ.get("DJANGO_SETTINGS_MODULE", "yatzy_site.settings")
    seal = sha256(f"{django.VERSION} {settings}".encode())
    for path in sorted(ROOT.glob("game/**/migrations/*.py")):
        seal.update(path.read_bytes())
    empty = ROOT / "var" / "test" / f"empty-{seal.hexdigest()[:16]}.sqlite3"
    if not empty.exists():
        empty.parent.mkdir(parents=True, exist_ok=True)
        new = empty.with_suffix(f".{os.getpid()}")
        facts = {"DATABASE_URL": f"sqlite:///{new}", "DJANGO_SETTINGS_MODULE": settings}
        command = [sys.executable, "-m", "django", "migrate", "--verbosity=0"]
        subprocess.run(command, check=True, cwd=ROOT, env=os.environ | facts)
        with closing(sqlite3.connect(new)) as database, database:
            database.execute("DELETE FROM game_daychain")  # it depends on the day
        new.rename(empty)
    return empty


def flush_rows(style: Any, database: Any, **options: bool) -> list[str]:
    """Return the statements that empty the database after a test. They keep the permissions, which
    depend only on the models: to make these again takes longer than most tests."""
    known = database.introspection.django_table_names(only_existing=True, include_views=False)
    kept = {"auth_permission", "django_content_type"}
    statements: list[str] = database.ops.sql_flush(style, set(known) - kept, **options)
    return statements
