"""The server from its start to its checks: commands, health and releases."""

import asyncio
import http.client
import socket
import threading
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from django.db import DatabaseError, connection, connections, transaction
from django.test import Client
from uvicorn.server import ServerState
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin

from game.models import Game
from tests.game.processes import served
from tests.loops import in_a_loop
from tests.play import Browser
from yatzy_site import connections as waiting
from yatzy_site.asgi import application, gate
from yatzy_site.connections import PatientProtocol

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def server() -> Iterator[uvicorn.Server]:
    """A server in a thread of this process, on a port that the system chose."""
    config = uvicorn.Config(
        application,
        port=0,
        log_level="warning",
        lifespan="off",
        http=PatientProtocol,
        timeout_keep_alive=600,
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        thread.join(0.02)
        assert thread.is_alive()
    yield server
    server.should_exit = True
    thread.join(10)
    assert not thread.is_alive()
    connections.close_all()


@pytest.fixture
def port(server: uvicorn.Server) -> int:
    found: int = server.servers[0].sockets[0].getsockname()[1]
    return found


def cookie(browser: Browser) -> str:
    return "; ".join(f"{name}={morsel.value}" for name, morsel in browser.cookies.items())


def listen(port: int, path: str, browser: Browser | None = None) -> ClientConnection:
    headers = {"Cookie": cookie(browser)} if browser else {}
    origin = Origin(f"http://127.0.0.1:{port}")
    return connect(f"ws://127.0.0.1:{port}{path}", origin=origin, additional_headers=headers)


def post(port: int, path: str, data: str, browser: Browser) -> int:
    token = browser.cookies["csrftoken"].value
    headers = {"Cookie": cookie(browser), "X-CSRFToken": token, "HX-Request": "true"}
    url = f"http://127.0.0.1:{port}{path}"
    request = urllib.request.Request(url, data.encode(), headers)
    with urllib.request.urlopen(request) as response:
        return int(response.status)


def test_no_part_of_an_answer_waits_until_the_one_before_it_has_arrived() -> None:
    """This holds for every socket: uvicorn itself opens that of its workers in such a way."""
    config = uvicorn.Config(application, http=PatientProtocol)
    config.load()
    state = ServerState()

    async def accepted() -> Any:
        with socket.create_server(("127.0.0.1", 0)) as listener:
            make = partial(PatientProtocol, config=config, server_state=state, app_state={})
            server = await asyncio.get_running_loop().create_server(make, sock=listener)
            _, writer = await asyncio.open_connection(*listener.getsockname())
            while not state.connections:
                await asyncio.sleep(0)
            (one,) = state.connections
            found = one.transport.get_extra_info("socket")
            delays_nothing = found.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
            writer.close()
            one.transport.close()
            server.close()
            await server.wait_closed()
            return delays_nothing

    assert in_a_loop(accepted())


def test_pages_and_sockets_work_together(port: int) -> None:
    owner = Browser()
    game = owner.start()
    with (
        listen(port, f"/ws/games/{game.pk}/", owner) as tab,
        listen(port, f"/ws/watch/{game.share_token}/") as watcher,
    ):
        assert 'data-seq="1"' in str(tab.recv(5))
        assert 'data-seq="1"' in str(watcher.recv(5))
        assert post(port, f"/games/{game.pk}/hold", "seq=1&slot=0&slot=3", owner) == 200
        assert 'data-seq="2"' in str(tab.recv(5))
        assert 'data-seq="2"' in str(watcher.recv(5))
    assert Game.objects.get().decisions.count() == 2


def test_the_first_page_is_served_with_its_policy(port: int) -> None:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/") as response:
        assert response.status == 200
        assert "default-src 'self'" in response.headers["Content-Security-Policy"]
        assert b'name="nonce"' in response.read()


@pytest.mark.parametrize("head", [b"", b"GET / HTTP/1.1\r\nHost: localhost\r\n"])
def test_a_connection_that_asks_nothing_is_closed(
    port: int, head: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(waiting, "HEAD", 0.05)
    with socket.create_connection(("127.0.0.1", port)) as silent:
        silent.settimeout(30)
        silent.sendall(head)
        assert silent.recv(1) == b""


def test_a_connection_that_has_asked_is_kept(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting, "HEAD", 0.05)
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    for _ in range(2):
        connection.request("GET", "/rules/")
        answer = connection.getresponse()
        assert (answer.status, len(answer.read()) > 0) == (200, True)
        threading.Event().wait(0.2)
    connection.close()


def test_a_connection_waits_for_the_next_request_as_long_as_we_say(
    port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(waiting, "IDLE", 0)  # where uvicorn was told ten minutes
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    connection.request("GET", "/rules/")
    connection.getresponse().read()
    assert connection.sock.recv(1) == b""
    connection.close()


def test_a_socket_may_be_silent(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting, "HEAD", 0.05)
    owner = Browser()
    game = owner.start()
    with listen(port, f"/ws/games/{game.pk}/", owner) as tab:
        tab.recv(5)
        with pytest.raises(TimeoutError):
            tab.recv(0.3)
        assert post(port, f"/games/{game.pk}/hold", "seq=1", owner) == 200
        assert 'data-seq="2"' in str(tab.recv(5))


def test_a_server_that_is_ended_answers_what_was_begun_and_sends_pages_elsewhere(
    server: uvicorn.Server, port: int
) -> None:
    """The request waits for the lock of the row, which this test holds until the server ends."""
    owner = Browser()
    game = owner.start()
    with ThreadPoolExecutor(1) as thread, listen(port, f"/ws/games/{game.pk}/", owner) as tab:
        tab.recv(5)
        with transaction.atomic():
            Game.objects.select_for_update().filter(pk=game.pk).update(hints=0)
            answer = thread.submit(post, port, f"/games/{game.pk}/hold", "seq=1", owner)
            while not gate.room.held:
                threading.Event().wait(0.01)
            server.should_exit = True
            with pytest.raises(ConnectionClosed):
                tab.recv(30)
        assert answer.result(30) == 200
        assert tab.close_code == 1012
    assert Game.objects.get().decisions.count() == 2


@pytest.mark.usefixtures("yatzy_tables")
def test_nobody_is_refused_between_two_servers_where_the_socket_stays(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        for path in ("/livez", "/rules/"):
            asked = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
            with closing(asked):
                asked.request("GET", path)  # while no server is there
                with served(tmp_path, listener):
                    assert asked.getresponse().status == 200


def test_a_server_that_works_says_so() -> None:
    answer = Client().get("/healthz")
    assert (answer.status_code, answer.json()) == (200, {"ok": True, "database": True})


def test_a_server_whose_database_is_away_says_that(monkeypatch: pytest.MonkeyPatch) -> None:
    def away() -> None:
        raise DatabaseError("nobody answers")

    monkeypatch.setattr(connection, "cursor", away)
    answer = Client().get("/healthz")
    assert (answer.status_code, answer.json()) == (503, {"ok": False, "database": False})


@pytest.mark.parametrize("path", ["/livez", "/healthz", "/readyz"])
def test_a_request_from_the_machine_itself_needs_no_https(path: str, settings: Any) -> None:
    settings.SECURE_SSL_REDIRECT = True
    assert Client().get(path).status_code == 200
    assert Client().get("/").status_code == 301
