"""What the gate treats in a way of its own, by its address below what the site lies under."""

import re
from collections.abc import Mapping
from typing import Any

from yatzy_site.bodies import BODY, USUAL

Scope = Mapping[str, Any]

# Answered while every place is taken: of these pages nothing is in the database but who reads them.
BESIDE = re.compile(
    r"/(static/.*|healthz|livez|readyz|rules/.*|fair/|account/login/|offline/"
    r"|service-worker\.js|manifest\.webmanifest)"
)
# Dice by the million; trials as they are designed, with their questions and texts, and what people
# answer; positions by the thousand; what stands of a trial in the administration.
TAKE_LONG_BODIES = re.compile(
    r"/(dice-test/|trials/new/|trials/[^/]+/(settings|questions|texts|preregistration|links)/"
    r"|take-part/(answers|asked)|api/v1/(advise|ledger)|admin/.+/(add|change)/)"
)


def is_beside(scope: Scope) -> bool:
    return scope.get("method") in {"GET", "HEAD"} and bool(BESIDE.fullmatch(_address(scope)))


def is_of_a_program(scope: Scope) -> bool:
    """What is worked out for many positions takes as long as fifty moves."""
    return scope.get("method") == "POST" and _address(scope).startswith("/api/")


def longest_body(scope: Scope) -> int:
    return BODY if TAKE_LONG_BODIES.fullmatch(_address(scope)) else USUAL


def _address(scope: Scope) -> str:
    return str(scope["path"]).removeprefix(scope.get("root_path", ""))
