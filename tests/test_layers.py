"""Tests of the repository's files: layers, kinds, keys, names, documents, templates, packages."""

import ast
import re
import shutil
import subprocess
import sys
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from importlib.metadata import requires
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from django.urls import URLPattern
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import install
from game.lab import urls as lab
from game.trials import urls as trials
from game.urls import urlpatterns
from solver.players import FILES

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("game", "solver", "yatzy_site")
HOUSES = ("game", "game.trials", "solver", "solver.advice")
PYTHON_ONLY = shutil.ignore_patterns("__pycache__", "locale", "*.csv", "*.json", "*.npz")


def contracts() -> list[dict[str, Any]]:
    facts = tomllib.loads((ROOT / "pyproject.toml").read_text())
    found: list[dict[str, Any]] = facts["tool"]["importlinter"]["contracts"]
    return found


def layers(package: str) -> list[list[str]]:
    (contract,) = [one for one in contracts() if one.get("containers") == [package]]
    assert contract["exhaustive"] is True
    return [[name.strip() for name in line.split("|")] for line in contract["layers"]]


def upward(package: str) -> list[tuple[str, str]]:
    rows = layers(package)
    return [
        (f"{package}.{below}", f"{package}.{above[0]}")
        for above, row in pairwise(rows)
        for below in row
    ]


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("checkout")
    shutil.copy(ROOT / "pyproject.toml", folder)
    for package in PACKAGES:
        shutil.copytree(ROOT / package, folder / package, ignore=PYTHON_ONLY)
    return folder


def broken(copy: Path) -> str:
    command = [sys.executable, "-c", "from importlinter.cli import lint_imports_command as l; l()"]
    done = subprocess.run(
        [*command, "--no-cache"], cwd=copy, check=False, capture_output=True, text=True
    )
    assert done.returncode == 1, done.stdout + done.stderr
    return done.stdout


def points_up(copy: Path, below: str, above: str) -> str:
    place = copy.joinpath(*below.split("."))
    file = place / "probe.py" if place.is_dir() else place.with_suffix(".py")
    with file.open("a") as written:
        written.write(f"\nimport {above}\n")
    return f"{below}.probe" if place.is_dir() else below


def test_an_import_that_points_up_is_caught_in_every_layer(copy: Path) -> None:
    pairs = [pair for house in HOUSES for pair in upward(house)]
    pairs.append(("solver.rules", "game.models"))
    probes = [(points_up(copy, below, above), above) for below, above in pairs]
    (copy / "solver" / "probe.py").write_text("import django\n")
    told = broken(copy)
    for probe, above in probes:
        assert f"{probe} -> {above}" in told
    assert "solver.probe -> django" in told
    assert "not listed as layers:\n\n- solver.probe" in told


def test_every_package_has_a_layer() -> None:
    for house in HOUSES:
        named = {name for row in layers(house) for name in row}
        there = {
            path.stem
            for path in ROOT.joinpath(*house.split(".")).iterdir()
            if (path.is_dir() and (path / "__init__.py").exists()) or path.suffix == ".py"
        }
        assert there - {"__init__"} == named


def test_there_are_no_exceptions() -> None:
    for contract in contracts():
        assert not contract.get("ignore_imports")
        assert not contract.get("exhaustive_ignores")


def test_learners_alone_may_know_a_learning_framework() -> None:
    (contract,) = [one for one in contracts() if "gymnasium" in one.get("forbidden_modules", [])]
    everybody = {f"solver.{name}" for row in layers("solver") for name in row}
    assert everybody - set(contract["source_modules"]) == {"solver.learning"}


TOP = Path(__file__).resolve().parents[1]
# Django finds commands, migrations and backends by folder, under a name that Django prescribes.
PRESCRIBED = {"Command", "DatabaseWrapper", "Migration"}


def public_classes() -> dict[str, list[str]]:
    found: dict[str, list[str]] = defaultdict(list)
    for package in ("game", "solver", "yatzy_site"):
        for path in (TOP / package).rglob("*.py"):
            for node in ast.parse(path.read_text(encoding="utf-8")).body:
                if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                    found[node.name].append(str(path.relative_to(TOP)))
    return found


def test_no_two_public_classes_share_a_name() -> None:
    shared = {name: places for name, places in public_classes().items() if len(places) > 1}
    assert set(shared) - PRESCRIBED == set(), shared


