"""A Gymnasium environment for each ruleset: ``Yatzy-v0``, ``Yahtzee-v0`` and others.

    observation   float32, the features of ``players.features``; the dice are sorted
    action        first the holds (hold these dice, roll the others), then the boxes. The first
                  roll of a turn is automatic
    reward        the points that the action added to the score: box, chips, and the bonus once
                  it is secured. The rewards of a game add up to its final score
    info          "action_mask", 1 for every legal action, and "score"

Actions are numbered in one of three ways:

    slots         the held slots as bits, bit 0 the lowest die: 32 (``players.features``)
    distinct      as slots, but of holds with the same dice only the first is legal
    faces         the held faces, in any slots: 462, in the order of ``rules.dice``

An illegal action is an error and changes nothing. ``action_masks()`` returns the mask as booleans
for sb3-contrib: ``env.get_wrapper_attr("action_masks")()``.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any, NamedTuple

import gymnasium
import numpy as np
import numpy.typing as npt

from solver.charts.frame import CHANGE, TOTAL, draw_text, make_tag
from solver.charts.png import Bytes, read_pixels, render_png
from solver.dp.arrays import Ints
from solver.players.features import (
    NOT_ALLOWED,
    Features,
    Mask,
    count_holds,
    find_action,
    find_lower_bounds,
    find_upper_bounds,
    make_features,
    make_mask,
    mark_distinct_holds,
    number_holds,
)
from solver.rules import (
    PLAYED,
    Hold,
    IllegalAction,
    Ruleset,
    State,
    apply_action,
    apply_roll,
    find_ruleset,
    start_state,
)
from solver.rules.dice import FACES, make_cup

GROUND, DIE = "#efe9db", "#fffdf6"
WIDTH, ROW, EDGE, SIDE = 240, 20, 12, 36  # pixels; SIDE is the length of a die's side
PIPS = (
    "4",
    "26",
    "246",
    "0268",
    "02468",
    "023568",
)  # [face]: places of the pips, numbered 0 to 8 row by row
SLOTS, DISTINCT, BY_FACES = NUMBERINGS = ("slots", "distinct", "faces")


class DrawnLine(NamedTuple):
    """A line of the drawn card: a box or a sum. Brackets show what the dice score in an open
    box."""

    name: str
    points: str
    taken: bool = True


def list_lines(state: State) -> list[DrawnLine]:
    card = []
    for number, box in enumerate(state.boxes):
        name, offer = state.rules.categories[number].id, state.offers.get(number)
        if box is not None:
            card.append(DrawnLine(name, str(box.points)))
        else:
            card.append(DrawnLine(name, "" if offer is None else f"({offer})", taken=False))
    return [*card, DrawnLine("bonus", str(state.bonus)), DrawnLine("total", str(state.total))]


def draw_ansi(state: State) -> str:
    width = max(len(category.id) for category in state.rules.categories)
    shown = [
        f"{name:{width}}" + (points and f" {points:>{4 if taken else 5}}")
        for name, points, taken in list_lines(state)
    ]
    if state.dice:
        faces = " ".join(map(str, state.dice))
        shown += ["", f"dice {faces}   throws left {state.throws_left}"]
    return "\n".join(shown)


def draw_rgb_array(state: State) -> Bytes:
    """Return a picture of the game. Its size is the same with and without dice."""
    lines = list_lines(state)
    foot = len(lines) * ROW + 2 * EDGE
    height, quarter = foot + SIDE + ROW + EDGE, SIDE / 4
    drawn = [make_tag("rect", width=WIDTH, height=height, fill=GROUND)]
    for row, line in enumerate(lines, 1):
        ink = TOTAL if line.taken else CHANGE
        drawn.append(draw_text(line.name.replace("_", " "), EDGE, row * ROW, fill=ink))
        drawn.append(draw_text(line.points, WIDTH - EDGE, row * ROW, fill=ink, text_anchor="end"))
    for number, face in enumerate(state.dice):
        x, side = EDGE + number * (SIDE + 8), SIDE
        drawn.append(
            make_tag("rect", x=x, y=foot, width=side, height=side, rx=7, fill=DIE, stroke=TOTAL)
        )
        for place in map(int, PIPS[face - 1]):
            cx, cy = x + (place % 3 + 1) * quarter, foot + (place // 3 + 1) * quarter
            drawn.append(make_tag("circle", cx=cx, cy=cy, r=3, fill=TOTAL))
    if state.dice:
        left = f"throws left {state.throws_left}"
        drawn.append(draw_text(left, EDGE, foot + SIDE + ROW, fill=TOTAL))
    xmlns = "http://www.w3.org/2000/svg"
    svg = make_tag("svg", *drawn, xmlns=xmlns, width=WIDTH, height=height, font_size=14)
    return read_pixels(render_png(svg, scale=1.0))


DRAWN: dict[str, Callable[[State], str | Bytes]] = {"ansi": draw_ansi, "rgb_array": draw_rgb_array}


class Numbering:
    """A numbering of the actions, one of ``NUMBERINGS``. The methods convert arrays with an entry
    per game. ``rolls`` has the number of each game's roll."""

    def __init__(self, rules: Ruleset, name: str) -> None:
        if name not in NUMBERINGS:
            raise ValueError(f"actions must be one of {', '.join(NUMBERINGS)}, not {name!r}")
        self._slots = map_holds_to_slots(rules.dice, name)
        self._plain_holds = count_holds(rules)
        self._holds = self._slots.shape[1]
        self.count = self._holds + len(rules.categories)

    def convert_masks(self, plain: Mask, rolls: Ints) -> Mask:
        """Convert masks of legal actions from the numbering ``slots`` to this numbering."""
        kept = plain[:, :1] * (self._slots[rolls] != NOT_ALLOWED)
        return np.hstack([kept, plain[:, self._plain_holds :]], dtype=np.int8)

    def convert_actions(self, chosen: npt.NDArray[np.integer], rolls: Ints) -> Ints:
        """Convert actions to the numbering ``slots``; holds of other dice give NOT_ALLOWED."""
        kept = self._slots[rolls, np.clip(chosen, 0, self._holds - 1)]
        scored = chosen - self._holds + self._plain_holds
        known = (chosen >= 0) & (chosen < self.count)
        actions: Ints = np.where(known, np.where(chosen < self._holds, kept, scored), NOT_ALLOWED)
        return actions


