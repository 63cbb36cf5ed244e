"""The gate in front of the pages: cheap limits, and places for a few requests at once."""

import asyncio
import json
import time
from collections.abc import Iterable
from datetime import timedelta

import pytest
from django.core import signing
from django.urls import get_resolver

from game.pages.requests import known
from game.pages.requests.known import COOKIE, SALT, hash_name, identify_client, make_known_cookie
from game.trials.road.screens import SCREENS
from tests.loops import by_loop
from yatzy_site import gate
from yatzy_site.deadlines import Budget
from yatzy_site.gate import (
    BODY,
    FREE,
    SHARE,
    USUAL,
    Crowded,
    Gate,
    Message,
    Receive,
    Room,
    Scope,
    Send,
    Turnstile,
    find_body_limit,
)


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


@by_loop
async def test_a_body_arrives_in_one_piece() -> None:
    client = await Client(b"seq=", b"1").through(Gate(echo, 1))
    assert client.status == 200
    assert client.answer[1]["body"] == b"seq=1"


@by_loop
async def test_a_body_that_is_announced_too_large_is_not_read_at_all() -> None:
    client = await Client(b"x", announced=gate.USUAL + 1).through(Gate(echo, 1))
    assert client.status == 413
    assert client.asked == 0


@by_loop
async def test_a_body_that_says_no_size_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gate, "USUAL", 10)
    passed = Gate(echo, 1)
    client = await Client(*[b"xxxx"] * 100).through(passed)
    assert client.status == 413
    assert client.asked == 3
    assert passed.room.held == 0


@by_loop
async def test_the_api_is_refused_in_json() -> None:
    client = await Client(path="/api/v1/advise", announced=10**9).through(Gate(echo, 1))
    assert (b"content-type", b"application/json") in client.answer[0]["headers"]
    assert json.loads(client.answer[1]["body"])["status"] == 413


@by_loop
async def test_who_sends_slowly_takes_no_place_and_is_sent_away(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(gate, "ARRIVE", 0.05)

    class Slow(Client):
        async def receive(self) -> Message:
            await asyncio.Event().wait()
            raise AssertionError

    passed = Gate(echo, 1)
    slow = asyncio.ensure_future(Slow().through(passed))
    assert (await Client().through(passed)).status == 200
    assert (await slow).status == 408


@by_loop
async def test_no_more_are_worked_on_at_once_than_there_are_places() -> None:
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


@by_loop
async def test_a_crowd_that_nobody_would_wait_behind_is_sent_away(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(gate, "WAITING", 2)
    passed = Gate(echo, 1)
    passed.places.enter("somebody")
    passed.places.waiting = 2
    assert (await Client().through(passed)).status == 503
    passed.places.waiting = 1
    asyncio.get_running_loop().call_later(0.01, passed.places.give, "somebody")
    assert (await Client().through(passed)).status == 200


@by_loop
async def test_who_reads_slowly_keeps_no_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gate, "LEAVE", 0.05)

    class Slow(Client):
        async def send(self, message: Message) -> None:
            await asyncio.Event().wait()

    passed = Gate(echo, 1)
    slow = asyncio.ensure_future(Slow().through(passed))
    assert (await Client().through(passed)).status == 200
    assert (await slow).answer == []


@by_loop
async def test_a_view_is_never_broken_off_because_its_client_has_gone() -> None:
    """The loop would stand still until its thread is done."""
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


@by_loop
async def test_a_view_that_fails_gives_its_place_back() -> None:
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


@by_loop
async def test_programs_leave_places_to_those_who_play() -> None:
    """This holds however many programs ask; a crowd of them sends nobody else away."""
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
    move = Client(b"seq=1")
    move.scope["method"] = "POST"
    assert (await asyncio.wait_for(move.through(passed), 5)).status == 200
    done.set()
    assert {(await program).status for program in asking} == {200}
    assert passed.programs.free == 1


def cookie(name: str, days: float) -> str:
    then = time.time() - timedelta(days=days).total_seconds()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(known, "time", lambda: then)
        return f"zone=UTC; {COOKIE}={make_known_cookie(name, '')}"


@by_loop
async def counted_as(sent: str, address: str = "203.0.113.5") -> str:
    client, found = Client(), list[str]()

    async def working(scope: Scope, receive: Receive, send: Send) -> None:
        found.extend(passed.places.held)
        await echo(scope, receive, send)

    passed = Gate(working, 1)
    client.scope["client"] = (address, 1)
    client.scope["headers"] = [(b"cookie", sent.encode())]
    await client.through(passed)
    return found[0]


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


LONG = "/dice-test/"


class Unfinished(Client):
    async def receive(self) -> Message:
        if len(self.messages) > 1:
            return self.messages.pop(0)
        await asyncio.Event().wait()
        raise AssertionError


def sent(size: int, *, of: str = "203.0.113.5", path: str = LONG) -> Client:
    client = Client(b"x" * size, path=path)
    client.scope["client"] = (of, 1)
    return client


async def begun(passed: Gate, size: int, of: str = "203.0.113.5") -> "asyncio.Task[Client]":
    client = Unfinished(b"x" * size, b"", path=LONG)
    client.scope["client"] = (of, 1)
    held = passed.room.held
    task = asyncio.ensure_future(client.through(passed))
    while passed.room.held < held + size:
        assert not task.done()
        await asyncio.sleep(0)
    return task


@by_loop
async def test_who_fills_its_share_takes_no_room_of_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gate, "SHARE", 50_000)
    passed = Gate(echo, 1)
    tasks = [await begun(passed, FREE + 25_000) for _ in range(2)]
    assert (await sent(FREE + 1).through(passed)).status == 503
    assert (await sent(FREE).through(passed)).status == 200  # a move of theirs, too
    assert (await sent(FREE + 50_000, of="203.0.113.6").through(passed)).status == 200
    for task in tasks:
        task.cancel()
    await asyncio.wait(tasks)
    assert (passed.room.held, dict(passed.room.of_client)) == (0, {})
    assert (await sent(FREE + 50_000).through(passed)).status == 200


