"""What the program shows and calculates, written down, so that two versions can be compared.

    python -m tests.snapshots take FOLDER       write the snapshots of this checkout
    python -m tests.snapshots compare OLD NEW   print every difference; ends with 1 if there is one

Each takes `--only pages,trials,solver,sources,coach`. `tests/snapshots/before/` has those of
commit 3f1e58a, with which `make snapshots` compares.
"""

import argparse
import csv
import gzip
import json
import logging
import os
import re
import secrets
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

Facts = dict[str, Any]
POSITIONS = 1500
HEADINGS = re.compile(r"<(title|h1|h2)\b[^>]*>(.*?)</\1>", re.DOTALL)
TRIALS = {
    "one arm": ["--participants", "3", "--games", "2"],
    "three arms": [
        *("--participants", "6", "--games", "1", "--before", "1"),
        *("--arms", "coach=off,coach=after,coach=live"),
    ],
    "real dice": ["--participants", "2", "--games", "1", "--dice", "real"],
}
# Two runs of one version differ in these columns: clocks, and names drawn by the machine.
DRAWN = re.compile(
    r"^at$|_at$|seconds|time|date|day|minutes|token|code$|^id$|_id$|key|version|browser"
)


def pages() -> Facts:
    """Return status, title and headings of every address, for every role."""
    from django.core.cache import cache
    from django.db import transaction

    from tests.crawl.addresses import addresses, filled_in
    from tests.crawl.roles import ROLES
    from tests.crawl.seen import decided
    from tests.crawl.world import new_world

    world, facts = new_world(), {}
    for route, rows in decided(addresses()).items():
        for row in rows:
            address = row.address if row.route == route else route
            for role in ROLES:
                cache.clear()
                with transaction.atomic():
                    path = filled_in(address, world.values(*row.things))
                    answer = world.browser(role).get(path)
                    body = answer.getvalue().decode(errors="replace")
                    transaction.set_rollback(True)
                parts = [re.sub(r"<[^>]+>", "", part) for _, part in HEADINGS.findall(body)]
                shown = [re.sub(r"\d+", "#", " ".join(part.split())) for part in parts]
                about = f"{address} ({', '.join(row.things)})" if row.things else address
                facts[f"{role} /{about}"] = [answer.status_code, *shown]
    return facts


def trials() -> Facts:
    """Rehearse three trials and return columns, rows and values of their exports."""
    from django.core.management import call_command

    facts: Facts = {}
    for name, options in TRIALS.items():
        fix_luck(name)  # a trial before it draws more or less, as the order of a set goes
        with TemporaryDirectory() as out, open(os.devnull, "w") as silent:
            wanted = ["--out", f"{out}/{name}", "--seed", "1"]
            call_command("trial_rehearse", *options, *wanted, stdout=silent)
            for file in sorted(Path(out).rglob("*.csv")):
                with file.open(encoding="utf-8-sig", newline="") as lines:
                    rows = list(csv.DictReader(lines))
                about = f"{name}: {file.relative_to(out)}"
                columns = list(rows[0]) if rows else []
                facts[about] = {"rows": len(rows), "columns": columns}
                for column in columns:
                    if not DRAWN.search(column):
                        values = [str(row[column]) for row in rows]
                        facts[about][f"values of {column}"] = summary(values)
    return facts


def solver() -> Facts:
    """Return values, moments and exact means of every ruleset and of every player with a table."""
    from solver.exact.distribution import calculate_distribution
    from solver.players import PLAYERS, find_player
    from solver.players.agent import Tabular
    from solver.rules import RULESETS
    from solver.tables import open_table

    facts: Facts = {}
    for rules in RULESETS.values():
        facts[f"{rules.id}: V(start)"] = open_table(rules).value_start
        for player in PLAYERS.values():
            if not player.plays(rules):
                continue
            for reading in list(player.readings) or [""]:
                name = f"{player.id}:{reading}" if reading else player.id
                agent = find_player(name).open(rules)
                if isinstance(agent, Tabular) and not player.id.startswith("learned"):
                    exact = calculate_distribution(agent)
                    spread = [exact.mean, exact.deviation, exact.bonus_probability]
                    facts[f"{rules.id}: {name}"] = spread
    return facts


def sources() -> Facts:
    """Return the published rows with ours beside them, as the commands print them."""
    facts: Facts = {}
    for command in (["study"], ["sources"]):
        import subprocess

        run = [sys.executable, "-m", "solver", *[*command, "--json"]]
        printed = json.loads(subprocess.run(run, check=True, capture_output=True, text=True).stdout)
        facts |= {f"{command[0]}/{path}": value for path, value in leaves(printed)}
    return facts


