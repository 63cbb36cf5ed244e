"""What ``make faults`` looks at: it notices what is lost, and an answer that nobody can use."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import aiohttp
import pytest

from game.models import Player
from solver.rules import Action, Hold, Score
from tests.browser.managers import ROOT
from tests.faults import people
from tests.faults.catalogue import FAULTS
from tests.faults.kept import kept, read, written
from tests.faults.outcome import Outcome, markdown, table
from tests.faults.people import Seen, Stubborn, Told
from tests.faults.registry import Fault
from tests.faults.site import Site
from tests.game.conftest import BOXES, score_all, start_solo
from tests.load.person import Record
from tests.loops import in_a_loop

SWEDISH = 1  # the number of a person who reads it


@pytest.fixture
def finished(player: Player) -> tuple[str, list[Action]]:
    played = score_all(start_solo(player), player)
    return played.game.pk, [action for box in BOXES for action in (Hold(0), Score(box))]


def test_what_was_acknowledged_and_is_not_stored_is_lost(
    finished: tuple[str, list[Action]], tmp_path: Path
) -> None:
    game, actions = finished
    other: list[Action] = [*actions[:28], Hold(5)]
    for acknowledged, lost in ((actions, 0), ([*actions, Hold(3)], 1), (other, 1)):
        written({game: acknowledged, "nowhere": [Hold(0)]}, {}, tmp_path / "facts")
        found = kept(*read(tmp_path / "facts"))
        assert (found["stored"], found["lost"]) == (30, lost + 1)
        assert not any("replay" in text for text in found["wrong"])


def answer(status: int, kind: str, **headers: str) -> aiohttp.ClientResponse:
    url = SimpleNamespace(path="/games/x/hold")
    facts = SimpleNamespace(status=status, content_type=kind, headers=headers, url=url)
    return cast(aiohttp.ClientResponse, facts)


LATER = {"Retry-After": "5"}
PAGE = '<html lang="{}"><p class="lead">{}</p>'


@pytest.mark.parametrize(
    ("response", "text", "wrong"),
    [
        (answer(503, "text/html", **LATER), PAGE.format("sv", "Försök igen."), ""),
        (answer(507, "text/plain", **LATER, **{"Content-Language": "sv"}), "Försök igen.", ""),
        (answer(503, "application/json", **LATER), '{"error": "please try again"}', ""),
        (answer(503, "application/json", **LATER), "{}", "nothing is said"),
        (answer(503, "text/html", **LATER), PAGE.format("en", "Försök igen."), "no page of this"),
        (answer(503, "text/html", **LATER), PAGE.format("sv", "Please try again."), "English"),
        (answer(503, "text/plain", **LATER), "Too much is asked.", "plain"),
        (answer(503, "text/html"), PAGE.format("sv", "Försök igen."), "when to try again"),
        (answer(500, "text/html", **LATER), PAGE.format("sv", "Vårt fel."), "when to try again"),
        (answer(503, "text/html", **LATER), "<h1>Bad gateway</h1>", "nothing is said"),
    ],
)
def test_an_answer_that_a_person_cannot_use_is_noticed(
    response: aiohttp.ClientResponse, text: str, wrong: str
) -> None:
    person = Stubborn("", SWEDISH, Record(), 0, 0, lambda: True)
    told = person._told(response, text)
    assert (wrong in told.wrong) if wrong else not told.wrong


def test_what_was_seen_is_told_in_a_line() -> None:
    seen = Seen()
    assert str(seen) == "nothing"
    seen.note(Told(503, "in place", ""))
    seen.refused = 2
    seen.closed(1012)
    seen.closed(None)
    assert not seen.wrong
    seen.closed(1000)
    assert len(seen.wrong) == 1
    assert str(seen) == (
        "1 x 503 in place; 2 x no answer; 1 sockets closed (1000); 1 sockets closed (1006);"
        " 1 sockets closed (1012)"
    )


def test_a_traceback_in_the_log_of_a_server_is_wrong_and_a_line_is_not(tmp_path: Path) -> None:
    site = Site(tmp_path)
    line = "2026-01-01 00:00:00,000 WARNING game.views.sockets.away: a socket is closed: away\n"
    site.log.write_text(line)
    assert site.tracebacks() == []
    raised = "Traceback (most recent call last):\n  somewhere\nValueError: a fault of ours\n"
    site.log.write_text(f"{line}{line[:23]} ERROR x: that\n{raised}{line}")
    assert site.tracebacks() == ["a traceback in the log: ValueError: a fault of ours"]


def test_a_table_says_what_was_lost_what_was_wrong_and_what_was_not_tried() -> None:
    good = Outcome("one", "nothing", "little", 1234, 1234, 0, "by itself", 1.25)
    bad = Outcome("two", lost=3, wrong=["a 500"])
    left_out = Outcome("three", not_tried="Redis is not installed")
    assert [one.good for one in (good, bad, left_out)] == [True, False, True]
    shown = table([good, bad, left_out])
    assert "1,234" in shown
    assert "not tried: Redis is not installed" in shown
    assert shown.endswith("WRONG two: a 500")
    assert "| one | nothing | little | 1,234 | 1,234 | 0 | by itself | 1.2 |" in markdown([good])


def test_a_fault_that_cannot_be_tried_is_not_done_and_one_that_breaks_is_wrong() -> None:
    async def broken(folder: Path) -> Outcome:
        raise ConnectionError(f"nobody at {folder.name[:6]}")

    assert Fault("x", broken, lambda: "no disk").outcome().not_tried == "no disk"
    found = Fault("x", broken, lambda: "").outcome()
    assert (found.fault, found.wrong) == ("x", ["ConnectionError: nobody at yatzy-"])
    assert not found.good


def test_every_fault_stands_in_the_account_of_reliability() -> None:
    account = (ROOT / "docs" / "reliability.md").read_text()
    assert [fault.name for fault in FAULTS if f"| {fault.name} |" not in account] == []


def test_a_person_asks_again_until_there_is_an_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(people, "AGAIN", 0.0)
    answers: list[Any] = [
        Told(503, "in place", ""),
        aiohttp.ServerDisconnectedError(),
        TimeoutError(),
        "the board",
    ]

    async def ask() -> str:
        found = answers.pop(0)
        if isinstance(found, Exception):
            raise found
        return str(found)

    person = Stubborn("", SWEDISH, Record(), 0, 0, lambda: True)
    assert in_a_loop(person._answered(ask)) == "the board"
    assert (person.done, person.seen.broken_off, person.seen.told.total()) == (1, 2, 1)
