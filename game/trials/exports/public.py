"""The public export of a trial in the format Psych-DS, which does not reveal who took part.

Pseudonyms and relative times replace participants and dates. A shuffle that depends on the server's
key gives every participant a number. The number reveals neither the order in which people came nor
their places in the allocation list. The numbers stay the same until someone joins or leaves.

The public tables omit the keys of games, the seeds of dice, the versions of the consent text, the
places in the allocation list, dates, free texts and exact ages.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from django.utils.crypto import salted_hmac
from django.utils.functional import cached_property

from game.trials.exports.decisions import DECISIONS
from game.trials.exports.description import (
    PREREGISTRATION,
    build_creator_facts,
    describe_data_set,
    find_locked_document,
    find_publication,
    format_citation,
    format_licence,
    list_conditions,
    render_readme,
)
from game.trials.exports.files import OUTCOME, RULES, SCRIPT, Export, as_json, export_rules, rebuild
from game.trials.exports.tables import (
    ANSWERS,
    ARMS,
    EVENTS,
    GAMES,
    PARTICIPANTS,
    WIDE,
    AnswersAtOnce,
    ExportedAnswer,
    Standing,
    group_by_game,
    make_wide_table,
)
from game.trials.files.export_queries import list_game_keys, query_participants
from game.trials.files.export_table import (
    CODEBOOK,
    AnyTable,
    Column,
    place_when_complete,
    write_table,
)
from game.trials.models import Answer, Participant, Publication, Trial, TrialEvent, TrialGame
from game.trials.questions.questionnaire import (
    Item,
    NumberQuestion,
    may_be_free_text,
)
from game.trials.questions.reading import (
    load_questionnaire,
    map_question_items,
    yield_exported_answers,
)
from solver.dp.sweep import Progress

DAY = 24 * 60 * 60
DAYS = (1, 2, 3, 7, 14, 30, 90, 180, 365)  # a later time is rounded down to one of these days


@dataclass(frozen=True)
class Pseudonyms:
    """The replacements for participants' numbers and dates. Both maps use the participant's true
    number: ``places`` has the number that replaces it, ``first`` the time of the first event."""

    places: Mapping[int, int]
    first: Mapping[int, datetime]

    def format_pseudonym(self, number: int) -> str:
        width = max(2, len(str(len(self.places))))
        return f"S{self.places[number]:0{width}}"

    @property
    def by_label(self) -> dict[str, str]:
        return {
            Participant(number=number).label: self.format_pseudonym(number)
            for number in self.places
        }

    def since(self, number: int, at: datetime | None) -> int | None:
        """Return the seconds since the person's first event. After a day, round down to DAYS."""
        if at is None:
            return None
        seconds = max(0, int((at - self.first[number]).total_seconds()))
        if seconds < DAY:
            return seconds
        return max(days for days in DAYS if days * DAY <= seconds) * DAY


YEARS = 5  # the width of an age band, in years
NOT_RELEASED = "the answer is a free text that was not released"
BANDS = f"bands of {YEARS} years: 25-29"


