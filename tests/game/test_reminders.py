"""Reminders of a move that is due, and players who are awaited."""

import json
import re
from base64 import urlsafe_b64decode
from collections.abc import Iterator
from email.message import Message
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread
from typing import Any

import pytest
from asgiref.sync import async_to_sync, sync_to_async
from cryptography.hazmat.primitives.asymmetric.ec import ECDSA, SECP256R1, EllipticCurvePublicKey
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from cryptography.hazmat.primitives.hashes import SHA256
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from game.core.accounts import create_player, get_or_create_player, merge_guest
from game.core.duel_awaited_queries import list_awaited_turns, list_awaiting_duels
from game.core.refusals import Refused
from game.duels import reminders
from game.duels import reminders as pushing
from game.duels.reminders import claim_due_reminders, store_reminder
from game.models import Duel, Player, Reminder
from game.pages.requests.visitors import COOKIE, make_player_cookie
from solver.rules import Score
from tests.play import (
    Browser,
    Viewer,
    challenge,
    decide,
    join_duel,
    look,
    look_at,
    new_duel,
    play_turn,
    throw,
    turn,
    who,
)
from yatzy_site.background import remind

pytestmark = pytest.mark.django_db(transaction=True)


DEVICE = "https://fcm.googleapis.com/fcm/send/one"
OTHER = "https://updates.push.services.mozilla.com/wpush/v2/other"
SITE = "https://yatzy.example/"


def reminder(player: Player, endpoint: str = DEVICE) -> Reminder:
    return store_reminder(player=player, endpoint=endpoint, site=SITE)


def due() -> list[str]:
    return [one.endpoint for one in claim_due_reminders()]


@pytest.fixture
def pair(db: None) -> tuple[Player, Player, Duel]:
    ann, bo = create_player(), create_player()
    return ann, bo, new_duel([ann, bo])


def test_a_turn_is_told_at_the_second_look_and_once(pair: tuple[Player, Player, Duel]) -> None:
    ann, bo, duel = pair
    reminder(ann)
    assert due() == []  # a player who plays just now needs no reminder
    assert due() == [DEVICE]
    assert due() == []
    play_turn(duel, ann)
    assert [due(), due()] == [[], []]  # it is the other's
    play_turn(duel, bo)
    assert [due(), due(), due(), due()] == [[], [DEVICE], [], []]


def test_every_device_is_told_and_a_second_duel_too(pair: tuple[Player, Player, Duel]) -> None:
    ann, bo, _duel = pair
    reminder(ann)
    reminder(ann, OTHER)
    assert due() == []
    assert due() == [DEVICE, OTHER]
    new_duel([ann, bo])
    assert due() == []
    assert due() == [DEVICE, OTHER]


def test_two_processes_tell_a_turn_once(
    pair: tuple[Player, Player, Duel], monkeypatch: pytest.MonkeyPatch
) -> None:
    ann, _bo, _duel = pair
    reminder(ann)
    due()
    told: list[list[str]] = []

    def meanwhile(player: Player) -> list[str]:
        monkeypatch.setattr(reminders, "list_awaited_turns", list_awaited_turns)
        told.append(due())  # the other process, between our look and our word
        return list_awaited_turns(player)

    monkeypatch.setattr(reminders, "list_awaited_turns", meanwhile)
    told.append(due())
    assert told == [[DEVICE], []]


@pytest.mark.parametrize(
    "endpoint",
    [
        "",
        "http://fcm.googleapis.com/x",
        "https://fcm.googleapis.com:8443/x",
        "https://127.0.0.1/x",
        "https://fcm.googleapis.com.example.org/x",
        "https://notfcm.googleapis.com.example/x",
        "https://evilnotify.windows.com/x",
        "https://fcm.googleapis.com@10.0.0.1/x",
        "https://[/x",
        "https://fcm.googleapis.com:x/x",
        "https://fcm.googleapis.com/" + 500 * "x",
    ],
)
@pytest.mark.django_db
def test_nothing_is_sent_to_an_address_that_anybody_may_name(endpoint: str) -> None:
    with pytest.raises(Refused):
        reminder(create_player(), endpoint)


