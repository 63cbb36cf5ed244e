"""Games for tests in which Yahtzee's joker rule applies."""

from collections.abc import Iterator
from hashlib import sha256

from game.core.fair.blocks import block
from solver.rules import Action, Hold, Ruleset, Score, State, play, start_state

# With this seed, the game below has four jokers in Yahtzee: two must go in the upper box of their
# face, the third in a lower box, and the fourth in the upper box of another face.
SEED = sha256(b"joker 9431").hexdigest()
ORDER = (
    *("yahtzee", "chance", "ones", "twos", "full_house", "small_straight", "three_of_a_kind"),
    *("large_straight", "four_of_a_kind", "threes", "fours", "fives", "sixes"),
)


def keeping(rules: Ruleset, seed: str) -> Iterator[tuple[State, Action]]:
    """Play a game: hold the most frequent face, and fill the box for five of a kind last."""
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
