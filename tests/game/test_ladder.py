"""The ladder: programs of people play by the API, as those who sit at a table do."""

import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.utils import timezone
from jsonschema import Draft202012Validator

from game import services
from game.api.openapi import DOCUMENT
from game.fair import days
from game.judgement.tables import advisor
from game.models import Decision, Duel, LadderProgram, Player
from game.selectors.ladder import THERE, digest_of, ladder_places, program_of_token
from game.selectors.leaders import leaders_of_week
from game.services import InTrial, Refused
from game.services.ladder import MOST_PROGRAMS
from game.words import labels
from solver.rules import YATZY
from tests.game.conftest import Answer, Browser
from tests.game.duels import fresh, new_duel, play_turn
from tests.game.trials import joined, new_trial
from tests.known import known

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("yatzy_tables")]


def account(name: str) -> Player:
    return services.player_of_user(user=User.objects.create_user(name))


@pytest.fixture(autouse=True)
def unhurried(settings: Any) -> None:
    """All tests are one client."""
    settings.API_REQUESTS_A_MINUTE = 10**6


@pytest.fixture
def ada() -> Player:
    return account("ada")


@pytest.fixture
def ben() -> Player:
    return account("ben")


class Bot:
    """A program of somebody's, with its token."""

    def __init__(self, owner: Player, name: str, *, asks: bool = False) -> None:
        self.program, self.token = services.program_make(owner=owner, name=name, asks=asks)
        self.browser = Browser()

    def sends(self, what: str, **facts: Any) -> Answer:
        headers = {"Authorization": f"Bearer {self.token}"}
        path = f"/api/v1/ladder/{what}"
        answer = self.browser.post(path, json.dumps(facts), "application/json", headers=headers)
        described = DOCUMENT["paths"][path]["post"]["responses"][str(answer.status_code)]
        schema = described["content"]["application/json"]["schema"]
        held_to = {**schema, "components": DOCUMENT["components"]}
        Draft202012Validator(held_to).validate(answer.json())
        return answer

    def asks(self, what: str, **facts: Any) -> dict[str, Any]:
        answer = self.sends(what, **facts)
        assert answer.status_code == 200, answer.content
        found: dict[str, Any] = answer.json()
        return found

    def turn(self, token: str) -> dict[str, Any]:
        """The first throw into the box that brings most, as soon as it may."""
        game = self.asks("look", game=token)
        if game.get("to_throw"):
            game = self.asks("move", game=token, seq=game["seq"], action="throw")
        if game.get("to_move"):
            offers = game["question"]["options"]
            box = max(offers, key=lambda one: offers[one])
            act = {"action": "score", "category": box}
            game = self.asks("move", game=token, seq=game["seq"], **act)
        return game


@pytest.fixture
def mine(ada: Player) -> Bot:
    return Bot(ada, "Ada's first")


@pytest.fixture
def theirs(ben: Player) -> Bot:
    return Bot(ben, "Ben 2000")


def met(one: Bot, other: Bot) -> str:
    token: str = one.asks("ask")["game"]
    assert other.asks("ask")["game"] == token
    return token


def test_a_token_is_kept_as_a_hash_and_names_its_program(mine: Bot) -> None:
    kept = LadderProgram.objects.get()
    assert kept.token == digest_of(mine.token) != mine.token
    assert program_of_token(mine.token) == kept
    assert program_of_token("") is None
    assert len(mine.token) >= 40


@pytest.mark.parametrize("header", ["", "Bearer ", "Bearer nothing", "Digest {}", "{}"])
def test_without_its_token_nobody_plays_as_a_program(mine: Bot, header: str) -> None:
    refused = mine.browser.post(
        "/api/v1/ladder/ask",
        "{}",
        "application/json",
        headers={"Authorization": header.format(mine.token)},
    )
    assert refused.status_code == 401
    assert not Duel.objects.exists()


def test_a_token_that_was_taken_back_opens_nothing_and_leaves_nobody_waiting(
    mine: Bot, theirs: Bot, ada: Player, ben: Player
) -> None:
    token = met(mine, theirs)
    services.program_revoke(owner=ben, number=mine.program.pk)  # it is not his
    assert mine.sends("look", game=token).status_code == 200
    services.program_revoke(owner=ada, number=mine.program.pk)
    assert mine.sends("look", game=token).status_code == 401
    assert theirs.asks("look", game=token)["outcome"] == "won"
    again = Bot(ada, "Ada's second")
    services.program_revoke(owner=ada, number=mine.program.pk)  # two without a token
    services.program_revoke(owner=ada, number=again.program.pk)


def test_a_program_asks_as_often_as_any_client(mine: Bot, settings: Any) -> None:
    settings.API_REQUESTS_A_MINUTE = 0
    refused = mine.sends("ask")
    assert (refused.status_code, Duel.objects.exists()) == (429, False)
    assert refused.headers["Retry-After"]


