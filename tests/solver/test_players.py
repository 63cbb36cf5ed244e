"""Every player passes one contract, and what is known of each is golden."""

import subprocess
import sys

import numpy as np
import pytest

from solver.advice import Position
from solver.dp.outcomes import outcomes_of, widths
from solver.dp.space import Space
from solver.players import PLAYERS, UnknownPlayer, choose, dice_based, find_player, forced_scoring
from solver.players import random as random_player
from solver.players.rules import DICE_BASED, FORCED_SCORING, RANDOM
from solver.rules import YATZY, Hold, Score, legal_actions, play, start, throw
from solver.rules.dice import DICE, FACES, FIRST_ROLL, HOLDS, ROLL_INDEX, ROLLS

pytestmark = [pytest.mark.usefixtures("yatzy_tables"), pytest.mark.xdist_group("lab")]

NAMES = [
    f"{player.id}:{reading}" if reading else player.id
    for player in PLAYERS.values()
    for reading in (player.readings or [""])
]
SPACE = Space(YATZY)


@pytest.fixture(scope="module")
def cards():
    """Some cards that games can stand at, the empty one and one of the last turn among them."""
    reachable = np.argwhere(SPACE.reachable[: YATZY.full])
    some = np.random.default_rng(1).choice(reachable, 12, replace=False).tolist()
    return [(0, 0), (YATZY.full ^ 1 << 14, 63), *map(tuple, some)]


@pytest.fixture(params=NAMES)
def strategy(request):
    return find_player(request.param).open()


def test_every_hold_is_part_of_its_roll_and_every_box_is_open(strategy, cards):
    part = {
        (roll, HOLDS.index(hold))
        for roll, dice in enumerate(ROLLS)
        for hold in {tuple(d for n, d in enumerate(dice) if k >> n & 1) for k in range(32)}
    }
    for filled, upper in cards:
        card = strategy.card(filled, upper)
        assert card.holds.shape[1:] == (2, len(ROLLS))
        assert card.boxes.shape[1:] == (len(ROLLS),)
        for way in card.holds.reshape(-1, len(ROLLS)).tolist():
            assert {(roll, hold) for roll, hold in enumerate(way)} <= part
        assert not any(filled >> box & 1 for box in np.unique(card.boxes).tolist())


def test_the_chances_of_a_turn_are_those_of_its_decisions(strategy, cards):
    for filled, upper in cards[:4]:
        index = np.full((SPACE.rows, SPACE.columns), -1, dtype=np.int32)
        index[filled, upper] = 0
        chance = np.empty(widths(YATZY)[filled])
        strategy.outcomes(np.array([filled]), index, np.array([0]), chance)
        slow = slow_outcomes(strategy.card(filled, upper), filled)
        assert chance == pytest.approx(slow, abs=1e-12)


def slow_outcomes(card, filled):
    """Walks every throw of a turn."""
    from solver.dp.turn import outcome_chances

    becomes = np.vstack((outcome_chances(), np.eye(len(ROLLS))))
    chance, done = becomes[0].copy(), np.zeros(len(ROLLS))
    for rolls_left in (2, 1):
        after = np.zeros(len(ROLLS))
        for way in card.holds:
            for roll, hold in enumerate(way[rolls_left - 1].tolist()):
                share = chance[roll] / len(card.holds)
                if hold >= FIRST_ROLL:
                    done[roll] += share
                else:
                    after += share * becomes[hold]
        chance = after
    outcomes = outcomes_of(YATZY)
    found = np.zeros(outcomes.start[-1])
    for way in card.boxes:
        np.add.at(found, outcomes.of[way, np.arange(len(ROLLS))], (chance + done) / len(card.boxes))
    open_boxes = [n for n in range(15) if not filled >> n & 1]
    return np.concatenate([found[outcomes.start[n] : outcomes.start[n + 1]] for n in open_boxes])


def test_many_turns_at_once_are_the_decisions_of_the_card(strategy):
    """Games that all throw the same dice end where the card's decisions lead."""
    dice = np.array([[5], [777], [7000]], dtype=np.uint16).repeat(7, axis=1)
    filled, upper, points = (np.zeros(7, dtype=np.int32) for _ in range(3))
    luck = np.full((3, 7 if strategy.uses_luck else 1), 1 << 31, dtype=np.uint32)
    strategy.turns(filled, upper, points, dice, luck, 2)
    box, gained = slow_turn(strategy.card(0, 0), [5, 777, 7000])
    assert set(filled.tolist()) == {1 << box}
    assert set(points.tolist()) == {gained}
    assert set(upper.tolist()) == {gained if box < 6 else 0}


