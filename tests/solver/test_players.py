"""Every player of the registry: its moves, its means, and where it comes from."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any, cast

import numpy as np
import pytest

from solver.advice import Advisor, Position
from solver.advice.moments import Evaluation, evaluate
from solver.arena.controller import Category, Player, PlayerAgent, TurnChoice, count
from solver.arena.controller import int_to_upper_category as upper_of
from solver.arena.learners import read_stored_report
from solver.arena.match import make_random_roller, play_out
from solver.arena.performance import simulate
from solver.arena.results import Exact, hash_weights, read_result
from solver.dp.arrays import Floats
from solver.dp.outcomes import build_jokers, build_outcomes, count_outcomes
from solver.dp.space import Space
from solver.exact.distribution import Distribution, calculate_distribution
from solver.players import (
    PLAYERS,
    Agent,
    CannotPlay,
    Card,
    PlayerEntry,
    Tabular,
    UnknownPlayer,
    dice_based,
    find_player,
    forced_scoring,
    upper_first,
)
from solver.players.agent import GamesInPlay
from solver.players.cards import CardPlay
from solver.players.dice_based import OPEN, PRINTED
from solver.players.dummy import list_boxes_for_five_alike
from solver.players.features import (
    Positions,
    cap_at_bonus,
    find_allowed_boxes,
    make_features,
    make_features_at,
    make_mask,
)
from solver.players.files import TRAINED
from solver.players.learned import NetworkPlay
from solver.players.optimal import LargePlay, make
from solver.players.plain import Advised, PlainValues, make_plain
from solver.players.rules import Choices
from solver.players.values import ValuePlay
from solver.rules import (
    PLAYED,
    RULESETS,
    YATZY,
    Action,
    Box,
    Hold,
    Ruleset,
    Score,
    State,
    apply_action,
    apply_roll,
    list_legal_actions,
    start_state,
)
from solver.rules.dice import FACES, Dice, make_cup
from solver.rules.rulesets import MAXI_YATZY, YAHTZEE, YATZY_SAVED, ScoreOption
from tests.known import known
from tests.selection import examples
from tests.solver.conftest import Run
from tests.solver.test_saved_throws import TWO_SAVED, coach

pytestmark = pytest.mark.usefixtures("all_tables")


FIVE = make_cup(5)


NAMES = {
    player.id: [
        (rules.id, f"{player.id}:{reading}" if reading else player.id)
        for rules in RULESETS.values()
        if player.plays(rules)
        for reading in (player.readings or [""])
    ]
    for player in PLAYERS.values()
}


def each_once() -> Iterator[Any]:
    """Pick players for a change: each plays, one reading by one ruleset, not all by the same."""
    for number, pairs in enumerate(NAMES.values()):
        for at, pair in enumerate(pairs):
            often = at == number % len(pairs)
            yield pytest.param(pair, marks=() if often else pytest.mark.nightly, id="-".join(pair))


@pytest.fixture(params=each_once())
def strategy(request: pytest.FixtureRequest) -> Tabular:
    ruleset, name = request.param
    return cast(Tabular, find_player(name).open(RULESETS[ruleset]))


def some_cards(rules: Ruleset, number: int = 12) -> list[tuple[int, int]]:
    """Rows and columns that games can stand at: the empty card, one of the last turn, others."""
    space = Space(rules)
    open_ones = np.arange(space.rows) & rules.full != rules.full
    reachable = np.argwhere(space.reachable & open_ones[:, None])
    some = np.random.default_rng(1).choice(reachable, number, replace=False).tolist()
    last_box = rules.full ^ 1 << len(rules.categories) - 1
    return [(0, 0), (last_box, rules.bonus_threshold), *map(tuple, some)]


def allowed(rules: Ruleset, row: int, roll: int) -> dict[int, ScoreOption]:
    chips_won = bool(row >> len(rules.categories))
    options = rules.score_options(row & rules.full, chips_won, FIVE.rolls[roll])
    return {option.category: option for option in options}


def test_every_player_is_an_agent_and_all_of_these_are_tabular(strategy: Tabular) -> None:
    assert isinstance(strategy, Agent)
    assert isinstance(strategy, Tabular)


def test_every_hold_is_part_of_its_roll_and_every_box_is_allowed(strategy: Tabular) -> None:
    part = {
        (roll, FIVE.holds.index(hold))
        for roll, dice in enumerate(FIVE.rolls)
        for hold in {tuple(d for n, d in enumerate(dice) if k >> n & 1) for k in range(32)}
    }
    rules = strategy.rules
    for row, column in some_cards(rules):
        card = strategy.card(row, column)
        assert card.holds.shape[1:] == (rules.throws - 1, len(FIVE.rolls))
        assert card.boxes.shape[1:] == (len(FIVE.rolls),)
        for way in card.holds.reshape(-1, len(FIVE.rolls)).tolist():
            assert {(roll, hold) for roll, hold in enumerate(way)} <= part
        for roll in range(len(FIVE.rolls)):
            boxes = set(card.boxes[:, roll].tolist())
            assert boxes - {-1} <= allowed(rules, row, roll).keys()
            assert card.boxes[0, roll] >= 0


def test_the_chances_of_a_turn_are_those_of_its_decisions(strategy: Tabular) -> None:
    space = Space(strategy.rules)
    for row, column in some_cards(strategy.rules, 5):
        index = np.full((space.rows, space.columns), -1, dtype=np.int32)
        index[row, column] = 0
        chance = np.empty(count_outcomes(strategy.rules)[row])
        strategy.write_outcomes(np.array([row]), index, np.array([0]), chance)
        slow = slow_outcomes(strategy.rules, strategy.card(row, column), row)
        assert chance == pytest.approx(slow, abs=1e-12)


def last_rolls(rules: Ruleset, card: Card) -> Floats:
    from solver.dp.turn import average_rolls

    becomes = average_rolls(np.eye(len(FIVE.rolls)), 5)
    chance, done = becomes[0].copy(), np.zeros(len(FIVE.rolls))
    for rolls_left in range(rules.throws - 1, 0, -1):
        after = np.zeros(len(FIVE.rolls))
        for way in card.holds:
            for roll, hold in enumerate(way[rolls_left - 1].tolist()):
                share = chance[roll] / len(card.holds)
                if hold >= FIVE.first_roll:
                    done[roll] += share
                else:
                    after += share * becomes[hold]
        chance = after
    whole: Floats = chance + done
    return whole


def slow_outcomes(rules: Ruleset, card: Card, row: int) -> Floats:
    outcomes, found = build_outcomes(rules), np.zeros(build_outcomes(rules).start[-1])
    for roll, chance in enumerate(last_rolls(rules, card).tolist()):
        ways = [box for box in card.boxes[:, roll].tolist() if box >= 0]
        for box in ways:
            option = allowed(rules, row, roll)[box]
            step_ = option.points if rules.categories[box].face else 0
            here = range(outcomes.start[box], outcomes.start[box + 1])
            gain = (option.points + option.chip, step_)
            (at,) = (k for k in here if (outcomes.points[k], outcomes.step[k]) == gain)
            found[at] += chance / len(ways)
    open_boxes = [n for n in range(len(rules.categories)) if not row >> n & 1]
    return np.concatenate([found[outcomes.start[n] : outcomes.start[n + 1]] for n in open_boxes])


@pytest.mark.parametrize("dice", [[5, 777, 7000], [0, 0, 0], [7775, 7775, 7775]])
def test_many_turns_at_once_are_the_decisions_of_the_card(
    strategy: Tabular, dice: list[int]
) -> None:
    """Games that all throw the same dice end where the card's decisions lead, jokers and all."""
    rules = strategy.rules
    for row, column in some_cards(rules, 6):
        throws = np.array([dice], dtype=np.uint16).T.repeat(7, axis=1)
        games = GamesInPlay(rules, *(np.full(7, n, dtype=np.int32) for n in (row, column, 11)))
        luck = np.full((3, 7 if strategy.uses_luck else 1), 1 << 31, dtype=np.uint32)
        strategy.turns(games, throws, luck, 2)
        option = slow_turn(strategy, row, column, dice)
        gained = option.points if rules.categories[option.category].face else 0
        joker = rules.joker
        won = joker and option.category == rules.index[joker.box] and option.points > 0
        assert set(games.rows.tolist()) == {
            (row | 1 << option.category | bool(won) << len(rules.categories))
        }
        assert set(games.points.tolist()) == {11 + option.points + option.chip}
        assert set(games.upper.tolist()) == {min(column + gained, rules.bonus_threshold)}


