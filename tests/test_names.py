"""A public class has a name of its own: whoever reads one knows which it is."""

import ast
import re
from collections import defaultdict
from pathlib import Path

from django.urls import URLPattern

from game.lab import urls as lab
from game.trials import urls as trials
from game.urls import urlpatterns

ROOT = Path(__file__).resolve().parents[1]
# Django finds commands, migrations and backends by their folder, under a name that it prescribes.
PRESCRIBED = {"Command", "DatabaseWrapper", "Migration"}


def public_classes() -> dict[str, list[str]]:
    found: dict[str, list[str]] = defaultdict(list)
    for package in ("game", "solver", "yatzy_site"):
        for path in (ROOT / package).rglob("*.py"):
            for node in ast.parse(path.read_text(encoding="utf-8")).body:
                if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                    found[node.name].append(str(path.relative_to(ROOT)))
    return found


def test_no_two_public_classes_share_a_name() -> None:
    shared = {name: places for name, places in public_classes().items() if len(places) > 1}
    assert set(shared) - PRESCRIBED == set(), shared


def test_no_two_addresses_are_the_same() -> None:
    """Django takes the first, and the other is never reached."""
    routes = [
        str(one.pattern)
        for one in [*urlpatterns, *lab.urlpatterns, *trials.urlpatterns]
        if isinstance(one, URLPattern)
    ]
    assert sorted(set(routes)) == sorted(routes)


def test_modules_that_are_named_as_tests_are_tests() -> None:
    for package in ("game", "solver", "yatzy_site"):
        for path in (ROOT / package).rglob("*.py"):
            if path.parent.name == "commands":
                continue  # what somebody types
            assert not path.stem.endswith("_test"), path
            assert not path.stem.startswith("test_"), path


# What is connected to; a Host or an Origin that says localhost is only text.
ASKED = re.compile(
    r"(?:redis|postgres|postgresql)://[^\"' ]*localhost"
    r"|(?:HTTPConnection|connect|connection|urlopen|create_server)\([^)\n]{0,12}localhost"
)


def test_no_test_asks_for_the_name_of_this_machine() -> None:
    """A bare Debian has no /etc/hosts, in which localhost would stand."""
    assert ASKED.search('HTTPConnection("localhost", port)')
    found = [
        str(path.relative_to(ROOT))
        for path in (ROOT / "tests").rglob("*.py")
        if path != Path(__file__) and ASKED.search(path.read_text(encoding="utf-8"))
    ]
    assert found == []
