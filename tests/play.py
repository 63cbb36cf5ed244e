"""Players at a table, for tests: by services, by pages and by sockets."""

import re
from collections.abc import Awaitable, Callable, Sequence
from contextvars import ContextVar
from datetime import datetime, timedelta
from functools import wraps
from http.cookies import SimpleCookie
from typing import Any, ParamSpec

from asgiref.sync import async_to_sync
from asgiref.testing import ApplicationCommunicator

from game.core.game_queries import Played, game_played
from game.core.playing import decision_record
from game.duels.duel_bots import bot_move
from game.duels.duel_queries import DuelStanding, standing
from game.duels.duels import duel_create, duel_join
from game.models import Duel, DuelSeat, Game, Player
from game.pages.requests.visitors import COOKIE, player_of_cookie
from solver.rules import Hold, Score
from tests.game.conftest import Browser
from tests.known import known
from yatzy_site.asgi import application

PATIENCE = 60  # seconds: no machine is as slow as that
P = ParamSpec("P")


class Viewer(ApplicationCommunicator):
    def __init__(
        self,
        path: str,
        cookies: SimpleCookie | None = None,
        *,
        origin: str = "http://localhost",
        language: str = "en",
    ) -> None:
        sent = "; ".join(f"{name}={morsel.value}" for name, morsel in (cookies or {}).items())
        headers = {
            "host": "localhost",
            "origin": origin,
            "cookie": sent,
            "accept-language": language,
        }
        scope = {
            "type": "websocket",
            "path": path.partition("?")[0],
            "query_string": path.partition("?")[2].encode(),
            "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
            "subprotocols": [],
        }
        super().__init__(application, scope)

    async def connect(self) -> bool:
        await self.send_input({"type": "websocket.connect"})
        return bool((await self.receive_output(PATIENCE))["type"] == "websocket.accept")

    async def board(self) -> str:
        """The next board that is pushed."""
        output = await self.receive_output(PATIENCE)
        assert output["type"] == "websocket.send", output
        return str(output["text"])

    async def code(self) -> int:
        """With which the server hangs up."""
        output = await self.receive_output(PATIENCE)
        assert output["type"] == "websocket.close", output
        return int(output["code"])

    async def end(self) -> int:
        """With which code the server hangs up, after what it still has to show."""
        while (output := await self.receive_output(PATIENCE))["type"] == "websocket.send":
            pass
        assert output["type"] == "websocket.close", output
        await self.send_input({"type": "websocket.disconnect", "code": output["code"]})
        await self.over()
        return int(output["code"])

    async def over(self) -> None:
        """Raises what the server met with, if it was a fault."""
        await self.wait(PATIENCE)

    async def receive_nothing(self, timeout: float = 0.1, interval: float = 0.01) -> bool:
        return bool(await super().receive_nothing(timeout, interval))

    async def leave(self) -> None:
        await self.send_input({"type": "websocket.disconnect", "code": 1000})
        await self.wait(PATIENCE)


def run(test: Callable[[], Awaitable[None]]) -> None:
    async_to_sync(test)()


_open: ContextVar[list[Viewer]] = ContextVar("sockets of the test that runs")


def by_sockets(test: Callable[P, Awaitable[None]]) -> Callable[P, None]:
    """Run such a test in a loop; whoever still looks on at its end leaves."""

    @wraps(test)
    def run_and_leave(*args: P.args, **more: P.kwargs) -> None:
        async def whole() -> None:
            viewers: list[Viewer] = []
            _open.set(viewers)
            await test(*args, **more)
            for viewer in viewers:
                await viewer.leave()

        run(whole)

    return run_and_leave


async def look(path: str, cookies: SimpleCookie | None = None, language: str = "en") -> Viewer:
    """Open a socket, which is closed at the end of a test ``by_sockets``."""
    viewer = Viewer(path, cookies, language=language)
    assert await viewer.connect()
    _open.get([]).append(viewer)
    return viewer