@by_loop
async def test_what_all_send_together_has_a_limit_too_and_a_move_passes_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(gate, "BODIES", 50_000)
    passed = Gate(echo, 1)
    tasks = [await begun(passed, FREE + 25_000, f"203.0.113.{one}") for one in range(2)]
    assert (await sent(FREE + 1, of="203.0.113.9").through(passed)).status == 503
    assert (await sent(FREE, of="203.0.113.9").through(passed)).status == 200
    for task in tasks:
        task.cancel()
    await asyncio.wait(tasks)


@by_loop
async def test_a_body_that_finds_no_room_is_not_read_at_all(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(gate, "SHARE", 5)
    client = await Client(b"x", path=LONG, announced=FREE + 6).through(Gate(echo, 1))
    assert (client.status, client.asked) == (503, 0)


@by_loop
async def test_a_network_of_ipv6_is_one_client(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gate, "SHARE", 5)
    passed = Gate(echo, 1)
    task = await begun(passed, FREE + 5, "2001:db8:0:1::1")
    assert (await sent(FREE + 1, of="2001:db8:0:1:ffff::9").through(passed)).status == 503
    assert (await sent(FREE + 1, of="2001:db8:0:2::1").through(passed)).status == 200
    task.cancel()
    await asyncio.wait([task])


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("2001:db8::1", "2001:db8:0:0:ffff:ffff:ffff:ffff"),
        ("::ffff:203.0.113.5", "203.0.113.5"),
        ("fe80::1%eth0", "fe80::2"),
    ],
)
def test_addresses_of_one_client(one: str, other: str) -> None:
    assert identify_client(one) == identify_client(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("2001:db8::1", "2001:db8:0:1::1"),
        ("203.0.113.5", "203.0.113.6"),
        ("::ffff:203.0.113.5", "::ffff:203.0.113.6"),
        ("", "a.socket"),
    ],
)
def test_addresses_of_two_clients(one: str, other: str) -> None:
    assert identify_client(one) != identify_client(other)


@by_loop
async def test_who_sends_on_is_waited_for_and_who_stops_is_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(gate, "ARRIVE", 0.05)
    monkeypatch.setattr(gate, "RATE", 0.001)

    class Slow(Client):
        async def receive(self) -> Message:
            if self.asked:
                await asyncio.sleep(0.2)
            return await super().receive()

    assert (await Slow(b"x", b"x").through(Gate(echo, 1))).status == 200
    assert (await Slow(b"", b"x").through(Gate(echo, 1))).status == 408


LONG_ONES = {
    *("dice_test", "api_advise", "api_ledger", "take_part_answers", "take_part_asked"),
    "trial_questions",
}


@pytest.mark.needs("game.lab", "game.trials")
def test_what_is_long_is_taken_where_it_is_needed_and_nowhere_else() -> None:
    resolver = get_resolver()
    found = {
        name: [
            f"/{form % dict.fromkeys(gaps, 7)}"
            for possibility in resolver.reverse_dict.getlist(name)
            for form, gaps in possibility[0]
        ]
        for name in resolver.reverse_dict
        if isinstance(name, str)
    }
    assert found.keys() >= LONG_ONES
    for name, paths in found.items():
        for path in paths:
            most = {"archive": SHARE}.get(name, BODY if name in LONG_ONES else USUAL)
            assert find_body_limit({"path": path}) == most, path
            assert find_body_limit({"path": f"/below{path}", "root_path": "/below"}) == most
    for screen in SCREENS.values():
        most = BODY if screen.fields else USUAL
        assert find_body_limit({"path": f"/trials/x/{screen.name}/"}) == most, screen.name
    for path, most in (("trial/7/change/", BODY), ("trial/add/", BODY), ("trial/", USUAL)):
        assert find_body_limit({"path": f"/admin/game/{path}"}) == most


