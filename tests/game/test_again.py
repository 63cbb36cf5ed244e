"""Games played again: rematches and challenges."""

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import unquote

import pytest
from django.test import Client
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from game.core.accounts import create_player
from game.core.fair import days, tickets
from game.core.game_dice import list_shown_dice
from game.core.game_queries import query_games, replay_game
from game.core.kind import find_kind
from game.core.starting import start_game
from game.core.words import phrases
from game.core.words.equation import Equation
from game.core.worth.tables import load_advisor
from game.models import Decision, DrillAttempt, DrillCard, FiveAnswer, Game, Player
from game.pages.board.challenge import compare_games, find_challenged_game, find_rivals, list_tries
from game.pages.board.sharing import format_game_squares, make_challenge_url
from game.pages.pictures import draw_challenge, format_luck_line
from game.pages.requests.visitors import COOKIE, make_player_cookie
from game.practice.answered import list_missed, query_answers, read_answers, sum_answer_figures
from game.practice.drill_queries import (
    AT_LEAST,
    SessionAnswer,
    find_next_question,
    list_mistake_keys,
    list_session_answers,
    list_to_repeat,
    measure_progress,
)
from game.practice.drilling import store_attempt
from game.practice.five import choose_daily_five, store_five_answer
from game.trials.design.writing import close_trial
from solver.dp.space import TIE
from solver.rules import YATZY, Action, Score
from solver.rules.rulesets import YAHTZEE
from tests.game.rulesets import finished_game, played_out
from tests.game.test_equation import tenths
from tests.game.test_kinds import BEGIN, MODES
from tests.known import known
from tests.play import Browser, play_through, take
from tests.trials import new_trial

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("yatzy_tables")]


NOW = datetime(2026, 5, 17, 20, 0, tzinfo=UTC)  # a Sunday


class Clock:
    now = NOW

    def on(self, **more: float) -> None:
        self.now += timedelta(**more)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr("django.utils.timezone.now", lambda: clock.now)
    return clock


def choice(position: Any, *, best: bool) -> Action:
    option = known(load_advisor(YATZY)).advise(position).options[0 if best else -1]
    return take(option, position.dice)


def drilled(player: Player, *, best: bool, to_win: bool = False) -> DrillAttempt:
    mistakes = list_mistake_keys(player, YATZY)
    question = find_next_question(player, YATZY, mistakes, to_win=to_win)
    action = choice(question.position, best=best)
    key, number = question.key, question.number
    return store_attempt(player=player, key=key, number=number, action=action)


def five_answered(player: Player, place: int, *, best: bool) -> FiveAnswer:
    position = choose_daily_five(days.today(), YATZY)[place - 1].position
    action = choice(position, best=best)
    facts: dict[str, Any] = {"rules": YATZY, "day": days.today(), "place": place, "action": action}
    return store_five_answer(player=player, **facts)


def query_of(action: Action) -> str:
    if isinstance(action, Score):
        return f"&category={action.category}"
    return "".join(f"&slot={slot}" for slot in action.places) + "&go=1"


def everything() -> list[Any]:
    models = (DrillCard, DrillAttempt, FiveAnswer)
    return [list(model._base_manager.order_by("pk").values()) for model in models]


# A session


def sat(*rows: tuple[int, float]) -> list[SessionAnswer]:
    return [SessionAnswer(number, card, regret, NOW) for number, (card, regret) in enumerate(rows)]


@given(st.lists(st.tuples(st.integers(1, 6), st.sampled_from([0.0, TIE, 0.5, 2.0, 7.5]))))
def test_each_position_missed_comes_once_and_the_costliest_first(
    rows: list[tuple[int, float]],
) -> None:
    answers = sat(*rows)
    found = list_to_repeat(answers)
    costs = [rows[key][1] for key in found]
    worst: dict[int, float] = {}
    for card, regret in rows:
        worst[card] = max(worst.get(card, 0.0), regret)
    assert costs == sorted((cost for cost in worst.values() if cost > TIE), reverse=True)
    assert len({rows[key][0] for key in found}) == len(found)


