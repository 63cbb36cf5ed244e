"""A game that is played for a number: how it comes to one, what is told of it, what came of it."""

import re
from collections.abc import Callable
from html import unescape
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from game.core.coach_lock import closed_by
from game.core.game_queries import Played, game_played
from game.core.kind import kind_of
from game.core.worth import winning
from game.core.worth.winning import AT_ONCE, Reach, reach
from game.models import Game, Player
from game.pages.board.board import Board
from game.pages.board.showing import board_game
from game.pages.board.target import format_chance, target_line, target_outcome
from solver.advice import Advisor
from solver.advice.winning import MOST_OPEN, chance_to_reach
from solver.rules import RULESETS
from tests.game.rulesets import finished_game
from tests.game.test_beating import begun_against
from tests.play import BOXES, Browser, new_trial

pytestmark = pytest.mark.django_db
tables = pytest.mark.usefixtures("yatzy_tables")
LINE = re.compile(r'<span class="target"([^>]*)>(.*?)</b>', re.DOTALL)


def line_of(page: str) -> tuple[dict[str, str], str]:
    """What stands beside the total: its attributes, and its words."""
    found = LINE.search(page)
    assert found, page
    words = " ".join(unescape(re.sub("<[^>]+>", " ", found[2])).split()).replace(" :", ":")
    return dict(re.findall(r'([\w-]+)="([^"]*)"', found[1])), words


def page_of(browser: Browser, game: Game) -> str:
    return browser.get(f"/games/{game.pk}/").text


def late(browser: Browser, still: int, target: int = 150) -> Game:
    """So many boxes are open, and a throw lies on the table."""
    game = browser.start(target=str(target))
    seq = 1
    for box in BOXES[: len(BOXES) - still]:
        browser.act(game, "score", seq=seq, category=box)
        browser.act(game, "hold", seq=seq + 1)
        seq += 2
    return game


def played_of(game: Game) -> Played:
    return game_played(Game.objects.get(pk=game.pk))


def board_of(game: Game) -> Board:
    return board_game(Game.objects.get(pk=game.pk), viewer=game.player)


# A game comes to its number


def test_a_number_is_asked_for_beside_a_new_card_and_stays_with_the_game(browser: Browser) -> None:
    assert 'id="target"' in browser.get("/").text
    game = browser.start(target="231")
    assert game.target == 231
    page = page_of(browser, game)
    attributes, words = line_of(page)
    assert attributes["data-target"] == "231"
    assert words.startswith("231 to reach")
    assert 'id="target"' not in page


def test_a_game_without_a_number_has_no_line(browser: Browser) -> None:
    for asked in ({}, {"target": ""}, {"target": "  "}):
        game = browser.start(**asked)
        assert game.target is None
        assert "data-target" not in page_of(browser, game)
        browser.act(game, "abandon", seq=1)


@pytest.mark.parametrize(("ruleset", "most"), [("yatzy", 374), ("yahtzee", 1575)])
def test_no_more_is_taken_than_the_rules_can_bring(
    browser: Browser, ruleset: str, most: int
) -> None:
    refused = {"ruleset": ruleset, "mode": "solo", "nonce": browser.nonce()}
    answer = browser.post("/games/", {**refused, "target": str(most + 1)})
    assert answer.status_code == 400
    assert f"from 1 to {most}," in answer.text
    assert not Game.objects.exists()
    assert browser.start(ruleset=ruleset, target=str(most)).target == most


@pytest.mark.parametrize("typed", ["0", "-5", "2.5", "two hundred", "9" * 90, "²"])
def test_what_is_no_number_is_said_and_nothing_is_lost(browser: Browser, typed: str) -> None:
    asked = {"mode": "solo", "ruleset": "yahtzee", "coach": "live", "nonce": browser.nonce()}
    answer = browser.post("/games/", {**asked, "target": typed})
    page = unescape(answer.text)
    assert answer.status_code == 400
    assert "Choose a target from 1 to 1575, or leave the field empty." in page
    assert f'name="target" form="dice" value="{typed}"' in page
    assert '<option value="live" selected' in page
    assert 'data-rules="yahtzee"' in page
    assert not Game.objects.exists()
    assert not Player.objects.exists()


@pytest.mark.parametrize("known", [False, True])
def test_other_rules_keep_the_number_that_was_typed(browser: Browser, known: bool) -> None:
    if known:
        browser.get("/")
    page = browser.get("/?rules=yahtzee&target=250").text
    assert 'form="dice" value="250"' in page
    assert 'hx-include="#level, #target"' in page
    assert 'form="dice" value=""' in browser.get("/").text


def test_the_same_dice_are_to_beat_what_they_brought(browser: Browser) -> None:
    first = late(browser, 0)
    first.refresh_from_db()
    assert first.final_score is not None
    again = browser.start(mode="rematch", of=first.pk)
    assert again.target == first.final_score + 1
    _, words = line_of(page_of(browser, again))
    assert words.startswith(f"{first.final_score} to beat")


