"""Which games count is asked at one place; a game with help or on other dice is said to be one."""

import re
from datetime import timedelta
from itertools import product
from typing import Any

import pytest
from django.utils import timezone

from game.core import counting
from game.core.accounts import create_player
from game.core.game_queries import (
    FIRST_GAMES,
    calculate_statistics,
    find_daily_rank,
    has_rank,
    list_scores,
    replay_game,
)
from game.core.kind import load_kinds
from game.core.profile_queries import (
    HABITS,
    average_box_points,
    find_player_skill,
    list_latest_scores,
    measure_week,
    query_judged_games,
)
from game.models import Coach, Game, Player
from game.pages.board.challenge import find_challenged_game, find_rivals, list_tries
from game.pages.board.sharing import format_game_squares, make_challenge_url
from game.pages.board.showing import make_game_board
from game.pages.daily.daily_board import make_day_result
from game.pages.daily.daily_queries import build_day_boards, query_counted_daily, read_player_days
from game.pages.daily.streaks import find_monday
from game.pages.history import make_past_game
from game.pages.leaders import list_week_leaders
from solver.advice import Advisor
from solver.rules import YATZY
from tests.game.rulesets import finished_game
from tests.game.test_again import browser_of, try_of
from tests.game.test_ending import end_of, perfect
from tests.game.test_offline import ADDRESS, body
from tests.known import known, rounded
from tests.play import Browser

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("yatzy_tables")]
AIDED = [
    {"coach": coach, "hints": hints}
    for coach, hints in product(Coach.values, (0, 1, 41))
    if hints or coach not in {"off", "after"}
]
CAN_BE_RANKED = {"mode": "daily", "day": timezone.now().date()}


def changed(game: Game, **facts: Any) -> Game:
    Game.objects.filter(pk=game.pk).update(**facts)
    return Game.objects.select_related("player").get(pk=game.pk)


@pytest.fixture
def flawless(player: Player, advisor: Advisor) -> Game:
    return perfect(player, advisor)


# The one question


def test_a_game_and_the_database_give_the_same_answers(player: Player) -> None:
    modes = load_kinds().keys() - {"trial"}
    over = {"finished_at": timezone.now(), "final_score": 200, "bonus": 0}
    every = product(modes, Coach.values, (0, 1, 41), (True, False), ({}, over))
    games = [
        Game(
            player=player,
            mode=mode,
            coach=coach,
            hints=hints,
            real_dice=typed,
            seed="" if typed or mode == "lab" else "11" * 32,
            day=timezone.now() + timedelta(days=number) if mode == "daily" else None,
            **({"lab_seed": 1, "lab_number": 1} if mode == "lab" else {}),
            started_at=timezone.now(),
            **finished,
        )
        for number, (mode, coach, hints, typed, finished) in enumerate(every)
    ]
    Game.objects.bulk_create(games)
    groups = {
        query: set(Game.objects.filter(query()).values_list("pk", flat=True))
        for query in (counting.filter_counted, counting.filter_helped, counting.filter_other_dice)
    }
    unaided = set(Game.objects.filter(counting.UNAIDED).values_list("pk", flat=True))
    assert groups[counting.filter_counted] == {one.pk for one in games if counting.is_counted(one)}
    assert unaided == {one.pk for one in games if counting.is_unaided(one)}
    assert unaided == {one.pk for one in games if not counting.format_help_note(one)}
    kinds_that_count = {"solo", "daily", "duel", "offline"}
    assert sum(map(len, groups.values())) == len(set().union(*groups.values()))
    assert set().union(*groups.values()) == {
        one.pk for one in games if one.finished_at and one.mode in kinds_that_count
    }
    assert all(groups.values())
    assert not any(one.real_dice for one in games if one.pk in groups[counting.filter_counted])


# Help


def test_no_praise_no_grade_and_no_challenge_for_a_game_with_help(flawless: Game) -> None:
    assert make_past_game(flawless).helped == ""
    for aid in AIDED:
        game = changed(flawless, **aid)
        end, board = end_of(game), make_game_board(game, viewer=game.player)
        account, note = known(end.account), counting.format_help_note(game)
        assert note, aid
        assert end.headline == account.help_note == make_past_game(game).helped == note
        assert "flawless" not in [moment.event for moment in end.moments]
        assert (end.own_games, known(board.result).is_best) == (None, False)
        assert find_challenged_game(make_challenge_url(game).split("/")[2]) is None
        squares = format_game_squares(game, replay_game(game).moves)
        assert (note in known(board.shared).text, squares) == (True, "")
        assert known(board.shared).address != make_challenge_url(game)
        assert make_day_result(game).better == note


def test_pages_of_a_game_with_help_name_no_grade(flawless: Game) -> None:
    browser, grade = browser_of(flawless.player), known(end_of(flawless).account).grade
    for seed in range(FIRST_GAMES):
        finished_game(flawless.player, YATZY, seed)
    Game.objects.update(finished_at=flawless.finished_at)
    pages = [f"/games/{flawless.pk}/", f"/games/{flawless.pk}/review"]
    for address in pages:
        account = account_of(browser, address)
        assert f"<b>{grade.name}</b>" in account
    changed(flawless, hints=41)
    for address in pages:
        assert "<b>" not in account_of(browser, address)
    review = browser.get(pages[1]).text
    assert counting.format_help_note(changed(flawless)) in known(
        re.search(r'og:description" content="([^"]*)"', review)
    ).group(1).replace("&#x27;", "'")


