"""A learner at play, round by round, in words."""

from collections.abc import Iterator

from solver.learning.chance import Luck, falls_of, throw
from solver.learning.sarsa import Learner
from solver.learning.simplified import CUP, KEPT, NO_BOX, NOTHING, THROWS


def game(learner: Learner, luck: Luck) -> Iterator[str]:
    """One sentence a round, until every box is filled."""
    open_boxes, turn, total = learner.game.open, 0, 0
    while open_boxes:
        turn += 1
        kept, hold = NOTHING, NOTHING
        for number in range(1, THROWS + 1):
            roll = throw(luck, 0, kept, falls_of(CUP.dice))
            last = number == THROWS
            hold = KEPT + roll if last else learner.hold(open_boxes, kept, roll, luck)
            done = f"turn {turn}, round {number}: {_dice(KEPT + roll)}"
            if hold >= KEPT:
                break
            yield f"{done}, keeps {_dice(hold)}"
            kept = hold
        box = int(learner.game.box[open_boxes, hold - KEPT])
        if box == NO_BOX:
            yield f"{done}, keeps all: worth nothing"
            continue
        points = int(learner.game.points[open_boxes, hold - KEPT])
        open_boxes, total = open_boxes & ~(1 << box), total + points
        name = learner.game.categories[box].id.replace("_", " ")
        yield f"{done}, keeps all: {points} for {name}"
    yield f"finished in {turn} turns with {total} points"


def _dice(hold: int) -> str:
    return " ".join(map(str, CUP.holds[hold])) or "nothing"
