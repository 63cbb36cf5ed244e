"""Rulesets as data, on pages, and apart from each other."""

import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.http import QueryDict
from django.test import Client
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase
from jsonschema import Draft202012Validator

from game.api.openapi import DOCUMENT
from game.coach.panel import make_panel
from game.coach.reasons import explain_best
from game.coach.review import format_throw_heading, review_game
from game.coach.waiting import find_awaited_part, find_missing_reasons
from game.core.accounts import create_player
from game.core.fair import blocks, days, tickets
from game.core.game_dice import build_table_block, list_shown_dice
from game.core.game_queries import Played, calculate_statistics, list_scores, replay_game
from game.core.playing import fill_box, hold_dice
from game.core.profile_queries import (
    find_player_skill,
    list_box_habits,
    list_kind_habits,
    query_judged_games,
)
from game.core.refusals import IllegalMove
from game.core.starting import start_game
from game.core.throwing import enter_roll
from game.core.words import labels
from game.core.worth.drilled import DRILLED
from game.core.worth.leak_tree import FEWEST, find_path
from game.core.worth.tables import load_advisor, require_advisor
from game.models import DrillAttempt, DrillCard, Game, Player
from game.models.drill import make_position_fields
from game.pages.board.board import Board
from game.pages.board.rules_words import format_headline, list_steps
from game.pages.board.verification import find_faults, verify
from game.pages.daily.streaks import Repair, Streak, describe_daily_streak
from game.pages.history import Wanted, query_past_games
from game.practice import drill_pool
from game.practice.drill_queries import find_next_question, list_mistake_keys, measure_progress
from game.practice.explore_setup import read_setup
from game.practice.profile_board import build_portrait
from solver.advice import find_position
from solver.players import PLAYERS
from solver.rules import (
    PLAYED,
    RULESETS,
    YATZY,
    Hold,
    Ruleset,
    Score,
    apply_roll,
    replay,
    start_state,
)
from solver.rules.game import apply_action
from solver.rules.rulesets import MAXI_YATZY, NO_LIMIT, YATZY_SAVED
from solver.tables import EXPLAIN, VALUES
from solver.tables.parts import list_parts
from tests.conftest import solved
from tests.game.joker_games import (
    PLAIN,
    YAHTZEE,
    before_joker,
    dealt,
    kept_playing,
    on_table,
    scored,
    typed,
)
from tests.game.leaky import store_games
from tests.game.rulesets import begun, finished_game, played_out
from tests.jokers import SEED
from tests.known import known, rounded
from tests.play import Browser, card_of, new_duel, play_bots, play_turn
from tests.selection import examples
from tests.solver.made_up import SIX_DICE, TWO_DICE

pytestmark = pytest.mark.django_db


EVERY = pytest.mark.parametrize("rules", RULESETS.values(), ids=RULESETS)


@EVERY
def test_the_address_lays_out_the_card_of_its_rules(browser: Browser, rules: Ruleset) -> None:
    page = browser.get(f"/?rules={rules.id}")
    board = page.context["board"]
    assert (board.rules, len(board.rows)) == (rules, len(rules.categories))
    html = page.text
    assert len(re.findall(r'class="box[ "]', html)) == len(rules.categories)
    assert f'name="ruleset" value="{rules.id}"' in html
    assert f"<title>\n  {labels.find_ruleset_name(rules)}\n" in html
    current = [choice for choice in board.choices if choice.current]
    assert [choice.id for choice in current] == [rules.id]
    assert not Player.objects.exists()


def test_rules_that_are_not_there_are_said_to_be_missing(browser: Browser) -> None:
    page = browser.get("/?rules=poker")
    assert page.status_code == 404
    assert "There are no rules with that name." in page.text
    assert browser.get("/daily/poker/").status_code == 404
    assert browser.get("/rules/poker/").status_code == 404
    for mode in ("solo", "daily"):
        data = {"mode": mode, "nonce": browser.nonce(), "ruleset": "poker"}
        answer = browser.post("/games/", data)
        assert answer.status_code == 400
        assert "There are no rules with that name." in answer.text
    assert not Game.objects.exists()