@pytest.mark.parametrize("path", ["/games/abc/hold", "/account/login/", "/", "/x/dice-test/"])
@by_loop
async def test_what_is_long_is_refused_elsewhere_by_its_size(path: str) -> None:
    assert (await sent(USUAL, path=path).through(Gate(echo, 1))).status == 200
    refused = await sent(USUAL + 1, path=path).through(Gate(echo, 1))
    assert refused.status == 413
    assert f"{USUAL:,} bytes" in refused.answer[1]["body"].decode()


def test_the_room_is_counted_piece_by_piece() -> None:
    room = Room()
    room.take("a", 0, FREE)
    assert (room.held, room.of_client["a"]) == (FREE, 0)
    room.take("a", FREE, 3)
    room.take("a", FREE + 3, 4)
    assert (room.held, room.of_client["a"]) == (FREE + 7, 7)
    room.give("a", FREE + 7)
    assert (room.held, dict(room.of_client)) == (0, {})


MANY, FEW = "one who sends much", "one who plays"


class Watched:
    """Clients that come to a turnstile, and go when they are told to."""

    def __init__(self, at_once: int) -> None:
        self.at_once, self.gate = at_once, Turnstile(at_once)
        self.inside: list[str] = []
        self.tasks: list[asyncio.Task[None]] = []

    async def come(self, *clients: str, seconds: float = 5) -> None:
        for client in clients:
            self.tasks.append(asyncio.ensure_future(self._come(client, seconds)))
            await asyncio.sleep(0)

    async def _come(self, client: str, seconds: float) -> None:
        if await self.gate.take(client, Budget(seconds)):
            self.inside.append(client)

    async def go(self, *clients: str) -> None:
        for client in clients:
            self.inside.remove(client)
            self.gate.give(client)
            await asyncio.sleep(0.001)

    async def empty(self) -> bool:
        await self.go(*self.inside)
        gate = self.gate
        return (gate.free, dict(gate.held), gate.turns) == (self.at_once, {}, {})


@by_loop
async def test_who_has_no_place_is_next_however_many_others_want() -> None:
    watched = Watched(2)
    await watched.come(*[MANY] * 20, FEW)
    assert watched.inside == [MANY, MANY]
    await watched.go(MANY)
    assert watched.inside == [MANY, FEW]
    await watched.go(FEW)
    assert watched.inside == [MANY, MANY]  # no place is empty while somebody waits


@by_loop
async def test_places_are_shared_by_turns_and_the_longest_wait_ends_first() -> None:
    watched = Watched(1)
    await watched.come("a", "b", "b", "c", "d", "c")
    order = []
    while watched.inside:
        order += watched.inside
        await watched.go(*watched.inside)
    assert order == ["a", "b", "c", "d", "b", "c"]
    assert await watched.empty()


@by_loop
async def test_requests_of_one_client_are_served_in_their_order() -> None:
    watched = Watched(1)
    await watched.come(*[MANY] * 3)
    await watched.go(MANY)
    assert [task.done() for task in watched.tasks] == [True, True, False]
    for _ in range(2):
        await watched.go(MANY)
    assert await watched.empty()


@by_loop
async def test_one_client_alone_fills_no_queue(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gate, "OF_ONE", 2)
    monkeypatch.setattr(gate, "WAITING", 3)
    watched = Watched(1)
    await watched.come(MANY, MANY, MANY)
    await _refused(watched, MANY)
    await watched.come(FEW)
    await _refused(watched, "one more")
    for _ in range(4):
        await watched.go(*watched.inside)
    assert await watched.empty()


async def _refused(watched: Watched, client: str) -> None:
    with pytest.raises(Crowded):
        await watched.gate.take(client, Budget(5))


@by_loop
async def test_who_has_waited_for_too_long_stands_in_nobodys_way() -> None:
    watched = Watched(1)
    await watched.come(MANY)
    await watched.come(FEW, FEW, seconds=0.01)
    await asyncio.sleep(0.05)
    assert (watched.inside, watched.gate.waiting, watched.gate.turns) == ([MANY], 0, {})
    assert await watched.empty()


@pytest.mark.parametrize("when", ["before", "after"])
@by_loop
async def test_who_is_broken_off_keeps_no_place(when: str) -> None:
    """Before or after a place was given to it: it has not run since."""
    watched = Watched(1)
    await watched.come(MANY, FEW, MANY)
    steps: Iterable[str] = ("cancel", "give") if when == "before" else ("give", "cancel")
    for step in steps:
        if step == "give":
            watched.inside.remove(MANY)
            watched.gate.give(MANY)
        else:
            watched.tasks[1].cancel()
    await asyncio.sleep(0.01)
    assert watched.inside == [MANY]
    assert await watched.empty()


@by_loop
async def test_a_place_that_is_given_in_the_last_moment_is_taken() -> None:
    """In the same round of the loop in which the wait for it ends."""
    gate, loop = Turnstile(1), asyncio.get_running_loop()
    assert await gate.take(MANY, Budget(5))
    loop.call_later(0.02, gate.give, MANY)
    loop.call_later(0.01, time.sleep, 0.05)
    assert await gate.take(FEW, Budget(0.02))
    gate.give(FEW)
    assert gate.free == 1
