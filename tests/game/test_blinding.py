"""During a trial, every address, action and push is searched for anything that the solver knows.

A participant with a coach has it in the games of the training and nowhere else. A new page is
searched without being named here.
"""

import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.contrib.staticfiles import finders

from game.coach.hints import build_hint, calculate_box_costs
from game.core.game_queries import replay_game
from game.core.refusals import InTrial
from game.core.starting import start_game
from game.core.worth.tables import load_advisor
from game.models import Coach, DrillAttempt, Game
from game.trials.design.phases import ArmSettings
from game.trials.joining.writing import start_trial_game
from game.trials.models import Participant
from solver.advice import find_position
from solver.rules import YATZY
from tests.crawl.addresses import addresses, filled_in
from tests.crawl.reading import body_of
from tests.known import known
from tests.play import Answer, Browser, Viewer, costly_box, play_through
from tests.trials import agree_to, new_trial, next_game, person

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("yatzy_tables")]

# What the coach says begins so, wherever it says it.
SAYINGS = re.compile(
    r"The aim (is|was)|Well seen|costs (\d|next)|Best: |The best move|data-costs|regret"
    r"|points of (good|bad) luck|(worse|better) luck than|Your costliest turn"
    r"|expected final|Your move was (best|good)"
    r"|Blunder|Inaccuracy|bonus_chance|Accuracy \d|that cost most|Flawless:"
    r"|is something better|was better",
    re.IGNORECASE,
)
# These describe the program, and hold no value: the API's document names its fields.
SILENT = ("admin/", "account/", "api/v1/openapi.json")


OTHERS = [coach for coach in Coach.values if coach not in (Coach.OFF, Coach.LIVE)]


@pytest.fixture
def past(browser: Browser) -> Game:
    return play_through(browser, browser.start(coach="live"))


def enter(browser: Browser, past: Game, *arms: ArmSettings, **phases: int) -> Participant:
    wanted: dict[str, Any] = {"games_each": 2, "questionnaire": False} | phases
    one = new_trial(arms=arms, **wanted).participants.get(number=1)
    one.player = past.player
    one.save()
    agree_to(browser, one)
    return one


def typed_in(*games: Game) -> Iterator[str]:
    routes = [one.route for one in addresses() if not one.route.startswith(SILENT)]
    for game in games:
        values = {"game_id": str(game.pk), "share_token": game.share_token}
        values |= {"player_id": "optimal", "name": "distribution.json"}
        yield from (filled_in(route, defaultdict(lambda: "1", values)) for route in routes)


def leaks(browser: Browser, *games: Game, but: tuple[str, ...] = ()) -> dict[str, str]:
    found, looked = {}, 0
    for address in dict.fromkeys(typed_in(*games)):
        if address.startswith(but or "?"):
            continue
        for more in ("", "?hint=1&held=0&step=2"):
            response = browser.get(address + more)
            assert response.status_code < 500, address
            looked += response.status_code == 200
            if response.status_code == 200 and (said := SAYINGS.search(body_of(response))):
                found[address + more] = said.group()
    assert looked > 14
    return found


def elsewhere(browser: Browser) -> Iterator[Answer]:
    position = {"dice": [1, 2, 3, 4, 5], "rolls_left": 1}
    game = {"turns": [{"throws": [[1, 2, 3, 4, 5]], "holds": [], "category": "chance"}]}
    for address, body in (("/api/v1/advise", position), ("/api/v1/ledger", game)):
        yield browser.post(address, body, content_type="application/json")
    yield browser.post("/drill/", {"slot": [0]})
    yield browser.post("/five/", {"slot": [0]})


def secrets(game: Game) -> list[str]:
    coach, state = known(load_advisor(YATZY)), replay_game(game).state
    worth = coach.evaluate(find_position(state))
    costs = [f"{cost:.1f}" for cost in calculate_box_costs(worth).values() if cost >= 10]
    return [*costs, build_hint(coach, state, worth).reason]


def words(html: str) -> str:
    """Without the tags, whose coordinates are no secrets."""
    return re.sub(r"<[^>]*>", " ", html)


def pushed(browser: Browser, game: Game) -> str:
    async def board() -> str:
        viewer = Viewer(f"/ws/games/{game.pk}/", browser.cookies)
        assert await viewer.connect()
        html = await viewer.board()
        await viewer.leave()
        return html

    return async_to_sync(board)()


