"""The immutable state of one game: what may be done, and what follows.

The player acts: a ``Hold`` of some of the slots, after which chance throws the others, or a
``Score`` in an open box, which ends the turn. A turn begins without dice, and its first throw
follows from holding nothing. Nothing here knows where the dice come from: ``throw`` is given the
faces that the slots would show.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from solver.rules.dice import FACES, Dice
from solver.rules.rulesets import JokerThrow, Ruleset, ScoreOption


class IllegalAction(ValueError):
    """The rules forbid this now; the message says why."""


@dataclass(frozen=True, slots=True)
class Hold:
    """Keep the dice in these slots (bit 0 is the first) and throw the others."""

    slots: int

    @classmethod
    def of(cls, faces: Iterable[int], dice: Dice, held: int = 0) -> "Hold":
        """Return the slots that show these faces; of equal dice those that were ``held`` come
        first."""
        missing, slots = list(faces), 0
        for slot in sorted(range(len(dice)), key=lambda slot: not held >> slot & 1):
            if dice[slot] in missing:
                missing.remove(dice[slot])
                slots |= 1 << slot
        return cls(slots)

    @property
    def places(self) -> tuple[int, ...]:
        """The slots that stay, one by one."""
        slots = range(self.slots.bit_length())
        return tuple([slot for slot in slots if self.slots >> slot & 1])

    def kept(self, dice: Dice) -> Dice:
        return tuple(sorted([dice[slot] for slot in self.places]))


def kept_by_slots(dice: Dice) -> list[Dice]:
    """Return what each hold keeps of these dice, by the bit mask of its slots."""
    every: list[Dice] = [()]
    for face in dice:
        every += [tuple(sorted((*kept, face))) for kept in every]
    return every


@dataclass(frozen=True, slots=True)
class Score:
    """Write the dice into this box and end the turn."""

    category: str


Action = Hold | Score


@dataclass(frozen=True, slots=True)
class Box:
    """A filled box: its points and the dice that filled it."""

    points: int
    dice: Dice


@dataclass(frozen=True, slots=True)
class State:
    """``dice`` is empty before the first throw of a turn; ``held`` are the slots that stay.

    ``waiting`` says that a hold was made and the throw is still to come. ``stock`` are the throws
    that the turn began with beside its own; they are among ``throws_left``.
    """

    rules: Ruleset
    boxes: tuple[Box | None, ...]
    throws_left: int
    dice: Dice = ()
    held: int = 0
    waiting: bool = False
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
        """In this turn."""
        return self.rules.throws + self.stock - self.throws_left

    @property
    def saved_left(self) -> int:
        """Throws of earlier turns that are left; a turn's own are used first."""
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
        """The most that the upper boxes can still come to."""
        return self.upper + max(self.rules.upper_totals(self.rules.full & ~self.filled))

    @property
    def points(self) -> int:
        """The points in the boxes and the chips; the upper bonus is not among them."""
        return self.chips + sum([box.points for box in self.boxes if box is not None])

    @property
    def bonus(self) -> int:
        return self.rules.bonus(self.upper)

    @property
    def total(self) -> int:
        return self.points + self.bonus

    @property
    def deciding(self) -> bool:
        """Whether the dice on the table may fill a box."""
        return bool(self.dice) and not self.waiting and not self.finished

    @property
    def joker(self) -> JokerThrow | None:
        """What the dice may do as a joker; None if they are none."""
        if not self.deciding:
            return None
        return self.rules.joker_thrown(self.filled, self.chips_won, self.dice)

    @property
    def offers(self) -> dict[int, int]:
        """The scores of the dice now, by the number of the box."""
        if not self.deciding:
            return {}
        options = self.rules.score_options(self.filled, self.chips_won, self.dice)
        return {option.category: option.points for option in options}

    def option(self, category: str) -> ScoreOption | None:
        """Return what the dice would score in this box now; None if they must not be scored
        there."""
        number = self.rules.index[category]
        return self.rules.score_option(self.filled, self.chips_won, self.dice, number)

    @property
    def chips_won(self) -> bool:
        """Whether the box that jokers depend on was filled with points."""
        joker = self.rules.joker
        box = self.boxes[self.rules.index[joker.box]] if joker else None
        return box is not None and box.points > 0


def start(rules: Ruleset) -> State:
    return State(rules, boxes=(None,) * len(rules.categories), throws_left=rules.throws)


