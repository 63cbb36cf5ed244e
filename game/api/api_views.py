"""The API's views. ``make_endpoint`` wraps a function with the checks of every POST request."""

import logging
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any

import orjson
from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.http import HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.cache import cache_control, never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_safe

from game.api import api_limits, examples
from game.api.api_answers import answer_question, judge_record, list_rulesets
from game.api.api_limits import count_answer, count_positions, count_request, read_body
from game.api.api_refusals import (
    ApiRefusal,
    Forbidden,
    Gone,
    NotFound,
    NoValues,
    ServerFault,
    Unavailable,
    WrongMethod,
    WrongType,
)
from game.api.openapi import DOCUMENT
from game.api.parsing import parse_object, parse_question, parse_record
from game.core.access import check_not_blinded, check_not_own
from game.core.worth.tables import note_damaged_table
from game.models import Player
from game.pages.error_views import find_removed
from game.pages.requests.troubles import find_trouble
from game.pages.requests.visitors import PlayRequest
from solver.advice import find_position
from solver.tables import TableError

logger = logging.getLogger(__name__)
Facts = Mapping[str, Any]
Work = Callable[[PlayRequest, Facts, Player | None], dict[str, Any]]
View = Callable[..., HttpResponse]


def send_errors_as_json(view: View) -> View:
    """Answer every error of the view as JSON. No page calls it, so it needs no CSRF token."""

    @csrf_exempt
    @wraps(view)
    def guarded(request: PlayRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        try:
            return view(request, *args, **kwargs)
        except ApiRefusal as refusal:
            return refusal.make_response()
        except PermissionDenied as refusal:
            return Forbidden(str(refusal)).make_response()
        except TableError as refusal:
            note_damaged_table(refusal)
            return NoValues(str(refusal)).make_response()
        except Exception as error:
            if trouble := find_trouble(error):
                logger.warning("the database %s: %s", trouble.name, error)
                return Unavailable(trouble).make_response()
            logger.exception("the API failed at %s", request.path)
            return ServerFault("the server failed, and logged the error").make_response()

    return guarded


def make_endpoint(work: Work) -> View:
    """Make a view that answers POST requests with the result of ``work`` as JSON. The view limits
    the number of requests and refuses trial participants."""

    @never_cache
    @send_errors_as_json
    @wraps(work)
    def view(request: PlayRequest) -> HttpResponse:
        _check_method(request, "POST")
        player = request.visitor.player
        count_request(request, player)
        check_not_blinded(player)
        if request.content_type != "application/json":
            raise WrongType("send JSON, with the header Content-Type: application/json")
        answer = orjson.dumps(work(request, parse_object(read_body(request)), player))
        count_answer(request, player, len(answer))
        return HttpResponse(answer, content_type="application/json")

    return view


@make_endpoint
def advise(request: PlayRequest, facts: Facts, player: Player | None) -> dict[str, Any]:
    question = parse_question(facts)
    count_positions(request, player, len(question.positions))
    check_not_own(player, question.positions)
    return answer_question(question)


@make_endpoint
def ledger(request: PlayRequest, facts: Facts, player: Player | None) -> dict[str, Any]:
    rules, record = parse_record(facts)
    check_not_own(player, [find_position(state) for state, _action in record.moves])
    return judge_record(rules, record)


@cache_control(public=True, max_age=3600)
@send_errors_as_json
def rulesets(request: PlayRequest) -> HttpResponse:
    _check_method(request, "GET", "HEAD")
    return JsonResponse(list_rulesets())


@cache_control(public=True, max_age=3600)
@send_errors_as_json
def openapi(request: PlayRequest) -> HttpResponse:
    _check_method(request, "GET", "HEAD")
    return JsonResponse(DOCUMENT)


@send_errors_as_json
def nowhere(request: PlayRequest, rest: str) -> HttpResponse:
    if find_removed(request.path_info):
        raise Gone(f"the address {request.path} was removed; /api/ lists all addresses")
    raise NotFound(f"there is no address {request.path}; /api/ lists all addresses")


@never_cache
@require_safe
def index(request: PlayRequest) -> HttpResponse:
    context = {
        "examples": examples.list_examples(request.build_absolute_uri("/").rstrip("/")),
        "requests": settings.API_REQUESTS_A_MINUTE,
        "kilobytes": api_limits.BODY // 1000,
        "positions": api_limits.POSITIONS,
        "dear_positions": api_limits.DEAR_POSITIONS,
        "dear_kilobytes": api_limits.DEAR_BYTES // 1000,
    }
    return render(request, "api/index.html", context)


def _check_method(request: PlayRequest, *methods: str) -> None:
    if request.method not in methods:
        allowed = ", ".join(methods)
        raise WrongMethod(f"this address accepts only {allowed}", headers={"Allow": allowed})
