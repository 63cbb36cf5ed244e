"""What happened beside the games, as a table: the trial's own log and everybody's timeline."""

import json
from dataclasses import replace

from game.exports.tables import Column, ExportTable
from game.models import TrialEvent
from game.trials.exports.columns import PARTICIPANT

EVENTS: ExportTable[TrialEvent] = ExportTable(
    "events",
    "A row an event, in the order of time: the trial was opened or changed; a participant left or"
    " came back, hid the page or showed it again, or went on in another browser.",
    (
        replace(PARTICIPANT, empty="it concerns the whole trial"),
        Column(
            "event",
            "text",
            "What happened.",
            lambda row: row.kind,
            values="of the trial: opened; closed; reopened; settings; preregistered; unmasked;"
            " looked; role_given; role_taken; superuser. Of a participant: entered; left;"
            " returned; device; arrived; shared; code_refused; taken_back; hidden; shown; reviewed;"
            " link_revoked; link_issued",
        ),
        Column("at", "time", "When, by the server's clock.", lambda row: row.at),
        Column(
            "detail",
            "text",
            "More about it, as JSON. Of a browser: by which way it was entered (link, code, signed,"
            " label) and of what kind it is; of other labels: their names.",
            lambda row: _as_json(row.detail),
            empty="there is nothing more to tell",
        ),
    ),
)


def _as_json(detail: object) -> str | None:
    return json.dumps(detail, ensure_ascii=False, sort_keys=True) if detail else None
