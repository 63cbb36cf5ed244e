"""During a trial: every address of the site, every action and every push is searched for anything
that the solver knows. A new page is searched without being named here."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from asgiref.sync import async_to_sync
from django.contrib.staticfiles import finders
from django.urls import URLPattern, URLResolver, get_resolver

from game.coach.hints import box_costs, hint
from game.core.game_queries import game_played
from game.core.worth.tables import advisor
from game.models import Coach, DrillAttempt, Game, Participant
from game.trials.joining.links import path_of
from game.trials.joining.writing import trial_game_start
from solver.advice import position_of
from solver.rules import YATZY
from tests.known import known
from tests.play import Browser, Viewer, into_trial, new_trial, play_through

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("yatzy_tables")]

# What the coach says begins so, wherever it says it.
SAYINGS = re.compile(
    r"Goes for|The aim was|Well seen|costs (\d|next)|Best was|data-costs|points (un)?lucky|regret"
    r"|expected final"
    r"|Blunder|Inaccuracy|bonus_chance|Accuracy \d|that cost most|Flawless:"
    r"|is something better|was better",
    re.IGNORECASE,
)
# These describe the program, and hold no value: the API's document names its fields.
SILENT = ("admin/", "account/", "api/v1/openapi.json")


@pytest.fixture
def past(browser: Browser) -> Game:
    return play_through(browser, browser.start(coach="live"))


@pytest.fixture(params=[Coach.LIVE, Coach.ALERT])
def trial(browser: Browser, past: Game, request: pytest.FixtureRequest) -> Game:
    """A trial game with dice on the table, of a player who also has a finished, coached game."""
    game = browser.start(coach="live")
    game = into_trial(game)
    Game.objects.filter(pk=game.pk).update(coach=request.param)
    browser.get(path_of(known(game.participant)))
    return game


def addresses(*games: Game) -> Iterator[str]:
    """Every address that the site has, for these games; what is of none of them comes once."""
    found = [route for route in routes(get_resolver().url_patterns) if not route.startswith(SILENT)]
    yield from dict.fromkeys(filled_in(route, game) for game in games for route in found)


def filled_in(route: str, game: Game) -> str:
    known = {
        "game_id": game.pk,
        "share_token": game.share_token,
        "player_id": "optimal",
        "name": "distribution.json",
    }
    return "/" + re.sub(r"<\w+:(\w+)>", lambda found: known.get(found[1], "1"), route)


def routes(patterns: list[URLPattern | URLResolver], before: str = "") -> Iterator[str]:
    for pattern in patterns:
        route = before + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from routes(pattern.url_patterns, route)
        else:
            yield route


def secrets(game: Game) -> list[str]:
    """What the solver would say of the dice on the table, to a tenth of a point."""
    coach, state = advisor(YATZY), game_played(game).state
    assert coach is not None
    costs = [
        f"{cost:.1f}"
        for cost in box_costs(coach.evaluate(position_of(state))).values()
        if cost >= 10
    ]
    return [*costs, hint(coach, state, coach.evaluate(position_of(state))).reason]


def words(html: str) -> str:
    """Without the tags, whose coordinates are no secrets."""
    return re.sub(r"<[^>]*>", " ", html)


def test_no_address_of_the_site_tells_a_value(browser: Browser, trial: Game, past: Game) -> None:
    told = {}
    looked = 0
    for address in addresses(trial, past):
        for more in ("", "?hint=1&held=0", "?step=2"):
            response = browser.get(address + more)
            assert response.status_code < 500, address
            text = b"".join(response) if response.streaming else response.content
            if response.status_code == 200:
                looked += 1
                if found := SAYINGS.search(text.decode()):
                    told[address + more] = found.group()
    assert looked > 20
    assert told == {}


def test_no_action_and_no_push_tells_a_value(browser: Browser, trial: Game) -> None:
    hidden = secrets(trial)

    async def pushed() -> str:
        viewer = Viewer(f"/ws/games/{trial.pk}/", browser.cookies)
        assert await viewer.connect()
        html = await viewer.board()
        await viewer.leave()
        return html

    texts = [async_to_sync(pushed)(), browser.get(f"/games/{trial.pk}/").content.decode()]
    for what, data in (
        ("hint", {}),
        ("hold", {"seq": 1, "toggle": 0}),
        ("score", {"seq": 0, "category": "ones"}),
        ("hold", {"seq": 1, "slot": [0, 1]}),
        ("score", {"seq": 2, "category": "chance"}),
    ):
        answer = browser.act(trial, what, **data)
        assert answer.status_code == (403 if what == "hint" else answer.status_code)
        texts.append(answer.content.decode())
    for text in texts:
        assert not SAYINGS.search(text), SAYINGS.search(text)
        assert not [secret for secret in hidden if secret in words(text)]


# Classes and ids of the coach, and the files that only it or its solver needs.
COACH = re.compile(
    r"^(coach|sheet|hint|slip|sofar|standing|feedback|options|losses|level)(__|--|$)"
)
COACH_FILES = re.compile(r"coach|judged|hint|review|pocket|offline_|solve|\.wasm")


def holds(html: str) -> set[str]:
    """The classes, ids and files of a page and of the scripts that those load."""
    marks = {
        mark for found in re.findall(r'\b(?:id|class)="([^"]*)"', html) for mark in found.split()
    }
    files = set(re.findall(r'/static/((?:css|js|pocket)/[^"\s?]+)', html))
    scripts = [name for name in files if name.endswith(".js")]
    while scripts:
        source = Path(known(finders.find(scripts.pop()))).read_text()
        loaded = {f"js/{name}" for name in re.findall(r"(?:from|import)\W+\./([\w.]+)", source)}
        scripts += loaded - files
        files |= loaded
    return {mark for mark in marks if COACH.match(mark)} | {
        name for name in files if COACH_FILES.search(name)
    }


def test_the_pages_of_a_silent_game_hold_nothing_of_the_coach(browser: Browser) -> None:
    spoken = browser.start(coach="live")
    assert {"coach", "css/coach.css"} <= holds(browser.get(f"/games/{spoken.pk}/").text)
    assert COACH_FILES.search(browser.get("/service-worker.js").text)
    silent = new_trial(games_each=1).participants.get(number=1)
    browser.get(path_of(silent))
    browser.post("/take-part/agree", {"version": 1, "agree": "on"})
    game = known(trial_game_start(participant=silent).game)
    pages = [browser.get(f"/games/{game.pk}/")]
    pages.append(browser.act(game, "hold", seq=1, slot=[0]))
    play_through(browser, game)
    pages += [
        browser.get(address)
        for address in (f"/games/{game.pk}/", "/take-part/", "/settings/", "/rules/", "/fair/")
    ]
    assert [page.status_code for page in pages] == [200] * len(pages)
    assert [holds(page.text) for page in pages] == [set()] * len(pages)
    assert not COACH_FILES.search(browser.get("/service-worker.js").text)


def test_a_trial_game_is_never_asked_about_however_costly_the_move(
    browser: Browser, trial: Game
) -> None:
    Game.objects.filter(pk=trial.pk).update(coach=Coach.ALERT, coach_threshold=0.0)
    costs = box_costs(known(advisor(YATZY)).evaluate(position_of(game_played(trial).state)))
    costly = max(costs, key=lambda box: costs[box])
    browser.act(trial, "score", seq=1, category=costly, confirmed="")
    assert trial.decisions.count() == 2


def test_no_way_round_it_by_drill_or_api(browser: Browser, trial: Game) -> None:
    position = {"dice": [1, 2, 3, 4, 5], "rolls_left": 1}
    game = {"turns": [{"throws": [[1, 2, 3, 4, 5]], "holds": [], "category": "chance"}]}
    for address, body in (("/api/v1/advise", position), ("/api/v1/ledger", game)):
        answer = browser.post(address, body, content_type="application/json")
        assert answer.status_code == 403
        assert "trial" in answer.json()["error"]
    assert browser.post("/drill/", {"slot": [0]}).status_code == 403
    assert not DrillAttempt.objects.exists()


def test_the_search_would_find_what_a_coached_game_says(
    browser: Browser, trial: Game, past: Game
) -> None:
    """The same search over the same game, once it is no trial's: it must not come back empty."""
    Participant.objects.all().update(player=None)
    del browser.cookies["browser"]  # which stays blind as long as the trial is open
    Game.objects.filter(pk=trial.pk).update(
        mode=Game.Mode.SOLO, participant=None, trial_number=None
    )
    trial.refresh_from_db()
    if trial.coach == Coach.ALERT:
        Game.objects.filter(pk=trial.pk).update(coach_threshold=0.0)
        costs = box_costs(known(advisor(YATZY)).evaluate(position_of(game_played(trial).state)))
        costly = max(costs, key=lambda box: costs[box])
        asked = browser.act(trial, "score", seq=1, category=costly, confirmed="")
        assert SAYINGS.search(asked.content.decode())
    else:
        page = browser.act(trial, "hint").content.decode()
        assert SAYINGS.search(page)
        assert [secret for secret in secrets(trial) if secret in words(page)]
    assert SAYINGS.search(browser.get(f"/games/{past.pk}/review").content.decode())