def test_no_two_addresses_are_the_same() -> None:
    """Django uses the first of two equal URL patterns, so a view could never be reached."""
    routes = [
        str(one.pattern)
        for one in [*urlpatterns, *lab.urlpatterns, *trials.urlpatterns]
        if isinstance(one, URLPattern)
    ]
    assert sorted(set(routes)) == sorted(routes)


def test_modules_that_are_named_as_tests_are_tests() -> None:
    for package in ("game", "solver", "yatzy_site"):
        for path in (TOP / package).rglob("*.py"):
            if path.parent.name == "commands":
                continue  # a person types this address
            assert not path.stem.endswith("_test"), path
            assert not path.stem.startswith("test_"), path


# Addresses that the tests connect to. In a Host or an Origin, localhost is only text.
ASKED = re.compile(
    r"(?:redis|postgres|postgresql)://[^\"' ]*localhost"
    r"|(?:HTTPConnection|connect|connection|urlopen|create_server)\([^)\n]{0,12}localhost"
)


def test_no_test_asks_for_the_name_of_this_machine() -> None:
    """A bare Debian has no /etc/hosts, so it cannot resolve the name localhost."""
    assert ASKED.search('HTTPConnection("localhost", port)')
    found = [
        str(path.relative_to(TOP))
        for path in (TOP / "tests").rglob("*.py")
        if path != Path(__file__) and ASKED.search(path.read_text(encoding="utf-8"))
    ]
    assert found == []


TEMPLATES = [path for name in ("templates", "game") for path in (TOP / name).rglob("*.html")]
FORM = re.compile(r"<form\b(?:\{%.*?%\}|[^>])*>", re.DOTALL)
NESTED = re.compile(r"\{% if (?:(?!\{% endif %\}).)*\{% if ", re.DOTALL)


def test_no_form_s_tag_has_a_condition_within_another() -> None:
    tags = {path.name: FORM.findall(path.read_text("utf-8")) for path in TEMPLATES}
    assert any(tags.values())
    assert [name for name, found in tags.items() if any(map(NESTED.search, found))] == []


PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
# Packages for building, for older Pythons, or for other systems.
ELSEWHERE = {"setuptools", "async-timeout", "tzdata"}


def pinned() -> dict[str, str]:
    found = re.findall(r"(?m)^([\w.-]+)==(\S+)", (ROOT / "constraints.txt").read_text("utf-8"))
    return {canonicalize_name(name): version for name, version in found}


def test_every_package_that_is_pinned_has_a_licence_in_the_list() -> None:
    """The document docs/licences.md shows the command that makes this list."""
    lines = (ROOT / "docs" / "licences.md").read_text("utf-8").splitlines()
    rows = [[cell.strip() for cell in line.split("|")[1:4]] for line in lines if line[:1] == "|"]
    assert {canonicalize_name(name): at for name, at, _ in rows[2:]} == pinned()
    unsaid = [name for name, _, licence in rows if licence in {"", "UNKNOWN"}]
    assert unsaid == ["resvg_py"]  # the text of this licence is the MIT licence


def test_whatever_the_project_asks_for_is_pinned_within_what_it_asks_for() -> None:
    extras = dict(PROJECT["optional-dependencies"])
    apart = extras.pop("cluster")  # this package is never installed here
    alone = [one for one in map(Requirement, apart) if not one.extras]
    assert {str(one.specifier)[:2] for one in alone} == {"=="}
    asked = [
        Requirement(text) for texts in (PROJECT["dependencies"], *extras.values()) for text in texts
    ]
    for one in asked:
        if one.name != PROJECT["name"]:
            assert pinned()[canonicalize_name(one.name)] in one.specifier, one


def needed(texts: list[str], extras: frozenset[str] = frozenset()) -> Iterator[str]:
    """Yield the packages that these packages require, directly or not, on our oldest Python."""
    for one in map(Requirement, texts):
        surroundings = [{"extra": extra, "python_version": "3.11"} for extra in ("", *extras)]
        applies = one.marker is None or any(map(one.marker.evaluate, surroundings))
        if applies and (name := canonicalize_name(one.name)) in pinned():
            yield name
            yield from needed(requires(name) or [], frozenset(one.extras))


