"""Playing for a target, and playing to win."""

import re
from collections import Counter
from html import unescape
from typing import Any

import pytest
from django.utils import timezone

from game.coach import winning_advice as words
from game.core.coach_lock import find_closing_trial
from game.core.game_queries import Played, replay_game
from game.core.worth import winning
from game.core.worth.winning import AT_ONCE, Reach, find_reach
from game.models import DrillAttempt, Game, Player
from game.pages.board.board import Board
from game.pages.board.showing import make_game_board
from game.pages.board.target import describe_target, format_chance
from game.practice import drill_pool, drill_winning_pool
from game.practice.drill_queries import find_next_question
from solver.advice import Advisor
from solver.advice.winning import MOST_OPEN, calculate_chance
from solver.rules import RULESETS, YATZY, Hold, Ruleset
from tests.game.test_drill import attempt, best_of, next_for
from tests.known import known
from tests.play import BOXES, Browser
from tests.trials import new_trial

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("yatzy_tables")]


LINE = re.compile(r'<span class="target"([^>]*)>(.*?)</b>', re.DOTALL)


def unbroken(text: str) -> str:
    return text.replace("\xa0", " ")


def line_of(page: str) -> tuple[dict[str, str], str]:
    found = LINE.search(page)
    assert found, page
    words = " ".join(unescape(re.sub("<[^>]+>", " ", found[2])).split()).replace(" :", ":")
    return dict(re.findall(r'([\w-]+)="([^"]*)"', found[1])), words


def page_of(browser: Browser, game: Game) -> str:
    return browser.get(f"/games/{game.pk}/").text


def late(browser: Browser, still: int, target: int = 150) -> Game:
    game = browser.start(target=str(target))
    seq = 1
    for box in BOXES[: len(BOXES) - still]:
        browser.act(game, "score", seq=seq, category=box)
        browser.act(game, "hold", seq=seq + 1)
        seq += 2
    return game


def played_of(game: Game) -> Played:
    return replay_game(Game.objects.get(pk=game.pk))


def board_of(game: Game) -> Board:
    return make_game_board(Game.objects.get(pk=game.pk), viewer=game.player)


# A game comes to its number


@pytest.mark.parametrize(("ruleset", "most"), [("yatzy", 374), ("yahtzee", 1575)])
def test_no_more_is_taken_than_the_rules_can_bring(
    browser: Browser, ruleset: str, most: int
) -> None:
    assert 'id="target"' in browser.get("/").text
    sent = {"ruleset": ruleset, "mode": "solo", "nonce": browser.nonce()}
    assert browser.post("/games/", {**sent, "target": str(most + 1)}).status_code == 400
    assert not Game.objects.exists()
    game = browser.start(ruleset=ruleset, target=str(most))
    assert game.target == most
    page = page_of(browser, game)
    assert line_of(page)[0]["data-target"] == str(most)
    assert 'id="target"' not in page


@pytest.mark.parametrize("typed", ["0", "-5", "2.5", "two hundred", "9" * 90, "²"])
def test_what_is_no_number_is_said_and_nothing_is_lost(browser: Browser, typed: str) -> None:
    asked = {"mode": "solo", "ruleset": "yahtzee", "coach": "live", "nonce": browser.nonce()}
    answer = browser.post("/games/", {**asked, "target": typed})
    page = unescape(answer.text)
    assert answer.status_code == 400
    assert f'name="target" form="dice" value="{typed}"' in page
    assert '<option value="live" selected' in page
    assert 'data-rules="yahtzee"' in page
    assert not Game.objects.exists()
    assert not Player.objects.exists()


def test_the_same_dice_are_to_beat_what_they_brought(browser: Browser) -> None:
    first = late(browser, 0)
    first.refresh_from_db()
    assert first.final_score is not None
    again = browser.start(mode="rematch", of=first.pk)
    assert again.target == first.final_score + 1
    _, words = line_of(page_of(browser, again))
    assert words.startswith(f"{first.final_score} to beat")


# What is told of it


@pytest.mark.parametrize("still", [1, AT_ONCE])
def test_late_the_exact_chance_is_there_at_once(
    browser: Browser, advisor: Advisor, still: int
) -> None:
    game = late(browser, still)
    attributes, words = line_of(page_of(browser, game))
    chance = calculate_chance(advisor, replay_game(game).state, 150)
    assert attributes["data-chance"] == f"{chance:.3f}"
    assert "hx-get" not in attributes
    assert words == f"150 to reach: {format_chance(chance, exact=True)}".replace("\xa0", " ")


