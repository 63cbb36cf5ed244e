"""Every player passes one contract under every ruleset it plays, and what is known is golden."""

from collections.abc import Iterator, Sequence
from functools import partial
from types import ModuleType
from typing import Any, cast

import numpy as np
import pytest

from solver.advice import Advisor, Position
from solver.arena.match import make_random_roller, play_out
from solver.arena.performance import simulate
from solver.dp.arrays import Floats
from solver.dp.outcomes import build_jokers, build_outcomes, count_outcomes
from solver.dp.space import Space
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
)
from solver.players.agent import GamesInPlay
from solver.players.plain import PlainValues, make_plain
from solver.players.rules import Choices
from solver.rules import (
    RULESETS,
    YATZY,
    Action,
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
from solver.rules.rulesets import ScoreOption

FIVE = make_cup(5)

pytestmark = pytest.mark.usefixtures("all_tables")

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
        assert set(games.rows.tolist()) == {row_after(rules, row, option)}
        assert set(games.points.tolist()) == {11 + option.points + option.chip}
        assert set(games.upper.tolist()) == {min(column + gained, rules.bonus_threshold)}


def row_after(rules: Ruleset, row: int, option: ScoreOption) -> int:
    joker = rules.joker
    won = joker and option.category == rules.index[joker.box] and option.points > 0
    return row | 1 << option.category | bool(won) << len(rules.categories)


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