def test_who_signs_in_no_more_has_no_programs(mine: Bot, ada: Player) -> None:
    User.objects.update(is_active=False)
    assert mine.sends("ask").status_code == 401


def test_an_account_has_so_many_programs(ada: Player) -> None:
    bots = [Bot(ada, f"Number {number}") for number in range(MOST_PROGRAMS)]
    with pytest.raises(Refused, match="5 programs are the most"):
        Bot(ada, "One more")
    services.program_revoke(owner=ada, number=bots[0].program.pk)
    Bot(ada, "One more")


@pytest.mark.parametrize("name", ["", "a", "admin", "ben", "Ben 2000", "ben-2000", "<b>"])
def test_a_program_is_called_as_nobody_else_is(theirs: Bot, ada: Player, name: str) -> None:
    with pytest.raises(Refused):
        Bot(ada, name)
    assert not ada.programs.exists()


def test_two_programs_play_a_game_to_its_end(mine: Bot, theirs: Bot) -> None:
    waits = mine.asks("ask")
    assert (waits["state"], waits["against"]) == ("open", [])
    assert mine.asks("ask")["game"] == waits["game"]  # it is in one game at a time
    begun = theirs.asks("ask")
    assert begun["against"] == ["Ada's first (program)"]
    assert (begun["to_move"], begun["to_throw"], begun["seq"]) == (True, True, 0)
    assert 599 < begun["seconds_left"] <= 600
    token = begun["game"]
    waits = theirs.turn(token)
    assert (waits["to_move"], waits["to_throw"]) == (False, False)  # for the other
    mine.turn(token)
    duel = Duel.objects.get()
    for _ in YATZY.categories[1:]:
        play_turn(duel, mine.program.player)
        play_turn(duel, theirs.program.player)
    ended, other = mine.asks("look", game=token), theirs.asks("look", game=token)
    assert ended["others"] == [other["score"]]
    assert {ended["outcome"], other["outcome"]} in ({"won", "lost"}, {"tied"})
    assert mine.asks("ask")["game"] != token
    assert (
        Decision.objects.filter(regret__isnull=True, game__seat__isnull=False)
        .exclude(roll=0)
        .count()
        == 0
    )


def test_what_a_program_is_asked_is_the_question_of_its_protocol(mine: Bot, theirs: Bot) -> None:
    token = met(mine, theirs)
    game = mine.asks("move", game=token, seq=0, action="throw")
    asked = game["question"]
    assert set(asked) == {"position", "card", "score", "others", "options"}
    assert (asked["position"]["rolls_left"], asked["others"]) == (2, [0])
    held = asked["position"]["dice"][:2]
    held_game = mine.asks("move", game=token, seq=1, action="hold", dice=held)
    assert held_game["seq"] == 2
    assert not held_game["to_move"]  # that throw falls when the other has fixed theirs
    theirs.turn(token)
    dice = mine.asks("look", game=token)["question"]["position"]["dice"]
    assert all(dice.count(die) >= held.count(die) for die in held)


def test_a_move_sent_again_is_made_once(mine: Bot, theirs: Bot) -> None:
    token = met(mine, theirs)
    assert mine.asks("move", game=token, seq=0, action="throw")["seq"] == 1
    assert mine.sends("move", game=token, seq=0, action="throw").status_code == 409
    assert mine.asks("look", game=token)["seq"] == 1


@pytest.mark.parametrize(
    ("move", "status"),
    [
        ({"seq": 1, "action": "score", "category": "nothing"}, 422),
        ({"seq": 1, "action": "hold", "dice": [7]}, 422),
        ({"seq": 1, "action": "dance"}, 422),
        ({"seq": 1}, 422),
        ({"seq": "1", "action": "hold", "dice": []}, 422),
        ({"seq": 0, "action": "score", "category": "chance"}, 409),
        ({"seq": 2, "action": "score", "category": "chance"}, 409),
        ({"seq": 2, "action": "throw"}, 409),
        ({"seq": 1, "action": "throw"}, 409),
        ({"seq": 0, "action": "hold", "dice": [7]}, 409),
        ({"seq": 1, "action": "throw", "luck": 6}, 422),
    ],
)
def test_what_cannot_be_is_refused_as_to_a_person(
    mine: Bot, theirs: Bot, move: dict[str, Any], status: int
) -> None:
    token = met(mine, theirs)
    mine.asks("move", game=token, seq=0, action="throw")
    assert mine.sends("move", game=token, **move).status_code == status
    assert Decision.objects.count() == 1