def test_another_game_under_way_is_shown_and_named(browser: Browser) -> None:
    game = browser.start(ruleset="yatzy")
    board = browser.get("/?rules=yahtzee").context["board"]
    assert board.game == game
    assert "unfinished game of Yatzy" in board.message
    assert browser.get("/?rules=yatzy").context["board"].message == ""
    assert browser.get("/").context["board"].message == ""


ALLOWED = {
    "own": "A joker: Sixes is open, so you must score these dice there.",
    "lower": "A joker: Sixes is filled, so these dice score full points in any lower box.",
    "upper": "A joker, but only upper boxes are open: it scores 0 in one of them.",
}


@pytest.mark.parametrize("allowed", ALLOWED)
def test_the_card_says_what_a_forced_joker_may_do(browser: Browser, allowed: str) -> None:
    game = browser.start(ruleset="yahtzee")
    Game.objects.filter(pk=game.pk).update(seed=SEED)
    before_joker(replay_game(Game.objects.get(pk=game.pk)), allowed)
    page = browser.get(f"/games/{game.pk}/")
    board = page.context["board"]
    assert board.joker == ALLOWED[allowed]
    assert page.text.count(board.joker) == 2  # what is shown, and what is said
    assert (board.chips.name, board.chips.hint) == ("Yahtzee bonus", "100 for these dice")
    assert board.chips.offered


def test_a_yahtzee_box_without_points_wins_no_chips_and_says_so(browser: Browser) -> None:
    game = browser.start(ruleset="yahtzee")
    Game.objects.filter(pk=game.pk).update(seed="", commitment="", real_dice=True)
    game.decisions.all().delete()
    played = replay_game(Game.objects.get(pk=game.pk))
    played = enter_roll(
        game_id=game.pk, player=game.player, seq=0, entries=0, faces=[1, 2, 3, 4, 6]
    )
    played = typed(scored(played, "yahtzee"), 3)
    board = browser.get(f"/games/{game.pk}/").context["board"]
    assert (board.chips.hint, board.chips.offered) == ("no bonus, because Yahtzee is 0", False)
    assert board.joker.startswith("A joker: Threes is open")
    assert scored(played, "threes").state.chips == 0


def test_a_finished_game_shows_its_chips_wherever_it_is_shown(browser: Browser) -> None:
    game = browser.start(ruleset="yahtzee")
    Game.objects.filter(pk=game.pk).update(seed=SEED, key="", commitment=blocks.hash_seed(SEED))
    kept_playing(replay_game(Game.objects.get(pk=game.pk)))
    for address in (f"/games/{game.pk}/", f"/watch/{game.share_token}/"):
        html = browser.get(address).text
        assert "including 400 points of Yahtzee bonus" in html
        assert "4 × 100" in html
    history = browser.get("/you/").text
    assert "Yahtzee <span" in history
    assert "0 + 400" in history
    verify = browser.get(f"/games/{game.pk}/verify")
    assert verify.context["matches"]
    assert len(verify.context["turns"]) == 13
    assert "Roll 3" in verify.text
    assert "Roll 4" not in verify.text


@EVERY
def test_every_box_has_an_example_that_is_worth_what_is_said(rules: Ruleset) -> None:
    upper, lower = Client().get(f"/rules/{rules.id}/").context["columns"]
    drawn = [box for box in (*upper, *lower) if box.dice]
    assert [box.name for box in drawn] == [
        str(labels.find_category_name(c)) for c in rules.categories
    ]
    for category, box in zip(rules.categories, drawn, strict=True):
        roll = tuple(sorted(face for face, _counts in box.dice))
        counted = tuple(sorted(face for face, counts in box.dice if counts))
        assert roll in rules.cup.rolls
        assert box.points == category.score(roll) > 0
        assert counted == tuple(sorted(category.find_counted(roll)))
        if category.points is None:
            assert box.points == sum(counted)