def says(browser: Browser, game: Game, *, hinted: int) -> str:
    texts = [pushed(browser, game), browser.get(f"/games/{game.pk}/?hint=1").text]
    hint = browser.act(game, "hint")
    assert hint.status_code == hinted
    texts += [hint.text, browser.act(game, "hold", seq=1, toggle=0).text]
    texts += [browser.act(game, "score", seq=0, category="ones").text]
    texts += [browser.act(game, "hold", seq=1, slot=[0, 1]).text]
    costly = costly_box(game)
    return " ".join([*texts, browser.act(game, "score", seq=2, category=costly, confirmed="").text])


@pytest.mark.parametrize(
    ("where", "coach"),
    [
        ("", Coach.ALERT),
        ("silent", Coach.LIVE),
        ("before", Coach.LIVE),
        pytest.param("after", Coach.LIVE, marks=pytest.mark.nightly),
        pytest.param("follow_up", Coach.LIVE, marks=pytest.mark.nightly),
    ],
)
def test_nothing_tells_a_value_without_arms_in_a_silent_one_and_in_every_other_phase(
    browser: Browser, past: Game, where: str, coach: str
) -> None:
    """Check page, push, hint, moves and all of the site, though the row names a coach."""
    arm = ArmSettings("arm", coach="off" if where == "silent" else "live", drill=where != "silent")
    phases = {f"games_{where}": 1} if where not in {"", "silent"} else {}
    enter(browser, past, *[arm] * (where != ""), games_each=1, **phases)
    games = [past]
    if where in {"after", "follow_up"}:
        games.append(play_through(browser, next_game(browser)))
    game = next_game(browser)
    assert game.trial_game.phase in {where, "training" if where else ""}
    Game.objects.filter(pk=game.pk).update(coach=coach, coach_threshold=0.0)
    assert leaks(browser, game, *games) == {}
    hidden, text = secrets(game), says(browser, game, hinted=403)
    assert not SAYINGS.search(text), SAYINGS.search(text)
    assert not [secret for secret in hidden if secret in words(text)]
    assert game.decisions.count() == 3, "it is never asked about, however costly the move"
    assert [answer.status_code for answer in elsewhere(browser)] == [403] * 4
    assert not DrillAttempt.objects.exists()


# Classes and ids of the coach, and the files that only it or its solver needs.
COACH = re.compile(
    r"^(coach|sheet|hint|slip|sofar|standing|feedback|options|losses|level)(__|--|$)"
)
COACH_FILES = re.compile(r"coach|judged|hint|review|pocket|offline_|solve|\.wasm")


def holds(html: str) -> set[str]:
    marks = {*" ".join(re.findall(r'\b(?:id|class)="([^"]*)"', html)).split()}
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
    silent = person(new_trial(games_each=1))
    agree_to(browser, silent)
    game = known(start_trial_game(participant=silent).game)
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


@pytest.mark.parametrize(
    "coach", [Coach.LIVE, *(pytest.param(one, marks=pytest.mark.nightly) for one in OTHERS)]
)
def test_a_coached_arm_is_told_in_its_game_and_nowhere_else(
    browser: Browser, past: Game, coach: str
) -> None:
    """The same search over the same pages: where there is something it must not come back empty."""
    assert SAYINGS.search(browser.get(f"/games/{past.pk}/review").text)
    one = enter(browser, past, ArmSettings("coached", coach=coach, drill=True))
    for status in (403, 200):  # the lot falls in between
        assert browser.get("/drill/").status_code == status
        if status == 403:
            browser.post("/take-part/game")
    api, ledger, _drill, five = elsewhere(browser)
    assert {api.status_code, ledger.status_code, five.status_code} == {403}
    game = next_game(browser)
    assert game.coach == coach
    Game.objects.filter(pk=game.pk).update(coach_threshold=0.0)
    assert leaks(browser, game, past, but=(f"/games/{game.pk}/", "/drill/")) == {}
    for address in ("review", "learn", "verify"):
        assert not SAYINGS.search(browser.get(f"/games/{game.pk}/{address}").text), address
    assert [answer.status_code for answer in elsewhere(browser)] == [403] * 4
    with pytest.raises(InTrial):
        start_game(player=one.player, mode="solo")
    hidden, text = secrets(game), says(browser, game, hinted=200)
    assert SAYINGS.search(text)
    assert [secret for secret in hidden if secret in words(text)]


def test_a_coach_speaks_of_the_last_move_until_the_next_game_is_begun(
    browser: Browser, past: Game
) -> None:
    enter(browser, past, ArmSettings("coached", coach="after"))
    game = play_through(browser, next_game(browser))
    for speaks in (True, False):
        assert ('class="coach__talk"' in browser.get(f"/games/{game.pk}/").text) == speaks
        next_game(browser)
