"""Any ruleset is played everywhere: Yatzy is named only where it is meant, or is the default."""

import ast
from pathlib import Path

from solver.players import FILES

ROOT = Path(__file__).resolve().parents[1]
NAME = "YATZY"
FOLDERS = ("game", "solver", "yatzy_site")

# A player, a game, a trial and a drill card of which nothing is said are of Yatzy.
DEFAULTS = {f"game/models/{name}.py" for name in ("drill", "game", "player", "trial")}

# The rules themselves; and the published study, whose strategies play Yatzy and nothing else.
RULES = {"solver/rules/__init__.py", "solver/rules/rulesets.py"}
STUDY = {f"solver/cli/{name}.py" for name in ("audit", "players", "study")}
STUDY |= {"solver/players/rules.py"}
STUDY |= {f"solver/study/{name}.py" for name in ("answers_made", "published", "readings", "study")}
# A strategy may know one card.
STRATEGIES = {f"solver/players/{name}.py" for name in FILES}
# What is measured beside a program that plays nothing else.
BENCH = {"solver/cli/bench.py"}
# A ruleset without peers takes those of Yatzy, scaled by the number of decisions.
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
        assert len(uses(path)) == len(defaults) + 1, name  # and the import


def test_a_use_is_found_however_it_is_written(tmp_path: Path) -> None:
    module = tmp_path / "module.py"
    for text in ("from solver.rules import YATZY as Y", "rules.YATZY.id", "print(YATZY)"):
        module.write_text(text)
        assert uses(module), text
    module.write_text("# YATZY\n'YATZY'")
    assert not uses(module)
