"""The log: when, how serious, what; no address of a person, no personal link."""

import json
import logging
import queue
import re
import threading
from datetime import UTC, datetime
from typing import Any

from yatzy_site.requests import request_id

# Anyone who has such a link can take part as that person, look at that game, or sit down there.
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


LINES = 10_000  # that wait for a reader of the log
LEAVE = 1.0  # seconds in which they are written when the process ends


class WaitsForNobody(logging.StreamHandler[Any]):
    """A log that nobody reads blocks no page: a thread writes, and lines beyond a number are lost.

    The lost lines are counted, and the count is written once there is room again.
    """

    def __init__(self, stream: Any = None) -> None:
        super().__init__(stream)
        self.lines: queue.Queue[str] = queue.Queue(LINES)
        self.lost = 0
        self.writer: threading.Thread | None = None

    def emit(self, record: logging.LogRecord) -> None:
        """Format the line here, where the request has a name; the thread writes it."""
        try:
            line = self.format(record) + self.terminator
            if self.lost:
                self.lines.put_nowait(f"{self.lost} lines were lost: nobody read the log\n")
                self.lost = 0
            self.lines.put_nowait(line)
        except queue.Full:
            self.lost += 1
        except Exception:
            self.handleError(record)
        if self.writer is None or not self.writer.is_alive():
            self.writer = threading.Thread(target=self.write, name="log", daemon=True)
            self.writer.start()

    def write(self) -> None:
        while True:
            line = self.lines.get()
            try:
                self.stream.write(line)
                self.stream.flush()
            except (OSError, ValueError):  # the reader has gone, or the stream is closed
                self.lost += 1
            finally:
                self.lines.task_done()

    def flush(self) -> None:
        """Wait until all lines are written, but not for a reader that does not come."""
        with self.lines.all_tasks_done:
            self.lines.all_tasks_done.wait_for(lambda: not self.lines.unfinished_tasks, LEAVE)


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
                "()": WaitsForNobody,
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
            "yatzy_site.asgi": {"level": "INFO"},  # the version of each start
            "django": {"handlers": [], "propagate": True},
        },
    }