def test_an_example_is_what_the_box_asks_for_and_no_more() -> None:
    upper, lower = Client().get("/rules/yatzy/").context["columns"]
    shown = {box.name: box.dice for box in (*upper, *lower)}
    assert [face for face, counts in shown["Fours"] if counts] == [4, 4, 4]  # what the bonus asks
    assert [face for face, counts in shown["Pair"] if counts] == [6, 6]
    assert len({face for face, _counts in shown["Pair"]}) == 4
    chance = [face for face, _counts in shown["Chance"]]
    assert chance not in ([1, 2, 3, 4, 5], [2, 3, 4, 5, 6])


def test_a_box_says_what_it_brings_where_that_is_fixed() -> None:
    hints = {box.name: box.hint for box in labels.describe_boxes(RULESETS["yatzy"])}
    assert hints["Small straight"] == "1 to 5 = 15"
    assert hints["Yatzy"] == "5 equal = 50"
    assert hints["Full house"] == "3 + 2 equal: sum"
    hints = {box.name: box.hint for box in labels.describe_boxes(YAHTZEE)}
    assert hints["Full house"] == "3 + 2 equal = 25"
    assert hints["Three of a kind"] == "3 equal: sum of all"


def test_the_rules_of_jokers_name_what_they_bring() -> None:
    forced, free, plain = (
        " ".join(Client().get(f"/rules/{name}/").context["notes"])
        for name in ("yahtzee", "yahtzee-free-joker", "yahtzee-plain")
    )
    fixed = "25 in Full house, 30 in Small straight, 40 in Large straight"
    assert fixed in forced
    assert fixed in free
    assert "you must put 0" in forced
    assert "any open box" in free
    assert "not a joker" in plain
    assert "Only the dice of a combination count" not in forced


def test_every_ruleset_and_each_of_its_boxes_has_a_name_of_its_own() -> None:
    for rules in PLAYED.values():
        names = [labels.find_category_name(category) for category in rules.categories]
        assert len(set(names)) == len(names)
    assert [name for name, _ in labels.list_ruleset_choices()] == list(PLAYED)
    assert len({title for _, title in labels.list_ruleset_choices()}) == len(PLAYED)


WITH_JOKERS = [rules for rules in RULESETS.values() if rules.joker]


def started(player: Player | None, ruleset: str = "", **more: Any) -> Played:
    nonce = tickets.issue().signed
    return start_game(player=player, mode="solo", nonce=nonce, ruleset=ruleset, **more)


# Playing


class Card:
    """Five of a kind again and again, scored as the printed rules of Yahtzee say it."""

    UPPER = ("ones", "twos", "threes", "fours", "fives", "sixes")
    SUMS = ("three_of_a_kind", "four_of_a_kind", "chance")
    FIXED = {"full_house": 25, "small_straight": 30, "large_straight": 40}

    def __init__(self, joker: str) -> None:
        self.joker = joker
        self.points: dict[str, int] = {}
        self.extra = 0

    def allowed(self, face: int) -> dict[str, int]:
        own = self.UPPER[face - 1]
        boxes = [*self.UPPER, *self.SUMS, *self.FIXED, "yahtzee"]
        left = [box for box in boxes if box not in self.points]
        below = [box for box in left if box not in self.UPPER]
        is_joker = self.joker and "yahtzee" in self.points
        if is_joker and self.joker == "forced":
            left = [own] if own in left else below or left
        full = is_joker and own in self.points
        return {box: self._worth(box, face, full=bool(full)) for box in left}

    def _worth(self, box: str, face: int, *, full: bool) -> int:
        if box == self.UPPER[face - 1] or box in self.SUMS:
            return 5 * face
        if box == "yahtzee":
            return 50
        return self.FIXED[box] if full and box in self.FIXED else 0

    def fill(self, box: str, face: int) -> None:
        if self.joker and self.points.get("yahtzee"):
            self.extra += 100
        self.points[box] = self.allowed(face)[box]

    @property
    def total(self) -> int:
        upper = sum(self.points.get(box, 0) for box in self.UPPER)
        return sum(self.points.values()) + self.extra + (35 if upper >= 63 else 0)


