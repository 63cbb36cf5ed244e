"""What follows from a game's kind is asked of its kind: nobody else looks at the mode."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
TAGS = re.compile(r"\{%.*?%\}|\{\{.*?\}\}", re.DOTALL)


def about_modes(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and node.attr in {"mode", "Mode"}


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
    return about_modes(node) or any(map(names_mode, ast.iter_child_nodes(node)))


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
    for path in (ROOT / "templates").rglob("*.html"):
        for tag in TAGS.findall(path.read_text(encoding="utf-8")):
            assert not re.search(r"\.mode\b", tag), (path, tag)
