"""What a stranger sends is read in steps that grow with its length and no faster.

Steps are the executed lines of Python, so no processor and no load changes them. ``pytest -s``
prints the table.
"""

import json
import sys
from collections.abc import Callable
from contextlib import suppress
from itertools import pairwise
from types import FrameType
from typing import Any

import pytest

from game.api.api_refusals import Invalid, NotJson
from game.api.parsing import parse_object, parse_question
from game.core.nicknames import clean_nickname
from game.core.recovery import normalise_code
from game.core.refusals import Refused
from game.offline.offline_views import replay
from game.pages.requests.forms import HeldForm, ThrowForm
from game.trials.design.arm_text import read_arms
from game.trials.joining.arriving import PLACEHOLDER, read_address
from game.trials.models import Recruitment
from game.trials.models.recruitment import LONGEST_LABEL, normalise_label
from game.trials.questions.parsing import parse_questionnaire
from solver.rules import YATZY
from solver.statistics.faces import BadFaces, parse_faces

SHORT = 400  # units of what is repeated
GROWTH, CONSTANT = 2.1, 200  # what doubling may do, and what is done once
TURN = {"thrown": [[1, 2, 3, 4, 6]], "held": [], "box": "ones"}
POSITION = {"filled": [], "upper": 0, "dice": [1, 2, 3, 4, 5], "rolls_left": 2}

PARSERS: dict[str, Callable[[int], object]] = {
    "API body, not JSON": lambda n: parse_object(b"[" * n),
    "API positions": lambda n: parse_question({"positions": [POSITION] * n}),
    "API positions, all wrong": lambda n: parse_question({"positions": [{"dice": 1}] * n}),
    "API dice": lambda n: parse_question({**POSITION, "dice": [1] * n}),
    "API filled boxes": lambda n: parse_question({**POSITION, "filled": ["ones"] * n}),
    "offline game": lambda n: replay(YATZY, json.loads(json.dumps([TURN] * n))),
    "offline game, one long turn": lambda n: replay(YATZY, [{**TURN, "held": [[]] * n}]),
    "dice of a file": lambda n: parse_faces("1 2 3 4 5\n" * n),
    "dice of a file, hyphens": lambda n: parse_faces("-" * n),
    "dice of a file, words": lambda n: parse_faces("a b\n" * n),
    "dice typed": lambda n: ThrowForm({"seq": 0, "entries": 0, "faces": "1," * n}).is_valid(),
    "dice held": lambda n: HeldForm({"held": "0," * n}).is_valid(),
    "nickname": lambda n: clean_nickname("a " * n),
    "recovery code": lambda n: normalise_code("a-" * n),
    "label of an open link": lambda n: normalise_label("{" * n),
    "arms, by staff": lambda n: read_arms("hint+" * n),
    "arms, by staff, many": lambda n: read_arms("a\n" * n),
    "questions, by staff": lambda n: parse_questionnaire(f"# {n}\n" + "a: b\n" * n),
    "address of an open link": lambda n: read_address(Recruitment(labels="id"), {"id": "{" * n}),
}


def steps(work: Callable[[int], object], size: int) -> int:
    """Return how many lines run, whatever comes of them."""
    count = 0

    def trace(frame: FrameType, event: str, told: Any) -> Any:
        nonlocal count
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        with suppress(BadFaces, Invalid, LookupError, NotJson, Refused, TypeError, ValueError):
            work(size)
    finally:
        sys.settrace(before)
    return count


@pytest.mark.parametrize("name", PARSERS)
def test_doubling_what_is_sent_at_most_doubles_the_steps(name: str) -> None:
    work = PARSERS[name]
    with suppress(Exception):
        work(1)  # what is made once is made
    counted = [steps(work, SHORT * times) for times in (1, 2, 4)]
    print(f"{name:<32}", *(f"{count:>9,}" for count in counted))  # noqa: T201 - the table
    for less, more in pairwise(counted):
        assert more <= GROWTH * less + CONSTANT, counted


def test_a_parser_that_looks_back_at_all_it_has_read_is_found() -> None:
    def slow(size: int) -> None:
        for end in range(size):
            for _place in range(end):
                pass

    assert steps(slow, 200) > 3.5 * steps(slow, 100)


def test_a_pattern_that_looks_twice_is_given_a_bounded_text() -> None:
    """``{.*}`` tries every ``{``: so a label is cut before."""
    found = read_address(Recruitment(labels="id"), {"id": "{" * 1_000_000})
    assert len(found.person) == LONGEST_LABEL
    assert PLACEHOLDER.search("{id}")