@pytest.mark.django_db
def test_a_device_is_of_who_asked_last_and_ten_are_enough() -> None:
    ann, bo = create_player(), create_player()
    reminder(ann)
    reminder(bo)
    assert Reminder.objects.get().player == bo
    for number in range(11):
        reminder(ann, f"{DEVICE}{number}")
    left = set(Reminder.objects.filter(player=ann).values_list("endpoint", flat=True))
    assert left == {f"{DEVICE}{number}" for number in range(1, 11)}


def test_the_page_keeps_and_stops(pair: tuple[Player, Player, Duel], browser: Browser) -> None:
    ann, bo, duel = pair
    browser.cookies[COOKIE] = make_player_cookie(ann)
    assert 'id="reminders"' in browser.get("/duels/").text
    wrong = browser.post("/duels/reminders/keep", {"endpoint": "https://example.org/x"})
    assert (wrong.status_code, wrong["Content-Type"]) == (409, "text/plain")
    assert b"does not support" in wrong.content
    assert browser.post("/duels/reminders/keep", {}).status_code == 400
    assert browser.post("/duels/reminders/keep", {"endpoint": DEVICE}).status_code == 204
    kept = Reminder.objects.get()
    assert (kept.player, kept.site) == (ann, "http://testserver/")
    told = browser.get("/duels/reminders/").json()
    assert told["address"] == f"/duel/{duel.token}/"
    assert told["body"] == "Other players are waiting for your move in 1 duel."
    new_duel([ann, bo])
    assert browser.get("/duels/reminders/").json()["address"] == "/duels/"
    browser.cookies[COOKIE] = make_player_cookie(bo)
    assert browser.post("/duels/reminders/stop", {"endpoint": DEVICE}).status_code == 204
    assert Reminder.objects.exists()  # it is another's
    browser.cookies[COOKIE] = make_player_cookie(ann)
    browser.post("/duels/reminders/stop", {"endpoint": DEVICE})
    assert not Reminder.objects.exists()


def test_a_device_stays_with_the_guest_who_signs_in(pair: tuple[Player, Player, Duel]) -> None:
    ann, _bo, _duel = pair
    reminder(ann)
    user = User.objects.create_user("ann")
    account = get_or_create_player(user=user)
    merge_guest(guest=ann, user=user)
    assert Reminder.objects.get().player == account


# What a push service is sent


class PushService(HTTPServer):
    answer = 201
    asked: list[tuple[str, Message, bytes]]


class Asked(BaseHTTPRequestHandler):
    server: PushService

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.asked.append((self.path, self.headers, body))
        self.send_response(self.server.answer)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def service() -> Iterator[PushService]:
    server = PushService(("127.0.0.1", 0), Asked)
    server.asked = []
    thread = Thread(target=server.serve_forever)
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def at(service: PushService) -> str:
    return f"http://127.0.0.1:{service.server_port}"


def plain(coded: str) -> bytes:
    return urlsafe_b64decode(coded + "=" * (-len(coded) % 4))


def test_a_push_is_signed_and_says_nothing(service: PushService) -> None:
    before = int(timezone.now().timestamp())
    assert pushing.send_reminder(f"{at(service)}/one", SITE)
    ((path, headers, body),) = service.asked
    assert (path, body) == ("/one", b"")
    assert int(headers["TTL"]) > 0
    scheme, token, key = headers["Authorization"].replace(",", "").split()
    assert scheme == "vapid"
    assert key == f"k={pushing.make_public_key()}"
    told, _, signature = token.removeprefix("t=").rpartition(".")
    head, claims = (json.loads(plain(part)) for part in told.split("."))
    assert head["alg"] == "ES256"
    assert (claims["aud"], claims["sub"]) == (at(service), SITE)
    assert before < claims["exp"] <= before + 24 * 60 * 60 + 60  # a day at most, says RFC 8292
    halves = plain(signature)
    assert len(halves) == 64
    found = EllipticCurvePublicKey.from_encoded_point(SECP256R1(), plain(key.removeprefix("k=")))
    der = encode_dss_signature(int.from_bytes(halves[:32]), int.from_bytes(halves[32:]))
    found.verify(der, told.encode(), ECDSA(SHA256()))  # raises where it is another's


