"""Calculates in which box a turn can end after an option, backwards from the end of the turn."""

from dataclasses import dataclass

import numpy as np

from solver.advice import Advisor, Option, Position
from solver.dp.turn import Carried


@dataclass(frozen=True)
class Ends:
    """The chance that the turn ends with points in this box, and the value in that case."""

    chance: float
    value: float


def ends_of(advisor: Advisor, position: Position, option: Option) -> dict[str, Ends]:
    turn = advisor.turn(position.filled, position.upper, chips_won=position.chips_won)
    won, boxes = turn.gains > 0, len(turn.boxes)
    after = np.zeros((*won.shape, 2 * boxes))
    for at in range(boxes):
        after[at, :, at] = won[at]
        after[at, :, boxes + at] = np.where(won[at], turn.scores[at], 0.0)
    held = Carried(turn, after).holds(position.rolls_left)[advisor.cup.hold_index[option.dice]]
    chances, worth = held[:boxes].tolist(), held[boxes:].tolist()
    names = [advisor.rules.categories[box].id for box in turn.boxes.tolist()]
    found = {
        name: Ends(chance, value / chance)
        for name, chance, value in zip(names, chances, worth, strict=True)
        if chance > 1e-9
    }
    return dict(sorted(found.items(), key=lambda pair: -pair[1].chance))