@pytest.mark.parametrize("still", [AT_ONCE + 1, MOST_OPEN])
def test_what_takes_longer_comes_by_itself(
    browser: Browser, advisor: Advisor, monkeypatch: pytest.MonkeyPatch, still: int
) -> None:
    monkeypatch.setattr(winning, "estimate_chance", lambda *_: 0.4321)
    game = late(browser, still)
    attributes, words = line_of(page_of(browser, game))
    assert (attributes["data-chance"], words) == ("0.432", "150 to reach: about 45 %")
    assert attributes["hx-get"] == f"/games/{game.pk}/chance"
    assert attributes["hx-sync"] == "this:replace"  # never in the way of a move
    with monkeypatch.context() as patched:
        patched.setattr(winning, "calculate_chance", None)  # which takes longer
        assert known(find_reach(replay_game(game).state, 150, at_once=True)).later
    attributes, words = line_of(browser.get(attributes["hx-get"]).text)
    chance = calculate_chance(advisor, replay_game(game).state, 150)
    assert attributes["data-chance"] == f"{chance:.3f}"
    assert "about" not in words
    assert "hx-get" not in attributes


def test_what_is_reached_already_is_certain_without_a_table(browser: Browser) -> None:
    game = late(browser, 3, target=1)
    state = played_of(game).state
    for total in (state.total - 1, state.total):
        assert find_reach(state, total, at_once=True) == Reach(1.0, exact=True)
    attributes, words = line_of(page_of(browser, game))
    assert (attributes["data-chance"], words) == ("1.000", "1 to reach: 100 %")


def test_no_chance_is_told_while_a_trial_closes_the_coach(browser: Browser) -> None:
    game = late(browser, 2)
    new_trial(coach_closed=True)
    assert find_closing_trial() is not None
    for page in (page_of(browser, game), browser.get(f"/games/{game.pk}/chance").text):
        attributes, words = line_of(page)
        assert "data-chance" not in attributes
        assert words == "150 to reach"


def test_it_is_heard_once_a_turn_with_its_chance(browser: Browser) -> None:
    assert heard_of(Browser().start(target="150")), "the first throw of the game"
    game = late(browser, 3)
    seq, heard = len(played_of(game).actions), list[bool]()
    moves: list[tuple[str, dict[str, Any]]] = [
        ("hold", {"slot": [0]}),
        ("hold", {"slot": [1]}),
        ("score", {"category": BOXES[-3]}),
        ("hold", {}),
    ]
    for number, (what, more) in enumerate(moves):
        browser.act(game, what, seq=seq + number, **more)
        target, says = known(board_of(game).target), heard_of(game)
        assert says in ([], [f"{target.name}: {target.chance}."])
        heard.append(bool(says))
    assert heard == [False, False, True, False]


def heard_of(game: Game) -> list[str]:
    return [heard.says for heard in board_of(game).events if heard.event == "target"]


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
        (230, "1 point short of 231.", "1 point short of 231."),
        (226, "5 points short of 231.", "5 points short of 231."),
    ],
)
def test_a_number_is_reached_and_a_score_is_beaten_by_one_more(
    player: Player, score: int, reached: str, beaten: str
) -> None:
    solo = finished(player, beats=False, score=score, goal=231)
    rematch = finished(player, beats=True, score=score, goal=232)
    told = unbroken(describe_target(solo)), unbroken(describe_target(rematch))
    assert told == (reached, beaten)


def test_the_end_and_the_history_say_what_came_of_it(browser: Browser) -> None:
    game = late(browser, 1, target=374)
    played = played_of(game)
    browser.act(game, "score", seq=len(played.actions), category=BOXES[-1])
    game.refresh_from_db()
    missed = f"{374 - (game.final_score or 0)} points short of 374."
    page = unbroken(page_of(browser, game))
    assert f'<p class="over__head">{missed}</p>' in page
    assert "data-target" not in page
    assert missed in unbroken(browser.get("/you/").text)


def test_a_review_leads_to_what_the_number_asked_for(browser: Browser) -> None:
    game = late(browser, 0, target=374)
    turn = len(BOXES) - 2  # each of which had one decision
    state = played_of(game).moves[turn].state
    page = browser.get(f"/games/{game.pk}/review?step={turn + 1}").text
    assert f"Play to win: {374 - state.points} points needed" in unbroken(page)
    assert f"needed={374 - state.points}" in page


def test_chances_that_are_not_exact_are_told_in_fives() -> None:
    told = {0.0: "under 5 %", 0.02: "under 5 %", 0.03: "about 5 %", 0.38: "about 40 %"}
    told |= {0.97: "about 95 %", 0.98: "over 95 %", 1.0: "over 95 %"}
    assert {share: unbroken(format_chance(share, exact=False)) for share in told} == told
    assert unbroken(format_chance(0.38, exact=True)) == "38 %"