@pytest.mark.parametrize(
    ("answer", "kept"), [(201, 1), (429, 1), (500, 1), (404, 0), (410, 0), (403, 0)]
)
def test_a_device_that_is_gone_is_forgotten(
    answer: int, kept: int, service: PushService, pair: tuple[Player, Player, Duel]
) -> None:
    ann, _bo, _duel = pair
    service.answer = answer
    Reminder.objects.create(player=ann, endpoint=f"{at(service)}/one", site=SITE)
    remind()
    assert service.asked == []
    remind()
    assert len(service.asked) == 1
    assert Reminder.objects.count() == kept


def test_a_push_service_that_is_away_costs_no_device() -> None:
    server = HTTPServer(("127.0.0.1", 0), Asked)
    server.server_close()
    assert pushing.send_reminder(f"http://127.0.0.1:{server.server_port}/one", SITE)


def test_who_sits_with_people_is_known_without_a_query() -> None:
    first, second, third = (create_player() for _ in range(3))
    for player, asked in ((first, 1), (second, 1), (third, 0)):
        if player is first:
            new_duel([first, second])
        found = Player.objects.get(pk=player.pk)
        with CaptureQueriesContext(connection) as queries:
            list_awaiting_duels(found)
        assert len(queries) == asked


def test_an_account_takes_over_what_waits_for_the_guest(django_user_model: Any) -> None:
    user = django_user_model.objects.create_user("anna", password="x")
    account, guest = get_or_create_player(user=user), create_player()
    duel = new_duel([guest, create_player()])
    merge_guest(guest=guest, user=user)
    assert list_awaiting_duels(Player.objects.get(pk=account.pk)) == [duel.token]


def count_in(html: str) -> tuple[str, str, bool]:
    title = re.search(r"<title>(?:\((\d+)\))?", html)
    menu = re.search(r'id="awaited".*?(?:<b aria-hidden="true">(\d+)</b>.*?)?</span>', html)
    assert title
    assert menu
    return title[1] or "", menu[1] or "", "your turn in" in html


def test_the_menu_the_title_and_the_list_say_whose_turn_it_is() -> None:
    host, guest = Browser(), Browser()
    duel = join_duel(challenge(host), guest)
    turn(host, duel)
    for page in ("/you/", "/duels/", "/rules/"):
        assert count_in(guest.get(page).text) == ("1", "1", True)
        assert count_in(host.get(page).text) == ("", "", False)
    assert "<strong>Your turn</strong>" in guest.get("/duels/").text
    assert "<strong>Your turn</strong>" not in host.get("/duels/").text


def test_a_page_asks_once_and_strangers_never() -> None:
    host, guest = Browser(), Browser()
    join_duel(challenge(host), guest)
    other = Browser()
    other.start()
    with CaptureQueriesContext(connection) as queries:
        other.get("/rules/")
    without = len(queries)
    with CaptureQueriesContext(connection) as queries:
        host.get("/rules/")
    assert len(queries) == without + 1
    with CaptureQueriesContext(connection) as queries:
        assert count_in(Browser().get("/").text) == ("", "", False)
    assert not [one for one in queries if "duel" in one["sql"]]


async def wait_for_count(viewer: Viewer, count: str) -> None:
    while True:
        html = await viewer.board()
        if 'id="awaited"' in html and count_in(f"<title></title>{html}")[1] == count:
            return


def test_an_open_page_is_told_when_the_turn_comes_and_goes() -> None:
    host, guest = Browser(), Browser()
    duel = join_duel(challenge(host), guest)
    game = guest.start()

    async def test() -> None:
        alone = await look(f"/ws/games/{game.pk}/", guest.cookies)
        table = await look_at(duel, guest)
        await wait_for_count(table, "1")
        await sync_to_async(turn)(guest, duel)
        for viewer in (alone, table):
            await wait_for_count(viewer, "")
        await sync_to_async(lambda: throw(duel, who(host)))()
        assert await alone.receive_nothing()  # nothing of it is news there
        await sync_to_async(lambda: decide(duel, who(host), Score("chance")))()
        for viewer in (alone, table):
            await wait_for_count(viewer, "1")
            await viewer.leave()
        assert await alone.receive_nothing()

    async_to_sync(test)()