def test_every_package_of_a_site_is_locked_at_its_pinned_version_and_nothing_says_where() -> None:
    text = (ROOT / install.LOCKED).read_text("utf-8")
    requirement = r"(?m)^([\w.-]+)==([\w.+]+)[^\n]*\\\n(?: +--hash=sha256:[0-9a-f]{64}[ \\]*\n)+"
    locked = dict(re.findall(requirement, text))
    serving = set(needed(PROJECT["dependencies"]))
    assert {"django", "sqlparse", "argon2-cffi", "psycopg-binary"} <= serving
    assert serving.isdisjoint({"pytest", "mypy", "gymnasium", "playwright"})
    assert {name: at for name, at in locked.items() if name not in ELSEWHERE} == {
        name: pinned()[name] for name in serving
    }
    assert len(locked) == sum("==" in line for line in text.splitlines())
    assert "://" not in text


NAME = "YATZY"
FOLDERS = ("game", "solver", "yatzy_site")

# The default ruleset of a player, a game, a trial and a drill card is Yatzy.
DEFAULTS = {f"game/models/{name}.py" for name in ("drill", "game", "player")}
DEFAULTS |= {"game/trials/models.py"}

# The rules themselves, and the published study, whose strategies play only Yatzy.
RULES = {"solver/rules/__init__.py", "solver/rules/rulesets.py"}
STUDY = {f"solver/cli/{name}.py" for name in ("players", "study")}
STUDY |= {"solver/players/rules.py"}
STUDY |= {f"solver/study/{name}.py" for name in ("answers_made", "published", "readings", "study")}
# A strategy may be made for one card.
STRATEGIES = {f"solver/players/{name}.py" for name in FILES}
# Measurements of a program that can play only Yatzy.
BENCH = {"solver/cli/bench.py"}
# A ruleset without simulated peers uses those of Yatzy, scaled by the number of decisions.
PEERS = {"game/core/worth/skill.py"}


def uses(path: Path) -> list[ast.AST]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return [node for node in ast.walk(tree) if _names_it(node)]


def _names_it(node: ast.AST) -> bool:
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name) | ast.alias(name=name):
            return name == NAME
    return False


def modules_that_use_it() -> set[str]:
    paths = {path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py")}
    return {str(path.relative_to(ROOT)) for path in paths if uses(path)}


def test_yatzy_is_named_in_the_rules_in_the_study_and_as_a_default_alone() -> None:
    assert modules_that_use_it() - RULES - STUDY - STRATEGIES - DEFAULTS - BENCH - PEERS == set()


def test_what_no_longer_names_it_is_off_the_lists() -> None:
    assert (RULES | STUDY | DEFAULTS | BENCH | PEERS) - modules_that_use_it() == set()


def test_models_name_it_as_the_default_of_a_field_and_for_nothing_else() -> None:
    for name in DEFAULTS:
        path = ROOT / name
        defaults = [
            node
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
            if isinstance(node, ast.keyword) and node.arg == "default"
            if ast.unparse(node.value) == f"{NAME}.id"
        ]
        assert len(uses(path)) == len(defaults) + 1, name  # plus one for the import


def test_a_use_is_found_however_it_is_written(tmp_path: Path) -> None:
    module = tmp_path / "module.py"
    for text in ("from solver.rules import YATZY as Y", "rules.YATZY.id", "print(YATZY)"):
        module.write_text(text)
        assert uses(module), text
    module.write_text("# YATZY\n'YATZY'")
    assert not uses(module)


TAGS = re.compile(r"\{%.*?%\}|\{\{.*?\}\}", re.DOTALL)


def told_apart_by(node: ast.AST) -> Iterator[ast.AST | None]:
    match node:
        case ast.Compare() | ast.Match() | ast.Set() | ast.List() | ast.Tuple():
            yield from ast.iter_child_nodes(node)
        case ast.Dict():
            yield from node.keys
        case ast.Subscript():
            yield node.slice


def looks_at(source: str) -> list[int]:
    return [
        node.lineno
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.expr | ast.Match)
        and any(map(names_mode, filter(None, told_apart_by(node))))
    ]


def names_mode(node: ast.AST) -> bool:
    if isinstance(node, ast.Call):
        return False
    is_mode = isinstance(node, ast.Attribute) and node.attr in {"mode", "Mode"}
    return is_mode or any(map(names_mode, ast.iter_child_nodes(node)))


def elsewhere() -> list[Path]:
    return [
        path
        for package in ("game", "yatzy_site")
        for path in (ROOT / package).rglob("*.py")
        if "migrations" not in path.parts
        and path.name != "kind.py"
        and not path.name.endswith("_kind.py")
        and path.relative_to(ROOT) != Path("game/models/game.py")
    ]