def test_games_of_others_are_not_theirs(mine: Bot, theirs: Bot, ada: Player) -> None:
    token = met(mine, theirs)
    stranger = Bot(account("cleo"), "Stranger")
    assert stranger.sends("look", game=token).status_code == 404
    assert stranger.sends("move", game=token, seq=0, action="throw").status_code == 404
    assert stranger.sends("look", game="nothing").status_code == 404
    assert stranger.asks("ask")["game"] != token


def test_programs_of_one_account_do_not_meet_and_rules_are_not_mixed(
    mine: Bot, theirs: Bot, ada: Player
) -> None:
    token = mine.asks("ask")["game"]
    assert Bot(ada, "Ada's second").asks("ask")["game"] != token
    assert theirs.asks("ask", ruleset="yahtzee")["game"] != token
    assert theirs.sends("ask", ruleset="poker").status_code == 422
    assert theirs.sends("ask", added="x" * 65).status_code == 422


def test_who_has_not_asked_for_long_is_not_waited_for(mine: Bot, theirs: Bot) -> None:
    token = mine.asks("ask")["game"]
    Duel.objects.update(created_at=timezone.now() - THERE)
    assert theirs.asks("ask")["game"] != token
    theirs.asks("move", game=theirs.asks("ask")["game"], action="resign")
    mine.asks("ask")  # it is there still
    assert theirs.asks("ask")["game"] == token


def test_a_program_resigns_and_one_whose_time_is_over_has_lost(mine: Bot, theirs: Bot) -> None:
    token = met(mine, theirs)
    assert mine.asks("move", game=token, action="resign")["outcome"] == "given-up"
    assert theirs.asks("look", game=token)["outcome"] == "won"
    token = met(mine, theirs)
    theirs.turn(token)
    Duel.objects.filter(token=token).update(started_at=timezone.now() - timedelta(minutes=11))
    Decision.objects.filter(game__player=theirs.program.player).update(
        created_at=timezone.now() - timedelta(minutes=11)
    )
    assert mine.asks("look", game=token)["outcome"] == "lost"
    assert theirs.asks("look", game=token)["outcome"] == "won"


def test_a_person_plays_against_a_program_that_waits(mine: Bot, browser: Browser) -> None:
    token = mine.asks("ask")["game"]
    page = browser.get("/ladder/")
    assert "Ada&#x27;s first (program)" in page.content.decode()
    joined = browser.post(f"/duel/{token}/join", {"added": ""})
    assert joined.headers["Location"] == f"/duel/{token}/"
    assert "Ada&#x27;s first (program)" in browser.get(f"/duel/{token}/").content.decode()
    assert "Ada&#x27;s first" not in browser.get("/ladder/").content.decode()
    person = Player.objects.get(program=False, user=None)
    assert not mine.turn(token)["to_move"]
    play_turn(Duel.objects.get(), person)
    assert mine.asks("look", game=token)["to_move"]
    services.duel_leave(token=token, player=person)
    with pytest.raises(Refused, match="asks for its next game itself"):
        services.duel_rematch(token=token, player=person)


def test_whoever_sent_a_program_is_not_offered_it(mine: Bot, ada: Player) -> None:
    mine.asks("ask")
    browser = Browser()
    browser.force_login(known(ada.user))
    assert "No program waits" in browser.get("/ladder/").content.decode()


def played_out(one: Player, other: Player, **more: Any) -> Duel:
    duel = new_duel([one, other], ladder=True, **more)
    for _ in YATZY.categories:
        play_turn(duel, one)
        play_turn(duel, other)
    services.duel_settle(token=duel.token)
    assert fresh(duel).state == "finished"
    return duel


def test_the_ladder_rates_by_what_decisions_cost(mine: Bot, theirs: Bot, ada: Player) -> None:
    one, other = mine.program.player, theirs.program.player
    for _ in range(2):
        played_out(one, other)
    left = new_duel([other, one], ladder=True)
    services.duel_leave(token=left.token, player=one)
    new_duel([one, other], ladder=True)  # it is being played
    duel = new_duel([other, ada])  # on no ladder
    services.duel_leave(token=duel.token, player=ada)
    values = known(advisor(YATZY)).value_start
    first, second = ladder_places(YATZY, values)
    assert first.lost.mean <= second.lost.mean
    for place in (first, second):
        games = place.program.player.games.filter(finished_at__isnull=False)
        costs = [known(game.regret) for game in games]
        assert len(costs) == place.lost.count == 2
        assert place.lost.mean == pytest.approx(sum(costs) / 2, abs=1e-12)
        assert place.games == 3
        assert place.half is None  # too few to say anything
    by = {place.program: place for place in (first, second)}
    assert by[mine.program].won + by[theirs.program].won <= 2 + 1
    assert (by[mine.program].left, by[theirs.program].left) == (1, 0)
    assert by[theirs.program].won >= 1