class Games(TestCase):
    @given(
        turns=st.lists(st.tuples(st.integers(1, 6), st.integers(0, 99)), min_size=13, max_size=13)
    )
    @settings(max_examples=examples(12), deadline=None, suppress_health_check=list(HealthCheck))
    def test_jokers_score_as_the_printed_rules_say_and_are_refused_elsewhere(
        self, turns: list[tuple[int, int]]
    ) -> None:
        for rules in (*WITH_JOKERS, PLAIN):
            played = on_table(create_player(), rules)
            card = Card(rules.joker.policy if rules.joker else "")
            for face, pick in turns:
                played = typed(played, face)
                state, allowed = played.state, card.allowed(face)
                assert {
                    rules.categories[n].id: points for n, points in state.offers.items()
                } == allowed
                for box in (c.id for n, c in enumerate(rules.categories) if state.boxes[n] is None):
                    if box not in allowed:
                        with pytest.raises(IllegalMove, match="joker"):
                            scored(played, box)
                box = sorted(allowed)[pick % len(allowed)]
                card.fill(box, face)
                played = scored(played, box)
            game = Game.objects.get(pk=played.game.pk)
            assert (game.final_score, game.chips) == (card.total, card.extra)
            assert find_faults(game) == []


@EVERY
def test_the_stored_score_is_that_of_the_replay(player: Player, rules: Ruleset) -> None:
    game = finished_game(player, rules)
    state = replay(rules, blocks.block(game.seed, rules), replay_game(game).actions)
    assert (game.final_score, game.bonus, game.chips) == (state.total, state.bonus, state.chips)
    assert find_faults(game) == []


def joker_of(played: Played, *boxes: str) -> Played:
    """Five sixes in each of these boxes, and five more on the table."""
    for box in boxes:
        played = scored(typed(played, 6), box)
    return typed(played, 6)


def test_what_a_joker_may_not_do_is_refused_in_its_own_words(player: Player) -> None:
    played = joker_of(on_table(player, YAHTZEE), "yahtzee")
    with pytest.raises(IllegalMove, match="while Sixes is open, you must score them there"):
        scored(played, "full_house")
    played = joker_of(scored(played, "sixes"))
    with pytest.raises(
        IllegalMove, match="while a lower box is open, you cannot score them in Ones"
    ):
        scored(played, "ones")


def test_chips_are_part_of_the_score_and_stored_by_themselves(player: Player) -> None:
    game = kept_playing(dealt(player, YAHTZEE)).game
    assert (game.final_score, game.bonus, game.chips) == (563, 0, 400)
    assert find_faults(game) == []
    game.chips = 300
    game.save()
    assert find_faults(game) == ["the final score is not that of the decisions"]


@EVERY
def test_real_dice_have_room_for_every_throw_of_the_rules(player: Player, rules: Ruleset) -> None:
    played = on_table(player, rules)
    dice = list_shown_dice(played.game)
    assert (len(dice), {len(turn) for turn in dice}) == (len(rules.categories), {rules.throws})


# Beginning


@EVERY
def test_the_rules_that_are_asked_for_are_played_and_remembered(
    player: Player, rules: Ruleset
) -> None:
    assert started(player, rules.id).state.rules == rules
    player.refresh_from_db()
    assert player.rules == rules


# The second and the third are worth nearly the same at the start: no sum tells them apart.
SOME = [RULESETS[name] for name in ("yahtzee-plain", "yahtzee", "yahtzee-free-joker")]


