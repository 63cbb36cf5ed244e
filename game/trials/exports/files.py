"""The files of a trial's export: tables in every format, figures, a report, charts, texts."""

import json
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

from django.template.loader import render_to_string
from django.utils import timezone, translation
from django.utils.functional import cached_property

from game.trials.exports.answers import WIDE
from game.trials.exports.decisions import DECISIONS
from game.trials.exports.description import (
    PREREGISTRATION,
    QUESTIONS,
    build_description,
    list_versions,
    make_preregistration_file,
)
from game.trials.exports.documents import render_documents
from game.trials.exports.rebuilding import OUTCOME, RULES, SCRIPT, export_rules, rebuild
from game.trials.exports.rows import Standing
from game.trials.exports.tables import TABLES, list_tables
from game.trials.files.export_queries import has_withdrawals, query_consents
from game.trials.files.export_table import AnyTable
from game.trials.files.writers import FORMATS, format_time, place_when_complete, write_table
from game.trials.models import Trial
from game.trials.questions.reading import encode_file, find_question_file
from game.trials.results.results import Results, calculate_results
from solver.dp.sweep import Progress
from solver.study.html import STYLE

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
        _remove_outdated_files(folder, formats, contents)

    def write_one(self, name: str, folder: Path) -> Path:
        tables = map_table_files(list_tables(self.trial))
        if name in tables:
            table, form = tables[name]
            (path,) = write_table(table, self._standing.rows(table), folder, [form])
        else:
            path = folder / Path(name).name
            path.write_bytes(self._find_content(name)())
        self.check_withdrawals()
        return path

    @cached_property
    def _standing(self) -> Standing:
        return Standing(self.trial, self.at)

    def _find_content(self, name: str) -> Content:
        try:
            return self._map_contents(tuple(FORMATS))[name]
        except KeyError:
            raise NoSuchFile(name) from None

    def _map_contents(self, formats: Sequence[str]) -> dict[str, Content]:
        contents: dict[str, Content] = {
            **dict(self._list_outcome_files()),
            **{name: partial(bytes, text) for name, text in self.texts.items()},
            **dict(self._yield_preregistration()),
        }
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

    def _encode_statistics(self) -> bytes:
        return as_json({"made_at": format_time(self.at), **self.figures()})

    def _render_report(self) -> bytes:
        context = {"trial": self.trial, "results": self._results, "at": self.at, "style": STYLE}
        context |= {"versions": list_versions(self.trial.rules), "report": True}
        context |= {"flow": self._results.flow}
        with translation.override("en"):
            return render_to_string("trials/report.html", context).encode()

    def _list_outcome_files(self) -> Iterator[tuple[str, Content]]:
        """Yield (name, content) of files with outcomes. Yield none while the trial is blinded."""
        if not self.trial.masked:
            yield "statistics.json", self._encode_statistics
            yield "report.html", self._render_report
            with translation.override("en"):
                for drawing in self._results.drawings:
                    yield f"{CHARTS}/{drawing.name}.svg", partial(drawing.alone.encode)

    @property
    def texts(self) -> dict[str, bytes]:
        """The consent texts and the file of questions, by file name."""
        texts = {
            f"consent-{consent.version}.txt": f"{consent.text}\n".encode()
            for consent in query_consents(self.trial)
        }
        file = find_question_file(self.trial)
        return texts | ({QUESTIONS: encode_file(file)} if file else {})

    def _yield_preregistration(self) -> Iterator[tuple[str, Content]]:
        document = make_preregistration_file(self.trial, self.at)
        if document is not None:
            yield PREREGISTRATION, lambda: as_json(document)
            for name, text in render_documents(self.trial).items():
                yield name, partial(bytes, text)

    def _list_rebuilding_files(self, formats: Sequence[str]) -> list[str]:
        """Return the names of two files: the script that recalculates all figures, and the script's
        output. Return [] if the trial is blinded or no table is written as CSV."""
        return [SCRIPT, OUTCOME] if "csv" in formats and not self.trial.masked else []

    def check_withdrawals(self) -> None:
        if has_withdrawals(self.trial, self.at):
            raise SomebodyWithdrew


def export_now(trial: Trial) -> Export:
    return Export(trial, timezone.now())


def _remove_outdated_files(folder: Path, formats: Sequence[str], contents: Container[str]) -> None:
    """Remove files that an earlier export wrote and this export does not contain."""
    others = [folder / name for name, (_, form) in TABLE_FILES.items() if form not in formats]
    others += [folder / f"{WIDE}.{form}" for form in FORMATS if form not in formats]
    others += [folder / name for name in (SCRIPT, RULES, OUTCOME) if "csv" not in formats]
    others += [
        path for path in (folder / CHARTS).glob("*.*") if f"{CHARTS}/{path.name}" not in contents
    ]
    for path in others:
        path.unlink(missing_ok=True)


def as_json(facts: Mapping[str, object]) -> bytes:
    return f"{json.dumps(facts, ensure_ascii=False, indent=1, allow_nan=False)}\n".encode()
