"""The published human study's data, and an audit of the decisions that it printed.

The study prints some turns of its same-value test with what each of its programs held and where
it scored. Of most it names the filled boxes but never the points in them, so a decision is judged
for every upper total that those boxes can hold: its cost is a range, which is a single number
while the card is empty.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from solver.advice import Advisor, Option, Position
from solver.exact.any_die import DieValue
from solver.rules import YATZY
from solver.rules.dice import FACES, Dice
from solver.statistics.fairness import DiceTest, fairness
from solver.statistics.shares import Z95

RULES = YATZY  # by which the study played
PLAYERS = ("dice_based", "scorecard_based", "optimal")
Card = tuple[int, int]  # the boxes that are filled, as bits, and the upper total
Range = tuple[float, float]
STEPS = (("throw", "keep1", 2), ("throw2", "keep2", 1), ("result", "category", 0))


@cache
def reported() -> Any:
    return json.loads(files("solver.study").joinpath("data/reported.json").read_text())


def printed_turns() -> Sequence[Any]:
    """Of its tables 4.7 to 4.11."""
    found: Sequence[Any] = reported()["same_value_test"]["rounds"]
    return found


def real_dice() -> DiceTest:
    """The dice that the study threw by hand: 510 counts, though it writes of 500."""
    counts = reported()["real_dice_test"]["counts"]
    return fairness("the study's real dice", [counts[str(face)] for face in range(1, FACES + 1)])


def real_dice_value() -> DieValue:
    """What perfect play averages with them: ten sweeps, so it comes as a file.

    python -m solver solve yatzy --dice-counts 76,84,84,91,90,85 --json
    """
    facts = json.loads(files("solver.study").joinpath("data/real_dice.json").read_text())
    return DieValue(facts["value"], (facts["high"] - facts["value"]) / Z95)


@dataclass(frozen=True, slots=True)
class Audited:
    table: str
    game: int
    round: int
    player: str
    dice: tuple[int, ...]
    rolls_left: int
    choice: str
    best: tuple[str, ...]  # over the possible cards
    costs: tuple[float, ...]  # on every possible card

    @property
    def cost(self) -> Range:
        return together([self])


def together(decisions: Iterable[Audited]) -> Range:
    """The least and the most that decisions of one turn cost, all of them on the same card."""
    sums = [sum(costs) for costs in zip(*(one.costs for one in decisions), strict=True)]
    return min(sums), max(sums)


def audit(advisor: Advisor) -> Iterator[Audited]:
    """Every printed decision whose filled boxes are known."""
    for turn in printed_turns():
        for player in PLAYERS:
            boxes = filled_before(turn, player)
            if boxes is not None:
                filled = RULES.mask(boxes)
                totals = sorted(RULES.upper_totals(filled))
                yield from audit_turn(advisor, turn, player, [(filled, upper) for upper in totals])


def filled_before(turn: Any, player: str) -> Sequence[str] | None:
    """The boxes of the card before a printed turn, as far as the study names them."""
    filled = turn.get("filled", {})
    boxes: Sequence[str] | None = filled.get("all", filled.get(player))
    return boxes


def choices_in(turn: Any, player: str) -> Iterator[tuple[Dice, int, Any]]:
    """The dice of each decision, the throws left, and what was held, or the box."""
    printed = {"throw": turn["throw"], **turn[player]}
    for thrown, chosen, rolls_left in STEPS:
        choice = tuple(sorted(printed[chosen])) if rolls_left else printed[chosen]
        yield tuple(sorted(printed[thrown])), rolls_left, choice


def of_turn(judged: Iterable[Audited], turn: Any, player: str) -> list[Audited]:
    wanted = turn["table"], turn["round"], player
    return [one for one in judged if (one.table, one.round, one.player) == wanted]


def audit_turn(
    advisor: Advisor, turn: Any, player: str, cards: Sequence[Card]
) -> Iterator[Audited]:
    """The decisions of a program in a turn that it may have played with one of these cards."""
    for dice, rolls_left, choice in choices_in(turn, player):
        judged = [
            _judge(advisor, Position(RULES, filled, upper, dice, rolls_left), choice)
            for filled, upper in cards
        ]
        yield Audited(
            turn["table"],
            turn["game"],
            turn["round"],
            player,
            dice,
            rolls_left,
            named(choice),
            tuple(dict.fromkeys(best for _, best in judged)),
            tuple(cost for cost, _ in judged),
        )


def _judge(advisor: Advisor, position: Position, choice: Any) -> tuple[float, str]:
    advice = advisor.advise(position)
    cost = next(option.regret for option in advice.options if _what(option) == choice)
    return cost, named(_what(advice.best))


def _what(option: Option) -> Any:
    return option.category or option.dice


def named(choice: Any) -> str:
    return choice if isinstance(choice, str) else " ".join(map(str, choice)) or "nothing"
