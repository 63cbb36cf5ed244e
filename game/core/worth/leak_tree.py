"""The tree of points lost: each mistake belongs to a path in the tree.

The steps of a path, from coarse to fine:

    hold or box    what was decided: which dice stay, or which box is filled
    1, 2, ...      after which roll of the turn
    a box          the filled box, or the box in which the turn most likely ends with points after
                   the hold, under perfect play
    early, middle, late    the third of the game
    open, safe, gone       whether the upper bonus can still be won or lost

Decisions of one game share a card, so their losses are summed per game first. The uncertainty of
points per game comes from the differences between games.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from game.core.worth.skill import Moments
from solver.advice import Advisor, find_position, is_mistake
from solver.rules import Action, Hold, Ruleset, Score, State
from solver.rules.dice import Dice

Path = tuple[str, ...]  # the empty path is the root of the tree
Sums = Mapping[Path, float]

HOLD, BOX = "hold", "box"
PHASES = ("early", "middle", "late")
OPEN, SAFE, GONE = "open", "safe", "gone"
BONUS = (OPEN, SAFE, GONE)
AIMED = 3  # number of steps in a path that ends with a box
DEEPEST = 5
FEWEST = 10  # least number of games; with fewer, one bad game dominates every sum
SHOWN = 0.05  # points per game; smaller losses get no line
SHARE = 0.005  # share of all points lost; smaller losses get no line


@dataclass(frozen=True, slots=True)
class Misplay:
    """A decision with a cost; ``number`` is its number in the review."""

    number: int
    turn: int
    place: Path
    boxes: tuple[str, ...]  # the boxes at which the best move and the chosen move aim
    regret: float
    dice: Dice  # the dice in the order of their slots
    action: Action

    @property
    def places(self) -> set[Path]:
        """All paths in the tree that lead to this decision, also those that begin with a box."""
        steps = range(1, DEEPEST + 1)
        tree = {self.place[:step] for step in steps}
        return tree | {(box, *self.place[:step]) for box in self.boxes for step in range(AIMED)}


@dataclass(frozen=True, slots=True)
class Leak:
    """A node of the tree, with its loss in points per game."""

    path: Path
    lost: Moments
    children: tuple["Leak", ...] = ()  # the children with a loss worth a line, costliest first

    @property
    def points(self) -> float:
        return self.lost.mean

    @property
    def rest(self) -> float:
        """The points lost in children that are too small for a line of their own."""
        return max(0.0, self.points - sum(child.points for child in self.children))


def find_path(advisor: Advisor, state: State, action: Action) -> Path:
    rules = state.rules
    kind = HOLD if isinstance(action, Hold) else BOX
    throw = str(min(state.throws_made, rules.throws))  # saved rolls count as the turn's last roll
    if state.upper >= rules.bonus_threshold:
        bonus = SAFE
    else:
        bonus = OPEN if state.upper_most >= rules.bonus_threshold else GONE
    return kind, throw, name_aim(advisor, state, action), find_phase(rules, state.turn), bonus


def name_aim(advisor: Advisor, state: State, action: Action) -> str:
    if isinstance(action, Score):
        return action.category
    return advisor.predict_box(find_position(state), action.kept(state.dice))


def find_phase(rules: Ruleset, turn: int) -> str:
    """Return the third of the game in which this turn is; ``turn`` counts from 0."""
    return PHASES[len(PHASES) * turn // len(rules.categories)]


def find_mistakes(
    advisor: Advisor, decided: Iterable[tuple[State, Action, float]]
) -> tuple[Misplay, ...]:
    """Return a game's mistakes in order, numbered among all its judged decisions."""
    mistakes = []
    for number, (state, action, regret) in enumerate(decided, 1):
        if not is_mistake(regret):
            continue
        position = find_position(state)
        best = advisor.best(position)
        right = best.category or advisor.predict_box(position, best.dice)
        boxes = tuple(dict.fromkeys((right, name_aim(advisor, state, action))))
        path = find_path(advisor, state, action)
        mistakes.append(Misplay(number, state.turn, path, boxes, regret, state.dice, action))
    return tuple(mistakes)


def sum_losses(misplays: Iterable[Misplay]) -> dict[Path, float]:
    """Map each path to the points that one game lost on it and on all paths below it."""
    sums: dict[Path, float] = defaultdict(float)
    for slip in misplays:
        for steps in range(DEEPEST + 1):
            sums[slip.place[:steps]] += slip.regret
    return dict(sums)


def average_losses(games: Sequence[Sums]) -> dict[Path, Moments]:
    """Map each path to the number of games, and to the mean and mean square of the points lost per
    game. A game without mistakes on a path counts as 0 points."""
    means: dict[Path, float] = defaultdict(float, {(): 0.0})
    squares: dict[Path, float] = defaultdict(float)
    for sums in games:
        for path, points in sums.items():
            means[path] += points
            squares[path] += points * points
    count = len(games)
    return {path: Moments(count, means[path] / count, squares[path] / count) for path in means}


def build_tree(losses: Mapping[Path, Moments]) -> Leak:
    children: dict[Path, list[Path]] = defaultdict(list)
    least = max(SHOWN, SHARE * losses[()].mean)
    for path, moments in losses.items():
        if path and moments.mean >= least:
            children[path[:-1]].append(path)
    return _build_node((), losses, children)


def _build_node(
    path: Path, losses: Mapping[Path, Moments], children: Mapping[Path, Sequence[Path]]
) -> Leak:
    grown = (_build_node(child, losses, children) for child in children.get(path, ()))
    return Leak(
        path, losses[path], tuple(sorted(grown, key=lambda leak: (-leak.points, leak.path)))
    )


def parse_path(text: str, rules: Ruleset) -> Path | None:
    """Parse a path such as ``hold.1.sixes`` or ``sixes.hold.1``; None if it does not exist."""
    path = tuple(text.split("."))
    throws = tuple(str(throw) for throw in range(1, rules.throws + 1))
    names = tuple(category.id for category in rules.categories)
    known: tuple[Path, ...] = ((HOLD, BOX), throws, names, PHASES, BONUS)
    if path[0] in names:
        known = (names, (HOLD, BOX), throws)
    fits = len(path) <= len(known) and all(
        step in steps for step, steps in zip(path, known, strict=False)
    )
    return path if fits else None
