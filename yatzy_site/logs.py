"""What is written to the log: when, how serious, what; no address of a person, no personal link."""

import json
import logging
import re
from datetime import UTC, datetime
from typing import Any

from yatzy_site.requests import request_id

# Whoever has such a link can take part as that person, look at that game, or sit down there.
LINKS = re.compile(r"(/(?:take-part|watch|review|duels?|result)/)[^/\s?\"'<>]{12,}")
FORMAT = "%(asctime)s %(levelname)s %(name)s%(named)s: %(message)s"
JSON = "json"


class Discreet(logging.Formatter):
    """The end of a personal link is left out wherever it is mentioned, in a traceback too."""

    def format(self, record: logging.LogRecord) -> str:
        name = request_id.get()
        record.named = f" [{name}]" if name else ""
        return discreet(super().format(record))


class OneObject(logging.Formatter):
    """The same as an object of JSON in a line, for programs that read logs."""

    def format(self, record: logging.LogRecord) -> str:
        facts: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": discreet(record.getMessage()),
        }
        if name := request_id.get():
            facts["request"] = name
        status = getattr(record, "status_code", None)
        if isinstance(status, int):
            facts["status"] = status
        if record.exc_info:
            facts["exception"] = discreet(self.formatException(record.exc_info))
        return json.dumps(facts, ensure_ascii=False)


def discreet(text: str) -> str:
    return LINKS.sub(r"\1…", text)


TOLD = (503, 507)  # the database is away or full: for every request, and why stands there once


class RefusalsAreNoFaults(logging.Filter):
    """A request that is refused is one line; a traceback is for faults of ours."""

    def filter(self, record: logging.LogRecord) -> bool:
        status = getattr(record, "status_code", 500)
        if isinstance(status, int) and (status < 500 or status in TOLD):
            record.exc_info, record.exc_text = None, None
        return True


def logging_settings(level: str, form: str = "") -> dict[str, Any]:
    """``form`` is json, or nothing for people."""
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {
            "discreet": {"()": Discreet, "format": FORMAT},
            JSON: {"()": OneObject},
        },
        "filters": {"refusals": {"()": RefusalsAreNoFaults}},
        "handlers": {
            "console": {
                "class": "logging.StreamHandler",
                "formatter": JSON if form == JSON else "discreet",
                "filters": ["refusals"],
            }
        },
        "root": {"handlers": ["console"], "level": level},
        "loggers": {
            # The server's own lines, as the others; those of every request would hold addresses.
            "uvicorn": {"handlers": ["console"], "propagate": False},
            "uvicorn.error": {"handlers": [], "propagate": True},
            "uvicorn.access": {"handlers": [], "propagate": False, "level": "WARNING"},
            "django": {"handlers": [], "propagate": True},
        },
    }
