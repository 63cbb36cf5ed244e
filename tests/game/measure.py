"""python -m tests.game.measure [--games 20] [--json]: what an action of a game costs in process.

Processor time of whole games, each move through every middleware and to the last byte of its
answer, with a database file of its own. The best game counts: other programs only ever add to it.
Then how many positions a second of processor time the API answers, a thousand of them at once.
"""

import argparse
import cProfile
import gc
import json
import os
import pstats
import sys
import tempfile
from collections import Counter
from functools import cache, partial
from hashlib import sha256
from pathlib import Path
from random import Random
from statistics import mean, median
from time import process_time
from typing import TYPE_CHECKING, Any
from unittest.mock import patch
from urllib.parse import urlencode

import django

if TYPE_CHECKING:
    from django.core.handlers.base import BaseHandler

    from game.models import Game
    from solver.rules import Block
    from tests.play import Browser

COACHES = ("off", "after", "live")
GAMES = 20
WARM = 5  # games with each coach before anything is measured
LINES = 70  # of a profile
BATCHES = 20


def main() -> None:
    options = parsed()
    with tempfile.TemporaryDirectory(prefix="yatzy-measure-") as folder:
        prepare(Path(folder))
        figures = {}
        for coach in COACHES:
            games = measured(coach, options.games)
            figures[f"an action, coach {coach}, the best game"] = (min(games), "ms")
            figures[f"an action, coach {coach}, the median game"] = (median(games), "ms")
            figures[f"an action, coach {coach}, calls of Python"] = (calls(coach), "")
        for what, asked in (("best option", {"top": 1}), ("all options", {})):
            rate = max(map(positions_a_second, [asked] * BATCHES))
            figures[f"API positions per second of processor time, {what}"] = (rate, "")
        if options.json:
            sys.stdout.write(f"{json.dumps(figures)}\n")
        else:
            for name, (value, unit) in figures.items():
                sys.stdout.write(f"{name}: {value:,.2f} {unit}\n")
        if options.profile:
            profile(options.profile)


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.game.measure", description=__doc__)
    parser.add_argument("--games", type=int, default=GAMES, help=f"with each coach ({GAMES})")
    parser.add_argument("--json", action="store_true", help="print the figures as one JSON object")
    parser.add_argument("--profile", choices=COACHES, help="list what takes long with this coach")
    return parser.parse_args()


def prepare(folder: Path) -> None:
    os.environ["DJANGO_SETTINGS_MODULE"] = "yatzy_site.settings"
    os.environ["DATABASE_URL"] = f"sqlite:///{folder / 'measure.sqlite3'}"
    for name in ("STARTS", "PLAYERS", "API_REQUESTS"):
        os.environ[f"{name}_A_MINUTE"] = "1000000"
    django.setup()
    from django.conf import settings
    from django.core.management import call_command

    settings.ALLOWED_HOSTS = ["testserver"]
    settings.STATIC_ROOT = folder
    settings.WHITENOISE_USE_FINDERS = settings.WHITENOISE_AUTOREFRESH = False  # as once collected
    call_command("migrate", verbosity=0)
    for coach in COACHES:
        measured(
            coach, WARM, series="before"
        )  # templates, tables and translations are loaded by the first request
    gc.collect()
    gc.freeze()  # as the server does
    gc.set_threshold(50_000, 20, 20)


def measured(coach: str, games: int, series: str = "measured") -> list[float]:
    """Milliseconds a move of so many games, whose dice are the same whenever this is asked."""
    from game.models import Game
    from tests.play import Browser

    times = []
    for number in range(games):
        browser = Browser()
        game = browser.start(coach=coach)
        Game.objects.filter(pk=game.pk).update(
            seed=sha256(f"{series} {number}".encode()).hexdigest()
        )
        game.refresh_from_db()
        times.append(1000 * mean(whole_game(browser, game)))
    return times


