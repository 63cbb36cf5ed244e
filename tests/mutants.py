"""Breaks one line at a time, and checks whether the tests notice.

    make mutants                  lines that differ from main (SINCE=HEAD~3: from another commit)
    make mutants IN=game/core TESTS="tests/game/test_game_machine.py tests/game/test_pages.py"

The command works on a copy of the checkout, so nothing stays broken. Without TESTS, it runs the
tests that import the broken module. It prints every mutant that no test notices: either a test is
missing, or the line has no effect.
"""

import argparse
import ast
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Collection, Iterable, Iterator
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("solver", "game", "yatzy_site")
LEFT_OUT = shutil.ignore_patterns(".git", ".venv", "__pycache__", "*.sqlite3*", ".*_cache")
OTHER_COMPARISON: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
OTHER_OPERATION: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
}


@dataclass(frozen=True)
class Mutant:
    file: Path
    line: int
    old: str
    new: str
    source: str  # the whole file with the broken line


def others_of(node: ast.AST) -> Iterator[ast.AST]:
    match node:
        case ast.Compare(ops=[op]) if type(op) in OTHER_COMPARISON:
            broken = deepcopy(node)
            broken.ops = [OTHER_COMPARISON[type(op)]()]
            yield broken
        case ast.BoolOp(values=[first, *_, last]):
            yield from (first, last)
        case ast.BinOp(op=op) if type(op) in OTHER_OPERATION:
            broken_sum = deepcopy(node)
            broken_sum.op = OTHER_OPERATION[type(op)]()
            yield broken_sum
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield operand
        case ast.Constant(value=bool(value)):
            yield ast.Constant(not value)
        case ast.Constant(value=int(value)):
            yield ast.Constant(value + 1)
        case ast.IfExp(body=body, orelse=orelse):
            yield from (body, orelse)


def mutants_of(file: Path) -> Iterator[Mutant]:
    source = file.read_text()
    starts = [0]
    for line in source.encode().splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    for node in _deciding(ast.parse(source)):
        for other in others_of(node):
            yield _mutant(file, source.encode(), starts, node, other)


def _deciding(node: ast.AST) -> Iterator[ast.AST]:
    """Yield all nodes but decorators, because no behaviour depends on ``frozen=True``."""
    yield node
    ornaments = getattr(node, "decorator_list", [])
    for child in ast.iter_child_nodes(node):
        if child not in ornaments:
            yield from _deciding(child)


def _mutant(file: Path, source: bytes, starts: list[int], node: ast.AST, other: ast.AST) -> Mutant:
    assert isinstance(node, ast.expr)
    assert node.end_lineno is not None
    assert node.end_col_offset is not None
    first = starts[node.lineno - 1] + node.col_offset
    last = starts[node.end_lineno - 1] + node.end_col_offset
    new = f"({ast.unparse(other)})"
    whole = source[:first] + new.encode() + source[last:]
    return Mutant(file, node.lineno, source[first:last].decode(), new, whole.decode())


def survives(mutant: Mutant, copy: Path, command: list[str], patience: float) -> bool:
    broken = copy / mutant.file.relative_to(ROOT)
    whole = broken.read_text()
    broken.write_text(mutant.source)
    try:
        return passes(copy, command, patience)
    finally:
        broken.write_text(whole)


def passes(copy: Path, command: list[str], patience: float | None = None) -> bool:
    facts = {**os.environ, "PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        done = subprocess.run(command, cwd=copy, env=facts, capture_output=True, timeout=patience)
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0


def changed(since: str) -> dict[Path, set[int]]:
    command = ["git", "diff", "--merge-base", since, "--unified=0", "--no-color", "--", *PACKAGES]
    told = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return dict(_changed_lines(told))


def _changed_lines(diff: str) -> Iterator[tuple[Path, set[int]]]:
    for of_a_file in diff.split("\n+++ b/")[1:]:
        name, _, hunks = of_a_file.partition("\n")
        starts = re.findall(r"^@@ -\S+ \+(\d+)(?:,(\d+))? @@", hunks, flags=re.MULTILINE)
        lines = [range(int(first), int(first) + int(count or 1)) for first, count in starts]
        if name.endswith(".py"):
            yield ROOT / name, set().union(*lines)


def mutants_in(places: Collection[Path], since: str) -> list[Mutant]:
    if not places:
        lines = changed(since)
        return [m for file in lines for m in mutants_of(file) if m.line in lines[file]]
    files = (sorted(place.rglob("*.py")) if place.is_dir() else [place] for place in places)
    return [mutant for of in files for file in of for mutant in mutants_of(file.resolve())]


def importing(files: Iterable[Path]) -> list[str]:
    paths = sorted((ROOT / "tests").rglob("test_*.py"))
    tests = {str(path.relative_to(ROOT)): path.read_text() for path in paths}
    modules = {".".join(file.relative_to(ROOT).with_suffix("").parts) for file in files}
    packages = {module.rpartition(".")[0] for module in modules}
    return _naming(modules, tests) or _naming(packages, tests) or ["tests"]


def _naming(modules: Collection[str], tests: dict[str, str]) -> list[str]:
    named = "|".join(map(re.escape, modules))
    imports = re.compile(rf"^\s*(?:from|import) (?:{named})\b", re.MULTILINE)
    return [path for path, text in tests.items() if imports.search(text)]


def main() -> int:
    options = _options()
    found = mutants_in(options.places, options.since)
    if not found:
        sys.stdout.write("There is nothing to break.\n")
        return 0
    chosen = random.Random(options.seed).sample(found, min(options.most, len(found)))
    tests = options.tests or importing({mutant.file for mutant in chosen})
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:randomly", *tests]
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "checkout"
        shutil.copytree(ROOT, copy, ignore=LEFT_OUT)
        if not passes(copy, command):
            sys.stdout.write("The tests fail without any mutant: mend that first.\n")
            return 2
        return _report(chosen, copy, command, options.patience, len(found))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make mutants", description=__doc__)
    parser.add_argument("places", nargs="*", type=Path, help="files or folders to break")
    parser.add_argument("--since", default="main", help="without places, what has changed (main)")
    parser.add_argument("--tests", nargs="+", help="what must notice (what imports them)")
    parser.add_argument("--most", type=int, default=40, help="how many mutants, at random (40)")
    parser.add_argument("--seed", type=int, default=1, help="of that choice (1)")
    parser.add_argument("--patience", type=float, default=600, help="seconds for one (600)")
    return parser.parse_args()


def _report(
    chosen: list[Mutant], copy: Path, command: list[str], patience: float, found: int
) -> int:
    alive = 0
    for mutant in chosen:
        if survives(mutant, copy, command, patience):
            alive += 1
            where = f"{mutant.file.relative_to(ROOT)}:{mutant.line}"
            sys.stdout.write(f"{where}: {mutant.old}  ->  {mutant.new}\n")
            sys.stdout.flush()
    sys.stdout.write(f"{alive} of {len(chosen)} mutants survive (of {found} that there are)\n")
    return 1 if alive else 0


if __name__ == "__main__":
    sys.exit(main())
