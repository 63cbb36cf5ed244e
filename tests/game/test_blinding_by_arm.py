"""Blinding by arm: whoever has a coach has it in the games of the training and nowhere else, and a
silent arm has none anywhere. The crawl of a plain trial, over every address of the site."""

from collections.abc import Iterator
from typing import Any

import pytest
from asgiref.sync import async_to_sync

from game.coach.hints import box_costs
from game.core.game_queries import game_played
from game.core.refusals import InTrial
from game.core.starting import game_start
from game.core.worth.tables import advisor
from game.models import Coach, DrillAttempt, Game, Participant
from game.trials.design.phases import ArmSettings
from game.trials.joining.links import path_of
from solver.advice import position_of
from solver.rules import YATZY
from tests.game.test_blinding import SAYINGS, addresses, secrets, words
from tests.known import known
from tests.play import Answer, Browser, Viewer, new_trial, play_through

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("yatzy_tables")]
COACHES = [coach for coach in Coach.values if coach != Coach.OFF]


@pytest.fixture
def past(browser: Browser) -> Game:
    return play_through(browser, browser.start(coach="live"))


def enter(browser: Browser, past: Game, arm: ArmSettings, **phases: int) -> Participant:
    """Somebody with a coached past agrees to take part; the past belongs to that player."""
    wanted: dict[str, Any] = {"games_each": 2, "questionnaire": False} | phases
    trial = new_trial(arms=[arm], **wanted)
    one = trial.participants.get(number=1)
    one.player = past.player
    one.save()
    browser.get(path_of(one))
    browser.post("/take-part/agree", {"version": 1, "agree": "on"})
    return one


def begin(browser: Browser) -> Game:
    response = browser.post("/take-part/game")
    if response.headers.get("Location") == "/take-part/":  # the lot fell first
        response = browser.post("/take-part/game")
    assert response.status_code == 302, response.content
    return Game.objects.get(pk=response.headers["Location"].split("/")[2])


def leaks(browser: Browser, *games: Game, but: tuple[str, ...] = ()) -> dict[str, str]:
    """What any address of the site says that only a coach could."""
    found = {}
    for address in addresses(*games):
        if address.startswith(but or "?"):
            continue
        for more in ("", "?hint=1&held=0", "?step=2"):
            response = browser.get(address + more)
            assert response.status_code < 500, address
            text = b"".join(response) if response.streaming else response.content
            if response.status_code == 200 and (said := SAYINGS.search(text.decode())):
                found[address + more] = said.group()
    return found


def pushed(browser: Browser, game: Game) -> str:
    async def board() -> str:
        viewer = Viewer(f"/ws/games/{game.pk}/", browser.cookies)
        assert await viewer.connect()
        html = await viewer.board()
        await viewer.leave()
        return html

    return async_to_sync(board)()


def elsewhere(browser: Browser) -> Iterator[Answer]:
    """Every action that asks a solver, outside the game."""
    position = {"dice": [1, 2, 3, 4, 5], "rolls_left": 1}
    game = {"turns": [{"throws": [[1, 2, 3, 4, 5]], "holds": [], "category": "chance"}]}
    for address, body in (("/api/v1/advise", position), ("/api/v1/ledger", game)):
        yield browser.post(address, body, content_type="application/json")
    yield browser.post("/drill/", {"slot": [0]})
    yield browser.post("/five/", {"slot": [0]})


def says(browser: Browser, game: Game, coach: str) -> str:
    """All that the pages of a game say while three moves are made in it, the costliest last."""
    texts = [browser.get(f"/games/{game.pk}/").content.decode()]
    if coach != Coach.ALERT:
        texts.append(browser.act(game, "hint").content.decode())
    texts.append(browser.act(game, "hold", seq=1, slot=[0, 1]).content.decode())
    costs = box_costs(known(advisor(YATZY)).evaluate(position_of(game_played(game).state)))
    costly = max(costs, key=lambda box: costs[box])
    seq = game.decisions.count()
    asked = browser.act(game, "score", seq=seq, category=costly, confirmed="")
    texts.append(asked.content.decode())
    return " ".join(texts)


@pytest.mark.sampled("coach")
@pytest.mark.parametrize("coach", COACHES)
def test_a_coached_arm_sees_its_coach_in_its_games(
    browser: Browser, past: Game, coach: str
) -> None:
    enter(browser, past, ArmSettings("coached", coach=coach))
    game = begin(browser)
    Game.objects.filter(pk=game.pk).update(coach_threshold=0.0)
    assert game.coach == coach
    assert SAYINGS.search(says(browser, game, coach))


