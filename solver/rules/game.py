"""The immutable state of a game: its legal actions, and the state after each action.

The player's action is a ``Hold`` of the dice in some slots, after which the other dice are rolled,
or a ``Score`` in an open box, which ends the turn. A turn begins without dice, and its first roll
follows a hold of no dice. The caller chooses the dice: ``throw`` gets a face for every slot.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from solver.rules.dice import FACES, Dice
from solver.rules.rulesets import JokerThrow, Ruleset, ScoreOption


class IllegalAction(ValueError):
    """The error for an action that the rules forbid in this state. The message gives the reason."""


@dataclass(frozen=True, slots=True)
class Hold:
    """The action of holding the dice in these slots (bit 0: the first) and rolling the others."""

    slots: int

    @classmethod
    def from_faces(cls, faces: Iterable[int], dice: Dice, held: int = 0) -> "Hold":
        """Return a hold of these faces. Among equal dice, prefer dice in the slots of ``held``."""
        missing, slots = list(faces), 0
        for slot in sorted(range(len(dice)), key=lambda slot: not held >> slot & 1):
            if dice[slot] in missing:
                missing.remove(dice[slot])
                slots |= 1 << slot
        return cls(slots)

    @property
    def places(self) -> tuple[int, ...]:
        slots = range(self.slots.bit_length())
        return tuple([slot for slot in slots if self.slots >> slot & 1])

    def kept(self, dice: Dice) -> Dice:
        return tuple(sorted([dice[slot] for slot in self.places]))


def list_kept_by_slots(dice: Dice) -> list[Dice]:
    """Return the sorted dice of every set of slots. The index is the bit mask of the slots."""
    every: list[Dice] = [()]
    for face in dice:
        every += [tuple(sorted((*kept, face))) for kept in every]
    return every


@dataclass(frozen=True, slots=True)
class Score:
    """The action of scoring the dice in this box, which ends the turn."""

    category: str


Action = Hold | Score


@dataclass(frozen=True, slots=True)
class Box:
    points: int
    dice: Dice


@dataclass(frozen=True, slots=True)
class State:
    rules: Ruleset
    boxes: tuple[Box | None, ...]
    throws_left: int  # rolls left, including saved rolls
    dice: Dice = ()  # faces of the dice; empty before a turn's first roll
    held: int = 0  # bit mask of the slots whose dice are held
    waiting: bool = False  # true if a hold is chosen and the other dice are not rolled yet
    chips: int = 0
    stock: int = 0

    @property
    def filled(self) -> int:
        return sum([1 << n for n, box in enumerate(self.boxes) if box is not None])

    @property
    def turn(self) -> int:
        """The number of finished turns, so the first turn is 0."""
        return sum(map(bool, self.boxes))

    @property
    def throws_made(self) -> int:
        return self.rules.throws + self.stock - self.throws_left

    @property
    def saved_left(self) -> int:
        """The number of saved rolls left. A turn uses its own three rolls before saved rolls."""
        return min(self.stock, self.throws_left)

    @property
    def finished(self) -> bool:
        return all(self.boxes)

    @property
    def upper(self) -> int:
        boxes = [self.boxes[number] for number in self.rules.upper]
        return sum([box.points for box in boxes if box is not None])

    @property
    def upper_most(self) -> int:
        """The highest upper total that this game can still reach."""
        return self.upper + max(self.rules.list_upper_totals(self.rules.full & ~self.filled))

    @property
    def points(self) -> int:
        """The points in the boxes and of the chips, without the upper bonus."""
        return self.chips + sum([box.points for box in self.boxes if box is not None])

    @property
    def bonus(self) -> int:
        return self.rules.bonus(self.upper)

    @property
    def total(self) -> int:
        return self.points + self.bonus

    @property
    def deciding(self) -> bool:
        """True if the player can score the dice in a box now."""
        return bool(self.dice) and not self.waiting and not self.finished

    @property
    def joker(self) -> JokerThrow | None:
        """The joker that the dice form, with the boxes that it may fill; None without a joker."""
        if not self.deciding:
            return None
        return self.rules.find_joker(self.filled, self.chips_won, self.dice)

    @property
    def offers(self) -> dict[int, int]:
        """The points that the dice score now in each allowed box, by the number of the box."""
        if not self.deciding:
            return {}
        options = self.rules.score_options(self.filled, self.chips_won, self.dice)
        return {option.category: option.points for option in options}

    def find_option(self, category: str) -> ScoreOption | None:
        """Return the score of the dice in this box now, or None if the rules forbid this box."""
        number = self.rules.index[category]
        return self.rules.score_option(self.filled, self.chips_won, self.dice, number)

    @property
    def chips_won(self) -> bool:
        """True if the box on which jokers depend was filled with points."""
        joker = self.rules.joker
        box = self.boxes[self.rules.index[joker.box]] if joker else None
        return box is not None and box.points > 0


def start_state(rules: Ruleset) -> State:
    return State(rules, boxes=(None,) * len(rules.categories), throws_left=rules.throws)


def apply_roll(state: State, faces: Sequence[int]) -> State:
    """Return the state after a roll: every slot that is not held gets its face from the roll."""
    if state.finished:
        raise IllegalAction("the game is over")
    if not state.waiting:
        raise IllegalAction("no throw is due: hold or score first")
    number = state.rules.dice
    if len(faces) != number or min(faces) < 1 or max(faces) > FACES:
        raise IllegalAction(f"a throw is {number} faces from 1 to {FACES}")
    slots = enumerate(faces)
    dice = tuple([state.dice[slot] if state.held >> slot & 1 else face for slot, face in slots])
    left = state.throws_left - 1
    boxes, held, chips = state.boxes, state.held, state.chips
    return State(state.rules, boxes, left, dice, held, chips=chips, stock=state.stock)


def sort_into_slots(dice: Dice, held: int, faces: Iterable[int]) -> Dice:
    """Return the face in each slot. ``held`` dice stay in their slots, and the free slots get the
    other faces in the order of ``faces``. Raise ValueError if a held die is not among the faces."""
    free = list(faces)
    for slot in Hold(held).places:
        free.remove(dice[slot])
    landing = iter(free)
    slots = range(len(free) + held.bit_count())
    return tuple([dice[slot] if held >> slot & 1 else next(landing) for slot in slots])


def list_legal_actions(state: State) -> tuple[Action, ...]:
    """Return every legal action. Return none while a roll is due or after the end of the game."""
    if state.waiting or state.finished:
        return ()
    if not state.dice:
        return (Hold(0),)
    slots = range(state.rules.cup.every_slot, -1, -1) if state.throws_left else ()
    holds = tuple(Hold(some) for some in slots)
    options = state.rules.score_options(state.filled, state.chips_won, state.dice)
    return holds + tuple(Score(state.rules.categories[o.category].id) for o in options)


def apply_action(state: State, action: Action) -> State:
    """Return the state after the player's action. After a hold, the state waits for a roll."""
    if state.finished:
        raise IllegalAction("the game is over")
    if state.waiting:
        raise IllegalAction("the throw is still to come")
    if isinstance(action, Score):
        return _apply_score(state, action)
    if not state.throws_left:
        raise IllegalAction("no throw is left: choose a box")
    every_slot = state.rules.cup.every_slot
    if not 0 <= action.slots <= every_slot:
        raise IllegalAction(f"a hold is a number from 0 to {every_slot}")
    if action.slots and not state.dice:
        raise IllegalAction("there are no dice to hold yet")
    # Pass fields by position, because ``replace`` is slow.
    boxes, left, stock = state.boxes, state.throws_left, state.stock
    return State(state.rules, boxes, left, state.dice, action.slots, True, state.chips, stock)