def test_who_has_finished_too_few_games_comes_last(
    mine: Bot, theirs: Bot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("game.selectors.ladder.FEWEST", 2)
    one, other, third = (bot.program.player for bot in (mine, theirs, Bot(account("c"), "Third")))
    fourth = Bot(account("d"), "Fourth")
    played_out(one, other)
    played_out(one, third)
    places = ladder_places(YATZY, known(advisor(YATZY)).value_start)
    assert places[0].program == mine.program
    assert places[0].half == pytest.approx(known(places[0].lost.interval).half)
    assert [place.half for place in places[1:]] == [None, None]
    assert places[1].lost.mean <= places[2].lost.mean
    left = new_duel([one, fourth.program.player], ladder=True)
    services.duel_leave(token=left.token, player=fourth.program.player)
    assert ladder_places(YATZY, known(advisor(YATZY)).value_start)[-1].program == fourth.program


def test_programs_are_marked_and_have_no_place_among_people(
    mine: Bot, theirs: Bot, browser: Browser
) -> None:
    player = mine.program.player
    assert labels.player(player) == "Ada's first (program)"
    assert str(player) == str(mine.program) == "Ada's first"
    played_out(player, theirs.program.player)
    assert leaders_of_week(YATZY, days.today(), None) == []
    page = browser.get("/ladder/").content.decode()
    assert 'href="/duels/" aria-current="page"' in page
    assert "Ada&#x27;s first" in page
    assert "asks the coach" not in page
    Bot(account("dora"), "Oracle", asks=True)
    LadderProgram.objects.filter(player=player).update(asks=True)
    assert "asks the coach" in browser.get("/ladder/yatzy/").content.decode()
    assert "Ada&#x27;s first" not in browser.get("/ladder/yahtzee/").content.decode()


def test_programs_are_never_forgotten_as_guests_are(mine: Bot) -> None:
    Player.objects.update(created_at=timezone.now() - timedelta(days=400))
    assert not services.players_idle(days=30, with_games=True).exists()


def test_with_the_account_its_programs_go(mine: Bot, theirs: Bot, ada: Player) -> None:
    token = met(mine, theirs)
    services.player_delete(player=ada)
    assert list(Player.objects.filter(program=True)) == [theirs.program.player]
    assert theirs.asks("look", game=token)["state"] != "running"


def test_participants_have_no_ladder(mine: Bot, ada: Player) -> None:
    trial = new_trial()
    participant = joined(trial)
    with pytest.raises(InTrial):
        services.program_make(owner=known(participant.player), name="Mine", asks=False)
    LadderProgram.objects.update(owner=participant.player)
    known(ada.user).delete()
    Player.objects.filter(pk=known(participant.player).pk).update(
        user=User.objects.create_user("taking-part")
    )
    assert mine.sends("ask").status_code == 403


# Pages


def test_a_token_is_shown_once(browser: Browser, ada: Player) -> None:
    browser.force_login(known(ada.user))
    page = browser.post("/ladder/programs/", {"name": "Mine", "asks": "on"})
    token = page.context["token"]
    assert token in page.content.decode()
    assert program_of_token(token) == ada.programs.get()
    assert ada.programs.get().asks
    again = browser.get("/ladder/programs/").content.decode()
    assert token not in again
    assert "Mine" in again
    refused = browser.post("/ladder/programs/", {"name": "Mine"})
    assert refused.status_code == 400
    assert "Somebody else has this name" in refused.content.decode()
    number = ada.programs.get().pk
    assert browser.post(f"/ladder/programs/{number}/revoke").status_code == 302
    assert program_of_token(token) is None


def test_a_guest_has_no_programs(browser: Browser, mine: Bot) -> None:
    assert browser.get("/ladder/programs/").status_code == 302
    assert browser.post("/ladder/programs/", {"name": "Mine"}).status_code in (302, 403)
    assert browser.post(f"/ladder/programs/{mine.program.pk}/revoke").status_code == 403
    assert program_of_token(mine.token) is not None


def test_the_ladder_asks_the_database_as_often_however_many_play(
    mine: Bot, theirs: Bot, browser: Browser, django_assert_num_queries: Callable[[int], Any]
) -> None:
    played_out(mine.program.player, theirs.program.player)
    mine.asks("ask")
    with django_assert_num_queries(6):
        assert browser.get("/ladder/").status_code == 200
    Bot(account("c"), "Third").asks("ask", ruleset="yahtzee")
    duel = new_duel([mine.program.player, Bot(account("d"), "Fourth").program.player], ladder=True)
    services.duel_leave(token=duel.token, player=mine.program.player)
    Duel.objects.filter(ladder=True).update(ruleset="yatzy")
    with django_assert_num_queries(6):
        page = browser.get("/ladder/").content.decode()
    assert page.count("Play against") == 2
    assert "Fourth" in page
