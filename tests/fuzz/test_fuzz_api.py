"""The API as its document describes it: what the document allows is answered, what it forbids is
refused, and every answer is what the document says."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from django.core.signals import request_finished, request_started
from django.core.wsgi import get_wsgi_application
from django.db import close_old_connections
from hypothesis import given
from hypothesis import strategies as st
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import positive_data_acceptance

from game.api.openapi import DOCUMENT
from solver.rules import PLAYED, YATZY
from tests.fuzz.hostile import sent_the_same

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("yatzy_tables", "kept_open")]
api = schemathesis.openapi.from_dict(DOCUMENT)
api.app = get_wsgi_application()
# Faults that depend on other parts of a position or game, which no schema can express.
UNSAID = re.compile(
    r"an upper total of \d+ cannot come from|bonus chips are only won once"
    r"|does not contain|lacks some of the held|is filled already|must not be scored in"
)
# How many rolls a turn may have depends on those that earlier turns saved.
SAVED = re.compile(rf"{UNSAID.pattern}|throws must be a list of 1 to \d+ rolls")
PLAIN = {"Accept-Encoding": "identity"}


@pytest.fixture
def kept_open(settings: Any) -> Iterator[None]:
    settings.API_REQUESTS_A_MINUTE = 1_000_000
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


@pytest.mark.sampled("mode")
@pytest.mark.parametrize("mode", list(GenerationMode), ids=lambda mode: mode.name.lower())
@pytest.mark.parametrize("path", ["/api/v1/advise", "/api/v1/ledger"])
@given(st.data())
@sent_the_same(50)
def test_the_api_is_what_its_document_says(
    path: str, mode: GenerationMode, data: st.DataObject
) -> None:
    case = data.draw(api[path]["POST"].as_strategy(generation_mode=mode))
    answer = case.call(headers=PLAIN)
    case.validate_response(
        answer, excluded_checks=[not_a_server_error, positive_data_acceptance], headers=PLAIN
    )
    told = answer.json()
    # Other rulesets have no tables; the server reports this after all other checks.
    assert answer.status_code < 500 or (
        answer.status_code == 503 and "no value table" in told["error"]
    )
    if answer.status_code == 422 and mode.is_positive:
        assert isinstance(case.body, dict)
        unsaid = SAVED if PLAYED[str(case.body.get("ruleset", YATZY.id))].stock else UNSAID
        assert all(unsaid.search(one["message"]) for one in told["problems"]), told
