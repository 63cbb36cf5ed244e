"""A finished game asks to be beaten: by strangers, on the same dice, turn by turn afterwards."""

import re
from typing import Any
from urllib.parse import unquote

import pytest
from django.test import Client
from django.utils import timezone

from game.core.accounts import create_player
from game.core.fair import tickets
from game.core.game_dice import list_shown_dice
from game.core.game_queries import query_games, replay_game
from game.core.kind import find_kind, load_kinds
from game.core.starting import start_game
from game.core.words import phrases
from game.core.words.equation import Equation
from game.models import Decision, Game, Player
from game.pages.board.challenge import compare_games, find_challenged_game, find_rivals, list_tries
from game.pages.board.sharing import format_game_squares, make_challenge_url
from game.pages.pictures import draw_challenge, format_luck_line
from game.pages.requests.visitors import COOKIE, make_player_cookie
from game.trials.design.writing import close_trial
from solver.rules import YATZY
from solver.rules.rulesets import YAHTZEE
from tests.game.rulesets import finished_game, played_out
from tests.game.test_equation import tenths
from tests.game.test_kinds import BEGIN, MODES
from tests.known import known
from tests.play import Answer, Browser, play_through
from tests.trials import new_trial

pytestmark = pytest.mark.django_db
tables = pytest.mark.usefixtures("yatzy_tables")


@pytest.fixture
def game(player: Player) -> Game:
    return finished_game(player, YATZY)


def browser_of(player: Player) -> Browser:
    browser = Browser()
    browser.cookies[COOKIE] = make_player_cookie(player)
    return browser


def page(browser: Client, game: Game) -> str:
    answer = browser.get(make_challenge_url(game))
    assert answer.status_code == 200
    return answer.text


def pressed(browser: Client, game: Game) -> Answer:
    fields = dict(re.findall(r'name="(mode|beat|nonce)" value="([^"]*)"', page(browser, game)))
    assert set(fields) == {"mode", "beat", "nonce"}
    return browser.post("/games/", fields)


@tables
def test_a_shared_picture_says_what_luck_brought_to_ones_own_moves(game: Game) -> None:
    sums = Equation.of_game(*map(known, (game.final_score, game.luck, game.regret)))
    moves = replay_game(game).moves
    assert sums.luck_words in format_luck_line(game, format_game_squares(game, moves))
    alone = draw_challenge(game)
    game.hints = 2
    assert format_luck_line(game, format_game_squares(game, moves)) == ""
    assert draw_challenge(game) != alone


def begun_against(browser: Client, game: Game) -> Game:
    answer = pressed(browser, game)
    assert answer.status_code == 302, answer.content
    return Game.objects.get(pk=answer.headers["Location"].split("/")[2])


def try_of(player: Player, game: Game, seed: int = 1) -> Game:
    signed = unquote(make_challenge_url(game).split("/")[2])
    played = start_game(player=player, mode="rematch", beat=signed)
    return played_out(played, seed)


# The link


def test_a_stranger_reads_the_points_and_one_button_begins_the_same_dice_by_the_same_rules(
    player: Player, browser: Browser
) -> None:
    Player.objects.filter(pk=player.pk).update(nickname="Ada")
    game = query_games().get(pk=finished_game(player, YAHTZEE).pk)
    text = page(browser, game)
    assert f"Ada scored {game.final_score} points on these dice. Beat that score." in text
    assert text.count("button--primary") == 1
    mine = begun_against(browser, game)
    assert (mine.seed, mine.ruleset) == (game.seed, "yahtzee")
    assert mine.player_id != player.pk
    assert list_shown_dice(mine) == list_shown_dice(game)
    assert mine.mode == "rematch"
    assert not find_kind(mine).counted


def test_who_chose_no_nickname_is_a_guest_whatever_the_account_is_called(
    player: Player, game: Game, browser: Browser, django_user_model: Any
) -> None:
    user = django_user_model.objects.create_user("ada.lovelace@example.org")
    Player.objects.filter(pk=player.pk).update(user=user)
    text = page(browser, game)
    assert "A guest scored" in text
    assert "lovelace" not in text


def test_sharing_asks_for_a_name_until_there_is_one_or_staff_took_it(browser: Browser) -> None:
    game = finished_game(browser.start().player, YATZY)
    for facts in ({}, {"nickname_barred": True}, {"nickname": "Ada", "nickname_barred": False}):
        Player.objects.filter(pk=game.player_id).update(**facts)
        text = browser.get(f"/games/{game.pk}/").text
        assert ('name="nickname"' in text) == (not facts)
        assert f'data-share="{make_challenge_url(game)}"' in text