def whole_game(browser: "Browser", game: "Game") -> list[float]:
    """Holds what shows most often, as long as there are throws, then takes the most points."""
    from game.core.game_queries import replay_game

    handler, times = loaded(), []
    state, seq = replay_game(game).state, 1
    while not state.finished:
        what, data = choice(state)
        times.append(act(handler, browser, f"/games/{game.pk}/{what}", data | {"seq": seq}))
        played = replay_game(game)
        state, seq = played.state, len(played.actions)
    return times


def choice(state: Any) -> tuple[str, dict[str, Any]]:
    if not state.dice:
        return "hold", {}
    if state.throws_left:
        face = Counter(state.dice).most_common(1)[0][0]
        kept = [slot for slot, shown in enumerate(state.dice) if shown == face]
        return "hold", {"slot": kept}
    best = max(state.offers, key=state.offers.__getitem__)
    return "score", {"category": state.rules.categories[best].id}


def act(handler: "BaseHandler", browser: "Browser", url: str, data: dict[str, Any]) -> float:
    from django.test import RequestFactory

    sent = (urlencode(data, doseq=True), "application/x-www-form-urlencoded")
    request: Any = RequestFactory().post(url, *sent, headers={"HX-Request": "true", "X-Tab": "tab"})
    request.COOKIES = {name: morsel.value for name, morsel in browser.cookies.items()}
    request._dont_enforce_csrf_checks = True
    began = process_time()
    response = answered(handler, request)
    took = process_time() - began
    if response.status_code != 200:
        sys.exit(f"{url} is answered with {response.status_code}")
    return took


def positions_a_second(asked: dict[str, int]) -> float:
    from django.test import RequestFactory

    body = {"positions": positions(1000), **asked}
    request: Any = RequestFactory().post("/api/v1/advise", body, content_type="application/json")
    began = process_time()
    response = answered(loaded(), request)
    took = process_time() - began
    if response.status_code != 200:
        sys.exit(f"the API answers with {response.status_code}")
    return 1000 / took


@cache
def positions(many: int) -> list[dict[str, Any]]:
    from solver.rules import YATZY, Hold, list_legal_actions, play, start_state

    random, found = Random(1), list[dict[str, Any]]()
    while len(found) < 10 * many:
        state, dice = start_state(YATZY), faces(random)
        while not state.finished:
            action = random.choice(list_legal_actions(state)) if state.dice else Hold(0)
            state = play(state, action, dice)
            if state.dice:
                boxes = zip(state.rules.categories, state.boxes, strict=True)
                filled = [category.id for category, box in boxes if box]
                left = state.throws_left
                found.append(
                    {"dice": state.dice, "rolls_left": left, "filled": filled, "upper": state.upper}
                )
    return random.sample(found, many)


def faces(random: Random) -> "Block":
    from solver.rules import YATZY
    from solver.rules.dice import FACES

    return tuple(
        tuple(tuple(random.choices(range(1, FACES + 1), k=YATZY.dice)) for _ in range(YATZY.throws))
        for _ in YATZY.categories
    )


def answered(handler: "BaseHandler", request: Any) -> Any:
    return handler.get_response(request)


def loaded() -> "BaseHandler":
    from django.core.handlers.base import BaseHandler

    handler = BaseHandler()
    handler.load_middleware()
    return handler


def calls(coach: str) -> float:
    """Count the calls of Python functions per action: no other program can change them."""
    from tests.game.test_metrics import calls_of

    counted = []

    def noted(handler: "BaseHandler", request: Any) -> Any:
        response, number = calls_of(lambda: handler.get_response(request))
        counted.append(number)
        return response

    with patch.object(sys.modules[__name__], "answered", noted):
        measured(coach, 1)
    return mean(counted)


def profile(coach: str) -> None:
    profiler = cProfile.Profile()
    profiled = partial(profiler.runcall, answered)  # type: ignore[call-arg]  # the stubs bind it
    with patch.object(sys.modules[__name__], "answered", profiled):
        measured(coach, 3)
    for order in ("tottime", "cumulative"):
        pstats.Stats(profiler).sort_stats(order).print_stats(LINES)


if __name__ == "__main__":
    main()
