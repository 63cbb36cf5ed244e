"""The public export of a trial in the format Psych-DS, which does not reveal who took part.

Pseudonyms and relative times replace participants and dates. A shuffle that depends on the server's
key gives every participant a number. The number reveals neither the order in which people came nor
their places in the allocation list. The numbers stay the same until someone joins or leaves.

The public tables omit the keys of games, the seeds of dice, the versions of the consent text, the
places in the allocation list, dates, free texts and exact ages.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from operator import itemgetter
from pathlib import Path
from typing import Any

from django.template.loader import render_to_string
from django.utils.crypto import salted_hmac
from django.utils.functional import cached_property

from game.trials.exports.description import (
    build_creator_facts,
    describe_data_set,
    explain_data,
    find_locked_document,
    find_publication,
    format_citation,
    format_licence,
    list_conditions,
)
from game.trials.exports.files import (
    DESCRIPTION,
    OUTCOME,
    PREREGISTRATION,
    RULES,
    SCRIPT,
    STATISTICS,
    Content,
    Export,
    as_json,
)
from game.trials.exports.tables import WIDE, Cells
from game.trials.files.export_table import Column, ExportFailed, ExportTable
from game.trials.models import Trial, TrialEvent
from game.trials.questions.questionnaire import Item, NumberQuestion, may_be_free_text
from game.trials.reading import query_participants, query_trial_games

DAY = timedelta(days=1)
DAYS = (1, 2, 3, 7, 14, 30, 90, 180, 365)  # a later time is rounded down to one of these days
YEARS = 5  # the width of an age band, in years
BANDS = f"bands of {YEARS} years: 25-29"
NOT_RELEASED = "the answer is a free text that was not released"
SHUFFLED = "Participant's code in these files: S01, S02; a secret key sets the order."
SINCE = (
    " In seconds since the participant's first event; from one day on, rounded down to"
    f" {', '.join(map(str, DAYS))} days."
)
EVENTS = "One row per event: a participant left or came back, hid the page or showed it again."
HAPPENED = (
    TrialEvent.Kind.LEFT,
    TrialEvent.Kind.RETURNED,
    TrialEvent.Kind.HIDDEN,
    TrialEvent.Kind.SHOWN,
)


class NotClosed(ExportFailed):
    """The error for a trial that is open, or blinded, or that promised to publish only results."""


def may_publish(trial: Trial) -> bool:
    """Return False for an open trial: comparing two exports would reveal who joined in between."""
    promised = trial.facts.get("published") != "results"
    return promised and trial.state == "closed" and not trial.masked


def round_time(since: timedelta) -> int:
    """Return the seconds. After a day, round down to DAYS."""
    if since < DAY:
        return max(0, int(since.total_seconds()))
    return max(days for days in DAYS if days * DAY <= since) * 24 * 60 * 60


def _is_age(item: Item | None) -> bool:
    return item is not None and isinstance(item.question, NumberQuestion) and item.question.age


def _blur(item: Item | None, value: Any) -> Any:
    """Return the value of an answer: a band for an age, and None for a free text."""
    if may_be_free_text(item):
        return None
    if value is None or not _is_age(item):
        return value
    youngest = int(float(value) // YEARS) * YEARS
    return f"{youngest}-{youngest + YEARS - 1}"


class PublicBundle(Export):
    """The public files. Rows are sorted by pseudonym, so that their order reveals nothing."""

    formats = ("csv",)

    def write(self, folder: Path) -> None:
        if not may_publish(self.trial):
            raise NotClosed(
                "public files need a trial that is closed and unblinded, and a consent text that"
                " does not promise to publish only the results"
            )
        super().write(folder)

    @cached_property
    def people(self) -> Mapping[str, tuple[str, datetime]]:
        """The pseudonym and the first event of each participant, by label. The first event is the
        first consent. A secret key sets the order of the pseudonyms."""
        hashes: dict[Any, str] = {
            person: salted_hmac(
                "game.trials.exports.public",
                f"{self.trial.seed}:{person.number}",
                algorithm="sha256",
            ).hexdigest()
            for person in query_participants(self.trial, self.at)
        }
        width = max(2, len(str(len(hashes))))
        return {
            person.label: (f"S{place:0{width}}", person.player.created_at)
            for place, person in enumerate(sorted(hashes, key=hashes.__getitem__), start=1)
        }

    @property
    def tables(self) -> list[ExportTable]:
        return [
            replace(
                table,
                description=EVENTS if table.name == "events" else table.description,
                columns=[self._adapt(table.name, column) for column in columns],
            )
            for table in super().tables
            if (columns := [column for column in table.columns if column.public])
        ]

    def _adapt(self, table: str, column: Column) -> Column:
        item, empty = self.items.get(column.name) if table == WIDE else None, column.empty
        if column.name == "participant":
            return replace(column, text=SHUFFLED, empty="never")
        if column.kind == "time":
            return replace(column, kind="whole", unit="s", text=column.text + SINCE)
        if (table, column.name) == ("answers", "value"):
            values = f"for an age, {BANDS}"
            return replace(column, values=values, empty=f"{empty}; or {NOT_RELEASED}")
        if (table, column.name) == ("answers", "number"):
            return replace(column, empty=f"{empty}; or the answer is an age")
        if (table, column.name) == ("events", "event"):
            return replace(column, values="; ".join(HAPPENED))
        if _is_age(item):
            return replace(column, kind="text", values=BANDS)
        if item and may_be_free_text(item):
            return replace(column, empty=f"{empty}; or {NOT_RELEASED}")
        return column

    def yield_cells(self, name: str) -> Iterable[Cells]:
        rows = super().yield_cells(name)
        if name in ("arms", "codebook"):
            return rows
        if name == "events":
            rows = (row for row in rows if row["participant"] and row["event"] in HAPPENED)
        hidden = (self._hide(name, row) for row in rows)
        if name in ("games", "decisions"):  # there can be millions of decisions
            return hidden
        return sorted(hidden, key=itemgetter("participant"))

    def _hide(self, table: str, row: Cells) -> Cells:
        pseudonym, first = self.people[row["participant"]]
        hidden = {
            name: round_time(cell - first) if isinstance(cell, datetime) else cell
            for name, cell in row.items()
        }
        hidden["participant"] = pseudonym
        if table == WIDE:
            hidden |= {key: _blur(item, row[key]) for key, item in self.items.items()}
        if table == "answers":
            item = self.items.get(row["key"])
            hidden["value"] = _blur(item, row["value"])
            hidden["number"] = None if _is_age(item) else row["number"]
        return hidden

    def list_games(self) -> list[str]:
        games = query_trial_games(self.trial, self.at).select_related("participant")
        return [
            game.pk for game in sorted(games, key=lambda game: self.people[game.participant.label])
        ]

    def name_table(self, table: ExportTable) -> str:
        """Return a path with a name that Psych-DS allows: pairs of a keyword and a value."""
        study, part = (re.sub("[^a-z0-9]", "", name) for name in (self.trial.slug, table.name))
        codebook = table.name == "codebook"
        return table.name if codebook else f"data/study-{study}_description-{part}_data"

    def map_contents(self) -> dict[str, Content]:
        trial, publication = self.trial, find_publication(self.trial)
        paths = {f"{self.name_table(table)}.csv": table for table in self.tables}
        data = [(path, table) for path, table in paths.items() if table.name != "codebook"]
        about = {"trial": trial, "about": explain_data(trial), "tables": data, "of": publication}
        locked = find_locked_document(trial, self.at)
        contents: dict[str, Content] = {
            "README.md": lambda: render_to_string("trials/public_readme.txt", about).encode(),
            "LICENSE": lambda: format_licence(publication).encode(),
            "CITATION.cff": lambda: format_citation(publication).encode(),
            RULES: self.encode_rules,
            **{name: partial(bytes, text) for name, text in self.texts.items()},
            STATISTICS: lambda: as_json(self.figures()),
        }
        if locked:
            contents[PREREGISTRATION] = lambda: as_json(locked)
        files = sorted([*paths, *contents, SCRIPT, OUTCOME, DESCRIPTION])
        facts = describe_data_set(self, files) | build_creator_facts(publication)
        contents[DESCRIPTION] = lambda: as_json(facts | {"trial": list_conditions(trial)})
        return contents

    def figures(self) -> dict[str, Any]:
        """Return the figures under pseudonyms, without times."""
        figures = super().figures()
        del figures["unmasked"]
        games = figures["games"]
        names = {label: pseudonym for label, (pseudonym, _first) in self.people.items()}
        people = [row | {"participant": names[row["participant"]]} for row in games["people"]]
        games["people"] = sorted(people, key=itemgetter("participant"))
        if lock := figures["lock"]:
            del lock["changed_since"]
            for rule in lock["left_out"]:
                rule["people"] = sorted(names[label] for label in rule["people"])
        return figures