@tables
def test_nothing_of_the_first_game_is_told_before_one_has_finished(
    game: Game, browser: Browser
) -> None:
    before = page(browser, game)
    mine = begun_against(browser, game)
    browser.act(mine, "hold", seq=0)
    browser.act(mine, "score", seq=1, category="chance")
    for text in (before, page(browser, game)):
        assert str(game.final_score) in text
        assert "<table" not in text
        assert "#p" not in text  # a die
        assert not [part for part in (game.pk + "/", game.share_token, game.seed) if part in text]
        assert "points in" not in text
    assert f"/games/{mine.pk}/" in page(browser, game)


def test_the_link_opens_no_review_and_a_forged_one_nothing(game: Game) -> None:
    address = make_challenge_url(game)
    signed = unquote(address.split("/")[2])
    assert game.share_token not in address
    assert Client().get(f"/review/{signed}/").status_code == 404
    assert Client().get(f"/watch/{game.pk}/").status_code == 404
    for other in (game.pk, game.share_token, signed[:-1], "x"):
        assert Client().get(f"/beat/{other}/").status_code == 404
        answer = Browser().post(
            "/games/", {"mode": "rematch", "beat": other, "nonce": tickets.issue().signed}
        )
        assert answer.status_code == 404


def test_a_page_that_was_left_open_too_long_says_so_and_is_there_again(
    game: Game, browser: Browser
) -> None:
    signed = unquote(make_challenge_url(game).split("/")[2])
    answer = browser.post("/games/", {"mode": "rematch", "beat": signed, "nonce": "old"})
    assert answer.status_code == 409
    text = answer.text
    assert "too long ago" in text
    assert 'name="beat"' in text


# Whoever has had these dice


def test_nobody_has_these_dice_twice(game: Game, browser: Browser) -> None:
    mine = begun_against(browser, game)
    text = page(browser, game)
    assert "You have begun to play these dice" in text
    assert 'name="beat"' not in text
    assert f"/games/{mine.pk}/" in text
    signed = unquote(make_challenge_url(game).split("/")[2])
    again = browser.post("/games/", {"mode": "rematch", "beat": signed})
    assert again.headers["Location"] == f"/games/{mine.pk}/"
    browser.act(mine, "abandon", htmx=False)
    text = page(browser, game)
    assert "gave up that game" in text
    assert f"/games/{mine.pk}/" in text
    assert 'name="beat"' not in text
    assert browser.post("/games/", {"mode": "rematch", "beat": signed}).status_code == 302
    assert Game.objects.filter(rematch_of=game).count() == 1


def test_ones_own_link_begins_nothing_and_says_who_tried(player: Player, game: Game) -> None:
    browser = browser_of(player)
    text = page(browser, game)
    assert 'name="beat"' not in text
    assert "No one has tried yet" in text
    assert f"http://testserver{make_challenge_url(game)}" in text
    signed = unquote(make_challenge_url(game).split("/")[2])
    answer = browser.post("/games/", {"mode": "rematch", "beat": signed})
    assert answer.headers["Location"] == f"/games/{game.pk}/"
    assert not Game.objects.filter(rematch_of=game).exists()


# Who tried


def test_the_owner_sees_who_tried_the_best_first_and_no_name_that_nobody_chose(
    player: Player, game: Game
) -> None:
    Game.objects.filter(pk=game.pk).update(final_score=150)
    game.refresh_from_db()
    for nickname, points in (("Ada", 149), ("", 210), ("Bo", 151), ("Cy", 150)):
        other = create_player()
        Player.objects.filter(pk=other.pk).update(nickname=nickname)
        Game.objects.filter(pk=try_of(other, game).pk).update(final_score=points)
    unfinished = create_player()
    begun_against(browser_of(unfinished), game)
    again = start_game(player=player, mode="rematch", of=game.pk)
    played_out(again)
    found = [(one.name, one.points, one.ahead) for one in list_tries(game)]
    best = [("A guest", 210, True), ("Bo", 151, True), ("Cy", 150, False)]
    assert found == [*best, ("Ada", 149, False)]
    text = page(browser_of(player), game)
    assert text.index(">210<") < text.index("<td>Bo") < text.index("<td>Ada")
    assert text.count("has beaten you") == 2
    end = browser_of(player).get(f"/games/{game.pk}/").text
    assert "4 people have tried to beat this score" in end
    assert [name in end for name in ("Bo", "Cy", "Ada")] == [True, True, False]
    assert make_challenge_url(game) in end
    assert "have tried" not in Client().get(f"/watch/{game.share_token}/").text


def test_where_the_first_game_is_gone_no_dead_link_is_shown(game: Game) -> None:
    """Nobody knows any more whose dice those were."""
    middle = try_of(create_player(), game)
    try_of(create_player(), middle, seed=2)
    assert known(find_rivals(query_games().get(pk=middle.pk))).people == 1
    game.player.delete()
    assert find_rivals(query_games().get(pk=middle.pk)) is None
    assert Client().get(make_challenge_url(middle)).status_code == 404


