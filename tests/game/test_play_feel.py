"""What makes a game a pleasure: who is welcomed, what is asked, what can be taken at one tap."""

import re
from functools import partial

import pytest

from game.coach.hints import build_hint, pick_move
from game.coach.panel import GameStanding, measure_standing
from game.core.game_queries import Played, replay_game
from game.core.playing import fill_box, hold_dice, record_decision
from game.core.refusals import AskFirst
from game.core.worth.tables import load_advisor
from game.models import Coach, Player
from game.pages.board.showing import make_played_board
from solver.advice import Advisor, find_position
from solver.rules import YATZY, Action, Block, Hold, Score, play, start_state
from solver.rules.dice import make_cup
from tests.known import known
from tests.play import Browser, costly_box, start_solo

FIVE = make_cup(5)

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("yatzy_tables")]


def test_somebody_new_is_told_in_three_lines_until_a_game_has_begun(browser: Browser) -> None:
    assert browser.get("/").text.count('id="welcome"') == 1
    game = browser.start()
    assert 'id="welcome"' not in browser.get("/").text
    browser.act(game, "abandon", seq=1)
    assert 'id="welcome"' not in browser.get("/").text


def test_a_first_game_that_is_the_days_is_silent_and_leaves_the_wish_alone(
    browser: Browser,
) -> None:
    game = browser.start(mode="daily")
    assert (game.coach, game.player.coach) == (Coach.OFF, Coach.AFTER)


def test_an_alert_says_how_serious_it_is_and_not_what_is_better(browser: Browser) -> None:
    game = browser.start(coach="alert")
    box = costly_box(game)
    asked = browser.act(game, "score", seq=1, category=box, confirmed="")
    board, html = asked.context["board"], asked.text
    assert "you have a better move" in html
    assert board.best is None
    assert "data-marked" not in html
    assert "data-best" not in html
    assert "costs" not in html
    assert game.decisions.count() == 1


def test_after_an_alerted_move_the_better_one_is_behind_a_tap(browser: Browser) -> None:
    game = browser.start(coach="alert")
    done = browser.act(game, "score", seq=1, category=costly_box(game), confirmed="1")
    html = done.text
    veil = html[html.index('<details class="feedback__best">') :]
    assert "The best move was" in veil[: veil.index("</details>")]
    assert html.count("The best move was") == 1


def test_a_best_move_that_keeps_all_five_is_taken_as_a_box(advisor: Advisor) -> None:
    fives: Block = ((((5,) * FIVE.dice,) * 3),) * len(YATZY.categories)
    state = play(start_state(YATZY), Hold(0), fives)
    options = build_hint(advisor, state, advisor.evaluate(find_position(state)), shown=20).options
    assert len(options[0].slots) == FIVE.dice
    assert pick_move(options).category == "yatzy"


def test_before_every_box_is_asked_where_the_player_wants_that(player: Player) -> None:
    player.confirm_boxes = True
    player.save()
    game = start_solo(player).game
    fill = partial(fill_box, game_id=game.pk, player=player, seq=1, category="chance")
    with pytest.raises(AskFirst, match="Chance for") as asked:
        fill()
    assert not asked.value.coach
    assert game.decisions.count() == 1
    fill(confirmed=True)
    assert game.decisions.count() == 2


def test_the_ledger_holds_at_every_moment_of_a_game(player: Player) -> None:
    coach = known(load_advisor(YATZY))
    played = start_solo(player)
    lost = 0.0
    actions: tuple[Action, ...] = (Hold(0b11), Hold(0b101), Score("ones"), Hold(0))
    for seq, action in enumerate(actions, start=1):
        played = record_decision(game_id=played.game.pk, player=player, seq=seq, action=action)
        lost = sum(known(one.regret) for one in played.game.decisions.filter(roll__gt=0))
        found, again = stands(coach, played), stands(coach, replay_game(played.game))
        assert found == again
        assert known(found).lost == pytest.approx(lost)
        luck = known(found).luck
        assert known(found).expected == pytest.approx(coach.value_start + luck - lost)
    assert lost > 0


def stands(coach: Advisor, played: Played) -> GameStanding | None:
    at_hand = coach.evaluate(find_position(played.state)) if played.state.dice else None
    return measure_standing(coach, played, at_hand)


def test_the_track_shows_every_throw_of_the_turn_behind_on_the_table_and_to_come(
    player: Player,
) -> None:
    played = start_solo(player)
    for seq in (1, 2, 3):
        board = make_played_board(played, viewer=player)
        assert (board.now, [*board.coming]) == (seq, [*range(seq + 1, YATZY.throws + 1)])
        assert len(board.earlier) == seq - 1
        if seq < YATZY.throws:
            played = hold_dice(game_id=played.game.pk, player=player, seq=seq, slots=1)
    played = fill_box(game_id=played.game.pk, player=player, seq=3, category="chance")
    board = make_played_board(played, viewer=player)
    assert (board.now, [*board.coming], board.earlier) == (0, [1, 2, 3], ())


def test_a_page_of_play_has_two_live_regions(browser: Browser) -> None:
    """A region is for what happens, another for what needs an answer."""
    page = browser.get("/").text
    assert re.findall(r'role="(status|alert|log)"', page) == ["status", "alert"]
    assert "aria-live" not in page
