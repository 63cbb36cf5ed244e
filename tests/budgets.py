"""Count the lines of every room and compare them with the ceilings in `tests/budgets.toml`.

    python -m tests.budgets      print the table; ends with 1 if a ceiling is broken

A room is a folder or a file that has a ceiling, which is a maximum number of lines. A change that
needs more lines raises the ceiling in the same commit, and says why. Figures of the whole program
may only sink: if one sinks by more than the slack, its ceiling must be lowered too.
"""

import ast
import io
import re
import subprocess
import sys
import tokenize
import tomllib
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import NamedTuple

TOP = Path(__file__).resolve().parent.parent
PROGRAM = ("game", "solver", "yatzy_site", "templates", "static", "manage.py", "install.py")
COUNTED = {".py", ".html", ".css", ".js", ".c", ".R", ".yaml"}
CLAUSE = re.compile(r"(Of|What|Who|Whoever|Where|Those|As|By|Whether)\b")
SAY_NOTHING = {"found", "one", "told", "said", "asked", "of", "by", "own", "lost", "rest"}
GUESSED = re.compile(r"\b(whoever|beside|so many)\b", re.IGNORECASE)
SLACK = 0.02  # a figure may sink by this share before its ceiling must be lowered
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
NOISE = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENCODING,
    tokenize.ENDMARKER,
}


class Program(NamedTuple):
    """Figures of the whole program. Migrations count only as lines."""

    lines: int
    files: int
    imported: float
    functions: float
    tokens: int
    tests: int
    docstrings: int  # docstrings whose first word begins a clause
    names: int  # names of variables and parameters that say nothing
    phrases: int  # odd phrases in comments, docstrings and pages


def tracked(*folders: str) -> list[Path]:
    listed = subprocess.run(
        ["git", "ls-files", "-z", *folders], cwd=TOP, check=True, capture_output=True, text=True
    )
    paths = (TOP / name for name in listed.stdout.split("\0") if name)
    return [path for path in paths if path.suffix in COUNTED and path.exists()]


def lines(paths: list[Path]) -> int:
    return sum(path.read_bytes().count(b"\n") for path in paths)


def imported_names(tree: ast.AST) -> int:
    return sum(
        len(node.names) for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)
    )


def functions(tree: ast.AST) -> int:
    return sum(isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef) for n in ast.walk(tree))


def tokens(text: str) -> int:
    read = tokenize.generate_tokens(io.StringIO(text).readline)
    return sum(token.type not in NOISE for token in read)


def measured() -> Program:
    python = [p for p in tracked(*PROGRAM) if p.suffix == ".py" and "migrations" not in p.parts]
    trees = {path: ast.parse(path.read_text(encoding="utf-8")) for path in python}
    own = [path for path in python if path.name != "__init__.py"]
    length = lines(python)
    return Program(
        lines=lines(tracked(*PROGRAM)),
        files=len(own),
        imported=median(imported_names(trees[path]) for path in own),
        functions=round(1000 * sum(map(functions, trees.values())) / length, 1),
        tokens=sum(
            tokens(path.read_text(encoding="utf-8"))
            for path in python
            if path.relative_to(TOP).parts[0] in {"game", "solver"}
        ),
        tests=lines(tracked("tests")),
        docstrings=sum(
            bool(CLAUSE.match(ast.get_docstring(node) or ""))
            for tree in trees.values()
            for node in ast.walk(tree)
            if isinstance(node, DOCUMENTED)
        ),
        names=sum(
            name_of(node) in SAY_NOTHING for tree in trees.values() for node in ast.walk(tree)
        ),
        phrases=sum(
            len(GUESSED.findall(path.read_text(encoding="utf-8")))
            for path in tracked(*PROGRAM)
            if path.suffix in {".py", ".html", ".js", ".css"} and "migrations" not in path.parts
        ),
    )


def name_of(node: ast.AST) -> str:
    if isinstance(node, ast.arg):
        return node.arg
    return node.id if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) else ""


def rooms(ceilings: dict[str, int]) -> Iterator[tuple[str, int, int]]:
    counts = dict.fromkeys(ceilings, 0)
    for path in tracked(*PROGRAM):
        name = path.relative_to(TOP).as_posix()
        room = max((r for r in ceilings if f"{name}/".startswith(f"{r}/")), key=len, default="")
        if not room:
            sys.exit(f"{name} belongs to no room of tests/budgets.toml")
        counts[room] += path.read_bytes().count(b"\n")
    for room, ceiling in ceilings.items():
        yield room, counts[room], ceiling


def broken(name: str, figure: float, ceiling: float, *, sinks: bool) -> str:
    if figure > ceiling:
        return f"{name} is {figure:,}, above its ceiling of {ceiling:,}"
    if sinks and figure < ceiling * (1 - SLACK):
        return f"{name} has sunk to {figure:,}: lower its ceiling of {ceiling:,}"
    return ""


def main() -> int:
    budgets = tomllib.loads((TOP / "tests" / "budgets.toml").read_text(encoding="utf-8"))
    wrong = []
    for room, count, ceiling in rooms(budgets["rooms"]):
        print(f"{room:32} {count:8,} of {ceiling:8,}")
        wrong.append(broken(room, count, ceiling, sinks=False))
    for name, figure in measured()._asdict().items():
        ceiling = budgets["program"][name]
        print(f"{name:32} {figure:8,} of {ceiling:8,}")
        wrong.append(broken(name, figure, ceiling, sinks=True))
    for text in filter(None, wrong):
        print(text, file=sys.stderr)
    return 1 if any(wrong) else 0


if __name__ == "__main__":
    sys.exit(main())
