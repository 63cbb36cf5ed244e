"""Bodies that arrive: everybody has a share of the room, and a move always finds some."""

import asyncio

import pytest
from django.urls import get_resolver

from game.pages.requests.known import identify_client
from game.trials.road.screens import SCREENS
from tests.game.test_gate import Client, echo, run
from yatzy_site import gate
from yatzy_site.gate import BODY, FREE, SHARE, USUAL, Gate, Message, Room, find_body_limit

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


def test_who_fills_its_share_takes_no_room_of_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gate, "SHARE", 50_000)

    async def test() -> None:
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

    run(test)


def test_what_all_send_together_has_a_limit_too_and_a_move_passes_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(gate, "BODIES", 50_000)

    async def test() -> None:
        passed = Gate(echo, 1)
        tasks = [await begun(passed, FREE + 25_000, f"203.0.113.{one}") for one in range(2)]
        assert (await sent(FREE + 1, of="203.0.113.9").through(passed)).status == 503
        assert (await sent(FREE, of="203.0.113.9").through(passed)).status == 200
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)

    run(test)


def test_a_body_that_finds_no_room_is_not_read_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gate, "SHARE", 5)

    async def test() -> None:
        client = await Client(b"x", path=LONG, announced=FREE + 6).through(Gate(echo, 1))
        assert (client.status, client.asked) == (503, 0)

    run(test)


def test_a_network_of_ipv6_is_one_client(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gate, "SHARE", 5)

    async def test() -> None:
        passed = Gate(echo, 1)
        task = await begun(passed, FREE + 5, "2001:db8:0:1::1")
        assert (await sent(FREE + 1, of="2001:db8:0:1:ffff::9").through(passed)).status == 503
        assert (await sent(FREE + 1, of="2001:db8:0:2::1").through(passed)).status == 200
        task.cancel()
        await asyncio.wait([task])

    run(test)


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


def test_who_sends_on_is_waited_for_and_who_stops_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gate, "ARRIVE", 0.05)
    monkeypatch.setattr(gate, "RATE", 0.001)

    class Slow(Client):
        async def receive(self) -> Message:
            if self.asked:
                await asyncio.sleep(0.2)
            return await super().receive()

    async def test() -> None:
        assert (await Slow(b"x", b"x").through(Gate(echo, 1))).status == 200
        assert (await Slow(b"", b"x").through(Gate(echo, 1))).status == 408

    run(test)


LONG_ONES = {
    *("dice_test", "api_advise", "api_ledger", "take_part_answers", "take_part_asked"),
    "trial_questions",
}


def addresses_by_name() -> dict[str, list[str]]:
    resolver = get_resolver()
    return {
        name: [
            f"/{form % dict.fromkeys(gaps, 7)}"
            for possibility in resolver.reverse_dict.getlist(name)
            for form, gaps in possibility[0]
        ]
        for name in resolver.reverse_dict
        if isinstance(name, str)
    }


def test_what_is_long_is_taken_where_it_is_needed_and_nowhere_else() -> None:
    found = addresses_by_name()
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
def test_what_is_long_is_refused_elsewhere_by_its_size(path: str) -> None:
    async def test() -> None:
        assert (await sent(USUAL, path=path).through(Gate(echo, 1))).status == 200
        refused = await sent(USUAL + 1, path=path).through(Gate(echo, 1))
        assert refused.status == 413
        assert f"{USUAL:,} bytes" in refused.answer[1]["body"].decode()

    run(test)


def test_the_room_is_counted_piece_by_piece() -> None:
    room = Room()
    room.take("a", 0, FREE)
    assert (room.held, room.of_client["a"]) == (FREE, 0)
    room.take("a", FREE, 3)
    room.take("a", FREE + 3, 4)
    assert (room.held, room.of_client["a"]) == (FREE + 7, 7)
    room.give("a", FREE + 7)
    assert (room.held, dict(room.of_client)) == (0, {})