def value_start(rules: Ruleset) -> float:
    coach = load_advisor(rules)
    assert coach is not None
    return coach.value_start


def drilled(player: Player, rules: Ruleset, number: int, regret: float) -> None:
    now = timezone.now()
    due = now + timedelta(days=1 if regret < 1 else -1)
    position = list(drill_pool.load_exercises(rules).values())[number].position
    card, _ = DrillCard.objects.get_or_create(
        player=player, **make_position_fields(position), defaults={"created_at": now, "due": due}
    )
    DrillAttempt.objects.create(
        card=card, number=card.attempts.count(), hold=0, regret=regret, created_at=now
    )


def everything(player: Player, rules: Ruleset) -> Mapping[str, object]:
    start = value_start(rules)
    games, mistakes = query_judged_games(player, rules, start), list_mistake_keys(player, rules)
    seen = build_portrait(player, rules, start)
    return {
        "statistics": calculate_statistics(player, rules),
        "scores": sorted(list_scores(player, rules)),
        "history": list(query_past_games(player, Wanted(rules))),
        "skill": find_player_skill(player, rules, start),
        "kinds": list_kind_habits(games, rules),
        "boxes": list_box_habits(games, rules),
        "games": seen.games,
        "lucky": (seen.lucky, seen.unlucky),
        "worst": seen.worst,
        "mistakes": mistakes,
        "next": find_next_question(player, rules, mistakes).key,
        "progress": measure_progress(player, rules, mistakes),
    }


costs = st.integers(0, 900).map(lambda hundredths: hundredths / 100)  # PostgreSQL squares them
deeds = st.lists(
    st.tuples(st.sampled_from(["game", "drill"]), st.integers(0, 50), costs), max_size=3
)


class Apart(TestCase):
    """Property tests need a transaction for each example."""

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        for rules in SOME:
            solved(rules)

    @settings(max_examples=examples(12))
    @given(kept=st.sampled_from(SOME), added=st.sampled_from(SOME), own=deeds, others=deeds)
    def test_games_by_other_rules_change_nothing(
        self,
        kept: Ruleset,
        added: Ruleset,
        own: list[tuple[str, int, float]],
        others: list[tuple[str, int, float]],
    ) -> None:
        player = create_player()
        self.play(player, kept, own)
        before = rounded(everything(player, kept))
        if added != kept:
            self.play(player, added, others)
        assert rounded(everything(player, kept)) == before

    @staticmethod
    def play(player: Player, rules: Ruleset, deeds: list[tuple[str, int, float]]) -> None:
        for kind, number, regret in deeds:
            if kind == "game":
                finished_game(player, rules, seed=number)
            else:
                drilled(player, rules, number, regret)


@pytest.fixture
def several(browser: Browser) -> Browser:
    for rules in SOME[:2]:
        solved(rules)
    browser.post("/settings/", {"language": "", "theme": "auto", "ruleset": "yahtzee", **COACH})
    player = Player.objects.get()
    Player.objects.update(ruleset="yahtzee")
    for rules in SOME[:2]:
        finished_game(player, rules)
    return browser


def test_what_is_known_of_other_rules_does_not_make_the_first_positions_harder(
    player: Player,
) -> None:
    kept, other = SOME[:2]
    for number in range(6):
        drilled(player, other, number, 0.0)
    for rules, level in ((kept, 1), (other, 3)):
        exercise = find_next_question(player, rules, []).exercise
        assert exercise is not None
        assert exercise.level == level


COACH = {"coach": "off", "coach_threshold": "1"}
PAGES = pytest.mark.parametrize("page", ["/you/", "/learn/", "/drill/"])


