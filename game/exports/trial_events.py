"""What happened beside the games, as a table: the trial's own log and everybody's timeline."""

import json
from collections.abc import Iterator
from datetime import datetime

from game.exports.tables import Column, ExportTable, Row
from game.exports.trial_columns import PARTICIPANT
from game.models import Trial
from game.selectors.export import exported_events

EVENTS = ExportTable(
    "events",
    "A row an event, in the order of time: the trial was opened or changed; a participant left or"
    " came back, hid the page or showed it again, or went on in another browser.",
    (
        Column(
            PARTICIPANT.name, "text", PARTICIPANT.description, empty="it concerns the whole trial"
        ),
        Column(
            "event",
            "text",
            "What happened.",
            values="of the trial: opened; closed; reopened; settings; preregistered. Of a"
            " participant: left; returned; device; hidden; shown; reviewed; link_revoked;"
            " link_issued",
        ),
        Column("at", "time", "When, by the server's clock."),
        Column("detail", "text", "More about it, as JSON.", empty="there is nothing more to tell"),
    ),
)


def event_rows(trial: Trial, until: datetime) -> Iterator[Row]:
    for one in exported_events(trial, until):
        label = one.participant.label if one.participant else None
        yield label, one.kind, one.at, told(one.detail)


def told(detail: object) -> str | None:
    return json.dumps(detail, ensure_ascii=False, sort_keys=True) if detail else None
