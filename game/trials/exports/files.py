"""The files of a trial's export: tables in every format, figures, a report, charts, texts."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache, partial
from itertools import combinations_with_replacement
from pathlib import Path
from typing import Any

from django.template.loader import render_to_string
from django.utils import timezone, translation
from django.utils.functional import cached_property

from game.trials.design.reading import list_rulesets
from game.trials.exports.decisions import DECISIONS
from game.trials.exports.description import (
    PREREGISTRATION,
    QUESTIONS,
    build_description,
    find_locked_document,
    list_versions,
    render_documents,
)
from game.trials.exports.tables import TABLES, WIDE, Standing, list_tables
from game.trials.files.export_table import (
    FORMATS,
    AnyTable,
    format_time,
    place_when_complete,
    write_table,
)
from game.trials.models import Agreement, Trial
from game.trials.questions.reading import encode_file, find_question_file
from game.trials.results.results import Results, calculate_results
from solver.dp.sweep import Progress
from solver.rules import Ruleset
from solver.rules.dice import FACES
from solver.study.html import STYLE

FOLDER = Path(__file__).parent / "scripts"
RULES, OUTCOME = "rules.json", "rebuild.txt"
SCRIPT = "rebuild.py"


def export_rules(trial: Trial) -> dict[str, Any]:
    """Return the rules of the trial's games as data, including each roll's points in each box."""
    return {rules.id: _convert_rules(rules) for rules in list_rulesets(trial)}


class DoesNotRebuild(Exception):
    """The error if the script cannot confirm a figure of the export."""


def rebuild(folder: Path) -> None:
    """Run the script in the folder; raise DoesNotRebuild unless it confirms every figure."""
    (folder / SCRIPT).write_bytes((FOLDER / SCRIPT).read_bytes())
    ran = subprocess.run(  # noqa: S603 - a script of this repository
        [sys.executable, str(FOLDER / SCRIPT), str(folder)],
        capture_output=True,
        text=True,
        check=False,
    )
    output = f"{ran.stdout}{ran.stderr}The script ended with {ran.returncode}.\n"
    if ran.returncode:
        raise DoesNotRebuild(f"the figures of the export do not match its own tables:\n{output}")
    (folder / OUTCOME).write_text(output, encoding="utf-8")


@cache
def _convert_rules(rules: Ruleset) -> dict[str, Any]:
    joker, rolls = rules.joker, combinations_with_replacement(range(1, FACES + 1), rules.dice)
    return {
        "boxes": [
            {"id": box.id, "face": box.face, "joker_points": box.joker_points}
            for box in rules.categories
        ],
        "bonus_threshold": rules.bonus_threshold,
        "bonus_points": rules.bonus_points,
        "throws": rules.throws,
        "stock": rules.stock,
        "joker": {"box": joker.box, "chip": joker.chip} if joker else None,
        "points": {
            " ".join(map(str, roll)): [box.score(roll) for box in rules.categories]
            for roll in rolls
        },
    }


CHARTS = "charts"
Content = Callable[[], bytes]


def map_table_files(tables: Iterable[AnyTable]) -> dict[str, tuple[AnyTable, str]]:
    """Map file names such as ``games.csv`` to (table, format)."""
    return {f"{table.name}.{name}": (table, name) for table in tables for name in FORMATS}


TABLE_FILES = map_table_files(TABLES)


class NoSuchFile(Exception):
    pass


class SomebodyWithdrew(Exception):
    """The error if a participant withdrew during the export. The export is then discarded."""

    def __init__(self) -> None:
        super().__init__("a participant withdrew, so nothing was exported: try again")


@dataclass(frozen=True)
class Export:
    """The export of a trial at one moment. Exports are always in English."""

    trial: Trial
    at: datetime

    def write(
        self,
        folder: Path,
        formats: Sequence[str] = tuple(FORMATS),
        progress: Progress | None = None,
    ) -> None:
        """Write all files, or write no file if there is an error."""
        contents = self._map_contents(formats)
        with place_when_complete(folder) as unfinished:
            for table in list_tables(self.trial):
                rows = self._standing.rows(table, progress if table is DECISIONS else None)
                write_table(table, rows, unfinished, formats)
            for name, content in contents.items():
                path = unfinished / name
                path.parent.mkdir(exist_ok=True)
                path.write_bytes(content())
            if OUTCOME in self._list_rebuilding_files(formats):
                rebuild(unfinished)
            self.check_withdrawals()
        # Remove files that an earlier export wrote and this export does not contain.
        others = [folder / name for name, (_, form) in TABLE_FILES.items() if form not in formats]
        others += [folder / f"{WIDE}.{form}" for form in FORMATS if form not in formats]
        others += [folder / name for name in (SCRIPT, RULES, OUTCOME) if "csv" not in formats]
        charts = (folder / CHARTS).glob("*.*")
        others += [path for path in charts if f"{CHARTS}/{path.name}" not in contents]
        for path in others:
            path.unlink(missing_ok=True)

    def write_one(self, name: str, folder: Path) -> Path:
        tables = map_table_files(list_tables(self.trial))
        if name in tables:
            table, form = tables[name]
            (path,) = write_table(table, self._standing.rows(table), folder, [form])
        else:
            contents = self._map_contents(tuple(FORMATS))
            if name not in contents:
                raise NoSuchFile(name)
            path = folder / Path(name).name
            path.write_bytes(contents[name]())
        self.check_withdrawals()
        return path

    @cached_property
    def _standing(self) -> Standing:
        return Standing(self.trial, self.at)

    def _map_contents(self, formats: Sequence[str]) -> dict[str, Content]:
        """Map the name of each file, except tables, to a function that makes its content. Leave
        out files with outcomes while the trial is blinded."""
        contents: dict[str, Content] = {}
        if not self.trial.masked:
            contents["statistics.json"] = lambda: as_json(
                {"made_at": format_time(self.at), **self.figures()}
            )
            contents["report.html"] = self._render_report
            with translation.override("en"):
                for drawing in self._results.drawings:
                    contents[f"{CHARTS}/{drawing.name}.svg"] = partial(drawing.alone.encode)
        texts = self.texts
        if locked := find_locked_document(self.trial, self.at):
            agreements = Agreement.objects.filter(participant__trial=self.trial)
            first = agreements.order_by("at").first()
            locked["first_consent_at"] = format_time(first.at) if first else None
            texts |= {PREREGISTRATION: as_json(locked), **render_documents(self.trial)}
        contents |= {name: partial(bytes, text) for name, text in texts.items()}
        if rebuilding := self._list_rebuilding_files(formats):
            contents[RULES] = lambda: as_json(export_rules(self.trial))
        tables = list_tables(self.trial)
        files = [f"{table.name}.{form}" for table in tables for form in formats]
        files += rebuilding
        contents["dataset_description.json"] = lambda: as_json(
            build_description(self._standing, [*files, *contents])
        )
        return contents

    @cached_property
    def _results(self) -> Results:
        with translation.override("en"):
            return calculate_results(self.trial, self.at, self._standing.analysed)

    def figures(self) -> dict[str, Any]:
        with translation.override("en"):
            return {"versions": list_versions(self.trial.rules), **self._results.facts()}

    def _render_report(self) -> bytes:
        context = {"trial": self.trial, "results": self._results, "at": self.at, "style": STYLE}
        context |= {"versions": list_versions(self.trial.rules), "report": True}
        context |= {"flow": self._results.flow}
        with translation.override("en"):
            return render_to_string("trials/report.html", context).encode()

    @property
    def texts(self) -> dict[str, bytes]:
        """The consent texts and the file of questions, by file name."""
        texts = {
            f"consent-{consent.version}.txt": f"{consent.text}\n".encode()
            for consent in self.trial.consents.order_by("version")
        }
        file = find_question_file(self.trial)
        return texts | ({QUESTIONS: encode_file(file)} if file else {})

    def _list_rebuilding_files(self, formats: Sequence[str]) -> list[str]:
        """Return the names of two files: the script that recalculates all figures, and the script's
        output. Return [] if the trial is blinded or no table is written as CSV."""
        return [SCRIPT, OUTCOME] if "csv" in formats and not self.trial.masked else []

    def check_withdrawals(self) -> None:
        if self.trial.participants.filter(withdrawn_at__gte=self.at).exists():
            raise SomebodyWithdrew


def export_now(trial: Trial) -> Export:
    return Export(trial, timezone.now())


def as_json(facts: Mapping[str, object]) -> bytes:
    return f"{json.dumps(facts, ensure_ascii=False, indent=1, allow_nan=False)}\n".encode()