def timed(*rows: tuple[int, float, int | None]) -> list[SessionAnswer]:
    return [
        SessionAnswer(key, card, regret, NOW, None if took is None else 1000 * took)
        for key, (card, regret, took) in enumerate(rows)
    ]


def test_right_but_slow_comes_after_what_was_missed_the_slowest_first() -> None:
    quick = [(card, 0.0, 8) for card in range(10, 15)]
    slow = [(1, 0.0, 16), (2, 0.0, 40), (3, 3.0, 60), (4, 0.0, 15), (5, 1.0, 2)]
    answers = timed(*quick, *slow, (2, 0.0, 50), (3, 0.0, 70))
    # Middle: 15.5 of twelve times; slow from 31 seconds on, each position once.
    assert [answers[key].card for key in list_to_repeat(answers)] == [3, 5, 2]
    assert AT_LEAST == 10_000
    hasty = timed(*((card, 0.0, 1) for card in range(4)), (9, 0.0, 10), (8, 0.0, 9))
    assert [hasty[key].card for key in list_to_repeat(hasty)] == [9]
    few = timed(*((card, 0.0, 1) for card in range(3)), (9, 0.0, 99))
    assert list_to_repeat(few) == []
    assert list_to_repeat([*few, *timed((7, 0.0, None))]) == []
    assert list_to_repeat(timed(*((card, 0.0, 1) for card in range(4)), (9, 0.0, 99))) == [4]


@given(st.lists(st.integers(0, 60), max_size=8))
def test_a_session_ends_at_the_first_pause(minutes: list[int]) -> None:
    at, answers = NOW, []
    for number, pause in enumerate(minutes):
        at -= timedelta(minutes=pause)
        answers.append(SessionAnswer(number, number, 1.0, at))
    slow = [number for number, pause in enumerate(minutes) if pause >= 30]
    assert len(list_session_answers(answers, NOW)) == (slow[0] if slow else len(minutes))


def test_the_session_is_that_of_one_player_one_ruleset_and_one_theme(
    player: Player, clock: Clock
) -> None:
    drilled(player, best=False)
    clock.on(minutes=40)
    wrong = [drilled(player, best=False).pk for _ in range(2)]
    drilled(player, best=True)
    to_win = drilled(player, best=False, to_win=True)
    drilled(create_player(), best=False)
    found = list_missed(player, YATZY, to_win=False)
    assert {one.key for one in found} == {f"drill-{pk}" for pk in wrong}
    assert [one.regret for one in found] == sorted((one.regret for one in found), reverse=True)
    won = list_missed(player, YATZY, to_win=True)
    assert [one.key for one in won] == ([f"drill-{to_win.pk}"] if to_win.regret > TIE else [])
    assert list_missed(player, YAHTZEE, to_win=False) == []
    assert measure_progress(player, YATZY, (), to_win=False).missed == 2
    clock.on(minutes=30)
    assert list_missed(player, YATZY, to_win=False) == []


@pytest.fixture
def sitting(browser: Browser) -> list[DrillAttempt]:
    first = browser.get("/drill/").context["question"]
    box = YATZY.ids(YATZY.full & ~first.position.filled)[0]
    browser.post("/drill/", {"of": first.key, "seq": 0, "category": box, "waited": 4200})
    player = Player.objects.get()
    assert DrillAttempt.objects.get().took == 4200
    for best in (True, False):
        drilled(player, best=best)
    return list(DrillAttempt.objects.order_by("pk"))


def test_the_drill_offers_what_was_missed_and_asks_it_in_a_row(
    browser: Browser, sitting: list[DrillAttempt]
) -> None:
    before = everything()
    player = Player.objects.get()
    found = list_missed(player, YATZY, to_win=False)
    page = browser.get("/drill/").text
    assert f"Repeat missed or slow positions: {len(found)}" in " ".join(page.split())
    address = "/drill/again/?of=session-yatzy"
    assert address in page
    for number, one in enumerate(found):
        asked = browser.get(address)
        assert asked.context["heading"]["player"] == f"Position {number + 1} of {len(found)}"
        text = asked.text
        assert "costs" not in text[text.index('id="play"') : text.index('id="keys"')]
        best = query_of(choice(one.position, best=True))
        told = browser.get(f"/drill/again/?of=session-yatzy&at={one.key}{best}")
        assert told.context["answer"].right
        following = told.context["following"]
        address = following.url + "?" + "&".join(f"{k}={v}" for k, v in following.fields.items())
    assert address == "/drill/?rules=yatzy"
    assert everything() == before, "nothing is counted, and the schedule is as it was"


