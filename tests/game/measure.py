"""python -m tests.game.measure [--games 20] [--profile]: what an action of a game costs in process.

Processor time of one game played again and again, each move through every middleware and to the
last byte of its answer, with a database file of its own. Of every move the quickest time counts,
since other programs only ever add to it.
"""

import argparse
import cProfile
import gc
import os
import pstats
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from statistics import mean
from time import process_time
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import django

if TYPE_CHECKING:
    from django.core.handlers.base import BaseHandler

    from game.models import Game
    from tests.game.conftest import Browser

COACHES = ("off", "after", "live")
GAMES = 20
SEED = "5eed" * 16
LINES = 70  # of a profile


def main() -> None:
    options = parsed()
    with tempfile.TemporaryDirectory(prefix="yatzy-measure-") as folder:
        prepare(Path(folder))
        for coach in COACHES:
            figure = 1000 * mean(min(times) for times in measured(coach, options.games))
            sys.stdout.write(f"coach {coach}: {figure:.2f} ms of processor time an action\n")
        if options.profile:
            profile(options.profile)


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.game.measure", description=__doc__)
    parser.add_argument("--games", type=int, default=GAMES, help=f"with each coach ({GAMES})")
    parser.add_argument("--profile", choices=COACHES, help="list what takes long with this coach")
    return parser.parse_args()


def prepare(folder: Path) -> None:
    """The site as it is served, but for its database."""
    os.environ["DJANGO_SETTINGS_MODULE"] = "yatzy_site.settings"
    os.environ["DATABASE_URL"] = f"sqlite:///{folder / 'measure.sqlite3'}"
    os.environ["STARTS_A_MINUTE"] = os.environ["PLAYERS_A_MINUTE"] = "1000000"
    django.setup()
    from django.conf import settings
    from django.core.management import call_command

    settings.ALLOWED_HOSTS = ["testserver"]
    call_command("migrate", verbosity=0)
    measured("live", 1)  # templates, tables and translations are loaded by whoever comes first
    gc.collect()
    gc.freeze()  # as the server does
    gc.set_threshold(50_000, 20, 20)


def measured(coach: str, games: int) -> Iterable[tuple[float, ...]]:
    """The seconds of every move, in so many games on the same dice."""
    from game.models import Game
    from tests.game.conftest import Browser

    times = []
    for _ in range(games):
        browser = Browser()
        game = browser.start(coach=coach)
        Game.objects.filter(pk=game.pk).update(seed=SEED)
        game.refresh_from_db()
        times.append(whole_game(browser, game))
    return zip(*times, strict=True)


def whole_game(browser: "Browser", game: "Game") -> list[float]:
    """Holds what shows most often, as long as there are throws, then takes the most points."""
    from game.selectors.games import game_played

    handler, times = loaded(), []
    state, seq = game_played(game).state, 1
    while not state.finished:
        what, data = choice(state)
        times.append(act(handler, browser, f"/games/{game.pk}/{what}", data | {"seq": seq}))
        played = game_played(game)
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

    request: Any = RequestFactory().post(url, data, headers={"HX-Request": "true", "X-Tab": "tab"})
    request.COOKIES = {name: morsel.value for name, morsel in browser.cookies.items()}
    request._dont_enforce_csrf_checks = True
    began = process_time()
    response = answered(handler, request)
    took = process_time() - began
    if response.status_code != 200:
        sys.exit(f"{url} is answered with {response.status_code}")
    return took


def answered(handler: "BaseHandler", request: Any) -> Any:
    return handler.get_response(request)


def loaded() -> "BaseHandler":
    from django.core.handlers.base import BaseHandler

    handler = BaseHandler()
    handler.load_middleware()
    return handler


def profile(coach: str) -> None:
    """Of the actions alone; games are begun and looked at outside."""
    profiler = cProfile.Profile()
    profiled = partial(profiler.runcall, answered)  # type: ignore[call-arg]  # the stubs bind it
    with patch.object(sys.modules[__name__], "answered", profiled):
        measured(coach, 3)
    for order in ("tottime", "cumulative"):
        pstats.Stats(profiler).sort_stats(order).print_stats(LINES)


if __name__ == "__main__":
    main()