def test_dice_of_a_game_that_was_given_up_are_for_nothing(browser: Browser) -> None:
    given_up = browser.start(target="200")
    browser.act(given_up, "abandon", seq=1)
    assert browser.start(mode="rematch", of=given_up.pk).target is None


def test_a_challenge_is_to_beat_whoever_made_it(
    browser: Browser, new_browser: Callable[[], Browser], player: Player
) -> None:
    theirs = finished_game(player, RULESETS["yatzy"])
    mine = begun_against(new_browser(), theirs)
    assert kind_of(mine).goal() == (theirs.final_score or 0) + 1


def test_the_game_of_the_day_has_none(browser: Browser) -> None:
    assert browser.start(mode="daily", target="200").target is None


# What is told of it


@tables
@pytest.mark.parametrize("still", [1, AT_ONCE])
def test_late_the_exact_chance_is_there_at_once(
    browser: Browser, advisor: Advisor, still: int
) -> None:
    game = late(browser, still)
    attributes, words = line_of(page_of(browser, game))
    chance = chance_to_reach(advisor, game_played(game).state, 150)
    assert attributes["data-chance"] == f"{chance:.3f}"
    assert "hx-get" not in attributes
    assert words == f"150 to reach: {format_chance(chance, exact=True)}".replace("\xa0", " ")


@tables
@pytest.mark.parametrize("still", [AT_ONCE + 1, MOST_OPEN])
def test_what_takes_longer_comes_by_itself(
    browser: Browser, advisor: Advisor, monkeypatch: pytest.MonkeyPatch, still: int
) -> None:
    monkeypatch.setattr(winning, "chance_about", lambda *_: 0.4321)
    game = late(browser, still)
    attributes, words = line_of(page_of(browser, game))
    assert (attributes["data-chance"], words) == ("0.432", "150 to reach: about 45 %")
    assert attributes["hx-get"] == f"/games/{game.pk}/chance"
    assert attributes["hx-sync"] == "this:replace"  # never in the way of a move
    attributes, words = line_of(browser.get(attributes["hx-get"]).text)
    chance = chance_to_reach(advisor, game_played(game).state, 150)
    assert attributes["data-chance"] == f"{chance:.3f}"
    assert "about" not in words
    assert "hx-get" not in attributes


