"""The public folder in the format Psych-DS: tables in ``data/``, and their descriptions."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.utils.functional import cached_property

from game.trials.exports.decisions import DECISIONS
from game.trials.exports.description import (
    PREREGISTRATION,
    describe_data_set,
    find_locked_document,
    list_conditions,
)
from game.trials.exports.files import Export, as_json
from game.trials.exports.public.papers import (
    build_creator_facts,
    find_publication,
    format_citation,
    format_licence,
    render_readme,
)
from game.trials.exports.public.pseudonyms import Pseudonyms, assign_pseudonyms
from game.trials.exports.public.tables import PublicStanding
from game.trials.exports.rebuilding import OUTCOME, RULES, SCRIPT, export_rules, rebuild
from game.trials.files.export_table import CODEBOOK, AnyTable
from game.trials.files.writers import place_when_complete, write_table
from game.trials.models import Publication, Trial
from solver.dp.sweep import Progress

LEFT_OUT = frozenset({"changed_since", "unmasked"})  # keys of figures that the public files omit
PERSON = "participant"


def rename_people(facts: Any, names: Mapping[str, str]) -> Any:
    match facts:
        case str():
            return names.get(facts, facts)
        case dict():
            return {
                names.get(key, key): rename_people(value, names)
                for key, value in facts.items()
                if key not in LEFT_OUT
            }
        case list() | tuple():
            return _sort_people([rename_people(fact, names) for fact in facts], set(names.values()))
        case _:
            return facts


def _sort_people(rows: list[Any], people: set[str]) -> list[Any]:
    if rows and all(isinstance(row, dict) and row.get(PERSON) in people for row in rows):
        return sorted(rows, key=lambda row: str(row[PERSON]))
    if rows and all(isinstance(row, str) and row in people for row in rows):
        return sorted(rows)
    return rows


DESCRIPTION = "dataset_description.json"


class NotClosed(Exception):
    """The error for a trial that is open, or blinded, or that promised to publish only results."""

    def __init__(self) -> None:
        super().__init__(
            "public files need a trial that is closed and unblinded, and a consent text that does"
            " not promise to publish only the results"
        )


def may_publish(trial: Trial) -> bool:
    """Return False for an open trial: comparing two exports would reveal who joined in between."""
    promised = trial.facts.get("published") != "results"
    return promised and trial.state == "closed" and not trial.masked


@dataclass(frozen=True)
class PublicBundle:
    export: Export

    def write(self, folder: Path, progress: Progress | None = None) -> None:
        """Write all public files, or write no file if there is an error."""
        if not may_publish(self.export.trial):
            raise NotClosed
        with place_when_complete(folder) as unfinished:
            self._write_tables(unfinished, progress)
            for name, content in self._map_contents().items():
                (unfinished / name).parent.mkdir(exist_ok=True)
                (unfinished / name).write_bytes(content)
            self._describe(unfinished)
            rebuild(unfinished)
            self.export.check_withdrawals()

    @cached_property
    def who(self) -> Pseudonyms:
        return assign_pseudonyms(self.export.trial, self.export.at)

    @cached_property
    def standing(self) -> PublicStanding:
        return PublicStanding(self.export.trial, self.export.at, self.who)

    @property
    def publication(self) -> Publication:
        return find_publication(self.export.trial)

    def make_data_path(self, table: AnyTable) -> str:
        """Return a path with a name that Psych-DS allows: pairs of a keyword and a value."""
        study, part = (
            re.sub("[^a-z0-9]", "", name) for name in (self.export.trial.slug, table.name)
        )
        return f"data/study-{study}_description-{part}_data.csv"

    def _write_tables(self, folder: Path, progress: Progress | None) -> None:
        (folder / "data").mkdir()
        for table in self.standing.tables:
            rows = self.standing.rows(table, progress if table.name == DECISIONS.name else None)
            if table is CODEBOOK:
                write_table(table, rows, folder, ["csv"])
            else:
                (written,) = write_table(table, rows, folder, ["csv"])
                written.rename(folder / self.make_data_path(table))

    def _map_contents(self) -> dict[str, bytes]:
        trial, publication = self.export.trial, self.publication
        files = [
            (self.make_data_path(table), table)
            for table in self.standing.tables
            if table is not CODEBOOK
        ]
        contents = {
            "README.md": render_readme(publication, files).encode(),
            "LICENSE": format_licence(publication).encode(),
            "CITATION.cff": format_citation(publication).encode(),
            RULES: as_json(export_rules(trial)),
            **self.export.texts,
            "statistics.json": as_json(rename_people(self.export.figures(), self.who.by_label)),
        }
        if locked := find_locked_document(trial, self.export.at):
            contents[PREREGISTRATION] = as_json(locked)
        return contents

    def _describe(self, folder: Path) -> None:
        files = [str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()]
        facts = describe_data_set(self.standing, sorted([*files, DESCRIPTION, OUTCOME, SCRIPT]))
        facts |= build_creator_facts(self.publication) | {
            "trial": list_conditions(self.export.trial)
        }
        (folder / DESCRIPTION).write_bytes(as_json(facts))