@pytest.mark.sampled("coach")
@pytest.mark.parametrize("coach", [Coach.LIVE, Coach.HINT])
def test_a_coached_arm_is_told_nothing_anywhere_but_in_its_game(
    browser: Browser, past: Game, coach: str
) -> None:
    enter(browser, past, ArmSettings("coached", coach=coach))
    game = begin(browser)
    assert leaks(browser, game, past, but=(f"/games/{game.pk}/",)) == {}
    for address in ("review", "learn", "verify"):
        response = browser.get(f"/games/{game.pk}/{address}")
        assert not SAYINGS.search(response.content.decode()), address
    for answer in elsewhere(browser):
        assert answer.status_code == 403, answer
    assert not DrillAttempt.objects.exists()


@pytest.mark.sampled("phase")
@pytest.mark.parametrize("phase", ["before", "after", "follow_up"])
def test_a_coached_arm_is_silent_in_every_other_phase(
    browser: Browser, past: Game, phase: str
) -> None:
    arm = ArmSettings("coached", coach="live", drill=True)
    counts = {"games_before": 0, "games_after": 0, "games_follow_up": 0} | {f"games_{phase}": 1}
    enter(browser, past, arm, **counts, games_each=1)
    trained = None if phase == "before" else play_through(browser, begin(browser))
    game = begin(browser)
    assert game.phase == phase
    silent(browser, game, *([trained] if trained else []), past)


def test_the_silent_arm_beside_a_coached_one_is_told_nothing(browser: Browser, past: Game) -> None:
    enter(browser, past, ArmSettings("silent"))
    silent(browser, begin(browser), past)


def silent(browser: Browser, game: Game, *others: Game) -> None:
    """Page, push, hint, moves and all of the site, though somebody wrote a coach into the row."""
    Game.objects.filter(pk=game.pk).update(coach=Coach.LIVE, coach_threshold=0.0)
    hidden = secrets(game)
    texts = [pushed(browser, game), browser.get(f"/games/{game.pk}/?hint=1").content.decode()]
    refused = browser.act(game, "hint")
    assert refused.status_code == 403
    texts += [refused.content.decode()]
    texts += [browser.act(game, "hold", seq=1, slot=[0, 1]).content.decode()]
    for text in texts:
        assert not SAYINGS.search(text), SAYINGS.search(text)
        assert not [secret for secret in hidden if secret in words(text)]
    assert leaks(browser, game, *others) == {}
    for answer in elsewhere(browser):
        assert answer.status_code == 403


def test_a_coach_speaks_of_the_last_move_until_the_next_game_is_begun(
    browser: Browser, past: Game
) -> None:
    enter(browser, past, ArmSettings("coached", coach="after"))
    game = play_through(browser, begin(browser))
    assert 'class="coach__talk"' in browser.get(f"/games/{game.pk}/").content.decode()
    begin(browser)
    assert 'class="coach__talk"' not in browser.get(f"/games/{game.pk}/").content.decode()


def test_hints_alone_say_nothing_unasked(browser: Browser, past: Game) -> None:
    enter(browser, past, ArmSettings("hints", coach="hint"))
    game = begin(browser)
    unasked = browser.get(f"/games/{game.pk}/").content.decode()
    unasked += browser.act(game, "hold", seq=1, slot=[0, 1]).content.decode()
    unasked += browser.act(game, "score", seq=2, category="ones").content.decode()
    assert not SAYINGS.search(unasked)
    browser.act(game, "hold", seq=3)
    assert SAYINGS.search(browser.act(game, "hint").content.decode())


def test_the_drill_of_an_arm_opens_nothing_beside_it(browser: Browser, past: Game) -> None:
    enter(browser, past, ArmSettings("drilled", drill=True))
    assert browser.get("/drill/").status_code == 403
    browser.post("/take-part/game")
    assert browser.get("/drill/").status_code == 200
    assert leaks(browser, past, but=("/drill/",)) == {}
    api, ledger, _drill, five = elsewhere(browser)
    assert {api.status_code, ledger.status_code, five.status_code} == {403}


def test_other_games_stay_closed_to_a_coached_arm(browser: Browser, past: Game) -> None:
    one = enter(browser, past, ArmSettings("coached", coach="live"))
    with pytest.raises(InTrial):
        game_start(player=one.player, mode="solo")