@pytest.mark.parametrize(
    "line",
    [
        "if game.mode == Game.Mode.SOLO: pass",
        "x = game.mode in CLOSED",
        "OPEN = {Game.Mode.LAB, Game.Mode.DUEL}",
        "words = {Game.Mode.LAB: 'lab'}",
        "word = WORDS[game.mode]",
        "match mode:\n case Game.Mode.SOLO: pass",
    ],
)
def test_what_is_looked_for_is_found(line: str) -> None:
    assert looks_at(line)


@pytest.mark.parametrize("line", ["Game(mode=Game.Mode.LAB)", "[found.filter(mode=Game.Mode.LAB)]"])
def test_naming_one_is_no_comparison(line: str) -> None:
    assert not looks_at(line)


def test_no_module_but_the_kinds_tells_modes_apart() -> None:
    found = {
        str(path.relative_to(ROOT)): lines
        for path in elsewhere()
        if (lines := list(looks_at(path.read_text(encoding="utf-8"))))
    }
    assert not found


def test_nobody_but_the_trials_asks_whether_a_game_has_a_participant() -> None:
    for path in elsewhere():
        if "trials" not in path.parts:
            assert not re.search(r"\bgame\.participant(?!\")", path.read_text(encoding="utf-8")), (
                path
            )


def test_no_template_tells_modes_apart() -> None:
    for path in TEMPLATES:
        for tag in TAGS.findall(path.read_text(encoding="utf-8")):
            assert not re.search(r"\.mode\b", tag), (path, tag)


SCRIPTS = Path(__file__).parents[1]
SHOWN = {
    "ArrowDown": "↓",
    "ArrowUp": "↑",
    "ArrowLeft": "←",
    "ArrowRight": "→",
    "Backspace": "⌫",
    " ": "Space",
}
BROWSERS = {"Tab"}  # browsers handle this key
HELP = {
    "play.js": ("pages/_keys.html", "_keys_everywhere.html"),
    "offline_after.js": ("coach/_walk_keys.html",),
    "real_dice.js": ("pages/_keys.html",),
    "review.js": ("coach/review.html", "coach/_walk_keys.html"),
    "shell.js": ("_keys.html", "_keys_everywhere.html"),
}
ANSWERED = (r'\bkey === "([^"]+)"', r'event\.key !== "([^"]+)"', r"^  (Arrow\w+):")
WALKS = r"\b(\w+): \"[\w-]+\""


def source(path: str) -> str:
    return (SCRIPTS / path).read_text()


def keys_answered(script: str) -> set[str]:
    text = source(f"static/js/{script}")
    found = {key for pattern in ANSWERED for key in re.findall(pattern, text, re.MULTILINE)}
    walks = re.search(r"^const WALKS = .*$", text, re.MULTILINE)
    found |= set(re.findall(WALKS, walks[0])) if walks else set()
    return {SHOWN.get(key, key) for key in found - BROWSERS}


def keys_shown(templates: tuple[str, ...]) -> set[str]:
    text = "".join(source(f"templates/{name}") for name in templates)
    return set(re.findall(r'<kbd>(?:{% translate ")?([^<{"]+)', text))


@pytest.mark.parametrize("script", HELP)
def test_every_key_that_a_script_answers_is_shown(script: str) -> None:
    answered = keys_answered(script)
    assert answered
    assert answered <= keys_shown(HELP[script])


def test_no_other_script_answers_keys() -> None:
    listening = {
        path.name
        for folder in ("static", "game/*/static")
        for path in SCRIPTS.glob(f"{folder}/js/*.js")
        if "keydown" in path.read_text()
    }
    assert listening == set(HELP)


def test_every_key_of_the_end_of_a_game_is_shown() -> None:
    text = "".join(path.read_text() for path in TEMPLATES)
    pressed = set(re.findall(r'data-press="(\w)"', text))
    assert {"r", "n", "s", "x"} <= pressed <= keys_shown(HELP["play.js"])


def test_a_wide_table_is_a_region_with_a_name_that_the_keyboard_reaches() -> None:
    for path in TEMPLATES:
        for tag in re.findall(
            r'<\w+ class="wide\b[^>]*?>(?=\s*<table|\s*{%|\s*$)', path.read_text()
        ):
            assert 'role="region"' in tag, (path, tag)
            assert "aria-label" in tag, (path, tag)
            assert 'tabindex="0"' in tag, (path, tag)
