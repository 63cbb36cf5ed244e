"""The API's error answers as JSON: a sentence, the HTTP status, and the wrong fields."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus

from django.http import JsonResponse

from game.pages.requests.troubles import Trouble
from solver.advice.wire import BadInput

LONGEST = 300  # characters of an error message, which may quote the request


@dataclass(frozen=True, slots=True)
class Problem:
    """An error in a field of a request; ``field`` is its path, such as ``positions[3].dice``."""

    field: str
    message: str

    @classmethod
    def from_refusal(cls, refusal: BadInput, path: str = "") -> "Problem":
        return cls(".".join(filter(None, (path, refusal.field))), shorten(str(refusal)))

    def __str__(self) -> str:
        return f"{self.field}: {self.message}" if self.field else self.message


class ApiRefusal(Exception):
    status = HTTPStatus.BAD_REQUEST

    def __init__(
        self,
        message: str,
        problems: Sequence[Problem] = (),
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.problems = problems
        self.headers = headers

    def make_response(self) -> JsonResponse:
        facts = {
            "error": shorten(str(self)),
            "status": self.status,
            "problems": [{"field": p.field, "message": p.message} for p in self.problems],
        }
        return JsonResponse(facts, status=self.status, headers=self.headers)


class NotJson(ApiRefusal):
    pass


class Forbidden(ApiRefusal):
    status = HTTPStatus.FORBIDDEN


class NotFound(ApiRefusal):
    status = HTTPStatus.NOT_FOUND


class Gone(ApiRefusal):
    status = HTTPStatus.GONE


class WrongMethod(ApiRefusal):
    status = HTTPStatus.METHOD_NOT_ALLOWED


class TooLarge(ApiRefusal):
    status = HTTPStatus.REQUEST_ENTITY_TOO_LARGE


class WrongType(ApiRefusal):
    status = HTTPStatus.UNSUPPORTED_MEDIA_TYPE


class Invalid(ApiRefusal):
    status = HTTPStatus.UNPROCESSABLE_ENTITY

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__(str(problems[0]), problems)


class TooMany(ApiRefusal):
    status = HTTPStatus.TOO_MANY_REQUESTS


class ServerFault(ApiRefusal):
    status = HTTPStatus.INTERNAL_SERVER_ERROR


class NoValues(ApiRefusal):
    status = HTTPStatus.SERVICE_UNAVAILABLE

    def __init__(self, message: str) -> None:
        super().__init__(message, headers={"Retry-After": "60"})


class Unavailable(ApiRefusal):
    def __init__(self, trouble: Trouble) -> None:
        super().__init__(str(trouble.text), headers={"Retry-After": str(trouble.retry_after)})
        self.status = trouble.status


def shorten(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"