@pytest.mark.parametrize(
    "query",
    ["", "of=nothing", "of=drill-x", "of=drill-99999", "of=five-1", "of=list-x", "of=session-no"],
)
def test_a_row_that_there_is_not(browser: Browser, query: str) -> None:
    assert browser.get(f"/drill/again/?{query}").status_code == 404


def test_nobody_is_asked_what_somebody_else_answered(
    sitting: list[DrillAttempt], new_browser: Callable[[], Browser]
) -> None:
    other = new_browser()
    other.post("/nickname/", {"nickname": "Somebody"})
    owner = Player.objects.earliest("pk")
    answer = five_answered(owner, 1, best=True)
    assert other.get(f"/drill/again/?of=drill-{sitting[0].pk}").status_code == 404
    assert other.get(f"/drill/again/?of=five-{answer.pk}").status_code == 404


def test_to_win_is_asked_again_with_its_points(browser: Browser) -> None:
    browser.post("/nickname/", {"nickname": "Somebody"})
    made = drilled(Player.objects.get(), best=False, to_win=True)
    here = f"/drill/again/?of=drill-{made.pk}"
    assert f"{made.card.needed} points needed to win" in (
        browser.get(here).text.replace("\xa0", " ")
    )
    told = browser.get(here + query_of(made.action))
    assert told.context["answer"].regret == pytest.approx(made.regret, abs=1e-12)
    assert told.context["following"].fields == {"rules": "yatzy", "theme": "win"}


# Everything that was answered


def test_the_history_has_every_answer_the_latest_first(player: Player, clock: Clock) -> None:
    made = []
    for number, best in enumerate((True, False, True)):
        made.append(f"drill-{drilled(player, best=best).pk}")
        clock.on(minutes=1)
        made.append(f"five-{five_answered(player, number + 1, best=best).pk}")
        clock.on(minutes=1)
    made.append(f"drill-{drilled(player, best=False, to_win=True).pk}")
    rows = read_answers(query_answers(player, YATZY))
    assert [row.key for row in rows] == made[::-1]
    assert [row.source for row in rows] == ["win", *["five", "drill"] * 3]
    for source in ("drill", "win", "five"):
        own = read_answers(query_answers(player, YATZY, source))
        assert [row.key for row in own] == [row.key for row in rows if row.source == source]
    for right in (True, False):
        own = read_answers(query_answers(player, YATZY, right=right))
        assert [row.key for row in own] == [row.key for row in rows if row.right == right]
    assert not query_answers(player, YAHTZEE).exists()
    assert not query_answers(create_player(), YATZY).exists()


def test_the_figures_add_up_what_the_rows_say(player: Player, clock: Clock) -> None:
    clock.on(weeks=-3)
    for number, best in enumerate((False, True, False, True)):
        drilled(player, best=best)
        drilled(player, best=best, to_win=True)
        five_answered(player, number + 1, best=not best)
        clock.on(weeks=1)
    rows = read_answers(query_answers(player, YATZY))
    found = sum_answer_figures(player, YATZY)
    assert list(found.weeks) == sorted(found.weeks, reverse=True)
    assert len(found.weeks) == 4
    assert found.total.answers == len(rows) == 12
    for figures, own in (
        (found.total, rows),
        *((found.sources[name], [r for r in rows if r.source == name]) for name in found.sources),
        *(
            (figures, [r for r in rows if week <= r.at.date() < week + timedelta(weeks=1)])
            for week, figures in found.weeks.items()
        ),
    ):
        right = sum(row.right for row in own)
        assert (figures.answers, figures.right) == (len(own), right)
        assert figures.share == pytest.approx(right / len(own), abs=1e-12)
        lost = sum(row.regret for row in own) / len(own)
        assert figures.each == pytest.approx(lost, abs=1e-12)