def account_of(browser: Browser, address: str) -> str:
    page = browser.get(address).text
    return known(re.search(r'class="account__grade">(.*?)</p>', page, re.DOTALL)).group(1)


def test_averages_records_skill_and_habits_are_of_games_without_help(
    player: Player, advisor: Advisor
) -> None:
    start, first = advisor.value_start, find_monday(timezone.now().date())
    mine = [finished_game(player, YATZY, seed) for seed in range(3)]
    before = everything_of(player, start)
    helped = changed(perfect(player, advisor), hints=41)
    assert rounded(everything_of(player, start)) == rounded(before)
    assert before["scores"] == [game.final_score for game in mine]
    summary = calculate_statistics(player, YATZY)
    assert (summary.played, summary.helped, summary.helped_average) == (3, 1, helped.final_score)
    figures = measure_week(player, YATZY, start, first)
    assert (figures.judged, figures.lost.count) == (4, 3)
    assert known(figures.best.lost) > 0
    assert HABITS > 3


def everything_of(player: Player, start: float) -> dict[str, Any]:
    first = find_monday(timezone.now().date())
    figures, summary = (
        measure_week(player, YATZY, start, first),
        calculate_statistics(player, YATZY),
    )
    return {
        "scores": list_scores(player, YATZY),
        "trend": list(list_latest_scores(player, YATZY)),
        "boxes": average_box_points(player, YATZY),
        "days": list(read_player_days(player, YATZY).scores),
        "summary": (summary.played, summary.average, summary.best, summary.with_bonus),
        "skill": find_player_skill(player, YATZY, start),
        "week": (figures.lost, figures.kinds, figures.boxes, figures.best),
    }


def test_equalling_the_best_with_help_is_no_best_game(player: Player) -> None:
    first, second, third = (finished_game(player, YATZY, seed) for seed in range(3))
    Game.objects.exclude(pk=third.pk).update(final_score=third.final_score)
    assert known(make_game_board(third, viewer=player).result).is_best
    helped = changed(third, hints=1)
    assert not known(make_game_board(helped, viewer=player).result).is_best
    assert known(end_of(helped)).own_games is None
    assert list_scores(player, YATZY) == [third.final_score] * len([first, second])


def test_a_daily_game_with_help_has_no_place(player: Player, advisor: Advisor) -> None:
    """No daily game begins with a coach: this row came about otherwise."""
    game = changed(finished_game(player, YATZY), **CAN_BE_RANKED, among_guests=False)
    day = known(game.day)
    assert (has_rank(game), known(find_daily_rank(game)).place) == (True, 1)
    assert build_day_boards(day, YATZY, player, game)[0].players == 1
    assert list_week_leaders(YATZY, day, player)
    assert read_player_days(player, YATZY).scores == (game.final_score,)
    assert find_player_skill(player, YATZY, advisor.value_start)
    game = changed(game, hints=1)
    assert (has_rank(game), find_daily_rank(game)) == (False, None)
    assert build_day_boards(day, YATZY, player, game)[0].players == 0
    assert not list_week_leaders(YATZY, day, player)
    assert not query_counted_daily(YATZY).exists()
    assert read_player_days(player, YATZY).scores == ()
    assert not find_player_skill(player, YATZY, advisor.value_start)
    assert day in read_player_days(player, YATZY).played


def test_tries_with_help_come_last_and_have_not_beaten_anything(player: Player) -> None:
    first = changed(finished_game(player, YATZY), final_score=100)
    low = changed(try_of(create_player(), first), final_score=90)
    high = changed(try_of(create_player(), first), final_score=300, hints=3)
    assert [(one.points, one.ahead, one.helped) for one in list_tries(first)] == [
        (90, False, ""),
        (300, False, f"The coach showed 3 of {high.free_decisions} moves."),
    ]
    assert known(find_rivals(high)).both == make_challenge_url(first)
    assert known(find_rivals(high)).people == 0
    assert find_challenged_game(make_challenge_url(high).split("/")[2]) is None
    assert find_challenged_game(make_challenge_url(low).split("/")[2]) == low
    both = browser_of(high.player).get(make_challenge_url(first)).text
    assert counting.format_help_note(high) in both.replace("&#x27;", "'")


# Dice that the site did not roll


def test_games_of_a_device_have_a_line_of_their_own_and_count_nowhere(
    browser: Browser, advisor: Advisor
) -> None:
    for number in range(3):
        sent = body(seed=number, name=f"00000000-0000-0000-0000-00000000000{number}")
        assert browser.post(ADDRESS, sent).json() == {"stored": True}
    player = Player.objects.get()
    assert (
        everything_of(player, advisor.value_start)
        == everything_of(create_player(), advisor.value_start) | {}
    )
    summary = calculate_statistics(player, YATZY)
    scores = list(Game.objects.values_list("final_score", flat=True))
    assert (summary.played, summary.helped, summary.other_dice) == (0, 0, 3)
    assert summary.other_dice_average == pytest.approx(sum(map(known, scores)) / 3)
    assert not query_judged_games(player, YATZY, advisor.value_start).exists()
    assert re.findall(r'data-apart="(\w+)"', browser.get("/you/").text) == ["dice"]
    game = Game.objects.order_by("pk")[0]
    assert end_of(game).own_games is None
    assert not known(make_game_board(game, viewer=player).result).is_best
