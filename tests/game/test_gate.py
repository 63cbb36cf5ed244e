"""What stands in front of the pages: limits that cost nothing, and places for a few at once."""

import asyncio
import json
import time
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.core import signing

from game.pages.requests import known
from game.pages.requests.known import COOKIE, SALT, hash_name, make_known_cookie
from tests.loops import in_a_loop
from yatzy_site import gate
from yatzy_site.gate import Gate, Message, Receive, Scope, Send


class Client:
    def __init__(self, *pieces: bytes, path: str = "/", announced: int | None = None) -> None:
        self.scope = scope(path, announced)
        last = len(pieces) - 1
        self.messages = [
            {"type": "http.request", "body": piece, "more_body": number < last}
            for number, piece in enumerate(pieces or (b"",))
        ]
        self.asked = 0
        self.answer: list[Message] = []

    async def receive(self) -> Message:
        self.asked += 1
        if self.messages:
            return self.messages.pop(0)
        return {"type": "http.disconnect"}

    async def send(self, message: Message) -> None:
        self.answer.append(message)

    @property
    def status(self) -> int:
        return int(self.answer[0]["status"])

    async def through(self, passed: Gate) -> "Client":
        await passed(self.scope, self.receive, self.send)
        return self


def scope(path: str, announced: int | None) -> Scope:
    headers = [] if announced is None else [(b"content-length", str(announced).encode())]
    return {"type": "http", "path": path, "headers": headers}


async def echo(scope: Scope, receive: Receive, send: Send) -> None:
    body = (await receive())["body"]
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": body})


def run(test: Callable[[], Any]) -> None:
    """In a thread of its own: a browser of other tests has a loop running in this one."""
    in_a_loop(test())


def test_a_body_arrives_in_one_piece() -> None:
    async def test() -> None:
        client = await Client(b"seq=", b"1").through(Gate(echo, 1))
        assert client.status == 200
        assert client.answer[1]["body"] == b"seq=1"

    run(test)


def test_a_body_that_is_announced_too_large_is_not_read_at_all() -> None:
    async def test() -> None:
        client = await Client(b"x", announced=gate.USUAL + 1).through(Gate(echo, 1))
        assert client.status == 413
        assert client.asked == 0

    run(test)


def test_a_body_that_says_no_size_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gate, "USUAL", 10)

    async def test() -> None:
        passed = Gate(echo, 1)
        client = await Client(*[b"xxxx"] * 100).through(passed)
        assert client.status == 413
        assert client.asked == 3
        assert passed.room.held == 0

    run(test)


def test_the_api_is_refused_in_json() -> None:
    async def test() -> None:
        client = await Client(path="/api/v1/advise", announced=10**9).through(Gate(echo, 1))
        assert json.loads(client.answer[1]["body"])["status"] == 413

    run(test)


def test_who_sends_slowly_takes_no_place_and_is_sent_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gate, "ARRIVE", 0.05)

    class Slow(Client):
        async def receive(self) -> Message:
            await asyncio.Event().wait()
            raise AssertionError

    async def test() -> None:
        passed = Gate(echo, 1)
        slow = asyncio.ensure_future(Slow().through(passed))
        assert (await Client().through(passed)).status == 200
        assert (await slow).status == 408

    run(test)


def test_no_more_are_worked_on_at_once_than_there_are_places() -> None:
    async def test() -> None:
        now, most, done = 0, 0, asyncio.Event()

        async def working(scope: Scope, receive: Receive, send: Send) -> None:
            nonlocal now, most
            now += 1
            most = max(most, now)
            await done.wait()
            now -= 1
            await echo(scope, receive, send)

        passed = Gate(working, 3)
        clients = [asyncio.ensure_future(Client().through(passed)) for _ in range(9)]
        await asyncio.sleep(0.01)
        assert now == 3
        done.set()
        assert {(await client).status for client in clients} == {200}
        assert most == 3

    run(test)


def test_a_crowd_that_nobody_would_wait_behind_is_sent_away(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(gate, "WAITING", 2)

    async def test() -> None:
        passed = Gate(echo, 1)
        passed.places.enter("somebody")
        passed.places.waiting = 2
        assert (await Client().through(passed)).status == 503
        passed.places.waiting = 1
        asyncio.get_running_loop().call_later(0.01, passed.places.give, "somebody")
        assert (await Client().through(passed)).status == 200

    run(test)


def test_who_reads_slowly_keeps_no_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gate, "LEAVE", 0.05)

    class Slow(Client):
        async def send(self, message: Message) -> None:
            await asyncio.Event().wait()

    async def test() -> None:
        passed = Gate(echo, 1)
        slow = asyncio.ensure_future(Slow().through(passed))
        assert (await Client().through(passed)).status == 200
        assert (await slow).answer == []

    run(test)