@tables
def test_early_it_is_told_about_and_nothing_comes_later(
    browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(winning, "chance_about", lambda *_: 0.4321)
    game = late(browser, MOST_OPEN + 1)
    attributes, words = line_of(page_of(browser, game))
    assert words == "150 to reach: about 45 %"
    assert "hx-get" not in attributes
    _, words = line_of(browser.get(f"/games/{game.pk}/chance").text)
    assert words == "150 to reach: about 45 %"


@tables
def test_where_nothing_is_known_the_number_stands_alone(browser: Browser) -> None:
    """The tests' tables of Yatzy do without what boxes bring."""
    attributes, words = line_of(page_of(browser, browser.start(target="150")))
    assert "data-chance" not in attributes
    assert words == "150 to reach"


def test_what_is_reached_already_is_certain_without_a_table(browser: Browser) -> None:
    game = late(browser, 3, target=1)
    state = played_of(game).state
    assert [reach(state, total, at_once=True) for total in (state.total - 1, state.total)] == [
        Reach(1.0, exact=True)
    ] * 2
    attributes, words = line_of(page_of(browser, game))
    assert attributes["data-chance"] == "1.000"
    assert words == "1 to reach: 100 %"


@tables
def test_whoever_watches_is_told_nothing(
    browser: Browser, new_browser: Callable[[], Browser]
) -> None:
    game = late(browser, 2)
    page = new_browser().get(f"/watch/{game.share_token}/").text
    assert 'class="total"' in page
    assert "data-target" not in page
    assert new_browser().get(f"/games/{game.pk}/chance").status_code == 403


@tables
def test_no_chance_is_told_while_a_trial_closes_the_coach(browser: Browser) -> None:
    game = late(browser, 2)
    new_trial(coach_closed=True)
    assert closed_by() is not None
    for page in (page_of(browser, game), browser.get(f"/games/{game.pk}/chance").text):
        attributes, words = line_of(page)
        assert "data-chance" not in attributes
        assert words == "150 to reach"


def test_a_game_for_nothing_has_nothing_to_be_told_later(browser: Browser) -> None:
    answer = browser.get(f"/games/{browser.start().pk}/chance")
    assert answer.status_code == 200
    assert not answer.content.strip()


@tables
def test_it_is_heard_once_a_turn(browser: Browser) -> None:
    game = browser.start(target="150")
    assert "150 to reach." in unbroken(board_of(game).said)  # the first throw of the game
    heard = []
    moves: list[tuple[str, dict[str, Any]]] = [
        ("hold", {"slot": [0]}),
        ("hold", {"slot": [1]}),
        ("score", {"category": "ones"}),
    ]
    for seq, (what, more) in enumerate(moves, start=1):
        browser.act(game, what, seq=seq, **more)
        heard.append("150 to reach" in unbroken(board_of(game).said))
    browser.act(game, "hold", seq=4)
    heard.append("150 to reach" in unbroken(board_of(game).said))
    assert heard == [False, False, True, False]


def unbroken(text: str) -> str:
    return text.replace("\xa0", " ")


@tables
def test_it_is_heard_with_its_chance(browser: Browser) -> None:
    game = late(browser, 2)
    played = played_of(game)
    browser.act(game, "score", seq=len(played.actions), category=BOXES[-1])
    board = board_of(game)
    assert board.target is not None
    assert board.target.chance
    assert board.said.endswith(f"{board.target.name}: {board.target.chance}.")


def test_a_game_for_a_number_asks_the_database_nothing_more(browser: Browser) -> None:
    """Nor does one without."""
    asked = []
    for target in ("", "150"):
        game = browser.start(target=target)
        with CaptureQueriesContext(connection) as queries:
            browser.act(game, "hold", seq=1)
        asked.append(len(queries))
        browser.act(game, "abandon", seq=2)
    assert asked[0] == asked[1]


def test_without_a_number_nobody_works_out_anything(
    browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = browser.start()

    def never(*_: object, **__: object) -> None:
        raise AssertionError

    monkeypatch.setattr("game.pages.board.target.reach", never)
    monkeypatch.setattr("game.pages.board.target.silent", never)
    assert browser.act(game, "hold", seq=1).status_code == 200


@tables
def test_nothing_is_worked_out_at_once_that_takes_longer(
    browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = game_played(late(browser, AT_ONCE + 1)).state

    def never(*_: object) -> float:
        raise AssertionError

    monkeypatch.setattr(winning, "chance_to_reach", never)
    found = reach(state, 150, at_once=True)
    assert found is not None
    assert found.later


# What came of it


def finished(player: Player, *, beats: bool, score: int, goal: int) -> Game:
    mode = Game.Mode.REMATCH if beats else Game.Mode.SOLO
    now = timezone.now()
    return Game(
        player=player, mode=mode, target=goal, final_score=score, started_at=now, finished_at=now
    )


@pytest.mark.parametrize(
    ("score", "reached", "beaten"),
    [
        (232, "231 reached.", "231 beaten."),
        (231, "231 reached.", "A tie at 231."),
        (230, "231 missed by 1 point.", "231 missed by 1 point."),
        (226, "231 missed by 5 points.", "231 missed by 5 points."),
    ],
)
def test_a_number_is_reached_and_a_score_is_beaten_by_one_more(
    player: Player, score: int, reached: str, beaten: str
) -> None:
    solo = finished(player, beats=False, score=score, goal=231)
    rematch = finished(player, beats=True, score=score, goal=232)
    told = unbroken(target_outcome(solo)), unbroken(target_outcome(rematch))
    assert told == (reached, beaten)


@tables
def test_the_end_and_the_history_say_what_came_of_it(browser: Browser) -> None:
    game = late(browser, 1, target=374)
    played = played_of(game)
    browser.act(game, "score", seq=len(played.actions), category=BOXES[-1])
    game.refresh_from_db()
    missed = f"374 missed by {374 - (game.final_score or 0)} points."
    page = unbroken(page_of(browser, game))
    assert f'<p class="over__head">{missed}</p>' in page
    assert "data-target" not in page
    assert missed in unbroken(browser.get("/history/").text)


def test_it_is_said_at_the_end_also_where_nothing_was_judged(
    browser: Browser,
) -> None:
    game = late(browser, 0, target=374)
    new_trial(coach_closed=True)
    assert "374 missed by" in unbroken(page_of(browser, game))


def test_a_game_that_was_given_up_came_to_nothing(browser: Browser) -> None:
    game = browser.start(target="200")
    browser.act(game, "abandon", seq=1)
    game.refresh_from_db()
    assert not target_outcome(game)
    assert target_line(game_played(game)) is None


@tables
def test_a_review_leads_to_what_the_number_asked_for(browser: Browser) -> None:
    game = late(browser, 0, target=374)
    turn = len(BOXES) - 2  # each of which had one decision
    state = played_of(game).moves[turn].state
    page = browser.get(f"/games/{game.pk}/review?step={turn + 1}").text
    assert f"Play to win: {374 - state.points} points needed" in unbroken(page)
    assert f"needed={374 - state.points}" in page


def test_chances_that_are_not_exact_are_told_in_fives() -> None:
    told = {
        0.0: "under 5 %",
        0.02: "under 5 %",
        0.03: "about 5 %",
        0.38: "about 40 %",
        0.97: "about 95 %",
        0.98: "over 95 %",
        1.0: "over 95 %",
    }
    assert {share: unbroken(format_chance(share, exact=False)) for share in told} == told
    assert unbroken(format_chance(0.38, exact=True)) == "38 %"
