"""What perfect play is worth with dice that were thrown: worked out once, and kept in a small file.

It takes ten sweeps and a compiler, so a process of its own does it, at low priority; whoever asks
before it is done gets nothing yet. Nothing of it is a table, and no advice comes from it.
"""

import json
import logging
import os
import subprocess
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

from django.conf import settings

from game.judgement.beside import begun, solver_command
from solver.dp.packing import is_large
from solver.exact.any_die import DieValue
from solver.rules import Ruleset
from solver.statistics.shares import Z95
from solver.tables.store import tables_dir

logger = logging.getLogger(__name__)
_running: dict[Path, "subprocess.Popen[bytes]"] = {}


def die_value(rules: Ruleset, counts: Sequence[int]) -> DieValue | None:
    """As far as it is known; what is not is worked out from now on, where this site does that."""
    if not die_is_asked(rules):
        return None
    path = path_of(rules, counts)
    found = _kept(path)
    if found is None and any(counts) and _wanted(rules, counts, path):
        return _kept(path)
    return found


def die_is_asked(rules: Ruleset) -> bool:
    """Ten sweeps of a large ruleset are minutes; with saved throws no sweep takes other dice."""
    return not is_large(rules)


def path_of(rules: Ruleset, counts: Sequence[int]) -> Path:
    """Other rules or other counts are another file."""
    facts = f"{rules.hash}:{','.join(map(str, counts))}"
    name = sha256(facts.encode()).hexdigest()[:16]
    return tables_dir() / "dice" / f"{rules.id}-{name}.json"


def command(rules: Ruleset, counts: Sequence[int]) -> list[str]:
    thrown = ",".join(map(str, counts))
    return solver_command("solve", rules.id, "--dice-counts", thrown, "--json")


def _kept(path: Path) -> DieValue | None:
    try:
        facts = json.loads(path.read_text(encoding="utf-8"))
        value, high = float(facts["value"]), float(facts["high"])
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return DieValue(value, (high - value) / Z95)


def _wanted(rules: Ruleset, counts: Sequence[int], path: Path) -> bool:
    """Whether it has just been done. One at a time in this process; it comes by asking again."""
    process = _running.get(path)
    if process is not None and process.poll() is not None:
        del _running[path]
        return _placed(path, process)
    if settings.MAKE_TABLES and not _running:
        _begin(rules, counts, path)
    return False


def _begin(rules: Ruleset, counts: Sequence[int], path: Path) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with _unfinished(path).open("wb") as file:
            _running[path] = begun(command(rules, counts), file)
    except OSError as error:
        logger.warning("the value of dice as thrown cannot be worked out: %s", error)


def _placed(path: Path, process: "subprocess.Popen[bytes]") -> bool:
    if process.returncode:
        logger.warning("working out the value of dice as thrown ended with %s", process.returncode)
        return False
    _unfinished(path).replace(path)
    return True


def _unfinished(path: Path) -> Path:
    return path.with_name(f"{path.name}.{os.getpid()}")
