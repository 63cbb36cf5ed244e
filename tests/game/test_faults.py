"""What ``make faults`` looks at: it notices what is lost, and an answer that nobody can use."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import aiohttp
import pytest

from tests import faults
from tests.browser.managers import ROOT
from tests.load import stubborn
from tests.load.person import Record
from tests.load.stubborn import Seen, Stubborn, examine
from tests.loops import in_a_loop

LATER = {"Retry-After": "5"}
PAGE = '<html lang="{}"><p class="lead">{}</p>'


def answer(status: int, kind: str, path: str = "/games/x/hold", **headers: str) -> Any:
    url = SimpleNamespace(path=path)
    facts = SimpleNamespace(status=status, content_type=kind, headers=headers, url=url)
    return cast(aiohttp.ClientResponse, facts)


def api(status: int, kind: str) -> Any:
    return answer(status, kind, "/api/v1/advise", **LATER)


@pytest.mark.parametrize(
    ("response", "text", "wrong"),
    [
        (answer(503, "text/html", **LATER), PAGE.format("sv", "Försök igen."), ""),
        (answer(507, "text/plain", **LATER, **{"Content-Language": "sv"}), "Försök igen.", ""),
        (api(503, "application/json"), '{"error": "please try again"}', ""),
        (api(503, "application/json"), "{}", "nothing is said"),
        (api(503, "text/html"), PAGE.format("sv", "Försök igen."), "answered as a page"),
        (answer(503, "application/json", **LATER), '{"error": "later"}', "answered in JSON"),
        (answer(503, "text/html", **LATER), PAGE.format("en", "Försök igen."), "no page of this"),
        (answer(503, "text/html", **LATER), PAGE.format("sv", "Please try again."), "English"),
        (answer(503, "text/plain", **LATER), "Too much is asked.", "plain"),
        (answer(503, "text/html"), PAGE.format("sv", "Försök igen."), "when to try again"),
        (answer(500, "text/html", **LATER), PAGE.format("sv", "Vårt fel."), "when to try again"),
        (answer(503, "text/html", **LATER), "<h1>Bad gateway</h1>", "nothing is said"),
    ],
)
def test_an_answer_that_a_person_cannot_use_is_noticed(
    response: Any, text: str, wrong: str
) -> None:
    found = examine(response, text, "sv")[1]
    assert (wrong in found) if wrong else not found


def test_what_was_seen_is_told_in_a_line() -> None:
    seen = Seen()
    assert str(seen) == "nothing"
    seen.told["503 in place"], seen.unanswered = 1, 2
    for code in (1012, 1006):
        seen.close(code)
    assert not seen.wrong
    seen.close(1000)
    assert len(seen.wrong) == 1
    assert str(seen) == (
        "1 x 503 in place; 2 x no answer; 1 sockets closed (1000); 1 sockets closed (1006);"
        " 1 sockets closed (1012)"
    )


def test_a_traceback_in_the_log_of_a_server_is_wrong_and_a_line_is_not() -> None:
    line = "2026-01-01 00:00:00,000 WARNING game.pages.sockets.common: a socket is closed: away\n"
    assert faults.tracebacks(line) == []
    raised = "Traceback (most recent call last):\n  somewhere\nValueError: a fault of ours\n"
    found = faults.tracebacks(f"{line}{line[:23]} ERROR x: that\n{raised}{line}")
    assert found == ["a traceback in the log: ValueError: a fault of ours"]


class Client:
    def __init__(self, *answers: Any) -> None:
        self.answers = list(answers)

    def request(self, *_: Any, **__: Any) -> Any:
        return self

    async def __aenter__(self) -> Any:
        found = self.answers.pop(0)
        if isinstance(found, Exception):
            raise found
        return found

    async def __aexit__(self, *_: object) -> None:
        pass


def test_a_person_asks_again_until_there_is_an_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stubborn, "AGAIN", 0.0)

    async def text() -> str:
        return "the board"

    good, full = answer(200, "text/html"), answer(503, "text/html")
    good.text = full.text = text
    person = Stubborn("", 1, Record(), 0, 0, lambda: True)
    gone = aiohttp.ServerDisconnectedError(), TimeoutError()
    person.client = cast(aiohttp.ClientSession, Client(full, *gone, good))
    assert in_a_loop(person._timed("/", "GET")) == "the board"
    assert (person.done, person.seen.broken_off, person.seen.unanswered) == (1, 2, 2)
    assert person.seen.told["503 as a page"] == person.told == 1
    assert len(person.seen.wrong) == 1


@pytest.fixture
def only_fault(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    steps: list[Any] = []

    class Stage:
        def __init__(self, folder: Path, service: object, many: int, **more: str) -> None:
            self.seen, self.record, self.noted, self.seconds = [Seen()], Record(), "noted", 1.25
            self.wrong: list[str] = []
            self.kept = {"stored": 3, "lost": 0}

        async def begin_to_play(self) -> None:
            steps.append("play")

        async def play_on(self) -> None:
            steps.append("played on")

        async def end(self) -> None:
            steps.append("ended")

        def judge(self) -> None:
            steps.append("judged")

        async def goes_on(self, moves: int, kinds: object) -> None:
            steps.append(moves)

    def do(stage: Any, lost: int = 0, error: str = "") -> faults.Steps:
        yield 0.0
        steps.append("done")
        yield 20
        stage.kept["lost"] = lost
        if error:
            raise ConnectionError(error)

    monkeypatch.setattr(faults, "Stage", Stage)
    monkeypatch.setattr(faults, "solve_where_missing", lambda *_, **__: None)
    monkeypatch.setattr("sys.argv", ["faults", "--only", "x"])
    monkeypatch.setattr(faults, "FAULTS", [])
    faults.fault("x0")(do)
    faults.fault("other", error="not asked for")(do)
    return steps


def test_a_fault_is_done_step_by_step_and_listed(
    only_fault: list[Any], capsys: pytest.CaptureFixture[str]
) -> None:
    do = faults.FAULTS[0][2]
    assert faults.main() == 0
    assert only_fault == ["play", "done", 20, "played on", "ended", "judged"]
    faults.fault("x1", "false")(do)
    assert faults.main() == 0
    faults.fault("x2", lost=3)(do)
    assert faults.main() == 1
    faults.FAULTS.pop()
    faults.fault("x3", error="nobody")(do)
    assert faults.main() == 1
    assert only_fault[-4:] == ["play", "done", 20, "ended"]
    told = capsys.readouterr().out
    assert "| x0 | nothing | not tried: Caddy is not installed | 0 | 3 | 0 | noted | 1.2 |" in told
    assert "| x1 | not tried: `false` fails |" in told
    assert "WRONG x2: decisions are lost" in told
    assert "WRONG x3: ConnectionError: nobody" in told
    assert "not asked for" not in told


def test_every_fault_stands_in_the_account_of_reliability() -> None:
    account = (ROOT / "docs" / "reliability.md").read_text()
    assert [name for name, *_ in faults.FAULTS if f"| {name} |" not in account] == []