@cache
def map_holds_to_slots(dice: int, name: str) -> Ints:
    """Return an array [roll, number of a hold]: the held slots as bits. NOT_ALLOWED marks unused
    numbers, and holds of dice that the roll lacks."""
    slots = np.arange(1 << dice)
    if name == SLOTS:
        return np.tile(slots, (len(make_cup(dice).rolls), 1))
    distinct = mark_distinct_holds(dice)
    if name == DISTINCT:
        return np.where(distinct, slots, NOT_ALLOWED)
    kept = np.full((len(distinct), len(make_cup(dice).holds)), NOT_ALLOWED)
    roll, first = np.nonzero(distinct)
    kept[roll, number_holds(dice)[roll, first]] = first
    return kept


def register_all() -> None:
    for ruleset in PLAYED:
        name = "".join(word.capitalize() for word in ruleset.split("-"))
        gymnasium.register(
            id=f"{name}-v0",
            entry_point="solver.learning.environments:Solitaire",
            vector_entry_point="solver.learning.side_by_side:SolitaireVector",
            kwargs={"ruleset": ruleset},
        )


def roll_again(state: State, random: np.random.Generator) -> State:
    """Return the state after rolling the dice that are not held, with sorted dice."""
    state = apply_roll(state, random.integers(1, FACES + 1, size=state.rules.dice).tolist())
    return replace(state, dice=tuple(sorted(state.dice)), held=0)


def roll_first(state: State, random: np.random.Generator) -> State:
    """Return the state after a turn's first roll; unchanged if it has dice or is finished."""
    if state.dice or state.finished:
        return state
    return roll_again(apply_action(state, Hold(0)), random)


def play_action(state: State, number: int, random: np.random.Generator) -> State:
    """Return the state after an action. A hold includes the next roll, and a box ends the turn."""
    state = apply_action(state, find_action(state.rules, number))
    return roll_again(state, random) if state.waiting else state


def refuse_unknown(render_mode: str | None, metadata: dict[str, Any]) -> None:
    """Raise ValueError if the environment lacks this render mode, as Gymnasium requires."""
    if render_mode not in (None, *metadata["render_modes"]):
        modes = " or ".join(map(str, (*metadata["render_modes"], None)))
        raise ValueError(f"render_mode is {modes}, not {render_mode!r}")


class Solitaire(gymnasium.Env[Features, np.int64]):
    metadata = {"render_modes": [*DRAWN], "render_fps": 1}

    def __init__(
        self, ruleset: str = "yatzy", render_mode: str | None = None, actions: str = SLOTS
    ) -> None:
        refuse_unknown(render_mode, self.metadata)
        self.rules = find_ruleset(ruleset, PLAYED)
        self.render_mode = render_mode
        self.numbering = Numbering(self.rules, actions)
        self.action_space = gymnasium.spaces.Discrete(self.numbering.count)
        self.observation_space = gymnasium.spaces.Box(
            find_lower_bounds(self.rules), find_upper_bounds(self.rules)
        )
        self.state = start_state(self.rules)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Features, dict[str, Any]]:
        super().reset(seed=seed)
        self.state = roll_first(start_state(self.rules), self.np_random)
        return make_features(self.state), self._make_info()

    def step(self, action: np.int64) -> tuple[Features, float, bool, bool, dict[str, Any]]:
        before = self.state.total
        number = int(self.numbering.convert_actions(np.array([action]), self._roll)[0])
        if number == NOT_ALLOWED:
            raise IllegalAction(f"these dice do not allow action {action}")
        self.state = roll_first(play_action(self.state, number, self.np_random), self.np_random)
        reward = float(self.state.total - before)
        return make_features(self.state), reward, self.state.finished, False, self._make_info()

    def action_masks(self) -> npt.NDArray[np.bool_]:
        return self._make_mask().astype(np.bool_)

    def render(self) -> str | Bytes | None:
        return DRAWN[self.render_mode](self.state) if self.render_mode else None

    def _make_mask(self) -> Mask:
        masks: Mask = self.numbering.convert_masks(make_mask(self.state)[None], self._roll)[0]
        return masks

    @property
    def _roll(self) -> Ints:
        """The number of the roll, in an array. After the game it is 0, and no action is legal."""
        return np.array([self.rules.cup.roll_index.get(self.state.dice, 0)])

    def _make_info(self) -> dict[str, Any]:
        return {"action_mask": self._make_mask(), "score": self.state.total}
