"""The files of a trial's export: tables in every format, figures, a report, charts, texts."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from itertools import combinations_with_replacement
from pathlib import Path
from typing import Any

from django.template.loader import render_to_string
from django.utils import translation
from django.utils.functional import cached_property

from game.trials.design.reading import list_rulesets
from game.trials.exports.description import (
    QUESTIONS,
    build_description,
    find_locked_document,
    list_versions,
    render_documents,
)
from game.trials.exports.tables import Standing
from game.trials.files.export_table import (
    FORMATS,
    ExportFailed,
    ExportTable,
    format_time,
    place_when_complete,
    write_table,
)
from game.trials.models import Agreement
from game.trials.questions.reading import encode_file, find_question_file
from game.trials.results.results import Results, calculate_results
from solver.rules.dice import FACES
from solver.study.html import STYLE

SCRIPT, OUTCOME = "rebuild.py", "rebuild.txt"
SOURCE = Path(__file__).parent / "scripts" / SCRIPT
DESCRIPTION, PREREGISTRATION = "dataset_description.json", "preregistration.json"
RULES, STATISTICS = "rules.json", "statistics.json"
Content = Callable[[], bytes]


class DoesNotRebuild(ExportFailed):
    """The error if the script cannot confirm a figure of the export."""


def rebuild(folder: Path) -> None:
    """Run the script in the folder; raise DoesNotRebuild unless it confirms every figure."""
    (folder / SCRIPT).write_bytes(SOURCE.read_bytes())
    ran = subprocess.run(  # noqa: S603 - a script of this repository
        [sys.executable, str(SOURCE), str(folder)], capture_output=True, text=True, check=False
    )
    output = f"{ran.stdout}{ran.stderr}The script ended with {ran.returncode}.\n"
    if ran.returncode:
        raise DoesNotRebuild(f"the figures of the export do not match its own tables:\n{output}")
    (folder / OUTCOME).write_text(output, encoding="utf-8")


class NoSuchFile(Exception):
    pass


class SomebodyWithdrew(ExportFailed):
    """The error if a participant withdrew during the export. The export is then discarded."""


class Export(Standing):
    """The export of a trial at one moment. Exports are always in English."""

    formats: Iterable[str] = FORMATS

    def write(self, folder: Path) -> None:
        """Write all files, or write no file if there is an error."""
        with place_when_complete(folder) as unfinished, translation.override("en"):
            for table in self.tables:
                stem = unfinished / self.name_table(table)
                stem.parent.mkdir(exist_ok=True)
                write_table(table, self.rows(table), stem, self.formats)
            for name, content in self.map_contents().items():
                (unfinished / name).parent.mkdir(exist_ok=True)
                (unfinished / name).write_bytes(content())
            if not self.trial.masked:
                rebuild(unfinished)
            self.check_withdrawals()

    def write_one(self, name: str, folder: Path) -> Path:
        path, (stem, _dot, form) = folder / Path(name).name, name.rpartition(".")
        table = {table.name: table for table in self.tables}.get(stem)
        with translation.override("en"):
            if table and form in self.formats:
                write_table(table, self.rows(table), folder / stem, [form])
            elif content := self.map_contents().get(name):
                path.write_bytes(content())
            else:
                raise NoSuchFile(name)
        self.check_withdrawals()
        return path

    def name_table(self, table: ExportTable) -> str:
        """Return the path of the table's files, without the format."""
        return table.name

    def map_contents(self) -> dict[str, Content]:
        """Map the name of each file, except tables, to a function that makes its content. Leave
        out files with outcomes while the trial is blinded."""
        contents: dict[str, Content] = {}
        if not self.trial.masked:
            made_at = {"made_at": format_time(self.at)}
            contents[STATISTICS] = lambda: as_json(made_at | self.figures())
            context = {"trial": self.trial, "results": self._results, "at": self.at, "style": STYLE}
            context |= {"versions": list_versions(self.trial.rules), "report": True}
            context |= {"flow": self._results.flow}
            contents["report.html"] = lambda: render_to_string(
                "trials/report.html", context
            ).encode()
            for drawing in self._results.drawings:
                contents[f"charts/{drawing.name}.svg"] = drawing.alone.encode
        texts = self.texts
        if locked := find_locked_document(self.trial, self.at):
            agreements = Agreement.objects.filter(participant__trial=self.trial)
            first = agreements.order_by("at").first()
            locked["first_consent_at"] = format_time(first.at) if first else None
            texts |= {PREREGISTRATION: as_json(locked), **render_documents(self.trial)}
        contents |= {name: partial(bytes, text) for name, text in texts.items()}
        files = [f"{table.name}.{form}" for table in self.tables for form in self.formats]
        if not self.trial.masked:
            contents[RULES] = self.encode_rules
            files += [SCRIPT, OUTCOME]
        files += [*contents, DESCRIPTION]
        contents[DESCRIPTION] = lambda: as_json(build_description(self, files))
        return contents

    def encode_rules(self) -> bytes:
        """Return the rules as data, including each roll's points in each box."""
        facts = {}
        for rules in list_rulesets(self.trial):
            joker, boxes = rules.joker, rules.categories
            rolls = combinations_with_replacement(range(1, FACES + 1), rules.dice)
            facts[rules.id] = {
                "boxes": [
                    {"id": box.id, "face": box.face, "joker_points": box.joker_points}
                    for box in boxes
                ],
                "bonus_threshold": rules.bonus_threshold,
                "bonus_points": rules.bonus_points,
                "throws": rules.throws,
                "stock": rules.stock,
                "joker": {"box": joker.box, "chip": joker.chip} if joker else None,
                "points": {
                    " ".join(map(str, roll)): [box.score(roll) for box in boxes] for roll in rolls
                },
            }
        return as_json(facts)

    @cached_property
    def _results(self) -> Results:
        return calculate_results(self.trial, self.at, self.analysed)

    def figures(self) -> dict[str, Any]:
        return {"versions": list_versions(self.trial.rules), **self._results.facts()}

    @property
    def texts(self) -> dict[str, bytes]:
        """The consent texts and the file of questions, by file name."""
        texts = {
            f"consent-{consent.version}.txt": f"{consent.text}\n".encode()
            for consent in self.trial.consents.order_by("version")
        }
        file = find_question_file(self.trial)
        return texts | ({QUESTIONS: encode_file(file)} if file else {})

    def check_withdrawals(self) -> None:
        if self.trial.participants.filter(withdrawn_at__gte=self.at).exists():
            raise SomebodyWithdrew("a participant withdrew, so nothing was exported: try again")


def as_json(facts: Mapping[str, object]) -> bytes:
    return f"{json.dumps(facts, ensure_ascii=False, indent=1, allow_nan=False)}\n".encode()