def _yield_publishable(trial: Trial, at: datetime) -> Iterator[Answer]:
    """Yield copies (never saved) in which ages are bands, and free texts are removed."""
    items = map_question_items(trial)
    for answer in yield_exported_answers(trial, at):
        item = items.get(answer.key)
        if may_be_free_text(item):
            answer.value = ""
        elif _is_age(item) and answer.value:
            youngest = int(float(answer.value) // YEARS) * YEARS
            answer.value = f"{youngest}-{youngest + YEARS - 1}"
        yield answer


def _is_age(item: Item | None) -> bool:
    return item is not None and isinstance(item.question, NumberQuestion) and item.question.age


def _adapt_column(column: Column[AnswersAtOnce], item: Item | None) -> Column[AnswersAtOnce]:
    if item is not None and may_be_free_text(item):
        return replace(column, empty=f"{column.empty}; or {NOT_RELEASED}")
    if _is_age(item):
        name = column.name
        return replace(
            column, kind="text", values=BANDS, get=lambda row: row.values.get(name) or None
        )
    return column


HAPPENED = (
    TrialEvent.Kind.LEFT,
    TrialEvent.Kind.RETURNED,
    TrialEvent.Kind.HIDDEN,
    TrialEvent.Kind.SHOWN,
)
SHUFFLED = "Participant's code in these files: S01, S02; a secret key sets the order."
SINCE = (
    " In seconds since the participant's first event; from one day on, rounded down to"
    f" {', '.join(map(str, DAYS))} days."
)


@dataclass(frozen=True)
class PublicStanding(Standing):
    """The rows of the public tables, sorted by pseudonym, so that the order reveals nothing."""

    who: Pseudonyms

    @property
    def tables(self) -> tuple[AnyTable, ...]:
        answers = replace(ANSWERS, columns=tuple(map(_adapt_answer_column, ANSWERS.columns)))
        tables: list[AnyTable] = [PARTICIPANTS, ARMS, answers]
        if questionnaire := load_questionnaire(self.trial):
            wide = make_wide_table(questionnaire)
            columns = [
                _adapt_column(column, questionnaire.items.get(column.name))
                for column in wide.columns
            ]
            tables.append(replace(wide, columns=tuple(columns)))
        events = [
            replace(column, values="; ".join(HAPPENED)) if column.name == "event" else column
            for column in EVENTS.columns
        ]
        text = "One row per event: a participant left or came back, hid the page or showed it again"
        tables.append(replace(EVENTS, description=f"{text}.", columns=tuple(events)))
        tables += [GAMES, DECISIONS]
        public = (
            [_make_public_column(column, self.who) for column in table.columns if column.public]
            for table in tables
        )
        changed = (replace(t, columns=tuple(c)) for t, c in zip(tables, public, strict=True))
        return (*changed, CODEBOOK)

    def items(self, name: str, progress: Progress | None = None) -> Iterable[Any]:
        if name == ANSWERS.name:
            items = {
                key: None if _is_age(item) else item
                for key, item in map_question_items(self.trial).items()
            }
            return self._sort_by_pseudonym(
                ExportedAnswer(answer, items.get(answer.key))
                for answer in _yield_publishable(self.trial, self.at)
            )
        if name == WIDE:
            answers = group_by_game(_yield_publishable(self.trial, self.at))
            return self._sort_by_pseudonym(answers)
        rows = Standing.items(self, name, progress)
        if name == EVENTS.name:
            return self._sort_by_pseudonym(
                event for event in rows if event.participant and event.kind in HAPPENED
            )
        return self._sort_by_pseudonym(rows) if name == PARTICIPANTS.name else rows

    def games(self) -> list[str]:
        keys = list_game_keys(self.trial, self.at)
        whose = dict(TrialGame.objects.filter(participant__trial=self.trial).values_list(*WHOSE))
        return sorted(keys, key=lambda key: self.who.places[whose[key]])

    def _sort_by_pseudonym(self, items: Iterable[Any]) -> list[Any]:
        return sorted(items, key=lambda item: self.who.places[item.participant.number])


WHOSE = ("pk", "participant__number")


def _adapt_answer_column(column: Column[Any]) -> Column[Any]:
    empty = f"{column.empty}; or {NOT_RELEASED}"
    if column.name == "value":
        return replace(column, values=f"for an age, {BANDS}", empty=empty)
    if column.name == "number":
        return replace(column, empty=f"{column.empty}; or the answer is an age")
    return column


def _make_public_column(column: Column[Any], who: Pseudonyms) -> Column[Any]:
    if column.name == "participant":
        return replace(
            column,
            text=SHUFFLED,
            get=lambda row: who.format_pseudonym(row.participant.number),
            empty="never",
        )
    if column.kind == "time":
        get: Callable[[Any], Any] = column.get
        return replace(
            column,
            kind="whole",
            unit="s",
            text=column.text + SINCE,
            get=lambda row: who.since(row.participant.number, get(row)),
        )
    return column


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
            rows, people = [rename_people(fact, names) for fact in facts], set(names.values())
            if rows and all(isinstance(row, dict) and row.get(PERSON) in people for row in rows):
                rows.sort(key=lambda row: str(row[PERSON]))
            elif rows and all(isinstance(row, str) and row in people for row in rows):
                rows.sort()
            return rows
        case _:
            return facts


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
            (unfinished / "data").mkdir()
            for table in self.standing.tables:
                rows = self.standing.rows(table, progress if table.name == DECISIONS.name else None)
                (written,) = write_table(table, rows, unfinished, ["csv"])
                if table is not CODEBOOK:
                    written.rename(unfinished / self.make_data_path(table))
            for name, content in self._map_contents().items():
                (unfinished / name).parent.mkdir(exist_ok=True)
                (unfinished / name).write_bytes(content)
            paths = (path for path in unfinished.rglob("*") if path.is_file())
            files = [str(path.relative_to(unfinished)) for path in paths]
            facts = describe_data_set(self.standing, sorted([*files, DESCRIPTION, OUTCOME, SCRIPT]))
            facts |= build_creator_facts(self.publication)
            facts["trial"] = list_conditions(self.export.trial)
            (unfinished / DESCRIPTION).write_bytes(as_json(facts))
            rebuild(unfinished)
            self.export.check_withdrawals()

    @cached_property
    def who(self) -> Pseudonyms:
        """The pseudonyms. The first event of each participant is the first consent."""
        trial = self.export.trial
        since = query_participants(trial, self.export.at).values_list(
            "number", "player__created_at"
        )
        first = dict(since)
        hashes = {
            number: salted_hmac(
                "game.trials.exports.public", f"{trial.seed}:{number}", algorithm="sha256"
            ).hexdigest()
            for number in first
        }
        shuffled = sorted(first, key=hashes.__getitem__)
        return Pseudonyms({number: n for n, number in enumerate(shuffled, start=1)}, first)

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
