"""What is written to the log: when, how serious, what; no address of a person, no personal link."""

import logging
import re
from typing import Any

# Whoever has such a link can take part as that person, or look at that game.
LINKS = re.compile(r"(/(?:take-part|watch|review)/)[^/\s?\"'<>]{12,}")
FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"


class Discreet(logging.Formatter):
    """The end of a personal link is left out wherever it is mentioned, in a traceback too."""

    def format(self, record: logging.LogRecord) -> str:
        return LINKS.sub(r"\1…", super().format(record))


class RefusalsAreNoFaults(logging.Filter):
    """A request that is refused is one line; a traceback is for faults of ours."""

    def filter(self, record: logging.LogRecord) -> bool:
        status = getattr(record, "status_code", 500)
        if isinstance(status, int) and status < 500:
            record.exc_info, record.exc_text = None, None
        return True


def logging_settings(level: str) -> dict[str, Any]:
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"discreet": {"()": Discreet, "format": FORMAT}},
        "filters": {"refusals": {"()": RefusalsAreNoFaults}},
        "handlers": {
            "console": {
                "class": "logging.StreamHandler",
                "formatter": "discreet",
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
