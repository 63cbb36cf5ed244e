"""Games in which jokers fall, whatever is thought of them: how they are found and played."""

from collections.abc import Iterator
from hashlib import sha256

from game.core.fair.blocks import block
from solver.rules import Action, Hold, Ruleset, Score, State, play, start_state

# Played as below by the rules of Yahtzee these dice bring jokers that must go in the upper box of
# their number (twice), in a lower box, and nowhere but in an upper box that they do not fit.
SEED = sha256(b"joker 9431").hexdigest()
ORDER = (
    *("yahtzee", "chance", "ones", "twos", "full_house", "small_straight", "three_of_a_kind"),
    *("large_straight", "four_of_a_kind", "threes", "fours", "fives", "sixes"),
)


def keeping(rules: Ruleset, seed: str) -> Iterator[tuple[State, Action]]:
    """Play on with the most frequent face held, and the box for five of a kind filled last."""
    dice, state = block(seed, rules), start_state(rules)
    while not state.finished:
        action = choose_kept(state)
        yield state, action
        state = play(state, action, dice)


def choose_kept(state: State) -> Action:
    if not state.dice:
        return Hold(0)
    face = max(state.dice, key=lambda face: (state.dice.count(face), face))
    if state.dice.count(face) < len(state.dice):
        if state.throws_left:
            return Hold(sum(1 << slot for slot, die in enumerate(state.dice) if die == face))
        offered = _offered(state)
        return Score(next(box for box in (*ORDER[1:], ORDER[0]) if box in offered))
    return Score(max(_offered(state).items(), key=lambda offer: offer[1])[0])


def _offered(state: State) -> dict[str, int]:
    return {state.rules.categories[box].id: points for box, points in state.offers.items()}