def throw(state: State, faces: Sequence[int]) -> State:
    """Every slot that is not held takes its face."""
    if state.finished:
        raise IllegalAction("the game is over")
    if not state.waiting:
        raise IllegalAction("no throw is due: hold or score first")
    number = state.rules.dice
    if len(faces) != number or min(faces) < 1 or max(faces) > FACES:
        raise IllegalAction(f"a throw is {number} faces from 1 to {FACES}")
    dice = landed(state.dice, state.held, faces)
    left = state.throws_left - 1
    boxes, held, chips = state.boxes, state.held, state.chips
    return State(state.rules, boxes, left, dice, held, chips=chips, stock=state.stock)


def landed(dice: Dice, held: int, faces: Sequence[int]) -> Dice:
    """Return what the slots show after a roll; held dice stay."""
    return tuple([dice[slot] if held >> slot & 1 else face for slot, face in enumerate(faces)])


def in_slots(dice: Dice, held: int, faces: Iterable[int]) -> Dice:
    """All faces after a throw, in whatever order they were read: those ``held`` where they lie, the
    others in the free slots. ValueError where a die that was held is not among them."""
    free = list(faces)
    for slot in Hold(held).places:
        free.remove(dice[slot])
    landing = iter(free)
    slots = range(len(free) + held.bit_count())
    return tuple([dice[slot] if held >> slot & 1 else next(landing) for slot in slots])


def legal_actions(state: State) -> tuple[Action, ...]:
    """Everything the player may do now; nothing while a throw is due or the game is over."""
    if state.waiting or state.finished:
        return ()
    if not state.dice:
        return (Hold(0),)
    slots = range(state.rules.cup.every_slot, -1, -1) if state.throws_left else ()
    holds = tuple(Hold(some) for some in slots)
    options = state.rules.score_options(state.filled, state.chips_won, state.dice)
    return holds + tuple(Score(state.rules.categories[o.category].id) for o in options)


def step(state: State, action: Action) -> State:
    """Return the state after the player's action; a throw follows unless the game is over."""
    if state.finished:
        raise IllegalAction("the game is over")
    if state.waiting:
        raise IllegalAction("the throw is still to come")
    return _hold(state, action) if isinstance(action, Hold) else _score(state, action)


def _hold(state: State, action: Hold) -> State:
    if not state.throws_left:
        raise IllegalAction("no throw is left: choose a box")
    every_slot = state.rules.cup.every_slot
    if not 0 <= action.slots <= every_slot:
        raise IllegalAction(f"a hold is a number from 0 to {every_slot}")
    if action.slots and not state.dice:
        raise IllegalAction("there are no dice to hold yet")
    # Every field by its place: ``replace`` took longer than all the rest of a replay.
    boxes, left, stock = state.boxes, state.throws_left, state.stock
    return State(state.rules, boxes, left, state.dice, action.slots, True, state.chips, stock)


def _score(state: State, action: Score) -> State:
    rules = state.rules
    if not state.dice:
        raise IllegalAction("throw the dice first")
    number = rules.index.get(action.category)
    if number is None:
        raise IllegalAction(f"there is no box {action.category!r}")
    if state.boxes[number] is not None:
        raise IllegalAction(f"the box {action.category} is filled already")
    chosen = state.option(action.category)
    if chosen is None:
        raise IllegalAction(f"these dice must not be scored in {action.category} now")
    boxes = list(state.boxes)
    boxes[number] = Box(chosen.points, tuple(sorted(state.dice)))
    saved, chips = min(state.throws_left, rules.stock), state.chips + chosen.chip
    return State(rules, tuple(boxes), rules.throws + saved, chips=chips, stock=saved)


Block = Sequence[Sequence[Sequence[int]]]  # block[turn][throw][slot]


def play(state: State, action: Action, block: Block) -> State:
    """Return the state after an action and, where one follows, the throw of the block.

    An empty throw has not been made yet: the state waits for it.
    """
    state = step(state, action)
    faces = block[state.turn][state.throws_made] if state.waiting else ()
    return throw(state, faces) if faces else state


def replay(rules: Ruleset, block: Block, actions: Iterable[Action]) -> State:
    """Return the state after these actions over a block of dice."""
    state = start(rules)
    for action in actions:
        state = play(state, action, block)
    return state


def played(
    rules: Ruleset, block: Block, actions: Iterable[Action]
) -> Iterator[tuple[State, Action]]:
    """Yield the states in which these actions were taken over a block of dice."""
    state = start(rules)
    for action in actions:
        yield state, action
        state = play(state, action, block)