def test_a_view_is_never_broken_off_because_its_client_has_gone() -> None:
    """The loop would stand still until its thread is done."""

    async def test() -> None:
        told: list[str] = []

        async def working(scope: Scope, receive: Receive, send: Send) -> None:
            await receive()
            gone = asyncio.ensure_future(receive())
            await asyncio.sleep(0.01)
            told.append("gone" if gone.done() else "waits")
            await send({"type": "http.response.start", "status": 200, "headers": []})
            told.append((await gone)["type"])

        await Client().through(Gate(working, 1))
        assert told == ["waits", "http.disconnect"]

    run(test)


def test_a_view_that_fails_gives_its_place_back() -> None:
    async def test() -> None:
        async def broken(scope: Scope, receive: Receive, send: Send) -> None:
            raise ZeroDivisionError

        passed = Gate(broken, 1)
        for _ in range(3):
            client = Client(b"x")
            client.scope["client"] = ("203.0.113.5", 1)
            with pytest.raises(ZeroDivisionError):
                await asyncio.wait_for(client.through(passed), 5)
        assert (passed.places.free, dict(passed.places.held)) == (1, {})
        assert passed.room.held == 0

    run(test)


def test_programs_leave_places_to_those_who_play() -> None:
    """This holds however many programs ask; a crowd of them sends nobody else away."""

    async def test() -> None:
        done = asyncio.Event()

        async def working(scope: Scope, receive: Receive, send: Send) -> None:
            if scope["path"].startswith("/api/"):
                await done.wait()
            await echo(scope, receive, send)

        passed = Gate(working, 2)
        programs = [Client(path="/api/v1/advise") for _ in range(5)]
        for program in programs:
            program.scope["method"] = "POST"
        asking = [asyncio.ensure_future(program.through(passed)) for program in programs]
        await asyncio.sleep(0.01)
        assert (passed.programs.waiting, passed.places.waiting) == (4, 0)
        move = await asyncio.wait_for(Client(b"seq=1").through(passed), 5)
        assert move.status == 200
        done.set()
        assert {(await program).status for program in asking} == {200}
        assert passed.programs.free == 1

    run(test)


def cookie(name: str, days: float) -> str:
    then = time.time() - timedelta(days=days).total_seconds()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(known, "time", lambda: then)
        return f"zone=UTC; {COOKIE}={make_known_cookie(name, '')}"


def counted_as(sent: str, address: str = "203.0.113.5") -> str:
    client = Client()
    found: list[str] = []

    async def test() -> None:
        async def working(scope: Scope, receive: Receive, send: Send) -> None:
            found.extend(passed.places.held)
            await echo(scope, receive, send)

        passed = Gate(working, 1)
        client.scope["client"] = (address, 1)
        client.scope["headers"] = [(b"cookie", sent.encode())]
        await client.through(passed)

    run(test)
    return str(found[0])


def test_an_account_is_a_client_of_its_own_wherever_it_is() -> None:
    anna, bo = cookie("Anna", days=2), cookie("Bo", days=2)
    assert counted_as(anna) == counted_as(anna, "198.51.100.7") != counted_as(bo)
    assert counted_as("zone=UTC") == "203.0.113.5"


def test_an_account_of_today_is_its_address_for_it_costs_nothing() -> None:
    assert counted_as(cookie("Anna", days=0.9)) == "203.0.113.5"
    assert counted_as(cookie("Anna", days=2) + "0") == "203.0.113.5"  # signed by nobody


def test_who_signs_in_again_was_known_before_and_another_account_was_not() -> None:
    anna = cookie("Anna", days=2).partition(f"{COOKIE}=")[2]
    again, other = make_known_cookie(" ａnna", anna), make_known_cookie("Bo", anna)
    assert counted_as(f"{COOKIE}={again}") == counted_as(f"{COOKIE}={anna}")
    assert counted_as(f"{COOKIE}={other}") == "203.0.113.5"
    before = signing.Signer(salt=SALT).sign(f"aa.{hash_name('Anna')}")  # it said nothing of when
    assert counted_as(f"{COOKIE}={before}") == "203.0.113.5"