def coach() -> Facts:
    """Return what the browser's coach says of positions drawn with a fixed seed (needs node)."""
    from django.utils import translation

    from solver.advice import Advisor
    from solver.rules import YATZY
    from solver.tables import open_table
    from tests.game.test_offline_coach import in_node, named
    from tests.solver.test_advice import random_position

    random, advisor = Random("snapshots"), Advisor(open_table(YATZY), YATZY)
    positions = [random_position(YATZY, random) for _ in range(POSITIONS)]
    advised = [advisor.make_advice(advisor.evaluate(position)) for position in positions]
    chosen = [named(random.choice(advice.options)) for advice in advised]
    with TemporaryDirectory() as folder, translation.override("en"):
        told = in_node(Path(folder), YATZY, list(zip(positions, chosen, strict=True)))["told"]
    return {
        f"{position.filled} {position.upper} {position.dice} {position.throws_left}: {choice}": one
        for position, choice, one in zip(positions, chosen, told, strict=True)
    }


SECTIONS: dict[str, Callable[[], Facts]] = {
    "solver": solver,
    "sources": sources,
    "coach": coach,
    "pages": pages,
    "trials": trials,
}


def leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield every number and text of a JSON value with its path."""
    parts: Iterator[tuple[Any, Any]] = iter(())
    if isinstance(value, dict):
        parts = iter(value.items())
    elif isinstance(value, list):
        parts = iter(enumerate(value))
    else:
        yield path, value
    for key, part in parts:
        yield from leaves(part, f"{path}/{key}")


def summary(values: list[str]) -> Any:
    """Return the sum of numbers, to six digits, and of other texts a hash."""
    try:
        return round(sum(float(value or 0) for value in values), 6)
    except ValueError:
        return sha256(json.dumps(sorted(values)).encode()).hexdigest()[:16]


@contextmanager
def site() -> Iterator[None]:
    """Set up Django with an empty database of its own, and fixed luck."""
    import tests.environment  # noqa: F401  before the settings are read

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "yatzy_site.settings")
    import django
    from django.test.utils import setup_databases, setup_test_environment, teardown_databases

    django.setup()
    logging.disable()
    setup_test_environment()
    from django.conf import settings

    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    before = setup_databases(verbosity=0, interactive=False)
    from solver.rules import RULESETS
    from tests.conftest import solved

    for rules in RULESETS.values():
        solved(rules)
    try:
        yield
    finally:
        teardown_databases(before, verbosity=0)


def fix_luck(seed: str) -> None:
    """Draw the dice, tokens and arms that follow from a seed of ours."""
    luck = Random(seed)
    vars(secrets).update(_sysrand=luck, choice=luck.choice)


def take(folder: Path, only: list[str]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with site():
        for name in only:
            fix_luck(name)
            text = json.dumps(SECTIONS[name](), indent=0, default=str)
            with gzip.GzipFile(folder / f"{name}.json.gz", "wb", mtime=0) as file:
                file.write(text.encode())
            print(f"{name}: {text.count(chr(10))} lines in {folder}")


def compare(old: Path, new: Path, only: list[str]) -> int:
    """Print what differs between two folders; return 1 if anything does."""
    found = 0
    for name in only:
        before, after = (
            dict(leaves(json.loads(gzip.decompress((place / f"{name}.json.gz").read_bytes()))))
            for place in (old, new)
        )
        for path in [*before, *(path for path in after if path not in before)]:
            was, is_now = before.get(path, "(nothing)"), after.get(path, "(nothing)")
            if not (
                abs(was - is_now) <= 1e-12 * max(1.0, abs(was))
                if isinstance(was, float) and isinstance(is_now, float)
                else bool(was == is_now)
            ):
                found += 1
                print(f"{name} {path}: {was} -> {is_now}")
    print(f"{found} differences")
    return 1 if found else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("deed", choices=["take", "compare"])
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--only", default=",".join(SECTIONS), help="sections (default: all)")
    options = parser.parse_args()
    only = options.only.split(",")
    if unknown := set(only) - set(SECTIONS):
        parser.error(f"unknown sections: {', '.join(sorted(unknown))}")
    if options.deed == "take" and len(options.folders) == 1:
        if shutil.which("node") is None and "coach" in only:
            only.remove("coach")
            print("coach: left out, node is not installed")
        take(options.folders[0], only)
        return 0
    if options.deed == "compare" and len(options.folders) == 2:
        old, new = options.folders
        return compare(old, new, only)
    return parser.error("take needs one folder, compare needs two")


if __name__ == "__main__":
    sys.exit(main())