def _apply_score(state: State, action: Score) -> State:
    rules = state.rules
    if not state.dice:
        raise IllegalAction("throw the dice first")
    number = rules.index.get(action.category)
    if number is None:
        raise IllegalAction(f"there is no box {action.category!r}")
    if state.boxes[number] is not None:
        raise IllegalAction(f"the box {action.category} is filled already")
    chosen = state.find_option(action.category)
    if chosen is None:
        raise IllegalAction(f"these dice must not be scored in {action.category} now")
    boxes = list(state.boxes)
    boxes[number] = Box(chosen.points, tuple(sorted(state.dice)))
    saved, chips = min(state.throws_left, rules.stock), state.chips + chosen.chip
    return State(rules, tuple(boxes), rules.throws + saved, chips=chips, stock=saved)


Block = Sequence[Sequence[Sequence[int]]]  # block[turn][roll][slot] is a face


def play(state: State, action: Action, block: Block) -> State:
    """Return the state after an action and, if it is a hold, after the roll block[turn][roll]. If
    ``block`` lacks this roll, the state waits for it."""
    state = apply_action(state, action)
    faces = block[state.turn][state.throws_made] if state.waiting else ()
    return apply_roll(state, faces) if faces else state


def replay(rules: Ruleset, block: Block, actions: Iterable[Action]) -> State:
    state = start_state(rules)
    for action in actions:
        state = play(state, action, block)
    return state


def replay_actions(
    rules: Ruleset, block: Block, actions: Iterable[Action]
) -> Iterator[tuple[State, Action]]:
    """Yield each action of a game with the state before it. ``block`` has the rolled faces."""
    state = start_state(rules)
    for action in actions:
        yield state, action
        state = play(state, action, block)