# Duels, by services


def new_duel(
    people: Sequence[Player], bots: Sequence[str] = (), *, ruleset: str = "yatzy", **pace: Any
) -> Duel:
    """Begun: everybody has sat down. ``pace`` is a clock, days for a move, lockstep or none."""
    duel, _ = duel_create(player=people[0], ruleset=ruleset, people=len(people), bots=bots, **pace)
    for player in people[1:]:
        duel_join(token=duel.token, player=player)
    return fresh(duel)


def fresh(duel: Duel) -> Duel:
    return Duel.objects.get(pk=duel.pk)


def stands(duel: Duel) -> DuelStanding:
    return standing(fresh(duel))


def seat_of(duel: Duel, player: Player) -> DuelSeat:
    return DuelSeat.objects.get(duel=duel, player=player)


def card_of(duel: Duel, player: Player) -> Game:
    return known(seat_of(duel, player).game)


def decide(duel: Duel, player: Player, action: Hold | Score) -> Played:
    game = card_of(duel, player)
    seq = game.decisions.count()
    return decision_record(game_id=game.pk, player=player, seq=seq, action=action)


def throw(duel: Duel, player: Player, slots: int = 0) -> Played:
    return decide(duel, player, Hold(slots))


def play_turn(duel: Duel, player: Player) -> Played:
    """The first throw, into the first box that takes it."""
    throw(duel, player)
    return play_on_from(duel, player)


def play_on_from(duel: Duel, player: Player) -> Played:
    state = game_played(card_of(duel, player)).state
    return decide(duel, player, Score(state.rules.categories[min(state.offers)].id))


def play_to_the_end(duel: Duel, *people: Player) -> None:
    while fresh(duel).state == "running":
        for player in people:
            play_turn(duel, player)
        play_bots(duel)


def play_bots(duel: Duel) -> int:
    """Without their pauses; how many moves that was."""
    moves = 0
    while bot_move(token=duel.token, pace=timedelta()) is not None:
        moves += 1
    return moves


def later(duel: Duel, **more: float) -> datetime:
    return known(duel.started_at) + timedelta(**more)


def totals(duel: Duel) -> list[int]:
    return [game_played(known(seat.game)).state.total for seat in duel.seats.order_by("number")]


# Duels, by pages and sockets

FORM = {"ruleset": "yatzy", "people": 2, "minutes": 0, "listed": "open"}


def challenge(browser: Browser, **more: object) -> Duel:
    answer = browser.post("/duels/", {**FORM, **more})
    assert answer.status_code == 302, answer.content
    return Duel.objects.get(token=answer.headers["Location"].split("/")[2])


def joined(duel: Duel, browser: Browser) -> Duel:
    assert browser.post(f"/duel/{duel.token}/join").status_code == 302
    return fresh(duel)


def who(browser: Browser) -> Player:
    return known(player_of_cookie(browser.cookies[COOKIE].value))


def page(browser: Browser, duel: Duel) -> str:
    answer = browser.get(f"/duel/{duel.token}/")
    assert answer.status_code == 200
    return answer.content.decode()


def turn(browser: Browser, duel: Duel) -> str:
    """One turn by the pages; the last answer."""
    game = card_of(duel, who(browser))
    seq = game.decisions.count()
    html = browser.act(game, "hold", seq=seq).content.decode()
    box = known(re.search(r'name="category" value="(\w+)"', html))[1]
    answer = browser.act(game, "score", seq=seq + 1, category=box)
    assert answer.status_code == 200
    return answer.content.decode()


async def look_at(duel: Duel, browser: Browser | None = None) -> Viewer:
    return await look(f"/ws/duels/{duel.token}/", browser.cookies if browser else None)


async def until(viewer: Viewer, wanted: str, *, no_more: str = "no such word") -> str:
    """The first push that says so."""
    for _ in range(12):
        html = await viewer.board()
        if wanted in html and no_more not in html:
            return html
    raise AssertionError(wanted)