def slow_turn(strategy: Tabular, row: int, column: int, numbers: Sequence[int]) -> ScoreOption:
    def digits(number: int) -> list[int]:
        return [number // FACES**n % FACES + 1 for n in range(FIVE.dice)]

    card, dice = strategy.card(row, column), tuple(sorted(digits(numbers[0])))
    for rolls_left in (2, 1):
        way = card.holds[len(card.holds) // 2]
        hold = int(way[rolls_left - 1, FIVE.roll_index[dice]])
        if hold >= FIVE.first_roll:
            break
        missing = FIVE.dice - len(FIVE.holds[hold])
        dice = tuple(sorted((*FIVE.holds[hold], *digits(numbers[3 - rolls_left])[:missing])))
    ways = [box for box in card.boxes[:, FIVE.roll_index[dice]].tolist() if box >= 0]
    return allowed(strategy.rules, row, FIVE.roll_index[dice])[ways[len(ways) // 2]]


def test_a_player_only_does_what_the_rules_allow(strategy: Tabular) -> None:
    rng = np.random.default_rng(1)
    for _ in range(3):
        match = play_out(strategy, strategy.rules, make_random_roller(rng), rng)
        assert match.end.finished
        assert all(action in list_legal_actions(state) for state, action in match.moves)


def test_keeping_every_die_means_scoring_now() -> None:
    state = apply_roll(apply_action(start_state(YATZY), Hold(0)), (1, 2, 3, 4, 5))
    action = find_player("dice-based").open(YATZY).choose(state, np.random.default_rng(1))
    assert action == Score("small_straight")


@pytest.mark.parametrize("module", [dice_based, forced_scoring])
def test_compiled_rules_are_the_plain_functions_of_their_file(module: ModuleType) -> None:
    choices: Choices = module.CHOICES
    for name in {*module.PLAYER.readings, *list(choices.readings)[::9]}:
        strategy, flag = module.make(YATZY, name), choices.sum_flags(name)
        for row, column in some_cards(YATZY):
            card, plain = strategy.card(row, column), partial(module.decide, flag, row, column)
            for roll in range(0, len(FIVE.rolls), 7):
                assert card.boxes[0, roll] == plain(0, roll)
                assert card.holds[0, :, roll].tolist() == [plain(1, roll), plain(2, roll)]


@pytest.mark.parametrize("ruleset", RULESETS)
def test_perfect_play_does_what_the_coach_calls_best(ruleset: str) -> None:
    """Among equal options it holds as many dice, and takes the same box."""
    rules = RULESETS[ruleset]
    strategy, advisor = find_player("optimal").open_tabular(rules), Advisor.open(rules)
    for row, column in some_cards(rules):
        filled, chips_won = row & rules.full, bool(row >> len(rules.categories))
        totals = sorted(rules.list_upper_totals(filled))
        upper = next(u for u in totals if min(u, rules.bonus_threshold) == column)
        asked = partial(Position, rules, filled, upper, chips_won=chips_won)
        card = strategy.card(row, column)
        for roll in {*range(0, len(FIVE.rolls), 17), FIVE.roll_index[(4,) * FIVE.dice]}:
            for rolls_left in (1, 2):
                advice = advisor.advise(asked(dice=FIVE.rolls[roll], rolls_left=rolls_left))
                held = FIVE.holds[int(card.holds[0, rolls_left - 1, roll])]
                assert len(held) == len(advice.best.dice)
                assert held in {option.dice for option in advice.options if option.best}
            best = advisor.advise(asked(dice=FIVE.rolls[roll], rolls_left=0)).best
            assert rules.categories[int(card.boxes[0, roll])].id == best.category


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("perfect", "unknown player 'perfect'"),
        ("greedy:slow", "readings: none"),
        ("dice-based:best", "no reading 'best'; readings: open-printed, pseudo-code"),
    ],
)
def test_an_unknown_player_is_refused_with_those_that_are_known(name: str, reason: str) -> None:
    with pytest.raises(UnknownPlayer, match=reason):
        find_player(name)


def test_the_strategies_of_the_study_play_yatzy_alone_and_say_who_plays_the_rest() -> None:
    for name in ("forced-scoring", "dice-based", "scorecard-based"):
        with pytest.raises(CannotPlay, match=r"only; yahtzee: optimal, greedy, random, "):
            find_player(name).open(RULESETS["yahtzee"])


class FirstBox:
    def choose(self, state: State, rng: np.random.Generator, others: Sequence[int] = ()) -> Action:
        first = state.rules.open(state.filled)[0]
        return Score(state.rules.categories[first].id)


def test_an_agent_without_a_table_can_be_simulated_but_not_worked_out() -> None:
    player = PlayerEntry("first-box", "First box", "", lambda rules, reading: FirstBox())
    with pytest.raises(CannotPlay, match="first-box has no table"):
        player.open_tabular(YATZY)
    seen = []
    result = simulate(
        player.open(YATZY), YATZY, "", 1500, 3, progress=lambda *done: seen.append(done)
    )
    assert result.counts.sum() == result.games == 1500
    assert seen == [(1024, 1500), (1500, 1500)]
    alone = sum(float(np.mean([c.score(roll) for roll in all_throws()])) for c in YATZY.categories)
    assert result.mean == pytest.approx(alone, abs=4 * result.deviation / 1500**0.5)


def all_throws() -> list[Dice]:
    throws = np.stack(np.meshgrid(*[range(1, 7)] * 5), axis=-1).reshape(-1, 5).tolist()
    return [tuple(dice) for dice in throws]


class FirstBoxes(FirstBox):
    asked = 0

    def choose_many(self, states: Sequence[State], rng: np.random.Generator) -> list[Action]:
        self.asked = max(self.asked, len(states))
        return [self.choose(state, rng) for state in states]


def test_an_agent_that_can_is_asked_for_many_games_at_once() -> None:
    batch = FirstBoxes()
    many = simulate(batch, YATZY, "", 50, 3)
    assert batch.asked == 50
    assert (many.counts == simulate(FirstBox(), YATZY, "", 50, 3).counts).all()


def test_a_name_leads_back_to_its_player() -> None:
    assert all(
        find_player(find_player(name).name).title for pairs in NAMES.values() for _, name in pairs
    )
    assert find_player("dice-based:open-printed").name == "dice-based"
    assert find_player("dice-based:open").name == "dice-based:open"


def test_only_jokers_have_entries_of_jokers() -> None:
    assert len(build_jokers(YATZY).start) == 1
    assert len(build_jokers(RULESETS["yahtzee"]).start) == Space(RULESETS["yahtzee"]).rows + 1


def test_a_player_asked_plainly_does_what_its_table_says(strategy: Tabular) -> None:
    rng, same = np.random.default_rng(3), np.random.default_rng(3)
    asked = make_plain(strategy)
    for number in range(3):
        match = play_out(
            strategy, strategy.rules, make_random_roller(np.random.default_rng(number)), rng
        )
        for state, action in match.moves:
            chosen = asked.choose(state, same) if state.dice else action
            assert chosen == action or as_good(asked, state, chosen, action)


def as_good(asked: Agent, state: State, one: Action, other: Action) -> bool:
    """Holds of equally many dice, worth the same: which is the better is a matter of rounding."""
    if not isinstance(asked, PlainValues) or not isinstance(one, Hold):
        return False
    if not isinstance(other, Hold) or len(one.places) != len(other.places):
        return False
    worth = asked.turn(state).holds(state.throws_left)
    at = [FIVE.hold_index[hold.kept(state.dice)] for hold in (one, other)]
    return bool(abs(worth[at[0]] - worth[at[1]]) < 1e-9)


__all__ = ["coach"]  # a fixture of theirs


def test_perfect_play_spends_what_it_saved(coach: Advisor) -> None:
    """It stops early, plays more throws later, and reaches the value of perfect play."""
    agent = make(TWO_SAVED, "")
    assert isinstance(agent, Advised)
    games = 1000
    found = simulate(agent, TWO_SAVED, "optimal", games, seed=5)
    assert found.mean == pytest.approx(coach.value_start, abs=4 * found.deviation / games**0.5)


def test_a_large_table_is_played_as_any_other(monkeypatch: pytest.MonkeyPatch) -> None:
    usual = make(YATZY, "")
    monkeypatch.setattr("solver.players.optimal.is_large", lambda _rules: True)
    large = make(YATZY, "")
    assert isinstance(usual, ValuePlay)
    assert isinstance(large, LargePlay)
    rng = np.random.default_rng(1)
    card = tuple(None if number % 3 else Box(0, ()) for number in range(15))
    for left in range(3):
        state = State(YATZY, card, left, (1, 2, 2, 5, 5))
        assert make_plain(large).choose(state, rng) == make_plain(usual).choose(state, rng)
    assert "values" not in vars(large)
    one, other = (simulate(it, YATZY, "optimal", 500, seed=2).counts for it in (large, usual))
    assert np.array_equal(one, other)


def test_greed_with_six_dice_is_the_same_with_and_without_the_compiler() -> None:
    greedy = find_player("greedy").open(MAXI_YATZY)
    rng = np.random.default_rng(2)
    nothing = (None,) * len(MAXI_YATZY.categories)
    for left in range(3):
        for dice in ((1, 2, 2, 5, 5, 5), (6,) * 6, (1, 2, 3, 4, 5, 6)):
            state = State(MAXI_YATZY, nothing, left, dice)
            assert greedy.choose(state, rng) == make_plain(greedy).choose(state, rng)
    # exactly 322.0142, as ``evaluate`` works out in half a minute
    found = simulate(greedy, MAXI_YATZY, "greedy", 2000, seed=3)
    assert found.mean == pytest.approx(322.0142, abs=4 * found.deviation / 2000**0.5)


def test_greed_throws_as_long_as_it_has_throws() -> None:
    greedy, rng = find_player("greedy").open(YATZY_SAVED), np.random.default_rng(1)
    nothing = (None,) * len(YATZY_SAVED.categories)
    for left, stock in ((0, 0), (1, 4), (4, 4), (6, 4)):
        state = State(YATZY_SAVED, nothing, left, (1, 2, 6, 6, 6), stock=stock)
        chosen = greedy.choose(state, rng)
        assert chosen == (Hold(0b11100) if left else Score("chance"))
    whole = State(YATZY_SAVED, nothing, 6, (6,) * 5, stock=4)
    assert greedy.choose(whole, rng) == Score("yatzy")


def test_who_plays_what_has_more_dice_or_more_throws() -> None:
    playing = {
        name: {
            one
            for one in ("optimal", "greedy", "random", "dice-based")
            if find_player(one).plays(rules)
        }
        for name, rules in PLAYED.items()
    }
    assert playing["maxi-yatzy"] == playing["maxi-yatzy-50"] == {"optimal", "greedy", "random"}
    assert playing["yatzy-saved"] == {"optimal", "greedy"}


C = Category
PRIORITY = {C.YAHTZEE: -3, C.LARGE_STRAIGHT: -1, C.SMALL_STRAIGHT: -2, C.FULL_HOUSE: 10}
PRIORITY |= {C.FOUR_OF_A_KIND: 9, C.THREE_OF_A_KIND: 8, C.SIXES: 7, C.FIVES: 6, C.FOURS: 5}
PRIORITY |= {C.THREES: 4, C.TWOS: 3, C.ACES: 2, C.CHANCE: 1}
EXACT = {
    "priority": 190.7590,
    "low-priority": 189.2277,
    "card-order": 190.7231,
    "any-pair": 192.9077,
    "joker-sorted": 190.7844,
    "joker-points": 190.8130,
    "closest": 192.9834,
}


class Listing(Player):
    """AcesAndEights; what the listing lost is in the methods that readings override."""

    def turn(self, dice: list[int], stage: int) -> Any:  # noqa: C901 - as long as the listing is
        free = self.game.scorecard.free_categories
        matching = C.matching_categories(dice)
        usable = [c for c in free if c in matching]
        if C.YAHTZEE in matching:
            return TurnChoice(self.yahtzee(dice, free, usable))
        if C.FULL_HOUSE in usable:
            return TurnChoice(C.FULL_HOUSE)
        if stage == 2:
            return TurnChoice(self.best(dice, free))
        if C.THREE_OF_A_KIND in matching:
            number = next(die for die in dice if count(dice, die) >= 3)
            return TurnChoice([k for k in range(5) if dice[k] == number])
        if C.LARGE_STRAIGHT in free or C.SMALL_STRAIGHT in free:
            if C.LARGE_STRAIGHT in usable:
                return TurnChoice(C.LARGE_STRAIGHT)
            if C.SMALL_STRAIGHT in matching:
                if C.LARGE_STRAIGHT not in free:
                    return TurnChoice(C.SMALL_STRAIGHT)
                first = 1 if {1, 2} <= set(dice) else 2 if {2, 3} <= set(dice) else 3
                return TurnChoice([dice.index(face) for face in range(first, first + 4)])
        if C.FULL_HOUSE in free:
            paired = [k for k in range(1, 7) if count(dice, k) == 2]
            if self.enough(paired):
                return TurnChoice([k for k in range(5) if dice[k] in paired])
        return TurnChoice([])

    def yahtzee(self, dice: list[int], free: Any, usable: Any) -> Any:
        if C.YAHTZEE in usable:
            return C.YAHTZEE
        if upper_of(dice[0]) in usable:
            return upper_of(dice[0])
        lower = self.lower([c for c in free if c.is_lower])
        return lower[0] if lower else min(free, key=PRIORITY.__getitem__)

    def best(self, dice: list[int], free: Any) -> Any:
        return max(free, key=lambda c: (c.score(dice), PRIORITY[c]))

    def enough(self, paired: Any) -> Any:
        return len(paired) == 2

    def lower(self, boxes: Any) -> Any:
        return boxes


class LowFirst(Listing):
    def best(self, dice: list[int], free: Any) -> Any:
        return max(free, key=lambda c: (c.score(dice), -PRIORITY[c]))


class CardOrder(Listing):
    def best(self, dice: list[int], free: Any) -> Any:
        return max(free, key=lambda c: c.score(dice))


class AnyPair(Listing):
    def enough(self, paired: Any) -> Any:
        return bool(paired)


class JokerSorted(Listing):
    def lower(self, boxes: Any) -> Any:
        return sorted(boxes, key=PRIORITY.__getitem__)


class JokerPoints(Listing):
    def lower(self, boxes: Any) -> Any:
        worth = {C.FULL_HOUSE: 25, C.SMALL_STRAIGHT: 30, C.LARGE_STRAIGHT: 40}
        return sorted(boxes, key=lambda c: -worth.get(c, 0))


class Closest(CardOrder, AnyPair, JokerPoints):
    pass


LISTINGS = (Listing, LowFirst, CardOrder, AnyPair, JokerSorted, JokerPoints, Closest)


@pytest.mark.parametrize(("reading", "listing"), list(zip(EXACT, LISTINGS, strict=True)))
def test_every_reading_decides_as_the_listing_does(reading: Any, listing: Any) -> None:
    agent = find_player(f"AcesAndEights:{reading}").open(YAHTZEE)
    asked, rng = PlayerAgent(listing, YAHTZEE), np.random.default_rng(11)
    for _ in range(60):
        for state, action in play_out(asked, YAHTZEE, make_random_roller(rng)).decisions:
            ours = agent.choose(state, rng)
            assert name_action(ours, state) == name_action(action, state), state


def name_action(action: Any, state: State) -> Any:
    return action if isinstance(action, Score) else action.kept(state.dice)


@pytest.mark.parametrize(("reading", "mean"), [*EXACT.items()])
def test_every_reading_has_the_mean_that_its_description_says(reading: Any, mean: Any) -> None:
    player = find_player(f"AcesAndEights:{reading}")
    assert evaluate(player.open_tabular(YAHTZEE)).mean == pytest.approx(mean, abs=5e-5)
    assert f"{mean:.2f}" in player.description
    assert list(player.readings) == list(EXACT)


def test_jokers_of_all_kinds_go_where_the_listing_puts_them() -> None:
    """Five alike on every card, where they are too seldom to be met by playing."""
    agent = find_player("AcesAndEights").open_tabular(YAHTZEE)
    for filled in range(0, YAHTZEE.full, 7):
        card = agent.card(filled, 0)
        for face in range(1, FACES + 1):
            boxes = list_boxes_for_five_alike(YAHTZEE, filled, face)
            box = int(card.boxes[0, FIVE.roll_index[(face,) * FIVE.dice]])
            lower = [n for n in boxes if not YAHTZEE.categories[n].face]
            assert box == (lower or boxes)[0]


@pytest.mark.parametrize("rules", [r for r in RULESETS.values() if PLAYERS["DummyPlayer"].plays(r)])
def test_the_dummy_scores_at_once_in_any_open_box_and_five_alike_where_the_source_says(
    rules: Ruleset,
) -> None:
    agent = find_player("DummyPlayer").open_tabular(rules)
    rng = np.random.default_rng(2)
    for filled in rng.integers(0, rules.full, 40).tolist():
        card = agent.card(filled, 0)
        rolls = np.arange(FIVE.first_roll, FIVE.first_roll + card.boxes.shape[1])
        assert (card.holds == rolls).all()
        assert {n for n in card.boxes[:, 5].tolist() if n >= 0} == set(rules.open(filled))
        assert len(set(card.boxes[:, 5].tolist()) - {-1}) == (card.boxes[:, 5] >= 0).sum()
        for face in range(1, FACES + 1):
            here = card.boxes[:, FIVE.roll_index[(face,) * FIVE.dice]]
            free = [rules.categories[n] for n in rules.open(filled)]
            if any(box.id == "yahtzee" for box in free):
                chosen = [box for box in free if box.id == "yahtzee"]
            else:
                own = [box for box in free if box.face == face]
                chosen = own or [box for box in free if not box.face] or free
            assert {n for n in here.tolist() if n >= 0} == {rules.index[box.id] for box in chosen}


LEARNED = ("learned-yahtzee", "learned-yatzy")
STATED = {"learned-yahtzee": 251.62, "learned-yatzy": 245.72}  # means that docs/learning.md states


@pytest.fixture(params=LEARNED)
def player(request: pytest.FixtureRequest) -> NetworkPlay:
    entry = find_player(request.param)
    return cast(NetworkPlay, entry.open(RULESETS[entry.rulesets[0]]))


def states_of(rules: Ruleset, games: int, seed: int) -> Iterator[State]:
    rng, agent = np.random.default_rng(seed), find_player("random").open(rules)
    for _ in range(games):
        for state, _ in play_out(agent, rules, make_random_roller(rng), rng).moves:
            if state.dice:
                yield replace(state, dice=tuple(sorted(state.dice)))


@pytest.mark.parametrize("ruleset", sorted(RULESETS))
def test_features_of_arrays_are_those_of_states(ruleset: str) -> None:
    rules = RULESETS[ruleset]
    states = list(states_of(rules, 30, 1))
    due = np.array([make_features(state) for state in states])
    cap_at_bonus(rules, due)
    space = Space(rules)
    at = Positions(
        np.array([space.find_row(one.filled, chips_won=one.chips_won) for one in states]),
        np.array([space.find_column(one.upper) for one in states]),
        np.array([FIVE.roll_index[tuple(sorted(one.dice))] for one in states]),
        np.array([one.throws_left for one in states]),
    )
    assert make_features_at(rules, at) == pytest.approx(due, abs=1e-6)
    boxes = np.array([make_mask(state)[32:] for state in states])
    assert (find_allowed_boxes(rules, at) == (boxes == 1)).all()


def test_a_position_is_decided_alone_as_on_its_card_and_among_others(player: NetworkPlay) -> None:
    rules, rng = player.rules, np.random.default_rng(0)
    states = [next(states_of(rules, 1, seed)) for seed in range(3)] + list(states_of(rules, 3, 9))
    together = player.choose_many(states, rng)
    for state, action in zip(states, together, strict=True):
        assert player.choose(state, rng) == action
        row = player.space.find_row(state.filled, chips_won=state.chips_won)
        card = player.card(row, player.space.find_column(state.upper))
        roll = FIVE.roll_index[state.dice]
        box = Score(rules.categories[card.boxes[0, roll]].id)
        if isinstance(action, Hold):
            held = tuple(die for n, die in enumerate(state.dice) if action.slots >> n & 1)
            assert FIVE.hold_index[held] == card.holds[0, state.throws_left - 1, roll]
        else:
            assert action == box


def test_games_in_lockstep_are_those_of_the_table_of_decisions(player: NetworkPlay) -> None:
    """In last turns, networks would reroll after they held all dice, if they could."""
    rng, games, rules = np.random.default_rng(1), 2000, player.rules
    throws = rng.integers(6**5, size=(rules.throws, games), dtype=np.uint16)
    luck = np.zeros((rules.throws, 1), dtype=np.uint32)
    fast, slow = (GamesInPlay.new(rules, games) for _ in range(2))
    cards = [0, *(rules.full ^ 1 << np.arange(len(rules.categories)))]
    fast.rows[:] = slow.rows[:] = rng.choice(cards, games)
    player.turns(fast, throws, luck, 1)
    CardPlay.turns(player, slow, throws, luck, 1)
    assert np.array_equal(fast.arrays, slow.arrays)


def test_what_ships_is_small_and_plays_as_stated(player: NetworkPlay) -> None:
    """Greedy games within four standard errors."""
    (name,) = (one for one in LEARNED if player.rules.id in PLAYERS[one].rulesets)
    assert (TRAINED / f"{name}.npz").stat().st_size < 2_000_000
    games = examples(5_000)
    found = simulate(player, player.rules, name, games, 7)
    assert abs(found.mean - STATED[name]) < 4 * found.deviation / games**0.5


@pytest.mark.parametrize("name", LEARNED)
def test_the_exact_mean_of_a_network_is_told_as_it_comes_with_it(
    name: str, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    player = find_player(name)
    monkeypatch.setattr("solver.cli.evaluate.evaluate", lambda *_, **__: Evaluation(1, 2, 0.5, 3))
    asked = ("evaluate", name, "--ruleset", player.rulesets[0], "--json")
    told, anew = (json.loads(run(*asked, *more)[1]) for more in ((), ("--anew",)))
    came = known(read_result(player, RULESETS[player.rulesets[0]]))
    of = came.distribution
    assert (told["mean"], told["sd"], told["states"]) == (of.mean, of.deviation, of.states)
    assert (told["bonus_probability"], told["seconds"]) == (of.bonus_probability, came.seconds)
    assert (anew["mean"], anew["sd"], anew["bonus_probability"], anew["states"]) == (1, 2, 0.5, 3)


@pytest.mark.nightly
@pytest.mark.parametrize("name", [one.id for one in PLAYERS.values() if one.worked_out])
def test_what_comes_with_a_player_is_what_it_is_worth(name: str, tmp_path: Path) -> None:
    """Other processors may round a near tie of a network another way."""
    player = find_player(name)
    rules = RULESETS[player.rulesets[0]]
    shipped = known(read_result(player, rules)).distribution
    found = calculate_distribution(player.open_tabular(rules))
    assert found.mean == pytest.approx(shipped.mean, abs=1e-6)
    assert found.probabilities == pytest.approx(shipped.probabilities, abs=1e-9)
    assert found.bonus_probability == pytest.approx(shipped.bonus_probability, abs=1e-9)


@pytest.mark.parametrize("name", [one.id for one in PLAYERS.values() if one.worked_out])
def test_the_report_and_what_comes_with_a_player_agree(name: str, tmp_path: Path) -> None:
    player = find_player(name)
    rules = RULESETS[player.rulesets[0]]
    exact = known(read_result(player, rules)).distribution
    (told,) = [one for one in known(read_stored_report(rules))["learners"] if one["player"] == name]
    assert told["mean"] == pytest.approx(exact.mean, abs=1e-5)
    assert told["bonus"] == pytest.approx(exact.bonus_probability, abs=1e-5)


def test_a_learned_player_brings_the_result_of_its_own_weights(tmp_path: Path) -> None:
    rules = RULESETS["yatzy"]
    came_with_it, policy = tmp_path / "exact.json", tmp_path / "exact.npz"
    policy.write_bytes(b"learned")
    player = replace(find_player("random"), worked_out=came_with_it)
    assert read_result(player, rules) is None
    scores = Distribution(np.array([0.25, 0.75]), 0.5, 3)
    facts = Exact("random", "yatzy", scores, 1.0).facts()
    came_with_it.write_text(json.dumps(facts | {"policy": hash_weights(came_with_it)}))
    found = known(read_result(player, rules))
    assert found.distribution.mean == 0.75
    policy.write_bytes(b"learned more")
    assert read_result(player, rules) is None


STRAIGHTS_AND_HOUSE = YATZY.make_mask(["small_straight", "large_straight", "full_house"])
UPPER, LOWER = 0b11_1111, 0b111_1111_1100_0000


def goes_for(dice: Dice, filled: int) -> tuple[int, int]:
    """How many dice of which face: most of an open upper box, then the highest; two at least."""
    counts = Counter(dice)
    open_faces = [(counts[f], f) for f in counts if counts[f] > 1 and not filled >> (f - 1) & 1]
    return max(open_faces, default=(0, 0))


def points(dice: Dice, box: int) -> int:
    return YATZY.categories[box].score(dice)


def held(dice: Dice, filled: int) -> Dice | None:
    """Return the dice it holds; None if they are those of ``dice-based``."""
    count, face = goes_for(dice, filled)
    done = (box for box in range(15) if STRAIGHTS_AND_HOUSE & ~filled & 1 << box)
    if count < 3 and any(points(dice, box) for box in done):
        return dice
    return (face,) * count if count else None


def scored(dice: Dice, filled: int) -> int:
    count, face = goes_for(dice, filled)
    if count >= 3:
        return face - 1
    lower = [box for box in range(6, 15) if not filled >> box & 1 and points(dice, box)]
    first = next(box for box in range(15) if not filled >> box & 1)
    return max(lower, key=lambda box: points(dice, box), default=first)


@pytest.mark.parametrize(
    "filled", [0, 0b10_0100, 0b1_1011, UPPER, LOWER, STRAIGHTS_AND_HOUSE, 0b1010_1010_1010_100]
)
def test_it_does_on_every_roll_what_its_description_says(filled: int) -> None:
    for roll, dice in enumerate(FIVE.rolls):
        assert upper_first.decide(0, filled, 0, 0, roll) == scored(dice, filled)
        for left in (1, 2):
            hold, due = upper_first.decide(0, filled, 0, left, roll), held(dice, filled)
            if due is None:
                assert hold == dice_based.decide(OPEN | PRINTED, filled, 0, left, roll)
            else:
                assert (FIVE.holds[hold] if hold < FIVE.first_roll else dice) == due
