"""Whether an exported folder says what the database says, row by row and file by file.

Every file is read back and must have the rows that the tables give now. What is in them is held
against sums that the database works out by itself, and arms against the sealed list.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from hashlib import sha256
from itertools import zip_longest
from math import isclose
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import ParseError
from zipfile import BadZipFile

from django.utils import timezone

from game.exports.tables import AnyTable, Cell, Row
from game.exports.writers import FORMATS, to_the_millisecond
from game.models import Game, Preregistration, Trial
from game.models.preregistration import canonical, digest_of
from game.trials.exports.decisions import GameDoesNotAgree
from game.trials.exports.preregistration import PREREGISTRATION
from game.trials.exports.rows import Standing
from game.trials.exports.tables import tables_of
from game.trials.rehearsal.readers import alike, read_table
from game.trials.rehearsal.stored import ROWS, finished_games, off_the_plan, totals

UNREADABLE = (OSError, ValueError, KeyError, BadZipFile, ParseError)
ROUNDING = 1e-6  # points that a sum of hundreds of values may be off
RELATIVE = 1e-9  # part of itself that a sum of millions may be
DESCRIPTION = "dataset_description.json"


def check_bundle(trial: Trial, folder: Path) -> list[str]:
    """Everything in which the files contradict the database or each other."""
    faults, summed = list(off_the_plan(trial)), totals(trial)
    standing = Standing(trial, timezone.now())
    for table in tables_of(trial):
        paths = [folder / f"{table.name}.{name}" for name in FORMATS]
        paths = [path for path in paths if path.exists()]
        faults += _faults_of_table(table, _expected(standing, table), paths)
        faults += _faults_of_sums(table, paths[:1], summed.get(table.name, {}))
    faults += _faults_of_ledgers(trial, folder)
    faults += _faults_of_statistics(trial, folder)
    faults += _faults_of_questions(trial, folder)
    faults += _faults_of_preregistration(trial, folder)
    return faults + _faults_of_description(trial, folder)


def _faults_of_table(table: AnyTable, expected: Iterator[Row], paths: Sequence[Path]) -> list[str]:
    """The first row that differs, in each file."""
    if not paths:
        return [f"there is no file of the table {table.name}"]
    readers = [_read(table, path) for path in paths]
    faults: dict[Path, str] = {}
    for number, (row, *others) in enumerate(zip_longest(expected, *readers), start=1):
        for path, other in zip(paths, others, strict=True):
            if row is None or other is None or not alike(row, other):
                faults.setdefault(path, f"{path.name}: row {number} is not as in the database")
    return list(faults.values())


def _expected(standing: Standing, table: AnyTable) -> Iterator[Row]:
    """Times are to the millisecond, as in the files; a game that does not agree ends them."""
    try:
        for row in standing.rows(table):
            yield tuple(map(_as_in_files, row))
    except GameDoesNotAgree:
        return


def _as_in_files(cell: Cell) -> Cell:
    return to_the_millisecond(cell) if isinstance(cell, datetime) else cell


def _faults_of_sums(
    table: AnyTable, paths: Sequence[Path], summed: Mapping[str, float | None]
) -> Iterator[str]:
    """In one file, for all of them have the same rows."""
    for path in paths:
        told = dict.fromkeys(summed, 0.0)
        for row in _read(table, path):
            cells = dict(zip(table.names, row, strict=True)) | {ROWS: 1}
            for name in told:
                cell = cells[name]
                told[name] += cell if isinstance(cell, int | float) else 0
        for name, stored in summed.items():
            if not isclose(told[name], stored or 0, rel_tol=RELATIVE, abs_tol=ROUNDING):
                yield f"{path.name}: {name} add up to {told[name]:g}, stored are {stored or 0:g}"


def _read(table: AnyTable, path: Path) -> Iterator[Row]:
    """A file that breaks off ends here, and so differs."""
    try:
        yield from read_table(table, path)
    except UNREADABLE:
        return


def _faults_of_ledgers(trial: Trial, folder: Path) -> list[str]:
    """Score = V(start) + luck - regret, and what a game lost is what its decisions lost."""
    told = _json(folder / DESCRIPTION).get("versions", {})
    others = told.get("other_rules", {})
    faults = []
    for game in finished_games(trial):
        start = others.get(game.ruleset, told).get("value_start")
        if start is None or game.regret is None or game.luck is None:
            continue
        lost = sum(one or 0.0 for one in game.decisions.values_list("regret", flat=True))
        ledger = start + game.luck - game.regret
        if abs(ledger - (game.final_score or 0)) > ROUNDING or abs(lost - game.regret) > ROUNDING:
            faults.append(f"game {game.pk}: luck and regret do not add up to its score")
    return faults


def _faults_of_statistics(trial: Trial, folder: Path) -> list[str]:
    scores = [game.final_score or 0 for game in finished_games(trial) if _as_the_trial_says(game)]
    told = _json(folder / "statistics.json")
    mean = (told.get("scores") or {}).get("mean", 0.0)
    if told.get("games") != len(scores) or abs(mean * len(scores) - sum(scores)) > ROUNDING:
        return ["statistics.json does not tell of these games"]
    return []


def _as_the_trial_says(game: Game) -> bool:
    """The results leave out arms with other rules or dice."""
    arm = game.arm
    if arm is None or game.participant is None:
        return True
    trial = game.participant.trial
    shared = arm.shared_dice in {None, trial.shared_dice}
    return shared and arm.ruleset in {"", trial.ruleset} and arm.dice in {"", trial.dice}


def _faults_of_questions(trial: Trial, folder: Path) -> list[str]:
    """The researcher's file lies there as it was asked, and the description knows it again."""
    latest = trial.question_files.order_by("version").last()
    told = _json(folder / DESCRIPTION).get("trial", {}).get("questions")
    if latest is None or not latest.text:
        return ["the description names questions, and nothing was asked"] if told else []
    try:
        lies_there = (folder / "questions.yaml").read_bytes()
    except OSError:
        return ["questions.yaml cannot be read"]
    facts = (latest.version, sha256(lies_there).hexdigest())
    known = told and (told["version"], told["sha256"]) == facts
    as_asked = lies_there.decode("utf-8", "replace").strip() == latest.text.strip()
    return [] if known and as_asked else ["questions.yaml is not what was asked"]


def _faults_of_preregistration(trial: Trial, folder: Path) -> list[str]:
    """What is in the file must be what was locked, to the last letter."""
    locked = Preregistration.objects.filter(trial=trial, locked_at__isnull=False).first()
    told = _json(folder / PREREGISTRATION)
    if locked is None:
        return [f"{PREREGISTRATION}: nothing was locked"] if told else []
    digest = digest_of(canonical(told.get("document", {})))
    if not digest == told.get("sha256") == locked.digest:
        return [f"{PREREGISTRATION} is not what was locked"]
    return []


def _faults_of_description(trial: Trial, folder: Path) -> list[str]:
    told = _json(folder / DESCRIPTION)
    named = {part["name"] for part in told.get("hasPart", ())}
    there = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    faults = [f"{name} is missing" for name in sorted(named - there)]
    faults += [f"{name} is not in the description" for name in sorted(there - named)]
    faults += [f"{name} is empty" for name in sorted(there) if not (folder / name).stat().st_size]
    if told.get("versions", {}).get("ruleset_hash") != trial.rules.hash:
        faults.append("the description names other rules")
    return faults


def _json(path: Path) -> dict[str, Any]:
    try:
        found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except UNREADABLE:
        return {}
    return found