# Explore

LATE = "/explore/?rules=yatzy&filled=" + ".".join(
    YATZY.ids(YATZY.full ^ YATZY.make_mask(["chance", "yatzy"]))
)
AT = LATE + "&upper=60&dice=11556&left=2"


def test_explore_shows_the_chance_to_reach_a_target_next_to_points(browser: Browser) -> None:
    response = browser.get(f"{AT}&needed=31")
    win = response.context["found"].win
    assert (win.best, win.chance) == ("Hold 5 5", "7.4\u00a0%")
    assert [row.best for row in win.rows][:3] == [True, True, False]
    assert sum(row.best_in_points for row in win.rows) == 1
    for part in ("“Hold 5 5 6”, which succeeds in 6.1 %", "you succeed in 4.6 %", 'value="31"'):
        assert part in unbroken(response.text)
    assert "needed=31" in response.context["setup"].query
    with_bonus = browser.get(f"{AT.replace('upper=60', 'upper=63')}&needed=31")
    assert with_bonus.context["found"].win.for_points == win.for_points, "a bonus that is yours"
    for none in (AT, f"{AT}&needed="):
        assert browser.get(none).context["found"].win is None
    for given in ("0", "-3", "x", "1000", "99999999999"):
        assert browser.get(f"{AT}&needed={given}").status_code == 422
    assert "no longer reach the score" in browser.get(f"{AT}&needed=300").text
    sure = browser.get(f"{AT}&needed=5").context["found"].win
    assert (sure.chance, "also the best" in sure.instead) == ("100.0\u00a0%", True)


# The drill's theme

EVERY = pytest.mark.parametrize("rules", RULESETS.values(), ids=list(RULESETS))


@EVERY
def test_the_pool_to_win_has_every_number_of_boxes_and_throws(rules: Ruleset) -> None:
    found = Counter(
        (one.level, one.position.rolls_left)
        for one in drill_winning_pool.load_exercises(rules).values()
    )
    cells = {(level, left) for level in drill_winning_pool.OPEN for left in range(3)} - {(1, 0)}
    assert set(found) == cells
    assert set(found.values()) == {drill_winning_pool.EACH}


@pytest.mark.sampled("any_advisor")
def test_every_position_of_the_pool_misleads_a_player_who_plays_for_points(
    any_advisor: Advisor,
) -> None:
    for one in drill_winning_pool.load_exercises(any_advisor.rules).values():
        graded = drill_winning_pool.grade_position(any_advisor, one.position, one.needed)
        assert graded is not None
        assert graded.level == one.level
        assert (graded.trap, graded.gap) == pytest.approx((one.trap, one.gap), abs=1e-3)
        assert drill_winning_pool.find_exercise(one.key) == one
        assert drill_pool.find_exercise(one.key) is None


def test_the_theme_is_asked_judged_in_chances_and_kept_apart(
    browser: Browser, advisor: Advisor
) -> None:
    question = browser.get("/drill/?rules=yatzy&theme=win").context["question"]
    assert question.needed > 0
    found = drill_winning_pool.calculate_chances(advisor, question.position, question.needed)
    wrong = found.by_points.option
    slots = Hold.from_faces(wrong.dice, question.position.dice).places
    chosen = {"category": wrong.category} if wrong.category else {"slot": list(slots)}
    sent = {"of": question.key, "seq": 0} | chosen
    text = browser.post("/drill/", sent, follow=True).text
    attempt = DrillAttempt.objects.get()
    assert attempt.card.needed == question.needed
    assert attempt.regret == pytest.approx(50 * found.by_points.regret)
    assert f"{question.needed}\u00a0points needed to win" in text
    assert words.format_chance_cost(found.by_points.regret) in text
    assert 'name="theme" value="win"' in text
    following = browser.get("/drill/?rules=yatzy&theme=win").context
    usual = browser.get("/drill/?rules=yatzy").context
    assert following["question"].key != question.key
    assert (usual["question"].needed, usual["progress"].cards) == (0, 0)
    assert following["progress"].cards == 1
    lost = round(100 * found.by_points.regret)
    assert f'<td class="number">{lost} %</td>' in browser.get("/drill/?theme=win").text


def test_the_theme_grows_harder_by_its_own_attempts_alone(player: Player, advisor: Advisor) -> None:
    first = find_next_question(player, YATZY, [], to_win=True)
    for _ in range(6):
        question = next_for(player)
        attempt(player, question, best_of(advisor, question.position))
    assert known(next_for(player).exercise).level > 1
    assert find_next_question(player, YATZY, [], to_win=True).key == first.key
