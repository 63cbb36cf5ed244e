"""Rulesets that are played by their values alone, and throws that are saved for later turns."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.http import QueryDict
from django.test import Client
from jsonschema import Draft202012Validator

from game.api.openapi import DOCUMENT
from game.coach.panel import make_panel
from game.coach.reasons import explain_best
from game.coach.review import format_throw_heading, review_game
from game.coach.waiting import find_awaited_part, find_missing_reasons
from game.core.fair import blocks, days
from game.core.game_dice import build_table_block, list_shown_dice
from game.core.game_queries import Played, replay_game
from game.core.playing import fill_box, hold_dice
from game.core.refusals import IllegalMove
from game.core.words import labels
from game.core.worth.drilled import DRILLED
from game.core.worth.leak_tree import find_path
from game.core.worth.tables import require_advisor
from game.models import Game, Player
from game.pages.board.board import Board
from game.pages.board.verification import find_faults, verify
from game.pages.daily.streaks import Repair, Streak, describe_daily_streak
from game.practice.explore_setup import read
from solver.advice import find_position
from solver.players import PLAYERS
from solver.rules import PLAYED, RULESETS, YATZY, Hold, Ruleset, Score, apply_roll, start_state
from solver.rules.game import apply_action
from solver.rules.rulesets import MAXI_YATZY, NO_LIMIT, YATZY_SAVED
from solver.tables import EXPLAIN, VALUES
from solver.tables.parts import list_parts
from tests.conftest import solved
from tests.game.rulesets import begun, played_out
from tests.known import known
from tests.play import Browser, card_of, new_duel, play_bots, play_turn
from tests.solver.made_up import TWO_DICE

pytestmark = pytest.mark.django_db
SAVED = replace(TWO_DICE, id="two-dice-saved", title="Two dice, saved throws", stock=NO_LIMIT)


@pytest.fixture
def saved(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Ruleset:
    monkeypatch.setitem(PLAYED, SAVED.id, SAVED)
    monkeypatch.setitem(labels.RULES, SAVED.id, SAVED.title)
    monkeypatch.setenv("YATZY_TABLES", str(tmp_path))
    solved(SAVED)
    return SAVED


def hold(played: Played, slots: int = 0) -> Played:
    player, seq = played.game.player, len(played.actions)
    return hold_dice(game_id=played.game.pk, player=player, seq=seq, slots=slots)


def score(played: Played, box: str) -> Played:
    player, seq = played.game.player, len(played.actions)
    return fill_box(game_id=played.game.pk, player=player, seq=seq, category=box)


def second_turn(player: Player, rules: Ruleset, *, coach: str = "off") -> Played:
    return score(begun(player, rules, coach=coach), "chance")


# Throws that are saved


def test_what_a_turn_leaves_is_thrown_in_the_next(player: Player, saved: Ruleset) -> None:
    played = second_turn(player, saved)
    for made in range(5):
        assert (played.state.throws_made, played.state.throws_left) == (made, 5 - made)
        assert played.state.saved_left == min(2, 5 - made)
        played = hold(played)
    with pytest.raises(IllegalMove):
        hold(played)
    played = score(played, "pair")
    assert (played.state.stock, played.state.throws_left) == (0, 3)
    rows = list(played.game.decisions.order_by("seq").values_list("turn", "roll"))
    assert rows == [(0, 0), (0, 1), *((1, roll) for roll in range(6))]
    again = replay_game(Game.objects.get(pk=played.game.pk))
    assert (again.state, again.actions) == (played.state, played.actions)


def test_a_game_with_saved_throws_is_judged_verified_and_reviewed(
    browser: Browser, saved: Ruleset
) -> None:
    begun_game = browser.start(ruleset=saved.id, coach="live", target="12")
    played = replay_game(begun_game)
    game = played_out(hold(score(played, "chance")), seed=3)
    coach = require_advisor(saved)
    luck, regret = known(game.luck), known(game.regret)
    assert game.final_score == pytest.approx(coach.value_start + luck - regret, abs=1e-6)
    assert not find_faults(game)
    shown = [len(turn.throws) for turn in verify(replay_game(game)).turns]
    made = [game.decisions.filter(turn=turn, category="").count() for turn in range(3)]
    assert shown == [max(3, throws) for throws in made]
    assert max(made) > 3
    assert verify(replay_game(game)).holds
    told = review_game(coach, list_shown_dice(game), replay_game(game).actions)
    assert sum(loss.decisions for loss in told.by_throw) == len(told.steps)
    for address in ("", "review", "review/", "learn", "learn?end=1", "verify"):
        assert browser.get(f"/games/{game.pk}/{address}").status_code == 200, address
    late = browser.get(f"/games/{game.pk}/review?step={len(told.steps)}")
    assert late.context["to_win"] is None
    for address in ("/you/", "/learn/"):
        assert browser.get(f"{address}?rules={saved.id}").status_code == 200, address


def test_the_board_says_what_is_left_and_what_is_saved(player: Player, saved: Ruleset) -> None:
    played = second_turn(player, saved)

    def told() -> tuple[int, int, int, list[bool]]:
        board = Board(played.state, played.actions, played.game, earlier=played.thrown)
        return board.own_left, board.saved, len(board.coming), board.throws_made

    assert told() == (3, 2, 3, [False] * 3)
    played = hold(played)
    assert told() == (2, 2, 2, [True, False, False])
    for _ in range(3):
        played = hold(played)
    assert told() == (0, 1, 0, [True] * 3)


def test_of_a_long_turn_the_last_throws_are_shown(player: Player, saved: Ruleset) -> None:
    played = second_turn(player, saved)
    for _ in range(5):
        played = hold(played)
    board = Board(played.state, played.actions, played.game, earlier=played.thrown)
    assert (len(board.earlier), board.behind, board.before_those) == (4, board.earlier[1:], 1)
    assert board.now == 5


def test_the_coach_says_what_saved_throws_are_worth(player: Player, saved: Ruleset) -> None:
    coach = require_advisor(saved)
    state = apply_roll(apply_action(start_state(saved), Hold(0)), (6, 6))
    position = find_position(state)
    box = next(o for o in coach.advise(position).options if o.category == "sixes")
    worth = coach.find_saved_value(position, box)
    with_two, without = (coach.value(1, 12, stock=stock) for stock in (2, 0))
    assert worth == pytest.approx(with_two - without, abs=1e-6)
    assert worth > 0.1
    assert coach.advise(position).best == box
    told = review_game(coach, [[(6, 6)]], [Hold(0), Score("sixes")]).steps[0].reason
    assert told.endswith(f"The best move saved 2 rolls, worth {worth:.1f} points later.")
    before = explain_best(coach, position, coach.advise(position))
    assert before == (
        "The best move secures the bonus. "
        f"The best move saves 2 rolls, worth {worth:.1f} points later."
    )


def test_a_hold_is_priced_while_throws_are_saved(player: Player, saved: Ruleset) -> None:
    played = second_turn(player, saved, coach="live")
    for left in (4, 3, 2, 1, 0):
        played = hold(played)
        assert len(make_panel(played).holds) == (4 if left else 0)


def test_a_throw_of_the_stock_is_placed_after_the_own_ones(player: Player, saved: Ruleset) -> None:
    played = second_turn(player, saved)
    for _ in range(4):
        played = hold(played)
    assert find_path(require_advisor(saved), played.state, Hold(1))[1] == "3"
    assert format_throw_heading(saved, 3) == "After roll 3 or later"
    assert format_throw_heading(TWO_DICE, 3) == "After the last roll"


def test_dice_are_there_for_all_throws_that_can_be_saved() -> None:
    block = blocks.block("ab" * 32, YATZY_SAVED)
    assert [len(turn) for turn in block] == [3 + 2 * turn for turn in range(15)]
    assert [turn[:3] for turn in block] == list(blocks.block("ab" * 32, YATZY))
    assert [len(turn) for turn in build_table_block(YATZY_SAVED, [], [])] == [*range(3, 33, 2)]
    assert [YATZY.find_most_rolls(turn) for turn in (0, 14)] == [3, 3]
    assert replace(YATZY_SAVED, stock=4).find_most_rolls(14) == 7


def test_a_stock_is_set_up_and_sent_on(browser: Browser, saved: Ruleset) -> None:
    address = f"/explore/?rules={saved.id}&filled=chance&dice=66&left=0"
    with_one = browser.get(f"{address}&stock=1")
    assert with_one.context["setup"].position.throws_left == 1
    assert "1 roll left" in with_one.text
    assert "stock=1" in with_one.context["setup"].query
    assert "accurate to within" in with_one.text
    assert browser.get(f"{address}&stock=5").status_code == 200
    assert "0 to 5 saved rolls" in browser.get(f"{address}&stock=6").text
    for text, stock in (("", 0), ("5", 5), ("six", 0), ("0005", 0)):
        assert read(saved, QueryDict(f"filled=chance&stock={text}")).stock == stock
    told = read(YATZY, QueryDict("dice=66666&left=0&stock=1")).problems
    assert "0 to 0 saved rolls" in told["stock"]


# The interface for programs


def ask(facts: dict[str, Any], path: str = "advise") -> tuple[int, dict[str, Any]]:
    answer = Client().post(f"/api/v1/{path}", facts, content_type="application/json")
    return answer.status_code, answer.json()


def test_programs_ask_with_a_stock(saved: Ruleset) -> None:
    one = {"filled": ["chance"], "dice": [6, 6], "rolls_left": 0, "stock": 2}
    status, told = ask({"ruleset": saved.id, **one})
    assert status == 200
    many = ask({"ruleset": saved.id, "positions": [one, one], "top": 2})[1]
    assert [answer["options"] for answer in many["answers"]] == [told["options"][:2]] * 2
    assert any(option["action"] == "hold" for option in told["options"])
    none = {key: one[key] for key in one if key != "stock"}
    assert all(o["action"] == "score" for o in ask({"ruleset": saved.id, **none})[1]["options"])
    usual = {"dice": [1, 2, 3, 4, 5], "rolls_left": 0}
    assert ask({**usual, "stock": 0})[0] == 422
    assert ask({**usual, "stock": 0, "ruleset": "yahtzee"})[0] == 422


def test_a_ledger_takes_as_many_throws_as_are_saved(saved: Ruleset) -> None:
    first = {"throws": [[1, 1]], "category": "chance"}
    long = {"throws": [[1, 2]] * 5, "holds": [[]] * 4, "category": "pair"}
    status, told = ask({"ruleset": saved.id, "turns": [first, long]}, "ledger")
    assert status == 200
    assert abs(told["identity"]["difference"]) < 1e-6
    assert [entry["throw"] for entry in told["entries"]] == [1, 1, 2, 3, 4, 5]
    begun = ask({"ruleset": saved.id, "turns": [first]}, "ledger")[1]
    assert abs(begun["identity"]["difference"]) < 1e-6
    longer = {"throws": [[1, 2]] * 6, "holds": [[]] * 5, "category": "pair"}
    status, told = ask({"ruleset": saved.id, "turns": [first, longer]}, "ledger")
    assert status == 422
    assert "1 to 5 rolls" in told["error"]


def test_the_document_knows_dice_and_stock_of_each_ruleset() -> None:
    post = DOCUMENT["paths"]["/api/v1/advise"]["post"]["requestBody"]["content"]
    asked = post["application/json"]["schema"]
    schema = Draft202012Validator({**asked, "components": DOCUMENT["components"]})
    six = {"ruleset": "maxi-yatzy", "dice": [1, 2, 2, 5, 5, 5], "rolls_left": 2}
    stock = {"ruleset": "yatzy-saved", "dice": [1, 2, 2, 5, 5], "rolls_left": 2, "stock": 3}
    assert schema.is_valid(six)
    assert schema.is_valid(stock)
    assert not schema.is_valid({**six, "dice": [1] * 5})
    assert not schema.is_valid({**stock, "ruleset": "yatzy"})
    assert not schema.is_valid({**stock, "ruleset": "yatzy", "stock": 0})
    assert not schema.is_valid({**stock, "stock": 32})


# What stands beside the game, where nothing but the values is worked out


def test_a_card_of_twenty_boxes_has_two_columns_of_one_height() -> None:
    board = Board(start_state(MAXI_YATZY))
    names = [row.id for row in board.lower_left]
    assert names == ["pair", "two_pairs", "three_pairs"]
    assert len(board.lower_right) == len(board.upper) + len(names) + 2
    keys = [row.key for row in (*board.upper, *board.lower)]
    assert len(set(keys)) == 20
    assert not {"h", "t"} & set(keys)
    for rules in RULESETS.values():
        assert Board(start_state(rules)).lower_left == []


def test_who_plays_by_rules_without_positions_drills_by_the_usual_ones(
    browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(DRILLED, MAXI_YATZY.id)
    browser.start(ruleset=MAXI_YATZY.id)
    assert Player.objects.get().ruleset == MAXI_YATZY.id
    assert browser.get("/drill/").status_code == 200
    assert browser.get("/drill/history/").status_code == 200
    assert browser.get("/").status_code == 200


def test_mistakes_are_learnt_from_without_a_drill(browser: Browser, saved: Ruleset) -> None:
    game = browser.start(ruleset=saved.id)
    game = played_out(replay_game(game), seed=5)
    page = browser.get(f"/games/{game.pk}/learn?end=1").text
    assert "/drill/?" not in page
    assert browser.get(f"/games/{game.pk}/learn?like=1").status_code == 200
    assert not Player.objects.get().drill_cards.exists()
    worst = max(game.decisions.filter(roll__gt=0), key=lambda one: one.regret or 0)
    number = list(game.decisions.filter(roll__gt=0).order_by("seq")).index(worst) + 1
    asked = browser.get(f"/games/{game.pk}/learn?step={number}")
    assert asked.status_code == 200
    sent = {"step": number, "seq": 0, "slot": [0], "go": 1}
    assert browser.post(f"/games/{game.pk}/learn", sent).status_code == 302
    assert not Player.objects.get().drill_cards.exists()


def test_a_duel_is_for_people_where_no_program_plays(browser: Browser, saved: Ruleset) -> None:
    page = browser.get(f"/duels/?rules={saved.id}").text
    assert 'name="bots"' not in page
    assert re.search(r'value="friend" checked', page)
    challenge = {"ruleset": saved.id, "opponent": "friend", "people": 2, "minutes": 0}
    answer = browser.post("/duels/", {**challenge, "listed": "link", "days": 7})
    assert answer.status_code == 302
    assert browser.get(answer.headers["Location"]).status_code == 200
    bot = browser.post("/duels/", {**challenge, "opponent": "optimal", "listed": "link"})
    assert bot.status_code == 400


def test_a_program_knows_its_saved_throws(
    player: Player, saved: Ruleset, monkeypatch: pytest.MonkeyPatch
) -> None:
    perfect = replace(PLAYERS["optimal"], rulesets=(saved.id,))
    monkeypatch.setitem(PLAYERS, "optimal", perfect)
    duel = new_duel([player], ["optimal"], ruleset=saved.id)
    for _ in saved.categories:
        play_turn(duel, player)
        play_bots(duel)
    game = card_of(duel, Player.objects.get(bot="optimal"))
    played = replay_game(game)
    assert played.state.finished
    told = review_game(require_advisor(saved), list_shown_dice(game), played.actions)
    assert sum(step.entry.regret for step in told.steps) == pytest.approx(0.0, abs=1e-6)


def test_nothing_is_awaited_that_never_comes(browser: Browser, saved: Ruleset) -> None:
    assert list_parts(saved) == (VALUES,)
    assert list_parts(YATZY)[0] == VALUES
    assert find_missing_reasons(require_advisor(saved)) is None
    assert find_awaited_part(saved, EXPLAIN) is None
    assert browser.get(f"/tables/{saved.id}/{VALUES}/").status_code == 200
    assert browser.get(f"/tables/{saved.id}/{EXPLAIN}/").status_code == 404


def test_a_missed_day_is_not_repaired_by_positions_that_are_not_there(
    browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(DRILLED, MAXI_YATZY.id)
    page = browser.get(f"/daily/{MAXI_YATZY.id}/").text
    assert "five a day" not in page.lower()
    missed = Streak(12, 19, repair=Repair(days.today(), 8))
    told, usual = describe_daily_streak(missed, ""), describe_daily_streak(missed, "/five/")
    assert (told.repair, "repair" in told.rule) == ("", False)
    assert usual.repair
    assert "repair" in usual.rule
