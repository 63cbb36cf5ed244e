"""Formats and handlers of the log. The log has times, levels and messages, but no person's address,
and no secret part of a personal link."""

import json
import logging
import queue
import re
import threading
from datetime import UTC, datetime
from typing import Any

from yatzy_site.requests import request_id

# Anyone with such a link could take part as that person, watch that game, or join that duel.
LINKS = re.compile(r"(/(?:take-part|watch|review|duels?|result)/)[^/\s?\"'<>]{12,}")
FORMAT = "%(asctime)s %(levelname)s %(name)s%(named)s: %(message)s"
JSON = "json"


class Discreet(logging.Formatter):
    """A formatter that removes the secret end of every personal link, even from tracebacks."""

    def format(self, record: logging.LogRecord) -> str:
        name = request_id.get()
        record.named = f" [{name}]" if name else ""
        return cut_secrets(super().format(record))


class OneObject(logging.Formatter):
    """A formatter that writes each line as a JSON object, for programs that read logs."""

    def format(self, record: logging.LogRecord) -> str:
        facts: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": cut_secrets(record.getMessage()),
        }
        if name := request_id.get():
            facts["request"] = name
        status = getattr(record, "status_code", None)
        if isinstance(status, int):
            facts["status"] = status
        if record.exc_info:
            facts["exception"] = cut_secrets(self.formatException(record.exc_info))
        return json.dumps(facts, ensure_ascii=False)


LINES = 10_000  # number of lines that may wait to be written; further lines are lost
LEAVE = 1.0  # seconds to write the waiting lines when the process ends


class WaitsForNobody(logging.StreamHandler[Any]):
    """A handler that lets a thread write its lines, so that a blocked log blocks no page. Lines
    beyond a limit are lost; a later line in the log has their number."""

    def __init__(self, stream: Any = None) -> None:
        super().__init__(stream)
        self.lines: queue.Queue[str] = queue.Queue(LINES)
        self.lost = 0
        self.writer: threading.Thread | None = None

    def emit(self, record: logging.LogRecord) -> None:
        """Format the line here: this thread knows the request's ID. Another thread writes it."""
        try:
            line = self.format(record) + self.terminator
            if self.lost:
                self.lines.put_nowait(f"{self.lost} log lines were lost: no program read the log\n")
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
            except (OSError, ValueError):  # the stream or its reader is gone
                self.lost += 1
            finally:
                self.lines.task_done()

    def flush(self) -> None:
        """Wait until all lines are written, at most LEAVE seconds."""
        with self.lines.all_tasks_done:
            self.lines.all_tasks_done.wait_for(lambda: not self.lines.unfinished_tasks, LEAVE)


def cut_secrets(text: str) -> str:
    return LINKS.sub(r"\1…", text)


TOLD = (503, 507)  # database down, or disk full: another line of the log has the reason


class RefusalsAreNoFaults(logging.Filter):
    """A filter that removes tracebacks of refused requests, which are no errors of the site."""

    def filter(self, record: logging.LogRecord) -> bool:
        status = getattr(record, "status_code", 500)
        if isinstance(status, int) and (status < 500 or status in TOLD):
            record.exc_info, record.exc_text = None, None
        return True


def make_log_settings(level: str, form: str = "") -> dict[str, Any]:
    """Return Django's LOGGING for a level; ``form`` is "json", or "" for plain text."""
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"discreet": {"()": Discreet, "format": FORMAT}, JSON: {"()": OneObject}},
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
            # uvicorn uses the site's format. Its access log is off, because it would contain
            # addresses.
            "uvicorn": {"handlers": ["console"], "propagate": False},
            "uvicorn.error": {"handlers": [], "propagate": True},
            "uvicorn.access": {"handlers": [], "propagate": False, "level": "WARNING"},
            "yatzy_site.asgi": {"level": "INFO"},  # writes the version into the log at each start
            "django": {"handlers": [], "propagate": True},
        },
    }
