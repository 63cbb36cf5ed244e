"""Games and duels for tests, played by services, pages and sockets."""

import json
import re
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime, timedelta
from functools import wraps
from html import unescape
from http.cookies import SimpleCookie
from typing import TYPE_CHECKING, Any, ParamSpec, TypeAlias
from unittest.mock import patch

from asgiref.sync import async_to_sync
from asgiref.testing import ApplicationCommunicator
from django.contrib.auth.models import User
from django.db import transaction
from django.test import Client

from game.coach.hints import calculate_box_costs
from game.core.fair import blocks, tickets
from game.core.game_queries import Played, replay_game
from game.core.playing import append_decision, fill_box, hold_dice, record_decision
from game.core.starting import start_game
from game.core.worth.tables import load_advisor
from game.duels.duel_bots import make_bot_move
from game.duels.duel_queries import DuelStanding, load_standing
from game.duels.duels import create_duel, enter_duel
from game.models import Duel, DuelSeat, Game, Player
from game.pages.requests.visitors import COOKIE, read_player_cookie
from solver.advice import Option, find_position
from solver.rules import YATZY, Action, Block, Hold, Ruleset, Score, State
from solver.rules.dice import Dice
from tests.known import known
from yatzy_site.asgi import application

if TYPE_CHECKING:
    from django.test.client import _MonkeyPatchedWSGIResponse

PATIENCE = 60  # seconds; no machine is slower
P = ParamSpec("P")
Clock: TypeAlias = Callable[[datetime], None]
NOON = datetime(2026, 3, 14, 12, tzinfo=UTC)
# The response of a test client. Only the type stubs have this class.
Answer: TypeAlias = "_MonkeyPatchedWSGIResponse"
HTMX = {"HX-Request": "true"}
COACH = {
    "coach": "off",
    "coach_threshold": "1",
    "ruleset": "yatzy",
}  # the settings page also sends these fields
BOXES = tuple(category.id for category in YATZY.categories)


class Browser(Client):
    def nonce(self, url: str = "/") -> str:
        found = re.search(r'name="nonce" value="([^"]+)"', self.get(url).content.decode())
        assert found
        return found.group(1)

    def start(self, **data: Any) -> Game:
        if "of" not in data and "nonce" not in data:
            rules = data.get("ruleset", "yatzy")
            data["nonce"] = self.nonce(f"/daily/{rules}/" if data.get("mode") == "daily" else "/")
        data = {"mode": "solo", **data}
        response = self.post("/games/", data)
        assert response.status_code == 302, response.content
        return Game.objects.get(pk=response.headers["Location"].split("/")[2])

    def act(self, game: Game, what: str, *, htmx: bool = True, **data: Any) -> Answer:
        """Send an action. It confirms in advance, so that no page asks for a confirmation."""
        headers = HTMX if htmx else None
        data = {"confirmed": "1", **data} if what == "score" else data
        return self.post(f"/games/{game.pk}/{what}", data, headers=headers)


def said(html: str) -> list[str]:
    events = json.loads(unescape(known(re.search(r'data-events="([^"]*)"', html))[1]))
    return [event["says"] for event in sorted(events, key=lambda one: one["event"] == "question")]


def text(answer: Answer) -> str:
    return answer.text


def costly_box(game: Game) -> str:
    """Return the box that costs most, so that the coach comments on it with any dice."""
    state = replay_game(game).state
    costs = calculate_box_costs(known(load_advisor(YATZY)).evaluate(find_position(state)))
    return max(costs, key=lambda box: costs[box])


def take(option: Option, dice: Dice) -> Action:
    return Score(option.category) if option.category else Hold.from_faces(option.dice, dice)


def settled(browser: Browser, name: str = "settled") -> User:
    joined = datetime(2020, 1, 1, tzinfo=UTC)
    user = User.objects.create_user(name, date_joined=joined)
    browser.force_login(user)
    return user


def start_solo(player: Player | None) -> Played:
    return start_game(player=player, mode="solo", nonce=tickets.issue().signed)


def play_out(
    played: Played, choose: Callable[[State], Action], player: Player | None = None
) -> Played:
    """Play a game to its end. Only the last decision goes through all checks of a real request."""
    last = len(played.state.boxes) - 1
    with transaction.atomic():
        while not isinstance(action := choose(played.state), Score) or played.state.turn < last:
            played = append_decision(played=played, action=action)
    game, seq, player = played.game, len(played.actions), player or played.game.player
    return record_decision(game_id=game.pk, player=player, seq=seq, action=action)


def choose_next(state: State) -> Action:
    """Return the next action of a game that fills the boxes in order after one roll each."""
    return Score(BOXES[state.turn]) if state.dice else Hold(0)


def score_all(played: Played, player: Player | None) -> Played:
    return play_out(played, choose_next, player)


def score_next(played: Played, player: Player | None, box: str) -> Played:
    game, seq = played.game.pk, len(played.actions)
    if seq % 2 == 0:
        hold_dice(game_id=game, player=player, seq=seq, slots=0)
        seq += 1
    return fill_box(game_id=game, player=player, seq=seq, category=box)