def test_nobody_has_answered_anything(browser: Browser) -> None:
    page = browser.get("/drill/history/")
    assert page.status_code == 200
    assert page.context["figures"].total.share == page.context["figures"].total.each == 0.0
    assert not Player.objects.exists()


def test_the_page_shows_and_filters_and_asks_again(
    browser: Browser, sitting: list[DrillAttempt]
) -> None:
    five = five_answered(Player.objects.get(), 1, best=False)
    before = everything()
    whole = browser.get("/drill/history/")
    assert len(whole.context["page"].object_list) == 4
    links = re.findall(r'href="(/drill/again/\?of=[^"]+)"', whole.text)
    assert len(links) == 4
    for link in links:
        assert browser.get(link).status_code == 200
    told = browser.get(f"/drill/again/?of=five-{five.pk}{query_of(five.action)}")
    assert told.context["answer"].regret == pytest.approx(five.regret, abs=1e-12)
    for query, many in (
        ("source=five", 1),
        ("source=drill&result=right", sum(one.regret <= TIE for one in sitting)),
        ("result=missed", 1 + sum(one.regret > TIE for one in sitting)),
        ("source=nonsense&result=nonsense", 4),
        ("rules=yahtzee", 0),
    ):
        found = browser.get(f"/drill/history/?{query}").context["page"].object_list
        assert len(found) == many, query
    assert everything() == before


def test_a_leak_that_is_drilled_is_not_lost_on_the_way(
    browser: Browser, sitting: list[DrillAttempt]
) -> None:
    made = max(sitting, key=lambda one: one.regret)
    asked = browser.get(f"/drill/again/?of=drill-{made.pk}&leak=box.chance")
    assert asked.context["fields"]["leak"] == "box.chance"
    address = f"/drill/again/?of=drill-{made.pk}&leak=box.chance{query_of(made.action)}"
    following = browser.get(address).context["following"]
    assert following.fields == {"rules": "yatzy", "leak": "box.chance"}
    assert "leak=box.chance" in following.again


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


@tables
def test_a_shared_picture_says_what_luck_brought_to_ones_own_moves(game: Game) -> None:
    sums = Equation.from_game(*map(known, (game.final_score, game.luck, game.regret)))
    moves = replay_game(game).moves
    assert sums.luck_words in format_luck_line(game, format_game_squares(game, moves))
    alone = draw_challenge(game)
    game.hints = 2
    assert format_luck_line(game, format_game_squares(game, moves)) == ""
    assert draw_challenge(game) != alone


def begun_against(browser: Client, game: Game) -> Game:
    fields = dict(re.findall(r'name="(mode|beat|nonce)" value="([^"]*)"', page(browser, game)))
    assert set(fields) == {"mode", "beat", "nonce"}
    answer = browser.post("/games/", fields)
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


# Players who have had these dice


def test_nobody_has_these_dice_twice(game: Game, browser: Browser) -> None:
    mine = begun_against(browser, game)
    text = page(browser, game)
    assert "You have started your game on these dice" in text
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
    assert text.count("has beaten your score") == 2
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


@tables
def test_the_difference_adds_up_as_printed_and_so_does_every_column(
    player: Player, game: Game
) -> None:
    for seed in range(1, 4):
        other = create_player()
        mine = try_of(other, game, seed)
        text = page(browser_of(other), game)
        found = re.findall(r'<th scope="row">([A-Z][^<]+)</th>(.*?)</tr>', text, re.DOTALL)
        rows = {
            name: re.findall(r">([+−]?[\d.]+)<", cells)
            for name, cells in found
            if not name.isdigit()
        }
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


def test_a_rematch_hands_on_what_its_first_game_does(browser: Browser) -> None:
    first = play_through(browser, browser.start())
    again = play_through(browser, browser.start(mode="rematch", of=first.pk))
    assert find_kind(again).challengeable
    day = play_through(browser, browser.start(mode="daily"))
    again = play_through(browser, browser.start(mode="rematch", of=day.pk))
    assert not find_kind(again).challengeable
    Game.objects.filter(pk=again.pk).update(rematch_of=None, day=None)
    assert not find_kind(Game.objects.get(pk=again.pk)).challengeable