def slow_turn(card, numbers):
    def digits(number):
        return [number // FACES**n % FACES + 1 for n in range(DICE)]

    dice = tuple(sorted(digits(numbers[0])))
    for rolls_left in (2, 1):
        way = card.holds[len(card.holds) // 2]
        hold = int(way[rolls_left - 1, ROLL_INDEX[dice]])
        if hold >= FIRST_ROLL:
            break
        missing = DICE - len(HOLDS[hold])
        dice = tuple(sorted((*HOLDS[hold], *digits(numbers[3 - rolls_left])[:missing])))
    box = int(card.boxes[len(card.boxes) // 2, ROLL_INDEX[dice]])
    return box, YATZY.categories[box].score(dice)


def test_a_player_only_does_what_the_rules_allow(strategy):
    rng = np.random.default_rng(1)
    block = rng.integers(1, 7, size=(15, 3, 5)).tolist()
    state = start(YATZY)
    while not state.finished:
        action = choose(strategy, state, rng) if state.dice else Hold(0)
        assert action in legal_actions(state)
        state = play(state, action, block)
    assert state.finished


def test_keeping_every_die_means_scoring_now():
    state = throw(play_first(), (1, 2, 3, 4, 5))
    action = choose(find_player("dice-based").open(), state, np.random.default_rng(1))
    assert action == Score("small_straight")


def play_first():
    from solver.rules import step

    return step(start(YATZY), Hold(0))


@pytest.mark.parametrize(
    ("module", "number", "flags"),
    [
        (dice_based, DICE_BASED, dice_based.FLAGS.values()),
        (forced_scoring, FORCED_SCORING, forced_scoring.FLAGS.values()),
        (random_player, RANDOM, [0]),
    ],
)
def test_compiled_rules_are_the_plain_functions_of_their_file(module, number, flags, cards):
    from solver.players import kernels

    rng = np.random.default_rng(1)
    for flag in flags:
        for filled, upper in cards:
            for roll in rng.integers(len(ROLLS), size=20).tolist():
                for rolls_left in (2, 1, 0):
                    asked = (flag, filled, upper, rolls_left, roll, 0)
                    assert kernels.decide(number, *asked) == module.decide(*asked)


def test_perfect_play_does_what_the_coach_calls_best(advisor, cards):
    """Of equal options it keeps as many dice, and takes the same box."""
    strategy = find_player("optimal").open()
    for filled, column in cards:
        upper = next(u for u in sorted(YATZY.upper_totals(filled)) if min(u, 63) == column)
        card = strategy.card(filled, column)
        for roll in range(0, len(ROLLS), 17):
            for rolls_left in (1, 2):
                advice = advisor.advise(
                    Position(advisor.rules, filled, upper, ROLLS[roll], rolls_left)
                )
                held = HOLDS[int(card.holds[0, rolls_left - 1, roll])]
                assert len(held) == len(advice.best.dice)
                assert held in {option.dice for option in advice.options if option.best}
            best = advisor.advise(Position(advisor.rules, filled, upper, ROLLS[roll], 0)).best
            assert YATZY.categories[int(card.boxes[0, roll])].id == best.category


def test_players_are_described_without_a_compiler():
    program = (
        "import sys; from solver.players import PLAYERS;"
        "assert all(len(p.description) >= 80 for p in PLAYERS.values());"
        "sys.exit('numba' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("perfect", "unknown player 'perfect'"),
        ("greedy:slow", "readings: none"),
        ("dice-based:best", "no reading 'best'; readings: open-printed, pseudo-code"),
    ],
)
def test_an_unknown_player_is_refused_with_those_that_are_known(name, reason):
    with pytest.raises(UnknownPlayer, match=reason):
        find_player(name)


def test_a_name_leads_back_to_its_player():
    assert all(find_player(find_player(name).name).title for name in NAMES)
    assert find_player("dice-based:open-printed").name == "dice-based"
    assert find_player("dice-based:open").name == "dice-based:open"