# The comparison


def printed_rows(text: str) -> dict[str, list[str]]:
    rows = re.findall(r'<th scope="row">([A-Z][^<]+)</th>(.*?)</tr>', text, re.DOTALL)
    return {
        name: re.findall(r">([+−]?[\d.]+)<", cells) for name, cells in rows if not name.isdigit()
    }


@tables
def test_the_difference_adds_up_as_printed_and_so_does_every_column(
    player: Player, game: Game
) -> None:
    for seed in range(1, 4):
        other = create_player()
        mine = try_of(other, game, seed)
        text = page(browser_of(other), game)
        rows = printed_rows(text)
        start, luck, lost, score = (
            [tenths(one) for one in rows[name]]
            for name in ("Perfect play", "Luck", "Mistakes", "Score")
        )
        for side in (0, 1):
            assert score[side] == start[side] + luck[side] + lost[side]
        assert luck[2] == luck[0] - luck[1]
        assert lost[2] == lost[0] - lost[1]
        assert score[2] == luck[2] + lost[2] == score[0] - score[1]
        assert score[:2] == [10 * known(mine.final_score), 10 * known(game.final_score)]


@tables
def test_every_decision_has_the_cost_that_its_review_has(game: Game) -> None:
    mine = try_of(create_player(), game)
    both = compare_games(replay_game(mine), replay_game(game), with_worth=True)
    for side, one in ((both.mine, mine), (both.theirs, game)):
        equation = known(side.equation)
        costs = [decided.cost for turn in side.turns for decided in turn]
        moves = replay_game(one).moves
        lost = [decided.costs for turn in side.turns for decided in turn]
        assert lost == [cost.startswith(phrases.MINUS) for cost in costs]
        assert len(set(lost)) == 2
        assert costs == [phrases.format_deduction(known(move.entry).regret) for move in moves]
        assert all(turn[-1].fills and not any(d.fills for d in turn[:-1]) for turn in side.turns)
        assert equation.lost == pytest.approx(known(one.regret), abs=1e-12)
    assert [number for number, _, _ in both.turns] == list(range(1, 16))
    written = [turn[-1].deed for turn in both.mine.turns]
    assert any("Chance" in deed for deed in written)


@tables
def test_of_a_game_that_was_judged_in_part_no_difference_is_told(game: Game) -> None:
    mine = try_of(create_player(), game)
    Decision.objects.filter(game=mine, seq=5).update(best=None, value=None, regret=None, luck=None)
    both = compare_games(replay_game(mine), replay_game(game), with_worth=True)
    assert (both.difference, both.mine.equation) == (None, None)
    assert not any(decided.cost for turn in both.mine.turns for decided in turn)


@tables
def test_where_a_trial_closes_the_coach_the_turns_are_told_and_no_cost(game: Game) -> None:
    other = create_player()
    try_of(other, game)
    trial = new_trial(coach_closed=True)
    text = page(browser_of(other), game)
    assert "Turn by turn" in text
    assert "Where the difference comes from" not in text
    assert "beat__cost" not in text
    close_trial(trial=trial)
    assert "beat__cost" in page(browser_of(other), game)


# What is not handed on


@pytest.mark.parametrize("mode", MODES)
def test_only_finished_games_alone_hand_their_dice_on(mode: str, player: Player) -> None:
    game = query_games().get(pk=BEGIN[mode](player).pk)
    assert not find_kind(game).challengeable
    Game.objects.filter(pk=game.pk, abandoned_at=None).update(
        finished_at=timezone.now(), final_score=200, bonus=0
    )
    game = query_games().get(pk=game.pk)
    # the rematch of this list is of a game that was given up
    allowed = mode == "solo"
    assert find_kind(game).challengeable == allowed
    assert (
        find_challenged_game(unquote(make_challenge_url(game).split("/")[2])) is not None
    ) == allowed
    assert Client().get(make_challenge_url(game)).status_code == (200 if allowed else 404)
    assert set(load_kinds()) == set(MODES)


def test_a_rematch_hands_on_what_its_first_game_does(browser: Browser) -> None:
    first = play_through(browser, browser.start())
    again = play_through(browser, browser.start(mode="rematch", of=first.pk))
    assert find_kind(again).challengeable
    day = play_through(browser, browser.start(mode="daily"))
    again = play_through(browser, browser.start(mode="rematch", of=day.pk))
    assert not find_kind(again).challengeable
    Game.objects.filter(pk=again.pk).update(rematch_of=None, day=None)
    assert not find_kind(Game.objects.get(pk=again.pk)).challengeable