@PAGES
def test_a_page_is_of_the_rules_that_its_reader_plays_by(several: Browser, page: str) -> None:
    choices = several.get(page).context["choices"]
    assert [choice.id for choice in choices if choice.current] == ["yahtzee"]


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

    def read_rolls() -> tuple[int, int, int, list[bool]]:
        board = Board(played.state, played.actions, played.game, earlier=played.thrown)
        return board.own_left, board.saved, len(board.later_rolls), board.throws_made

    assert read_rolls() == (3, 2, 3, [False] * 3)
    played = hold(played)
    assert read_rolls() == (2, 2, 2, [True, False, False])
    for _ in range(3):
        played = hold(played)
    assert read_rolls() == (0, 1, 0, [True] * 3)


def test_of_a_long_turn_the_last_throws_are_shown(player: Player, saved: Ruleset) -> None:
    played = second_turn(player, saved)
    for _ in range(5):
        played = hold(played)
    board = Board(played.state, played.actions, played.game, earlier=played.thrown)
    assert (board.earlier_rolls, board.before_those) == (board.earlier[-3:], 1)
    assert len(board.earlier) == 4
    assert board.roll_number == 5


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
        assert read_setup(saved, QueryDict(f"filled=chance&stock={text}")).stock == stock
    told = read_setup(YATZY, QueryDict("dice=66666&left=0&stock=1")).problems
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


@pytest.fixture
def six(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Ruleset:
    monkeypatch.setitem(PLAYED, SIX_DICE.id, SIX_DICE)
    monkeypatch.setitem(labels.RULES, SIX_DICE.id, SIX_DICE.title)
    monkeypatch.setenv("YATZY_TABLES", str(tmp_path))
    solved(SIX_DICE)
    return SIX_DICE


def test_the_board_has_six_dice_and_is_played_to_the_end(browser: Browser, six: Ruleset) -> None:
    game = browser.start(ruleset=six.id, coach="live")
    page = browser.get(f"/games/{game.pk}/").text
    assert page.count('class="die"') == six.dice
    seq = 0
    for category in six.categories:
        assert browser.act(game, "hold", seq=seq).status_code == 200
        thrown = browser.get(f"/games/{game.pk}/").text
        assert thrown.count('name="toggle"') == six.dice
        kept = browser.act(game, "hold", seq=seq + 1, slot=[0, 5])
        assert kept.status_code == 200
        assert browser.act(game, "score", seq=seq + 2, category=category.id).status_code == 200
        seq += 3
    game.refresh_from_db()
    assert game.finished_at is not None
    played = replay_game(game)
    assert [Hold(0b100001) in played.actions, len(played.state.boxes)] == [True, 3]
    assert not find_faults(game)
    for address in ("", "review", "verify"):
        assert browser.get(f"/games/{game.pk}/{address}").status_code == 200, address


def test_leaks_are_shown_where_no_peers_have_played(browser: Browser, six: Ruleset) -> None:
    browser.start(ruleset=six.id)
    person = Player.objects.get()
    store_games(person, require_advisor(six), FEWEST)
    response = browser.get(f"/learn/?rules={six.id}")
    page, text = response.context["page"], response.text
    assert response.status_code == 200
    assert len(page.games) == FEWEST
    assert 'class="tree"' in text


def test_the_rules_and_the_api_say_how_many_dice_there_are(browser: Browser, six: Ruleset) -> None:
    assert format_headline(six) == f"{len(six.categories)} boxes, 3 rolls each"
    first, again, last = list_steps(six)
    assert (first.text, again.text[-15:]) == ("Roll all six dice.", " up to 2 times.")
    assert [len(step.dice) for step in (first, again, last)] == [six.dice] * 3
    assert browser.get(f"/rules/{six.id}/").status_code == 200
    ask = {"ruleset": six.id, "dice": [1, 1, 1, 2, 2, 6], "rolls_left": 1}
    advice = browser.post("/api/v1/advise", ask, content_type="application/json")
    assert advice.status_code == 200, advice.content
    assert len(advice.json()["best"].get("dice", [])) <= six.dice
    few = browser.post("/api/v1/advise", ask | {"dice": [1] * 5}, content_type="application/json")
    assert "there are 6 dice, not 5" in few.text
