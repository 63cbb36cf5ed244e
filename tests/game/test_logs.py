"""What a log says, and what it keeps to itself."""

import io
import logging
import logging.config
import re
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from django.core.exceptions import PermissionDenied
from django.utils import timezone

from game import services
from game.trials.links import path_of
from tests.game.conftest import Browser
from tests.game.trials import new_trial
from yatzy_site.logs import logging_settings


@pytest.fixture
def log() -> Iterator[io.StringIO]:
    """As the settings have it, written where a test can read it."""
    text = io.StringIO()
    facts = logging_settings("WARNING")
    facts["handlers"]["console"]["stream"] = text
    logging.config.dictConfig(facts)
    yield text
    logging.config.dictConfig(logging_settings("WARNING"))


def lines(log: io.StringIO) -> list[str]:
    return log.getvalue().splitlines()


def test_a_line_says_when_it_was_written_and_how_serious_it_is(log: io.StringIO) -> None:
    logging.getLogger("game").warning("the table is away")
    (line,) = lines(log)
    assert re.fullmatch(
        r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3} WARNING game: the table is away", line
    )


@pytest.mark.django_db
def test_a_page_that_is_refused_is_one_line(log: io.StringIO) -> None:
    mine, stranger = Browser(), Browser()
    game = mine.start()
    assert stranger.get(f"/games/{game.pk}/").status_code == 403
    (line,) = lines(log)
    assert "Forbidden" in line


def test_a_fault_of_ours_has_its_traceback(log: io.StringIO) -> None:
    try:
        raise ZeroDivisionError
    except ZeroDivisionError:
        logging.getLogger("django.request").error("x", exc_info=True, extra={"status_code": 500})
    assert "Traceback" in log.getvalue()


@pytest.mark.django_db
def test_a_personal_link_is_not_written_whole(log: io.StringIO, browser: Browser) -> None:
    trial = new_trial()
    link = path_of(trial.participants.get(number=1))
    services.trial_close(trial=trial)
    trial.participants.update(withdrawn_at=timezone.now())
    assert browser.get(link).status_code == 403
    assert "/take-part/…" in log.getvalue()
    assert link.split("/")[2] not in log.getvalue()


def test_a_link_in_a_traceback_is_cut_short_too(log: io.StringIO) -> None:
    try:
        raise PermissionDenied("/watch/abcdefghijklmnop/ is closed")
    except PermissionDenied:
        logging.getLogger("game").exception("refused: %s", "/review/abcdefghijklmnop/")
    assert "abcdefgh" not in log.getvalue()
    assert "/watch/…/ is closed" in log.getvalue()


def test_the_servers_lines_are_alike_and_no_request_leaves_an_address(log: io.StringIO) -> None:
    logging.getLogger("uvicorn.access").info("127.0.0.1 - GET /")
    logging.getLogger("uvicorn.error").error("the port is taken")
    (line,) = lines(log)
    assert "ERROR uvicorn.error: the port is taken" in line


@pytest.mark.django_db
@pytest.mark.parametrize("kind", ["application/x-www-form-urlencoded", "multipart/form-data"])
def test_a_form_in_another_encoding_is_refused(
    log: io.StringIO, browser: Browser, kind: str
) -> None:
    sent: Any = "mode=solo"  # which the client encodes
    answer = browser.post("/games/", sent, content_type=f"{kind}; charset=utf-16; boundary=x")
    assert answer.status_code == 415
    assert "Traceback" not in log.getvalue()
    assert sys.getsizeof(log.getvalue()) < 1000