def play_through(browser: Browser, game: Game) -> Game:
    played = replay_game(Game.objects.get(pk=game.pk))
    with transaction.atomic():
        while played.state.turn < len(BOXES) - 1:
            played = append_decision(played=played, action=choose_next(played.state))
    seq = len(played.actions)
    assert browser.act(game, "hold", seq=seq).status_code == 200
    assert browser.act(game, "score", seq=seq + 1, category=BOXES[-1]).status_code == 200
    game.refresh_from_db()
    assert game.finished_at is not None
    return game


def stored(game: Game) -> list[tuple[int, int | None, str]]:
    return list(game.decisions.order_by("seq").values_list("seq", "hold", "category"))


# Parts of a page that differ each time the page is rendered.
RANDOM = re.compile(
    r'(?:name="csrfmiddlewaretoken" value|data-token)="\w+"'
    r'|"X-(?:CSRFToken|Tab)": "[\w-]+"|tab=[\w-]+'
)
deal = blocks.block


@contextmanager
def other_dice(turn: int, throw: int) -> Iterator[None]:
    def block(seed: str, rules: Ruleset) -> Block:
        return [
            [
                faces if (at, number) < (turn, throw) else tuple(face % 6 + 1 for face in faces)
                for number, faces in enumerate(thrown)
            ]
            for at, thrown in enumerate(deal(seed, rules))
        ]

    with patch.object(blocks, "block", block):
        yield


# Sockets


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
        output = await self.receive_output(PATIENCE)
        assert output["type"] == "websocket.send", output
        return str(output["text"])

    async def code(self) -> int:
        output = await self.receive_output(PATIENCE)
        assert output["type"] == "websocket.close", output
        return int(output["code"])

    async def end(self) -> int:
        while (output := await self.receive_output(PATIENCE))["type"] == "websocket.send":
            pass
        assert output["type"] == "websocket.close", output
        await self.send_input({"type": "websocket.disconnect", "code": output["code"]})
        await self.over()
        return int(output["code"])

    async def over(self) -> None:
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
    """Run a test of sockets in an event loop. At its end, close the sockets of all viewers."""

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
    viewer = Viewer(path, cookies, language=language)
    assert await viewer.connect()
    _open.get([]).append(viewer)
    return viewer


# Duels, by services


def new_duel(
    people: Sequence[Player], bots: Sequence[str] = (), *, ruleset: str = "yatzy", **pace: Any
) -> Duel:
    """Return a running duel with all players. ``pace`` is a clock, days per move, or lockstep."""
    duel, _ = create_duel(player=people[0], ruleset=ruleset, people=len(people), bots=bots, **pace)
    for player in people[1:]:
        enter_duel(token=duel.token, player=player)
    return fresh(duel)


def fresh(duel: Duel) -> Duel:
    return Duel.objects.get(pk=duel.pk)


def stands(duel: Duel) -> DuelStanding:
    return load_standing(fresh(duel))


def seat_of(duel: Duel, player: Player) -> DuelSeat:
    return DuelSeat.objects.get(duel=duel, player=player)


def card_of(duel: Duel, player: Player) -> Game:
    return known(seat_of(duel, player).game)


def decide(duel: Duel, player: Player, action: Hold | Score) -> Played:
    game = card_of(duel, player)
    seq = game.decisions.count()
    return record_decision(game_id=game.pk, player=player, seq=seq, action=action)


def throw(duel: Duel, player: Player, slots: int = 0) -> Played:
    return decide(duel, player, Hold(slots))


def play_turn(duel: Duel, player: Player) -> Played:
    throw(duel, player)
    return play_on_from(duel, player)


def play_on_from(duel: Duel, player: Player) -> Played:
    state = replay_game(card_of(duel, player)).state
    return decide(duel, player, Score(state.rules.categories[min(state.offers)].id))


def play_to_the_end(duel: Duel, *people: Player) -> None:
    while fresh(duel).state == "running":
        for player in people:
            play_turn(duel, player)
        play_bots(duel)


def play_bots(duel: Duel) -> int:
    moves = 0
    while make_bot_move(token=duel.token, pace=timedelta()) is not None:
        moves += 1
    return moves


def later(duel: Duel, **more: float) -> datetime:
    return known(duel.started_at) + timedelta(**more)


def totals(duel: Duel) -> list[int]:
    return [replay_game(known(seat.game)).state.total for seat in duel.seats.order_by("number")]


# Duels, by pages and sockets

FORM = {"ruleset": "yatzy", "people": 2, "minutes": 0, "listed": "open"}


def challenge(browser: Browser, **more: object) -> Duel:
    answer = browser.post("/duels/", {**FORM, **more})
    assert answer.status_code == 302, answer.content
    return Duel.objects.get(token=answer.headers["Location"].split("/")[2])


def join_duel(duel: Duel, browser: Browser) -> Duel:
    assert browser.post(f"/duel/{duel.token}/join").status_code == 302
    return fresh(duel)


def who(browser: Browser) -> Player:
    return known(read_player_cookie(browser.cookies[COOKIE].value))


def page(browser: Browser, duel: Duel) -> str:
    answer = browser.get(f"/duel/{duel.token}/")
    assert answer.status_code == 200
    return answer.content.decode()


def turn(browser: Browser, duel: Duel) -> str:
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
    for _ in range(12):
        html = await viewer.board()
        if wanted in html and no_more not in html:
            return html
    raise AssertionError(wanted)
